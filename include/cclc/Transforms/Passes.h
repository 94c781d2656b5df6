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

namespace cclc {

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

/// Reads through local copies and removes those that nobody needs then.
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

/// Takes receives that also reduce or send apart, for machines that execute only `s`, `r`,
/// `cpy`, `re` and `nop`. Reducing ones take scratch.
FailureOr<ExecPlan> lowerFused(ExecPlan &&plan, PassContext &context);

void registerTransforms(PassRegistry &registry);

} // namespace cclc

#endif // CCL_TRANSFORMS_PASSES_H
