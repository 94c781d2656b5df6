#include "cclc/Pass/PassRegistry.h"
#include "cclc/Transforms/Passes.h"

using namespace cclc;

void cclc::registerTransforms(PassRegistry &registry) {
  registry.add(
      {"aggregate", Level::Chunk, Level::Chunk, "join adjacent operations between the same ranks",
       "which (marked): marked: in the scopes that the program says; all: wherever it breaks "
       "no fusion\nmax (71): chunks of an operation that is made; 0: any number",
       [](PassOptions &options) {
         AggregateOptions which;
         which.all = options.choice("which", {"marked", "all"}) == "all";
         which.max = options.number("max").value_or(which.max);
         return makePass<ChunkProgram, ChunkProgram>(
             "aggregate", [=](ChunkProgram &&program, PassContext &context) {
               return aggregate(std::move(program), which, context);
             });
       }});
  registry.add({"parallelize", Level::Chunk, Level::Chunk,
                "cut operations into the parts that the program asks for, on channels of their own",
                "", [](PassOptions &) {
                  return makePass<ChunkProgram, ChunkProgram>("parallelize", parallelize);
                }});
  registry.add({"replicate-instances", Level::Chunk, Level::Chunk,
                "run n copies of the program side by side, each on its share of every chunk",
                "n (2): number of instances\nlayout (blocked): blocked, interleaved or batched",
                [](PassOptions &options) {
                  uint32_t n = options.number("n").value_or(2);
                  InstanceLayout layout =
                      parseInstanceLayout(
                          options.choice("layout", {"blocked", "interleaved", "batched"}))
                          .value_or(InstanceLayout::Blocked);
                  return makePass<ChunkProgram, ChunkProgram>(
                      "replicate-instances", [=](ChunkProgram &&program, PassContext &context) {
                        return replicateInstances(program, n, layout, context);
                      });
                }});
  registry.add({"allocate-generations", Level::Chunk, Level::Chunk,
                "give the phases of calls their generations",
                "stride (3): generations that a call of two phases reserves; 2 goes wrong",
                [](PassOptions &options) {
                  uint32_t stride = options.choice("stride", {"3", "2"}) == "2" ? 2 : 3;
                  return makePass<ChunkProgram, ChunkProgram>(
                      "allocate-generations", [=](ChunkProgram &&program, PassContext &context) {
                        return allocateGenerations(std::move(program), stride, context);
                      });
                }});
  registry.add({"lower-to-instr", Level::Chunk, Level::Instr,
                "make instructions of chunk operations", "", [](PassOptions &) {
                  return makePass<ChunkProgram, InstrProgram>("lower-to-instr", lowerToInstr);
                }});
  registry.add(
      {"remove-dead-copies", Level::Instr, Level::Instr,
       "read through local copies and remove those that nobody needs then", "", [](PassOptions &) {
         return makePass<InstrProgram, InstrProgram>("remove-dead-copies", removeDeadCopies);
       }});
  registry.add({"fuse-receive-reduce", Level::Instr, Level::Instr,
                "join a receive into scratch with the reduce that is its only reader", "",
                [](PassOptions &) {
                  return makePass<InstrProgram, InstrProgram>("fuse-receive-reduce",
                                                              fuseReceiveReduce);
                }});
  registry.add({"fuse", Level::Instr, Level::Instr,
                "join receives with the sends that forward what they received",
                "rcs (yes), rrcs (yes), rrs (yes): which fused instructions may be made",
                [](PassOptions &options) {
                  FusionOptions which{options.flag("rcs", true), options.flag("rrcs", true),
                                      options.flag("rrs", true)};
                  return makePass<InstrProgram, InstrProgram>(
                      "fuse", [=](InstrProgram &&program, PassContext &context) {
                        return fuse(std::move(program), which, context);
                      });
                }});
  registry.add(
      {"lower-fused", Level::Exec, Level::Exec, "take receives that also reduce or send apart", "",
       [](PassOptions &) { return makePass<ExecPlan, ExecPlan>("lower-fused", lowerFused); }});
}
