//===- Schedule.cpp - Search over alternative schedules -------------------===//
//
// An alternative consists of a limit of channels, a pairing of directions in threadblocks and a
// sharing of connections. All stages are run for each alternative and the cost of the plan is
// computed; the best by the goal is kept, the first of equal ones. Equal assignments are
// recognised and have no second plan. An alternative whose lower bounds another one beats is not
// drafted, unless its figures are to be explained; the first one is drafted last, as the later ones
// have the shorter paths. If the threadblocks or connections of a rank exceed their limit,
// unrelated peers are paired and the number of channels is bisected. Under a limit of steps, the
// steps of a connection are reduced in proportion to the longest threadblock, in rounds.
//
//===----------------------------------------------------------------------===//

#include "cclc/Schedule/Schedule.h"

#include "Alternative.h"
#include "Joins.h"
#include "SwitchSteps.h"

#include "cclc/Transforms/Pass/Pass.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::schedule;
using llvm::formatv;

template <class Fn> static bool areAllTransfers(const Transfers &transfers, Fn is) {
  for (uint32_t v = 0; v < transfers.numInstrs(); ++v)
    if (transfers.isTransfer(v) && !is(v))
      return false;
  return true;
}

/// Whether the program names the channel of each transfer.
static bool fixesAllChannels(const Transfers &transfers) {
  return areAllTransfers(transfers,
                         [&](uint32_t v) { return transfers.directive(v).channel.has_value(); });
}

/// Whether the program names both threadblocks of each transfer.
static bool fixesAllThreadblocks(const Transfers &transfers) {
  return areAllTransfers(
      transfers, [&](uint32_t v) { return transfers.fixedSendTb(v) && transfers.fixedRecvTb(v); });
}

namespace {
class Scheduler {
public:
  Scheduler(const InstrProgram &program, const ScheduleOptions &options, PassContext &context)
      : program(program), graph(program, options.mergesReductions), options(options),
        choosesChannels(!options.keepChannels || !fixesAllChannels(graph.transfers)),
        choosesThreadblocks(!fixesAllThreadblocks(graph.transfers)), diags(context.diags),
        remarks(context.remarks) {
    cut.threadblocks = options.maxThreadblocks;
  }

  FailureOr<Alternative> run() {
    if (options.maxSteps && failed(considerCuts()))
      return failure();
    if (!best && failed(considerAll()))
      return failure();
    if (remarks)
      explain();
    return std::move(*best);
  }

private:
  /// The use of threadblocks under a limit of their steps. The number of threadblocks decreases.
  enum class Fit : uint8_t {
    Tied,  ///< fused instructions remain fused
    Loose, ///< all are unfused, so that connections are filled
    Dense, ///< and so short that a threadblock has room for one of each direction
  };

  /// Restrictions that keep threadblocks within their limits.
  struct Cut {
    std::optional<uint32_t> transfers; ///< steps that receive on a connection, and local steps in
                                       ///< its threadblock
    uint32_t instancesTogether = 1;
    std::optional<uint32_t> threadblocks;
    Fit fit = Fit::Tied;
  };

  LogicalResult considerAll();
  LogicalResult considerCuts();
  LogicalResult considerCut(Pairing pairing, uint32_t fewest);
  void explain();
  FailureOr<Assignment> assign(uint32_t channels, Pairing pairing, Sharing sharing);
  FailureOr<Assignment> assignFewerChannels(uint32_t used, Pairing pairing);
  bool fits(const Assignment &assignment) const;
  bool fitsStrictly(const Alternative &alternative) const;
  FailureOr<Alternative> make(Assignment &&assignment, bool moreChannels = false);
  LogicalResult consider(StringRef way, FailureOr<Assignment> assignment,
                         bool moreChannels = false);
  LogicalResult makeFirst();
  void remember(StringRef way, const PlanCost &cost);
  LogicalResult considerMore(bool paired);
  void join(Alternative &plan, bool moreChannels);

