//===- FoldedPlan.h - Times of a rolled plan from few ranks -----*- C++ -*-===//
//
// The ranks of a rolled plan execute the same threadblocks. If in addition all of them have equal
// links to their peers, and no link or engine serves two threadblocks or connections, then
// simultaneous events do not affect each other. So each step ends at the same time on all ranks,
// and its time depends on the steps, links and slots that it waits for, which the folded plan has
// as well: its times, with routes of as many links with the same values, are those of the plan of
// all ranks. Without contention, links may be shared.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_FOLDEDPLAN_H
#define CCL_SIM_FOLDEDPLAN_H

#include "cclc/Sim/SweepResult.h"
#include "cclc/Symmetry/Rolled/RolledForm.h"

namespace cclc {

/// The fold of a rolled plan on a machine, whose times are those of all ranks. Refers to both.
class FoldedPlan {
public:
  /// \p folded is a fold of \p plan. Null if its times may differ from those of all ranks, which
  /// are where the plan places them: sets \p fault to the reason. Fails if the machine cannot
  /// execute the plan.
  static FailureOr<std::unique_ptr<const FoldedPlan>>
  create(const RolledPlan &plan, ExecPlan folded, const Machine &machine, StringRef network,
         Slots slots, std::string &fault, DiagnosticEngine &diags);

  /// Folded ranks are on the first endpoints, and send over the links of the ranks there.
  const PlacedPlan &placed() const { return *onMachine; }
  /// The sizing in which chunks have the size of those of the plan of all ranks with a buffer of
  /// \p requested bytes.
  FailureOr<Sizing> sizing(Bytes requested, DataType type, DiagnosticEngine &diags) const;

  /// The time, the bandwidths and the counts of all ranks from \p row of the folded plan, without
  /// the values of single links and threadblocks.
  SizeResult ofAllRanks(SizeResult row) const;
  /// Whether every message and credit takes time between ranks, so that a critical path of the
  /// folded plan shows each change of the rank.
  bool hasLatencies() const {
    return llvm::all_of(onMachine->routes,
                        [](const Route &route) { return route.latency > SimTime(); });
  }
  /// The result of \p all, the plan of all ranks with the form \p form, from \p few of the folded
  /// plan. No link is shared. A critical path requires latencies.
  SimResult ofAllRanks(const ExecPlan &all, const RolledForm &form, const SimResult &few) const;

private:
  FoldedPlan(const RolledPlan &plan, ExecPlan folded) : plan(plan), folded(std::move(folded)) {}
  std::string findFault(const Machine &machine, StringRef network);
  std::string findRouteFault(const Machine &machine, bool contends);
  std::vector<PathSegment> pathOfAllRanks(const ExecPlan &all, const RolledForm &form,
                                          ArrayRef<PathSegment> path) const;

  const RolledPlan &plan;
  const ExecPlan folded;
  /// By rank of all: the links of the routes of its connections, one after the other.
  std::vector<LinkId> links;
  /// By connection of a rank, the end of its links among those of the rank.
  std::vector<uint32_t> ends;
  std::optional<PlacedPlan> onMachine;
};

} // namespace cclc

#endif // CCL_SIM_FOLDEDPLAN_H
