//===- Register.cpp - The passes of this library by name ------------------===//
//
// Wraps each transformation in a Pass and registers it with its levels, its options and their
// defaults; --list-passes prints the texts.
//
//===----------------------------------------------------------------------===//

#include "cclc/Transforms/Pass/PassRegistry.h"
#include "cclc/Transforms/Passes.h"

using namespace cclc;

using Chunks = ChunkProgram;
using Instrs = InstrProgram;

std::unique_ptr<Pass> cclc::aggregatePass(AggregateOptions options) {
  return makePass<Chunks, Chunks>("aggregate", [=](Chunks &&program, PassContext &context) {
    return aggregate(std::move(program), options, context);
  });
}

std::unique_ptr<Pass> cclc::parallelizePass() {
  return makePass<Chunks, Chunks>("parallelize", parallelize);
}

std::unique_ptr<Pass> cclc::formSwitchOperationsPass(SwitchOperations which) {
  return makePass<Chunks, Chunks>(
      "form-switch-operations", [which = std::move(which)](Chunks &&program, PassContext &context) {
        return formSwitchOperations(std::move(program), which, context);
      });
}

std::unique_ptr<Pass> cclc::splitCountsPass(uint32_t max) {
  return makePass<Chunks, Chunks>("split-counts", [=](Chunks &&program, PassContext &context) {
    return splitCounts(std::move(program), max, context);
  });
}

std::unique_ptr<Pass> cclc::allocateGenerationsPass(uint32_t stride) {
  return makePass<Chunks, Chunks>("allocate-generations",
                                  [=](Chunks &&program, PassContext &context) {
                                    return allocateGenerations(std::move(program), stride, context);
                                  });
}

std::unique_ptr<Pass> cclc::replicateInstancesPass(uint32_t instances, InstanceLayout layout) {
  return makePass<Chunks, Chunks>("replicate-instances",
                                  [=](Chunks &&program, PassContext &context) {
                                    return replicateInstances(program, instances, layout, context);
                                  });
}

std::unique_ptr<Pass> cclc::lowerToInstrPass() {
  return makePass<Chunks, Instrs>("lower-to-instr", lowerToInstr);
}

std::unique_ptr<Pass> cclc::removeDeadCopiesPass() {
  return makePass<Instrs, Instrs>("remove-dead-copies", removeDeadCopies);
}

std::unique_ptr<Pass> cclc::fuseReceiveReducePass() {
  return makePass<Instrs, Instrs>("fuse-receive-reduce", fuseReceiveReduce);
}

std::unique_ptr<Pass> cclc::fusePass(FusionOptions options) {
  return makePass<Instrs, Instrs>("fuse", [=](Instrs &&program, PassContext &context) {
    return fuse(std::move(program), options, context);
  });
}

std::unique_ptr<Pass> cclc::lowerFusedPass() {
  return makePass<ExecPlan, ExecPlan>("lower-fused", lowerFused);
}

std::unique_ptr<Pass> cclc::gatherWaitsPass() {
  return makePass<ExecPlan, ExecPlan>("gather-waits", gatherWaits);
}

void cclc::registerTransforms(PassRegistry &registry) {
  registry.add({"aggregate", Level::Chunk, Level::Chunk,
                "join adjacent operations between the same ranks",
                "which (marked): marked: in the program's scopes; all: wherever that preserves "
                "fusions\nmax (71): largest number of chunks of a joined operation; 0: unlimited",
                [](PassOptions &options) {
                  AggregateOptions which;
                  which.all = options.choice("which", {"marked", "all"}) == "all";
                  which.max = options.number("max").value_or(which.max);
                  return aggregatePass(which);
                }});
  registry.add({"parallelize", Level::Chunk, Level::Chunk,
                "split operations into the parts that the program requests, on separate channels",
                "", [](PassOptions &) { return parallelizePass(); }});
  registry.add({"replicate-instances", Level::Chunk, Level::Chunk,
                "run n copies of the program in parallel, each on a share of every chunk",
                "n (2): number of instances\nlayout (blocked): blocked, interleaved or batched",
                [](PassOptions &options) {
                  uint32_t n = options.number("n").value_or(2);
                  InstanceLayout layout =
                      parseInstanceLayout(
                          options.choice("layout", {"blocked", "interleaved", "batched"}))
                          .value_or(InstanceLayout::Blocked);
                  return replicateInstancesPass(n, layout);
                }});
  registry.add({"split-counts", Level::Chunk, Level::Chunk,
                "split operations that exceed the maximum number of chunks of a step",
                "max (71): largest number of chunks of an operation", [](PassOptions &options) {
                  uint32_t max = options.number("max").value_or(AggregateOptions().max);
                  return splitCountsPass(std::max<uint32_t>(max, 1));
                }});
  registry.add({"form-switch-operations", Level::Chunk, Level::Chunk,
                "number the copies and reductions that a switch performs together",
                "multicast (yes), reduction (yes): operations of the switch",
                [](PassOptions &options) {
                  SwitchOperations which;
                  which.multicasts = options.flag("multicast", true);
                  which.adds = options.flag("reduction", true);
                  return formSwitchOperationsPass(which);
                }});
  registry.add(
      {"allocate-generations", Level::Chunk, Level::Chunk,
       "assign generations to the phases of calls",
       "stride (3): generations that a call of two phases reserves; 2 is incorrect, for tests",
       [](PassOptions &options) {
         uint32_t stride = options.choice("stride", {"3", "2"}) == "2" ? 2 : 3;
         return allocateGenerationsPass(stride);
       }});
  registry.add({"lower-to-instr", Level::Chunk, Level::Instr,
                "lower chunk operations to instructions", "",
                [](PassOptions &) { return lowerToInstrPass(); }});
  registry.add({"remove-dead-copies", Level::Instr, Level::Instr,
                "forward the sources of local copies and remove dead copies", "",
                [](PassOptions &) { return removeDeadCopiesPass(); }});
  registry.add({"fuse-receive-reduce", Level::Instr, Level::Instr,
                "join receives into scratch with the reduce that is their only reader", "",
                [](PassOptions &) { return fuseReceiveReducePass(); }});
  registry.add(
      {"fuse", Level::Instr, Level::Instr, "fuse receives with the sends that forward their data",
       "rcs (yes), rrcs (yes), rrs (yes): enabled fused instructions", [](PassOptions &options) {
         FusionOptions which{options.flag("rcs", true), options.flag("rrcs", true),
                             options.flag("rrs", true)};
         return fusePass(which);
       }});
  registry.add({"lower-fused", Level::Exec, Level::Exec, "split fused receives", "",
                [](PassOptions &) { return lowerFusedPass(); }});
  registry.add({"gather-waits", Level::Exec, Level::Exec,
                "wait before reductions that runtimes merge, not between them", "",
                [](PassOptions &) { return gatherWaitsPass(); }});
}
