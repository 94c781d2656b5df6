# The libraries from Support to Schedule, one program each.
ccl_add_test(unit-Support
  SOURCES Support/CompressionTest.cpp Support/DiagnosticsTest.cpp Support/GroupedTest.cpp Support/IdsTest.cpp Support/LocationTest.cpp
    Support/MemoryBudgetTest.cpp Support/PairedRatioTest.cpp Support/ShortestPathsTest.cpp Support/SpellingTest.cpp Support/UnitsTest.cpp
    Support/WatchTest.cpp
  LIBS Support)
ccl_add_test(unit-IR
  SOURCES IR/CollectiveTest.cpp IR/DependencesTest.cpp IR/ParserTest.cpp IR/RoundTripTest.cpp
    IR/TextHeaderTest.cpp IR/VerifierTest.cpp
  LIBS Schedule Transforms)
ccl_add_test(unit-DSL SOURCES DSL/MisuseTest.cpp DSL/OrbitTest.cpp DSL/TraceTest.cpp LIBS DSL Proof)
ccl_add_test(unit-Proof
  SOURCES Proof/ChunkCheckerTest.cpp Proof/DeadlockTest.cpp
    Proof/PlanVerifierTest.cpp Proof/RacesTest.cpp Proof/RunsTest.cpp
    Proof/ValuesTest.cpp
  LIBS Schedule Transforms)
ccl_add_test(unit-Minimize SOURCES Proof/Minimize/PlanMinimizerTest.cpp
  LIBS Minimize Schedule Transforms)
ccl_add_test(unit-Transforms
  SOURCES Transforms/AggregateTest.cpp Transforms/FuseTest.cpp
    Transforms/FuseReceiveReduceTest.cpp Transforms/GatherWaitsTest.cpp Transforms/LowerFusedTest.cpp
    Transforms/FormSwitchOperationsTest.cpp Transforms/ParallelizeTest.cpp Transforms/RemoveDeadCopiesTest.cpp
    Transforms/ReplicateInstancesTest.cpp
  LIBS Schedule Transforms)
ccl_add_test(unit-Schedule
  SOURCES Schedule/CutTest.cpp Schedule/DirectivesTest.cpp Schedule/GoalsTest.cpp Schedule/ScheduleTest.cpp
    Schedule/UnfuseTest.cpp
  LIBS Schedule Transforms)
ccl_add_test(unit-Pass SOURCES Transforms/Pass/PassManagerTest.cpp Transforms/Pass/PassOptionsTest.cpp Transforms/Pass/PipelineTest.cpp
  LIBS Schedule Transforms)
