# The libraries from Support to Schedule, one program each.
ccl_add_test(unit-Support
  SOURCES Support/DiagnosticsTest.cpp Support/IdsTest.cpp Support/LocationTest.cpp
    Support/UnitsTest.cpp
  LIBS Support)
