# Unit and property tests of the libraries above the plan.
add_library(cclUpperTestSupport INTERFACE)
target_include_directories(cclUpperTestSupport INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(cclUpperTestSupport INTERFACE
  CCLC_TARGET_DIR="${PROJECT_SOURCE_DIR}/targets")
target_link_libraries(cclUpperTestSupport INTERFACE cclCompiler cclFormats cclPrograms)

function(ccl_add_upper_test lib)
  cmake_parse_arguments(arg "" "" "PARTS" ${ARGN})
  set(sources ${arg_UNPARSED_ARGUMENTS})
  # The folder of the library, such as Sim/Network; programs are not in lib.
  get_target_property(folder ccl${lib} SOURCE_DIR)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/lib ${folder})
  if(lib STREQUAL "Programs")
    set(folder Programs)
  endif()
  list(TRANSFORM sources PREPEND ${folder}/)
  ccl_add_test(unit-${lib} SOURCES ${sources} LIBS ${lib} UpperTestSupport PARTS ${arg_PARTS})
endfunction()

ccl_add_upper_test(Dot DotTest.cpp)
ccl_add_upper_test(Msccl DialectTest.cpp LintTest.cpp XmlTest.cpp)
ccl_add_upper_test(Formats AhbmModuleTest.cpp PlanBinTest.cpp PlanFormatTest.cpp PlanJsonOrderTest.cpp
  PlanJsonTest.cpp RoundTripTest.cpp TextPlanTest.cpp)
ccl_add_upper_test(Mscclpp ExecutorTest.cpp JsonTest.cpp)
ccl_add_upper_test(MscclppEmit CompactTest.cpp LowerTest.cpp PortTest.cpp ShareTest.cpp)
target_link_libraries(unit-MscclppEmit PRIVATE cclMscclppMachine)
ccl_add_upper_test(MscclppLift LiftTest.cpp)
ccl_add_upper_test(MscclppProof ChannelKindsTest.cpp DataFlowTest.cpp ReachabilityTest.cpp
  VectorClockTest.cpp VerifyTest.cpp)
ccl_add_upper_test(MscclppSim ConcurrentTest.cpp ShownPlanTest.cpp SimulateTest.cpp TrafficTest.cpp)
target_link_libraries(unit-MscclppSim PRIVATE cclMscclppMachine)
ccl_add_upper_test(Import FabricTest.cpp HealthTest.cpp HwlocTest.cpp MatrixTest.cpp NcclTopologyTest.cpp RocmTest.cpp SlurmTest.cpp)
target_link_libraries(unit-Import PRIVATE nlohmann_json::nlohmann_json)
ccl_add_upper_test(Target AhbmSipsTest.cpp AhbmTest.cpp LoaderTest.cpp MultipathTest.cpp ParallelLinksTest.cpp PlanTargetTest.cpp
  RoutingTest.cpp SettingsTest.cpp ShapesTest.cpp)
target_link_libraries(unit-Target PRIVATE cclJson)
ccl_add_upper_test(Placement RankPlacementTest.cpp)
ccl_add_upper_test(Rolled RolledFileTest.cpp RolledFormTest.cpp RolledTest.cpp)
ccl_add_upper_test(Synth PathPackingTest.cpp TimedPathsTest.cpp TimedTreesTest.cpp TreePackingTest.cpp
  TreeProgramTest.cpp)
ccl_add_upper_test(Data DataTypeTest.cpp)
ccl_add_upper_test(Sim AlphaBetaTest.cpp BoundsTest.cpp ClosedFormTest.cpp ConcurrentPlansTest.cpp CostsTest.cpp DataExecutorTest.cpp
  EngineTest.cpp EventQueueTest.cpp ExecutionsTest.cpp FoldedPlanTest.cpp ListenerTest.cpp LocalMemoryTest.cpp MaxMinFastTest.cpp MaxMinTest.cpp
  MetamorphicTest.cpp NetworkTest.cpp PerFlitTest.cpp SimulatorTest.cpp ProcessorTest.cpp ProtocolTest.cpp RepeatTest.cpp ReplayTest.cpp RouteChoiceTest.cpp
  QueueSharingTest.cpp ReadTest.cpp StagesTest.cpp SwitchTest.cpp TopologyTest.cpp TransmissionTest.cpp)
ccl_add_upper_test(Run DirectMessagesTest.cpp MemoryConflictsTest.cpp PipeliningTest.cpp SlotRingTest.cpp StreamingCopyTest.cpp ThreadGroupTest.cpp)
target_link_libraries(unit-Run PRIVATE cclSim)
target_include_directories(unit-Run PRIVATE ${PROJECT_SOURCE_DIR}/lib/Run)
# Ranks of a node as threads: the transport needs the types of MPI, and no process of a job.
if(PKG_CONFIG_FOUND)
  pkg_check_modules(openmpi QUIET IMPORTED_TARGET ompi-c)
