//===- PlanDiff.h - What is different about two plans -----------*- C++ -*-===//
//
// The comparison as a value, in the terms of the algorithm; nothing here prints. Two plans are
// equivalent if they are the same but for the numbers of threadblocks within a rank and of
// channels. Source locations are never a difference, nor is what the form of a file cannot say.
//
// Threadblocks are matched first (Matching.h), then the steps of each pair are aligned: a step is
// kept, moved, changed, only in the old plan or only in the new one. What else is reported is
// derived from that, or, as transfers and reductions, independent of it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DIFF_PLANDIFF_H
#define CCL_DIFF_PLANDIFF_H

#include "cclc/Diff/Figures.h"
#include "cclc/Diff/Matching.h"
#include "cclc/IR/ExecPlan.h"

#include <string>

namespace cclc::diff {

/// A property of the whole plan, of an entry of one of its tables, or of a rank. Empty: not there.
struct AttributeChange {
  std::string name, before, after;
  std::optional<RankId> rank;
};

/// Steps of one kind on a rank.
struct KindChange {
  RankId rank;
  OpKind op;
  uint64_t before, after;
};

/// Chunks that one rank sends and another receives, which one of the plans alone does: \p send and
/// \p receive are its steps, and \p count chunks from the \p first on are meant.
struct TransferChange {
  bool isNew;
  StepId send, receive;
  uint32_t first, count;
};

/// A connection by what its channel is called in either plan; unset: not there.
struct ConnectionChange {
  RankId sender, receiver;
  std::optional<ChannelId> before, after;
};

/// A threadblock with other peers; unset: not there. Indices into ExecPlan::threadblocks().
struct ThreadblockChange {
  std::optional<uint32_t> before, after;
};

/// A step that does something else, is in a threadblock that is not the same one, or is in one of
/// the plans only.
struct StepChange {
  OptionalId<StepId> before, after;
  bool otherThreadblock = false;
};

/// A step that waits for something else, or whose completion (not) announced before.
struct DependenceChange {
  enum class Kind : uint8_t { Wait, Publishes } kind;
  StepId before, after;
  /// What is waited for in one plan comes earlier in the same threadblock in the other one, which
  /// therefore needs no wait.
  bool inOrder = false;
};

/// Steps that follow each other in both plans and have changed their place among the others.
struct OrderChange {
  uint32_t newThreadblock;
  StepId before, after; ///< the first of them
  uint32_t count;
  /// The step of the new plan that comes next now and kept its place, or the one before them.
  OptionalId<StepId> nextKept, previousKept;
};

/// Output cells whose reduction has other operands or another order of them.
struct ReductionChange {
  Placement placement;
  std::string before, after;       ///< expressions, of which long ones are cut
  std::vector<Contribution> cells; ///< by rank and index of the output
};

/// Other numbers for the same; local ids of threadblocks, or channels where there is no rank.
struct NumberingChange {
  std::optional<RankId> rank;
  uint32_t before, after;
};

struct PlanDiff {
  const ExecPlan *before, *after;
  /// False: over different numbers of ranks or by different collectives, so that only
  /// attributes and figures are compared.
  bool comparable = true;
  Figures figuresBefore, figuresAfter;
  std::vector<AttributeChange> attributes;
  std::vector<KindChange> kinds;
  std::vector<TransferChange> transfers;
  std::vector<ConnectionChange> connections;
  std::vector<ThreadblockChange> threadblocks;
  std::vector<StepChange> steps;
  std::vector<DependenceChange> dependences;
  std::vector<OrderChange> order;
  std::vector<ReductionChange> reductions;
  std::vector<NumberingChange> numbering;
  /// By LocId of the old plan, where most of its steps are from in the new one, if that is in the
  /// same file.
  std::vector<OptionalId<LocId>> newLocation;

  bool sameFigures() const;
  /// Whether steps, waits, order and connections are the same.
  bool sameSteps() const;
  /// Equivalent, whatever the numbers are.
  bool equivalent() const;
};

struct CompareOptions {
  /// Slots to prove both plans with; unset: those of each plan, else of the other one, else 8.
  std::optional<Slots> slots;
  /// Whether one of the files is in a form that has no place for most attributes: MSCCL XML.
  bool incomplete = false;
};

/// Why only attributes and figures of two plans can be compared; nothing if all of them can.
std::optional<std::string> whyIncomparable(const ExecPlan &before, const ExecPlan &after);

PlanDiff comparePlans(const ExecPlan &before, const ExecPlan &after,
                      const CompareOptions &options = {});

} // namespace cclc::diff

#endif // CCL_DIFF_PLANDIFF_H
