//===- RolledPlan.h - The plan of one rank for all ranks --------*- C++ -*-===//
//
// A plan in which all ranks execute the same threadblocks, with other numbers: peers are distances
// in a group of renumberings that maps every rank to every other one, and chunk indices are
// relative to the rank (Symmetry/RotationGroup.h). Its size does not depend on the number of ranks,
// except by the length of the threadblocks.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SYMMETRY_ROLLED_ROLLEDPLAN_H
#define CCL_SYMMETRY_ROLLED_ROLLEDPLAN_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Symmetry/SymmetricProgram.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc {

struct RolledPlan {
  using Element = RotationGroup::Element;
  struct Threadblock {
    std::optional<Element> send, recv; ///< the distances of the peers
    ChannelId channel;
    uint32_t firstStep, numSteps;
  };

  ProgramInfo info;
  RotationGroup group;
  uint32_t scratchChunks = 0;
  std::vector<Threadblock> threadblocks;
  /// Threadblock after threadblock; the indices of input and output are relative.
  std::vector<Step> steps;

  ArrayRef<Step> stepsOf(const Threadblock &tb) const {
    return ArrayRef(steps).slice(tb.firstStep, tb.numSteps);
  }
  uint64_t totalSteps() const { return uint64_t(steps.size()) * info.ranks(); }
  /// The distances of all peers, ascending.
  std::vector<Element> distances() const;
};

/// Makes a rolled plan of \p folded, the plan of the folded \p program on \p ranks. Fails if not
/// all ranks have the same threadblocks, or a step has chunks that are renumbered differently.
FailureOr<RolledPlan> roll(const SymmetricProgram &program, const FoldedRanks &ranks,
                           const ExecPlan &folded, DiagnosticEngine &diags);

/// Whether the indices of all steps are in the order of their chunks on every rank: no rotation
/// permutes the chunks of a range (RotationGroup.h). Plans of few ranks that are unrolled at once
/// may be different.
bool keepsOrder(const RolledPlan &plan);

/// The smallest ranks on which all peers of a rank differ.
FoldedRanks foldedRanks(const RolledPlan &plan);

/// The plan on folded ranks, whose steps stand for those of all ranks; see SymmetricProgram.h.
FailureOr<ExecPlan> fold(const RolledPlan &plan, const FoldedRanks &ranks, DiagnosticEngine &diags);

/// The form of files: the threadblocks of rank 0 with the rotations of the group.
FailureOr<ExecPlan> listed(const RolledPlan &plan, DiagnosticEngine &diags);
/// The reverse; \p file is for messages. Fails if the rotations are no group that maps every rank
/// to every other one, or the messages of the ranks do not match.
FailureOr<RolledPlan> rolledPlan(const ExecPlan &listed, const Location &file,
                                 DiagnosticEngine &diags);

/// The peers and the channel of a threadblock on one rank.
struct RankThreadblock {
  OptionalId<RankId> send, recv;
  ChannelId channel;
};
/// Sorts \p order, which has the numbers of \p threadblocks.
using ThreadblockSort = llvm::function_ref<void(RankId rank, ArrayRef<RankThreadblock> threadblocks,
                                                MutableArrayRef<uint32_t> order)>;

/// The plan of all ranks, in which the threadblocks of each rank are sorted by \p sort if it is
/// given. Fails if it has more than maxUnrolledSteps steps.
inline constexpr uint64_t maxUnrolledSteps = uint64_t(1) << 28;
FailureOr<ExecPlan> unroll(const RolledPlan &plan, DiagnosticEngine &diags,
                           ThreadblockSort sort = nullptr);

} // namespace cclc

#endif // CCL_SYMMETRY_ROLLED_ROLLEDPLAN_H
