//===- Passes.h - Lowering and optimisation ---------------------*- C++ -*-===//
//
// Stages 3 and 4 of the toolchain. docs/Passes.md describes each pass with an
// example; the comments in their files say why they are sound.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TRANSFORMS_PASSES_H
#define CCL_TRANSFORMS_PASSES_H

#include "cclc/IR/ChunkProgram.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/IR/InstrProgram.h"

#include <memory>

namespace cclc {

class Pass;
class PassContext;
class PassRegistry;

/// Where the sub-chunks of instance k lie inside a buffer.
enum class InstanceLayout {
  Blocked,     ///< every instance has a contiguous part of each F chunks
  Interleaved, ///< chunk c becomes chunks c*n ... c*n + n-1, one an instance
  Batched,     ///< every instance has a contiguous part of the whole buffer, as far as that
               ///< still is the collective
};

/// "blocked", "interleaved", "batched".
StringRef instanceLayoutName(InstanceLayout layout);
std::optional<InstanceLayout> parseInstanceLayout(StringRef name);

/// What becomes one operation on several chunks.
struct AggregateOptions {
  bool all = false;  ///< whatever can, or only what the program marks
  uint32_t max = 71; ///< chunks of an operation that is made; 0: any number
};

/// Adjacent operations between the same two ranks become one.
FailureOr<ChunkProgram> aggregate(ChunkProgram &&program, AggregateOptions options,
                                  PassContext &context);

/// Cuts the operations that the program wants in parts into these.
FailureOr<ChunkProgram> parallelize(ChunkProgram &&program, PassContext &context);

/// Cuts operations on more than \p max chunks into as few parts of nearly equal size as are needed.
FailureOr<ChunkProgram> splitCounts(ChunkProgram &&program, uint32_t max, PassContext &context);

/// Gives every phase of every call its generation. \p stride is 3, or 2 for the mapping
/// of calls of two phases that goes wrong.
FailureOr<ChunkProgram> allocateGenerations(ChunkProgram &&program, uint32_t stride,
                                            PassContext &context);

/// Runs \p instances copies of the program side by side, each on its share of
/// every chunk.
FailureOr<ChunkProgram> replicateInstances(const ChunkProgram &program, uint32_t instances,
                                           InstanceLayout layout, PassContext &context);

/// Makes instructions of chunk operations: a local one becomes `cpy` or `re`, a
/// remote copy `s` and `r`, a remote reduce `s` and `rrc`.
FailureOr<InstrProgram> lowerToInstr(ChunkProgram &&program, PassContext &context);

/// Forwards the sources of local copies and removes dead copies.
FailureOr<InstrProgram> removeDeadCopies(InstrProgram &&program, PassContext &context);

/// `r` into scratch and the `re` that is its only reader become `rrc`.
FailureOr<InstrProgram> fuseReceiveReduce(InstrProgram &&program, PassContext &context);

/// Which fused instructions may be made.
struct FusionOptions {
  bool rcs = true;
  bool rrcs = true;
  bool rrs = true;
  static FusionOptions none() { return {false, false, false}; }
  friend bool operator==(const FusionOptions &, const FusionOptions &) = default;
};
/// Receives and the sends that forward what they received become one.
FailureOr<InstrProgram> fuse(InstrProgram &&program, FusionOptions options, PassContext &context);

/// Splits fused receives, for machines that execute only `s`, `r`, `cpy`, `re` and `nop`.
/// Reducing receives need scratch.
FailureOr<ExecPlan> lowerFused(ExecPlan &&plan, PassContext &context);

// The same as passes of a pipeline.
std::unique_ptr<Pass> aggregatePass(AggregateOptions options);
std::unique_ptr<Pass> parallelizePass();
std::unique_ptr<Pass> splitCountsPass(uint32_t max);
std::unique_ptr<Pass> allocateGenerationsPass(uint32_t stride);
std::unique_ptr<Pass> replicateInstancesPass(uint32_t instances, InstanceLayout layout);
std::unique_ptr<Pass> lowerToInstrPass();
std::unique_ptr<Pass> removeDeadCopiesPass();
std::unique_ptr<Pass> fuseReceiveReducePass();
std::unique_ptr<Pass> fusePass(FusionOptions options);
std::unique_ptr<Pass> lowerFusedPass();

void registerTransforms(PassRegistry &registry);

} // namespace cclc

#endif // CCL_TRANSFORMS_PASSES_H