endif()
if(TARGET PkgConfig::openmpi)
  set(sources ArenaPart.cpp CallData.cpp CallReduction.cpp MpiConnection.cpp MpiTransport.cpp NodeTransport.cpp Nodes.cpp PendingCalls.cpp PlanExecution.cpp)
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/lib/Run/Mpi/)
  ccl_add_test(unit-Node SOURCES Run/NodeTransportTest.cpp Run/PendingCallsTest.cpp ${sources} LIBS Run UpperTestSupport)
  target_link_libraries(unit-Node PRIVATE PkgConfig::openmpi)
  target_compile_definitions(unit-Node PRIVATE OMPI_SKIP_MPICXX)
  target_include_directories(unit-Node PRIVATE ${PROJECT_SOURCE_DIR}/lib/Run ${PROJECT_SOURCE_DIR}/lib/Run/Mpi)
endif()
ccl_add_upper_test(Bound FlowGraphTest.cpp KnownRatesTest.cpp LinkBoundTest.cpp PathBoundTest.cpp
  PlansTest.cpp ShapeClassesTest.cpp StreamBoundTest.cpp)
target_link_libraries(unit-Bound PRIVATE cclSim)
ccl_add_upper_test(Export ChakraTest.cpp GoalTest.cpp)
ccl_add_upper_test(MachineView MachineDescriptionTest.cpp MachineDotTest.cpp MachineGroupsTest.cpp
  MachineLayoutTest.cpp)
ccl_add_upper_test(Report HtmlReportTest.cpp ProofTest.cpp TimelineTest.cpp WhyTest.cpp)
ccl_add_upper_test(Diff AlignmentTest.cpp GateTest.cpp PlanDiffTest.cpp)
ccl_add_upper_test(Limits ConstraintsTest.cpp PlanCheckTest.cpp PlanMemoryTest.cpp
  PlanQueuesTest.cpp)
ccl_add_upper_test(Programs GatesTest.cpp HierarchyTest.cpp MscclangDefectsTest.cpp ReductionsTest.cpp)
ccl_add_upper_test(UserPrograms ObjectCacheTest.cpp UserCodeTest.cpp)
ccl_add_upper_test(Compiler CompileTest.cpp ConvertPlanTest.cpp EndpointGroupTest.cpp LowerToMscclppTest.cpp SafeSizesTest.cpp SymmetricTest.cpp ThreeLevelTest.cpp)
ccl_add_upper_test(Advise AdviceTest.cpp)
ccl_add_upper_test(Tune CandidateSpaceTest.cpp InvariantTest.cpp LargeSizesTest.cpp LocalSearchTest.cpp MeasuredChoiceTest.cpp NeighbourhoodTest.cpp TimeEstimateTest.cpp PlanCoverTest.cpp PortfolioTest.cpp
  ParameterValuesTest.cpp RankingTest.cpp ResultCheckTest.cpp ShardTest.cpp TrialTest.cpp VaryTest.cpp)
ccl_add_upper_test(Api ApiTest.cpp CompileTest.cpp FormsTest.cpp MachinesTest.cpp PortfolioTest.cpp)
ccl_add_test(unit-Tools SOURCES Tools/GraphvizTest.cpp Tools/LinearFitTest.cpp Tools/SizeRangesTest.cpp
    Tools/SizesTest.cpp Tools/ValuesTest.cpp Tools/WhatIfTest.cpp
    ${PROJECT_SOURCE_DIR}/tools/ccl-opt/ExpectedDiagnostics.cpp
    ${PROJECT_SOURCE_DIR}/tools/ccl-run/LinearFit.cpp
    ${PROJECT_SOURCE_DIR}/tools/cclc/DumpOptions.cpp ${PROJECT_SOURCE_DIR}/tools/cclc/Graphviz.cpp
    ${PROJECT_SOURCE_DIR}/tools/ccl-sim/simulate/WhatIfRuns.cpp
  LIBS Cli Dot Lint Msccl Sim UpperTestSupport)
# Tests of helpers that no other library sees.
target_include_directories(unit-UserPrograms PRIVATE ${PROJECT_SOURCE_DIR}/lib/UserPrograms)
target_include_directories(unit-Tools PRIVATE ${PROJECT_SOURCE_DIR}/tools/ccl-opt ${PROJECT_SOURCE_DIR}/tools/ccl-run
  ${PROJECT_SOURCE_DIR}/tools/ccl-sim ${PROJECT_SOURCE_DIR}/tools/cclc)
target_include_directories(unit-Report PRIVATE ${PROJECT_SOURCE_DIR}/lib/Views/Report)
target_link_libraries(unit-Report PRIVATE nlohmann_json::nlohmann_json)
target_link_libraries(unit-MachineView PRIVATE nlohmann_json::nlohmann_json)
target_include_directories(unit-Import PRIVATE ${PROJECT_SOURCE_DIR}/lib/Target/Import)
target_include_directories(unit-Diff PRIVATE ${PROJECT_SOURCE_DIR}/lib/Diff)
target_include_directories(unit-Advise PRIVATE ${PROJECT_SOURCE_DIR}/lib/Search/Advise)
target_include_directories(unit-Tune PRIVATE ${PROJECT_SOURCE_DIR}/lib/Search/Tune)
target_include_directories(unit-MscclppProof PRIVATE ${PROJECT_SOURCE_DIR}/lib/Mscclpp/Proof)
target_link_libraries(unit-Tune PRIVATE cclProof cclSim)
target_include_directories(unit-Sim PRIVATE ${PROJECT_SOURCE_DIR}/lib/Sim/Network
  ${PROJECT_SOURCE_DIR}/lib/Sim)