  const InstrProgram &program;
  ProgramGraph graph;
  const ScheduleOptions &options;
  const bool choosesChannels;     ///< whether the program leaves the channel of a transfer open
  const bool choosesThreadblocks; ///< or one of its threadblocks
  DiagnosticEngine &diags;
  Remarks *remarks;
  Remarks::Decision ways{"alternative schedules", {}};
  size_t bestWay = 0;
  Cut cut;
  Pairing made = Pairing::Dependent; ///< of the last call of assign
  /// The last assignment of channels, without the threadblocks of independent connections.
  struct Channelled {
    ChannelLimits limits;
    Sharing sharing;
    Assignment assignment;
  };
  std::optional<Channelled> channelled;
  std::optional<Alternative> best;
  /// The first alternative, while it is not drafted, and its lower bounds.
  struct First {
    StringRef way;
    Assignment assignment;
    PlanCost least;
  };
  std::optional<First> first;
  SmallVector<std::pair<uint64_t, PlanCost>, 4> considered; ///< hash of the assignment, cost
};
} // namespace

FailureOr<Assignment> Scheduler::assign(uint32_t channels, Pairing pairing, Sharing sharing) {
  ChannelLimits limits{channels,
                       options.maxPerChannel,
                       cut.transfers,
                       cut.instancesTogether,
                       cut.fit == Fit::Tied,
                       options.keepChannels,
                       options.splitsFused,
                       options.inLockstep,
                       cut.fit == Fit::Dense};
  ThreadblockLimits most{cut.threadblocks.value_or(1), cut.transfers, options.inLockstep};
  if (!channelled || channelled->limits != limits || channelled->sharing != sharing) {
    channelled.reset();
    FailureOr<Assignment> found = assignChannels(graph, limits, sharing, diags);
    if (failed(found))
      return failure();
    pairDependent(graph, most, *found);
    channelled = Channelled{limits, sharing, std::move(*found)};
  }
  // It is needed again only if there are other pairings.
  auto isOpen = [](const ConnectionDraft &c) { return !c.sender || !c.receiver; };
  Assignment assignment;
  if (llvm::any_of(channelled->assignment.connections, isOpen)) {
    assignment = channelled->assignment;
  } else {
    assignment = std::move(channelled->assignment);
    channelled.reset();
  }
  made = assignThreadblocks(graph, pairing, most, assignment);
  return assignment;
}

bool Scheduler::fits(const Assignment &assignment) const {
  uint32_t ranks = program.info().ranks();
  return (!options.maxQueuePairs || mostConnections(assignment, ranks) <= *options.maxQueuePairs) &&
         (!options.queues || fitQueues(assignment, *options.queues)) &&
         (!cut.threadblocks || mostThreadblocks(assignment, ranks) <= *cut.threadblocks);
}

/// Each channel that a pair of ranks uses is a separate connection and needs threadblocks. If a
/// rank exceeds its limit, the program is assigned fewer channels, at the cost of fusions. If it
/// exceeds the limit even with one channel, or names all channels or threadblocks, the legality
/// check reports it.
FailureOr<Assignment> Scheduler::assignFewerChannels(uint32_t used, Pairing pairing) {
  uint32_t fitting = 1, tooMany = choosesChannels && choosesThreadblocks ? used : 1;
  while (tooMany - fitting > 1) {
    uint32_t middle = fitting + (tooMany - fitting) / 2;
    FailureOr<Assignment> assignment = assign(middle, pairing, Sharing::Always);
    if (failed(assignment))
      return failure();
    (fits(*assignment) ? fitting : tooMany) = middle;
  }
  return assign(fitting, pairing, Sharing::Always);
}

