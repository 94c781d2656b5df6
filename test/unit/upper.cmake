# Unit and property tests of the libraries above the plan: Emit, Target, Sim, Legality, Driver.
add_library(cclUpperTestSupport INTERFACE)
target_include_directories(cclUpperTestSupport INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(cclUpperTestSupport INTERFACE
  CCLC_TARGET_DIR="${PROJECT_SOURCE_DIR}/targets")
target_link_libraries(cclUpperTestSupport INTERFACE cclDriver)

function(ccl_add_upper_test lib)
  set(sources ${ARGN})
  list(TRANSFORM sources PREPEND ${lib}/)
  ccl_add_test(unit-${lib} SOURCES ${sources} LIBS ${lib} UpperTestSupport)
endfunction()

ccl_add_upper_test(Emit DotTest.cpp MscclDialectTest.cpp MscclLintTest.cpp MscclXmlTest.cpp PlanBinTest.cpp PlanJsonOrderTest.cpp
  PlanJsonTest.cpp RoundTripTest.cpp TextPlanTest.cpp)
ccl_add_upper_test(Mscclpp JsonTest.cpp LimitsTest.cpp LowerTest.cpp VerifyTest.cpp)
ccl_add_upper_test(Target AhbmTest.cpp LoaderTest.cpp RoutingTest.cpp)
ccl_add_upper_test(Placement RankPlacementTest.cpp)
ccl_add_upper_test(Sim BoundsTest.cpp ClosedFormTest.cpp CostsTest.cpp CutBoundsTest.cpp DataExecutorTest.cpp DataTypeTest.cpp
  EngineTest.cpp GoalTest.cpp ListenerTest.cpp LocalMemoryTest.cpp MaxMinTest.cpp
  MetamorphicTest.cpp PerFlitTest.cpp ProtocolTest.cpp)
ccl_add_upper_test(Report HtmlReportTest.cpp MachineLayoutTest.cpp TimelineTest.cpp)
ccl_add_upper_test(Diff AlignmentTest.cpp GateTest.cpp PlanDiffTest.cpp)
ccl_add_upper_test(Legality LegalityTest.cpp)
ccl_add_upper_test(Programs GatesTest.cpp HierarchyTest.cpp MscclangDefectsTest.cpp ReductionsTest.cpp)
ccl_add_upper_test(Driver CompileTest.cpp GraphvizTest.cpp ReplayTest.cpp SizeRangesTest.cpp
  TextTest.cpp ThreeLevelTest.cpp WhyTest.cpp)
# Tests of helpers that no other library sees.
target_include_directories(unit-Driver PRIVATE ${PROJECT_SOURCE_DIR}/lib/Driver)
target_include_directories(unit-Report PRIVATE ${PROJECT_SOURCE_DIR}/lib/Report)
target_link_libraries(unit-Report PRIVATE nlohmann_json::nlohmann_json)
target_include_directories(unit-Diff PRIVATE ${PROJECT_SOURCE_DIR}/lib/Diff)
target_include_directories(unit-Sim PRIVATE ${PROJECT_SOURCE_DIR}/lib/Sim)
