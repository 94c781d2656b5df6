//===- Passes.h - Lowering and optimisation ---------------------*- C++ -*-===//
//
// Stages 3 and 4 of the toolchain. docs/Passes.md describes each pass with an example; the comments
// in their files argue why they are sound.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TRANSFORMS_PASSES_H
#define CCL_TRANSFORMS_PASSES_H

#include "cclc/IR/ChunkProgram.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/IR/InstrProgram.h"

#include <functional>
#include <memory>

namespace cclc {

class Pass;
class PassContext;
class PassRegistry;

/// The placement of the sub-chunks of instance k in a buffer.
enum class InstanceLayout {
  Blocked,     ///< every instance has a contiguous part of each block of F chunks
  Interleaved, ///< chunk c becomes chunks c*n ... c*n + n-1, one per instance
  Batched,     ///< every instance has a contiguous part of the whole buffer, if the collective
               ///< permits it
};

/// "blocked", "interleaved", "batched".
StringRef instanceLayoutName(InstanceLayout layout);
std::optional<InstanceLayout> parseInstanceLayout(StringRef name);

/// Limits of the aggregation.
struct AggregateOptions {
  bool all = false;  ///< merge all operations where possible, or only those in the program's scopes
  uint32_t max = 71; ///< the largest number of chunks of a merged operation; 0: unlimited
};

/// Merges adjacent operations between the same two ranks.
FailureOr<ChunkProgram> aggregate(ChunkProgram &&program, AggregateOptions options,
                                  PassContext &context);

/// Splits operations into the parts that the program requests.
FailureOr<ChunkProgram> parallelize(ChunkProgram &&program, PassContext &context);

/// Splits operations on more than \p max chunks into the minimum number of parts, of nearly equal
/// size.
FailureOr<ChunkProgram> splitCounts(ChunkProgram &&program, uint32_t max, PassContext &context);

/// The operations of switches that a machine performs.
struct SwitchOperations {
  bool multicasts = true, adds = true;
  /// Whether these ranks have a switch in common; null: any ranks have.
  std::function<bool(ArrayRef<RankId>)> connects = {};
};

/// Numbers the operations that a switch performs, and removes the marks of the others.
FailureOr<ChunkProgram> formSwitchOperations(ChunkProgram &&program, const SwitchOperations &which,
                                             PassContext &context);

/// Assigns a generation to every phase of every call. \p stride is 3, or 2 for a mapping of calls
/// of two phases that is incorrect in general.
FailureOr<ChunkProgram> allocateGenerations(ChunkProgram &&program, uint32_t stride,
                                            PassContext &context);

/// Replicates the program into \p instances copies that run in parallel, each on its share of every
/// chunk.
FailureOr<ChunkProgram> replicateInstances(const ChunkProgram &program, uint32_t instances,
                                           InstanceLayout layout, PassContext &context);

/// Lowers chunk operations to instructions: local operations to `cpy` or `re`, a remote copy to `s`
/// and `r`, a remote reduce to `s` and `rrc`.
FailureOr<InstrProgram> lowerToInstr(ChunkProgram &&program, PassContext &context);

/// Forwards the sources of local copies and removes dead copies.
FailureOr<InstrProgram> removeDeadCopies(InstrProgram &&program, PassContext &context);

/// Fuses an `r` into scratch with the `re` that is its only reader into an `rrc`.
FailureOr<InstrProgram> fuseReceiveReduce(InstrProgram &&program, PassContext &context);

/// The fused instructions that are enabled.
struct FusionOptions {
  bool rcs = true;
  bool rrcs = true;
  bool rrs = true;
  static FusionOptions none() { return {false, false, false}; }
  friend bool operator==(const FusionOptions &, const FusionOptions &) = default;
};
/// Fuses receives with the sends that forward their data.
FailureOr<InstrProgram> fuse(InstrProgram &&program, FusionOptions options, PassContext &context);

/// Splits fused receives, for machines that execute only `s`, `r`, `cpy`, `re` and `nop`.
/// Reducing receives need scratch.
FailureOr<ExecPlan> lowerFused(ExecPlan &&plan, PassContext &context);

/// Moves the waits of reductions that the runtimes of MSCCL-IR would merge otherwise
/// (IR/MergedReductions.h) before the first of them.
FailureOr<ExecPlan> gatherWaits(ExecPlan &&plan, PassContext &context);

// The passes of a pipeline for these functions.
std::unique_ptr<Pass> aggregatePass(AggregateOptions options);
std::unique_ptr<Pass> parallelizePass();
std::unique_ptr<Pass> splitCountsPass(uint32_t max);
std::unique_ptr<Pass> formSwitchOperationsPass(SwitchOperations which);
std::unique_ptr<Pass> allocateGenerationsPass(uint32_t stride);
std::unique_ptr<Pass> replicateInstancesPass(uint32_t instances, InstanceLayout layout);
std::unique_ptr<Pass> lowerToInstrPass();
std::unique_ptr<Pass> removeDeadCopiesPass();
std::unique_ptr<Pass> fuseReceiveReducePass();
std::unique_ptr<Pass> fusePass(FusionOptions options);
std::unique_ptr<Pass> lowerFusedPass();
std::unique_ptr<Pass> gatherWaitsPass();

void registerTransforms(PassRegistry &registry);

} // namespace cclc

#endif // CCL_TRANSFORMS_PASSES_H