/// Merges waits of \p plan, if that improves it, and it may be the best then.
void Scheduler::join(Alternative &plan, bool moreChannels) {
  std::vector<uint32_t> ends;
  plan.cost = costOf(program, plan.draft, plan.waits, plan.assignment, ends);
  if (!options.weigh || plan.cost.steps == plan.draft.steps.size())
    return;
  bool mayCost = options.goal == ScheduleGoal::Steps || options.goal == ScheduleGoal::Threadblocks;
  auto mayBeBest = [&](uint64_t mostSaved) {
    PlanCost least = plan.cost;
    least.steps -= mostSaved;
    return !best || first || remarks || least.isBetter(best->cost, options.goal, moreChannels);
  };
  std::optional<Draft> joined =
      joinWaits(program, plan.assignment, plan.waits, options.slots,
                mayCost ? JoinPrice::Any : JoinPrice::Free, plan.draft, std::move(ends), mayBeBest);
  if (!joined)
    return;
  Waits waits = findWaits(graph, *joined, plan.assignment, options.jobs);
  PlanCost cost = costOf(program, *joined, waits, plan.assignment, ends);
  if (cost.by(options.goal) >= plan.cost.by(options.goal))
    return;
  plan.draft = std::move(*joined);
  plan.waits = std::move(waits);
  plan.cost = cost;
}

/// Drafts the plan for \p assignment.
FailureOr<Alternative> Scheduler::make(Assignment &&assignment, bool moreChannels) {
  Alternative next;
  next.assignment = std::move(assignment);
  next.order = layOut(graph, options, next.assignment);
  FailureOr<Draft> draft =
      draftSteps(graph, next.order, cut.transfers, options, next.assignment, diags);
  next.order.items = std::vector<Item>(); // frees the memory
  if (failed(draft))
    return failure();
  next.draft = std::move(*draft);
  next.waits = findWaits(graph, next.draft, next.assignment, options.jobs);
  join(next, moreChannels);
  return next;
}

/// Drafts the plan for \p assignment, unless it has been considered or cannot be the best, and
/// keeps it if it is the best so far.
LogicalResult Scheduler::consider(StringRef way, FailureOr<Assignment> assignment,
                                  bool moreChannels) {
  if (failed(assignment))
    return failure();
  uint64_t hash = hashOf(*assignment);
  auto *known = llvm::find_if(considered, [&](const auto &pair) { return pair.first == hash; });
  if (known != considered.end()) {
    remember(way, known->second);
    return success();
  }
  if (best && !remarks &&
      !leastCost(graph, *assignment).isBetter(best->cost, options.goal, moreChannels))
    return success();
  FailureOr<Alternative> next = make(std::move(*assignment), moreChannels);
  if (failed(next))
    return failure();
  if (first && !next->cost.isBetter(first->least, options.goal, moreChannels) &&
      failed(makeFirst()))
    return failure();
  first.reset();
  remember(way, next->cost);
  considered.emplace_back(hash, next->cost);
  if (!best || next->cost.isBetter(best->cost, options.goal, moreChannels)) {
    best = std::move(*next);
    bestWay = ways.choices.size() - 1;
  }
  return success();
}

/// Drafts the first alternative.
LogicalResult Scheduler::makeFirst() {
  First whole = std::move(*first);
  first.reset();
  return consider(whole.way, std::move(whole.assignment));
}

void Scheduler::remember(StringRef way, const PlanCost &cost) {
  ways.choices.push_back({way.str(),
                          {{"path", std::to_string(cost.path)},
                           {"steps", std::to_string(cost.steps)},
                           {"threadblocks", std::to_string(cost.threadblocks)}}});
}

