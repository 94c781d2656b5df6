//===- PlanDiff.h - The differences of two plans ----------------*- C++ -*-===//
//
// The result of a comparison, in the terms of the algorithm. Two plans are equivalent if they are
// equal up to a renumbering of channels and of the threadblocks of each rank. Source locations, and
// attributes that a file format cannot represent, are never a difference.
//
// Threadblocks are matched first (Matching.h), then the steps of each pair are aligned: a step is
// kept, moved, changed, only in the old plan or only in the new one. The other differences are
// derived from this alignment, except for transfers and reductions, which are independent of it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DIFF_PLANDIFF_H
#define CCL_DIFF_PLANDIFF_H

#include "cclc/Diff/Figures.h"
#include "cclc/Diff/Matching.h"
#include "cclc/Diff/OperationChange.h"
#include "cclc/Sim/ShownPlan.h"

#include <string>

namespace cclc::diff {

/// A property of the plan, of an entry of one of its tables, or of a rank. Missing values are
/// empty.
struct AttributeChange {
  std::string name, before, after;
  std::optional<RankId> rank;
};

/// The number of steps of one kind on a rank.
struct KindChange {
  RankId rank;
  OpKind op;
  uint64_t before, after;
};

/// A transfer that exists in only one of the plans: \p count chunks from \p first on of its steps
/// \p send and \p receive.
struct TransferChange {
  bool isNew;
  StepId send, receive;
  uint32_t first, count;
};

/// A connection, with its channel in each plan; unset if missing.
struct ConnectionChange {
  RankId sender, receiver;
  std::optional<ChannelId> before, after;
};

/// A threadblock whose peers changed; unset if missing. Indices into ExecPlan::threadblocks().
struct ThreadblockChange {
  std::optional<uint32_t> before, after;
};

/// A step that is changed, is in a threadblock that does not match, or is in only one of the plans.
struct StepChange {
  OptionalId<StepId> before, after;
  bool otherThreadblock = false;
};

/// A step whose wait changed, or that publishes its completion in only one of the plans.
struct DependenceChange {
  enum class Kind : uint8_t { Wait, Publishes } kind;
  StepId before, after;
  /// The target of the wait precedes the step in the same threadblock in the other plan, which
  /// therefore needs no wait.
  bool inOrder = false;
};

/// Steps that are adjacent in both plans and have moved relative to the others.
struct OrderChange {
  uint32_t newThreadblock;
  StepId before, after; ///< the first of the steps
  uint32_t count;
  /// The next step of the new plan that kept its place, and the last one before the moved steps.
  OptionalId<StepId> nextKept, previousKept;
};

/// Output cells whose reduction differs in its operands or their order.
struct ReductionChange {
  Placement placement;
  std::string before, after;       ///< expressions; long ones are truncated
  std::vector<Contribution> cells; ///< by rank and output index
  /// The step of the new plan that computes the first of these cells, or that wrote it if it is no
  /// sum; unset: no step did.
  OptionalId<StepId> step;
};

/// A renumbering: of local threadblock ids or, without a rank, of channels.
struct NumberingChange {
  std::optional<RankId> rank;
  uint32_t before, after;
};

struct PlanDiff {
  ShownPlan before, after;
  /// Whether both plans are of MSCCL++, whose transfers and reductions are not compared.
  bool ofOperations() const { return !after.ofSteps(); }
  /// False if the plans have different numbers of ranks or different collectives. Only attributes
  /// and figures are then compared.
  bool comparable = true;
  Figures figuresBefore, figuresAfter;
  std::vector<AttributeChange> attributes;
  std::vector<KindChange> kinds;
  std::vector<TransferChange> transfers;
  std::vector<ConnectionChange> connections;
  std::vector<ThreadblockChange> threadblocks;
  std::vector<StepChange> steps;
  std::vector<OperationChange> operations;
  std::vector<DependenceChange> dependences;
  std::vector<OrderChange> order;
  std::vector<ReductionChange> reductions;
  std::vector<NumberingChange> numbering;
  /// By LocId of the old plan: the location in the new plan of most of its steps, if it is in the
  /// same file.
  std::vector<OptionalId<LocId>> newLocation;

  bool sameFigures() const;
  /// Whether steps, waits, order and connections are equal.
  bool sameSteps() const;
  /// Whether the plans are equal up to numbering.
  bool equivalent() const;
};

struct CompareOptions {
  /// The number of slots for verifying both plans. If unset, that of each plan, else of the other
  /// one, else 8.
  std::optional<Slots> slots;
  /// Whether the format of one of the files lacks most attributes: MSCCL XML.
  bool incomplete = false;
};

/// The reason why only attributes and figures of two plans can be compared, or none.
std::optional<std::string> whyIncomparable(ShownPlan before, ShownPlan after);

PlanDiff comparePlans(const ExecPlan &before, const ExecPlan &after,
                      const CompareOptions &options = {});

} // namespace cclc::diff

#endif // CCL_DIFF_PLANDIFF_H
