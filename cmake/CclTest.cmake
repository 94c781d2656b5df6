# The code of tests is compiled for a short build: what it measures and checks is in the libraries,
# which have all optimisations and sanitizers.
add_library(cclTestOptions INTERFACE)
target_compile_options(cclTestOptions INTERFACE $<$<CONFIG:Release>:-O1>)
if(CCLC_SANITIZE)
  target_compile_options(cclTestOptions INTERFACE -fno-sanitize=undefined -O0)
endif()

# ccl_add_test(<name> SOURCES <file>... LIBS <Lib>... [PARTS <part>...]): a Catch2 program under ctest.
# A program that takes long has parts, which ctest runs in parallel as <name>-<part>. A part is the
# test cases with its name as a tag; the last part is all others, so that no test case is left out.
function(ccl_add_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS;PARTS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE Catch2::Catch2WithMain cclTestSupport)
  foreach(lib IN LISTS arg_LIBS)
    target_link_libraries(${name} PRIVATE ccl${lib})
  endforeach()
  target_link_libraries(${name} PRIVATE cclTestOptions)
  if(NOT arg_PARTS)
    add_test(NAME ${name} COMMAND ${name})
    return()
  endif()
  list(POP_BACK arg_PARTS others)
  set(filter "")
  foreach(part IN LISTS arg_PARTS)
    add_test(NAME ${name}-${part} COMMAND ${name} --warn NoTests "[${part}]${filter}")
    string(APPEND filter "~[${part}]")
  endforeach()
  add_test(NAME ${name}-${others} COMMAND ${name} --warn NoTests ${filter})
endfunction()

# ccl_label_tests(QUICK <test>...): every test of the folder is in the tier `full`, and those named
# in the tier `quick` as well: together they take less than two minutes on two cores.
function(ccl_label_tests)
  cmake_parse_arguments(arg "" "" "QUICK" ${ARGN})
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    set(labels full)
    if(test IN_LIST arg_QUICK)
      list(APPEND labels quick)
    endif()
    set_property(TEST ${test} PROPERTY LABELS ${labels})
  endforeach()
endfunction()