/// Considers alternatives with more threadblocks or channels for a shorter path, or with fewer.
LogicalResult Scheduler::considerMore(bool paired) {
  if (options.goal == ScheduleGoal::Threadblocks) {
    if (failed(consider("one channel, one threadblock per neighbour",
                        assign(1, Pairing::Neighbours, Sharing::Always))))
      return failure();
    return consider("one channel, unrelated peers in one threadblock",
                    assign(1, Pairing::Unrelated, Sharing::Always));
  }
  const std::vector<uint32_t> &depth = graph.depth;
  uint32_t shortest = depth.empty() ? 0 : *std::max_element(depth.begin(), depth.end()) + 1;
  if (first && first->least.path <= shortest && failed(makeFirst()))
    return failure();
  auto tryWith = [&](StringRef way, Pairing pairing, Sharing sharing) -> LogicalResult {
    if (best && best->cost.path <= shortest)
      return success();
    FailureOr<Assignment> next = assign(options.maxChannels, pairing, sharing);
    if (failed(next))
      return failure();
    return fits(*next) ? consider(way, std::move(next), sharing == Sharing::WhileIdle) : success();
  };
  if (paired && failed(tryWith("few channels, one threadblock per direction", Pairing::Dependent,
                               Sharing::Always)))
    return failure();
  if (failed(tryWith("new channel on conflict, one threadblock per neighbour", Pairing::Neighbours,
                     Sharing::WhileIdle)))
    return failure();
  return made == Pairing::Dependent
             ? success()
             : tryWith("new channel on conflict, one threadblock per direction", Pairing::Dependent,
                       Sharing::WhileIdle);
}

LogicalResult Scheduler::considerAll() {
  FailureOr<Assignment> few = assign(options.maxChannels, Pairing::Neighbours, Sharing::Always);
  if (failed(few))
    return failure();
  if (fits(*few)) {
    bool paired = made != Pairing::Dependent;
    StringRef way = paired ? "few channels, one threadblock per neighbour" : "few channels";
    if (!options.weigh || options.goal == ScheduleGoal::Threadblocks || remarks) {
      if (failed(consider(way, std::move(few))))
        return failure();
      return options.weigh ? considerMore(paired) : success();
    }
    PlanCost least = leastCost(graph, *few);
    first = First{way, std::move(*few), least};
    if (failed(considerMore(paired)))
      return failure();
    return first ? makeFirst() : success();
  }
  uint32_t used = 0;
  for (const schedule::ConnectionDraft &connection : few->connections)
    used = std::max(used, connection.channel.index() + 1);
  FailureOr<Assignment> unrelated =
      assign(options.maxChannels, Pairing::Unrelated, Sharing::Always);
  if (failed(unrelated))
    return failure();
  if (fits(*unrelated)) {
    if (failed(consider("unrelated peers in one threadblock", std::move(unrelated))))
      return failure();
    if (!options.weigh)
      return success();
  }
  for (Pairing pairing : {Pairing::Neighbours, Pairing::Unrelated}) {
    FailureOr<Assignment> fewer = assignFewerChannels(used, pairing);
    if (failed(fewer))
      return failure();
    // The last candidate is used even if it does not fit.
    if (fits(*fewer) || (!best && pairing == Pairing::Unrelated))
      if (failed(consider(pairing == Pairing::Unrelated
                              ? "fewer channels, unrelated peers in one threadblock"
                              : "fewer channels",
                          std::move(fewer))))
        return failure();
    if (best && !options.weigh)
      break;
  }
  return success();
}

/// Whether all limits hold, apart from that of steps.
bool Scheduler::fitsStrictly(const Alternative &alternative) const {
  uint32_t ranks = program.info().ranks();
  if (!fits(alternative.assignment) ||
      (options.maxWaitTarget && mostWaitTargets(alternative, ranks) > *options.maxWaitTarget + 1))
    return false;
  for (const schedule::ConnectionDraft &c : alternative.assignment.connections)
    if (c.channel.index() >= options.maxChannels)
      return false;
  return !options.maxPerChannel || mostOnChannel(alternative.assignment) <= *options.maxPerChannel;
}

/// Reduces the steps per connection, down to \p fewest, until no threadblock exceeds its limit
/// of steps. Several rounds are needed because the number of nops is known only afterwards.
LogicalResult Scheduler::considerCut(Pairing pairing, uint32_t fewest) {
  constexpr unsigned maxTries = 8;
  cut.transfers = options.maxSteps;
  for (unsigned tries = 0; tries < maxTries; ++tries) {
    FailureOr<Assignment> assignment = assign(options.maxChannels, pairing, Sharing::Always);
    if (succeeded(assignment) && !fits(*assignment))
      assignment = assignFewerChannels(options.maxChannels, pairing);
    if (failed(assignment))
      return failure();
    if (!fits(*assignment))
      return success();
    FailureOr<Alternative> next = make(std::move(*assignment));
    if (failed(next))
      return failure();
    remember(formatv("at most {0} steps per connection{1}{2}{3}", *cut.transfers,
                     cut.instancesTogether > 1 ? ", instances share channels" : "",
                     pairing == Pairing::Unrelated ? ", unrelated peers in one threadblock" : "",
                     cut.fit == Fit::Tied ? "" : ", not fused")
                 .str(),
             next->cost);
    uint32_t longest = longestThreadblock(program, *next, options.splitsFused);
    if (longest <= *options.maxSteps) {
      if (fitsStrictly(*next)) {
        best = std::move(*next);
        bestWay = ways.choices.size() - 1;
      }
      return success();
    }
    if (*cut.transfers <= fewest)
      return success();
    uint32_t most = std::min(*cut.transfers, mostTransferSteps(next->assignment));
    uint64_t fewer = uint64_t(most) * *options.maxSteps / longest;
    cut.transfers = std::clamp<uint64_t>(fewer, fewest, *cut.transfers - 1);
  }
  return success();
}

/// Uses the first alternative within all limits; alternatives are tried in the order of their cost.
/// If there is none, the limit of steps is ignored.
LogicalResult Scheduler::considerCuts() {
  uint32_t instances = 1;
  for (const Directive &directive : program.info().directives)
    if (choosesChannels)
      instances = std::max(instances, directive.instance + 1);
  uint32_t fewest = fewestSteps(graph.transfers, options.maxChannels, options.splitsFused);
  SmallVector<std::optional<uint32_t>, 2> threadblocks = {options.maxThreadblocks};
  if (options.maxWaitTarget &&
      (!options.maxThreadblocks || *options.maxThreadblocks > *options.maxWaitTarget + 1))
    threadblocks.push_back(*options.maxWaitTarget + 1); // so that others may wait for all of them
  for (Fit fit : {Fit::Tied, Fit::Loose, Fit::Dense})
    for (std::optional<uint32_t> most : threadblocks)
      for (uint32_t together = 1; together < 2 * instances; together *= 2)
        for (Pairing pairing : {Pairing::Neighbours, Pairing::Unrelated}) {
          cut = {std::nullopt, together, most, fit};
          if (failed(considerCut(pairing, fewest)))
            return failure();
          if (best)
            return success();
        }
  cut = {std::nullopt, 1, options.maxThreadblocks, Fit::Tied};
  return success();
}

/// Adds remarks on the chosen alternative and on the instructions that were unfused.
void Scheduler::explain() {
  ways.choices[bestWay].taken = true;
  remarks->decide(ways);
  for (uint32_t id = 0; id < program.size(); ++id) {
    const Instr &instr = program.instrs()[id];
    if (best->assignment.splitSend[id])
      remarks->left("schedule", instr.sendLoc,
                    "unfused: no channel has one threadblock for both connections", instr.loc);
    else if (best->order.splitSend[id])
      remarks->left("schedule", instr.sendLoc,
                    "unfused: it would deadlock with " + options.slots.phrase(), instr.loc);
    if (best->order.splitRecv[id])
      remarks->left("schedule", instr.loc,
                    "received into scratch first: it would deadlock with " +
                        options.slots.phrase());
  }
}

FailureOr<ExecPlan> cclc::scheduleProgram(InstrProgram &&program, const ScheduleOptions &options,
                                          PassContext &context) {
  FailureOr<Alternative> plan = Scheduler(program, options, context).run();
  if (failed(plan))
    return failure();
  uint64_t unfused = 0;
  for (uint32_t id = 0; id < program.size(); ++id)
    unfused += plan->order.splitSend[id] + plan->order.splitRecv[id];
  context.count("schedule", "unfused", unfused);
  context.measure("schedule", "unit_path", plan->cost.path);
  return makePlan(std::move(program), *plan, options, context);
}
