//===- Schedule.cpp - From instructions to a plan -------------------------===//

#include "cclc/Schedule/Schedule.h"

#include "Joins.h"
#include "MakePlan.h"

#include "cclc/Pass/Pass.h"
#include "cclc/Pass/PassRegistry.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::schedule;

namespace {
/// What a plan costs where no machine is asked.
struct PlanCost {
  uint32_t path = 0;
  uint64_t steps = 0;
  uint32_t threadblocks = 0; ///< of the rank that has most

  uint64_t area() const { return uint64_t(path) * threadblocks; }
  auto by(ScheduleGoal goal) const {
    uint64_t p = path, t = threadblocks;
    switch (goal) {
    case ScheduleGoal::Balance:
    case ScheduleGoal::Path:
      return std::tuple(p, steps, t);
    case ScheduleGoal::Steps:
      return std::tuple(steps, p, t);
    case ScheduleGoal::Threadblocks:
      return std::tuple(t, steps, p);
    }
    llvm_unreachable("unknown goal");
  }
};

/// One way to schedule the program.
struct Alternative {
  Assignment assignment;
  Order order;
  Draft draft;
  Waits waits;
  PlanCost cost;
};

class Scheduler {
public:
  Scheduler(const InstrProgram &program, const ScheduleOptions &options, PassContext &context)
      : program(program), options(options), diags(context.diags), remarks(context.remarks) {}

  FailureOr<Alternative> run() {
    if (failed(considerAll()))
      return failure();
    if (remarks)
      explain();
    return std::move(*best);
  }

private:
  LogicalResult considerAll();
  void explain();
  FailureOr<Assignment> assign(uint32_t channels, Pairing pairing, Sharing sharing);
  FailureOr<Assignment> assignFewerChannels(uint32_t used, Pairing pairing);
  bool fits(const Assignment &assignment) const;
  LogicalResult consider(StringRef way, FailureOr<Assignment> assignment,
                         bool moreChannels = false);
  void remember(StringRef way, const PlanCost &cost);
  LogicalResult considerMore(bool paired);
  void join(Alternative &alternative);
  void findCost(Alternative &alternative) const;

  const InstrProgram &program;
  const ScheduleOptions &options;
  DiagnosticEngine &diags;
  Remarks *remarks;
  Remarks::Decision ways{"ways to schedule", {}};
  size_t bestWay = 0;
  Pairing made = Pairing::Dependent; ///< by the last call of assign
  std::optional<Alternative> best;
};
} // namespace

FailureOr<Assignment> Scheduler::assign(uint32_t channels, Pairing pairing, Sharing sharing) {
  FailureOr<Assignment> assignment =
      assignChannels(program, {channels, options.maxPerChannel}, sharing, diags);
  if (succeeded(assignment))
    made = assignThreadblocks(program, pairing, options.maxThreadblocks.value_or(1), *assignment);
  return assignment;
}

static uint32_t mostThreadblocks(const Assignment &assignment, uint32_t ranks) {
  std::vector<uint32_t> of(ranks);
  for (const Worker &worker : assignment.workers)
    ++of[worker.rank.index()];
  return *std::max_element(of.begin(), of.end());
}

/// Connections of the rank that has most, in one direction.
static uint32_t mostConnections(const Assignment &assignment, uint32_t ranks) {
  std::vector<uint32_t> out(ranks), in(ranks);
  for (const schedule::Connection &connection : assignment.connections) {
    ++out[connection.src.index()];
    ++in[connection.dst.index()];
  }
  return std::max(*std::max_element(out.begin(), out.end()),
                  *std::max_element(in.begin(), in.end()));
}

bool Scheduler::fits(const Assignment &assignment) const {
  uint32_t ranks = program.info().ranks();
  return (!options.maxQueuePairs || mostConnections(assignment, ranks) <= *options.maxQueuePairs) &&
         (!options.maxThreadblocks ||
          mostThreadblocks(assignment, ranks) <= *options.maxThreadblocks);
}

/// Every channel that a pair of ranks uses is a connection of theirs, and takes threadblocks.
/// Where that makes more than a rank should have, the program gets along with fewer channels;
/// the price is fusion. If one is too many as well, it is not for the scheduler to say so.
FailureOr<Assignment> Scheduler::assignFewerChannels(uint32_t used, Pairing pairing) {
  uint32_t fitting = 1, tooMany = used;
  while (tooMany - fitting > 1) {
    uint32_t middle = fitting + (tooMany - fitting) / 2;
    FailureOr<Assignment> assignment = assign(middle, pairing, Sharing::Always);
    if (failed(assignment))
      return failure();
    (fits(*assignment) ? fitting : tooMany) = middle;
  }
  return assign(fitting, pairing, Sharing::Always);
}

void Scheduler::findCost(Alternative &alternative) const {
  PlanCost &cost = alternative.cost;
  cost.path = StepTimes(program, alternative.draft, alternative.waits, alternative.assignment,
                        StepCost::Unit)
                  .path();
  cost.steps = alternative.draft.steps.size();
  for (uint32_t s = 0; s < alternative.draft.steps.size(); ++s)
    cost.steps += std::max<size_t>(alternative.waits.of(s).size(), 1) - 1;
  cost.threadblocks = mostThreadblocks(alternative.assignment, program.info().ranks());
}

/// Joins waits of \p alternative, if that makes it better.
void Scheduler::join(Alternative &alternative) {
  findCost(alternative);
  if (!options.weigh || alternative.cost.steps == alternative.draft.steps.size())
    return;
  bool mayCost = options.goal == ScheduleGoal::Steps || options.goal == ScheduleGoal::Threadblocks;
  Alternative joined = alternative;
  if (!joinWaits(program, joined.assignment, alternative.waits, options.slots,
                 mayCost ? JoinPrice::Any : JoinPrice::Free, joined.draft))
    return;
  joined.waits = findWaits(program, joined.draft, joined.assignment);
  findCost(joined);
  if (joined.cost.by(options.goal) < alternative.cost.by(options.goal))
    alternative = std::move(joined);
}

/// Drafts the plan that \p assignment makes, and keeps it if it is the best so far.
LogicalResult Scheduler::consider(StringRef way, FailureOr<Assignment> assignment,
                                  bool moreChannels) {
  if (failed(assignment))
    return failure();
  Alternative next;
  next.assignment = std::move(*assignment);
  next.order = layOut(program, options, next.assignment);
  FailureOr<Draft> draft = draftSteps(program, next.order, next.assignment, diags);
  next.order.items = {}; // it is as long as the draft
  if (failed(draft))
    return failure();
  next.draft = std::move(*draft);
  next.waits = findWaits(program, next.draft, next.assignment);
  join(next);
  remember(way, next.cost);
  bool isBetter = !best || next.cost.by(options.goal) < best->cost.by(options.goal);
  if (moreChannels && options.goal == ScheduleGoal::Balance)
    isBetter &= next.cost.steps <= best->cost.steps && next.cost.area() < best->cost.area();
  if (isBetter) {
    best = std::move(next);
    bestWay = ways.choices.size() - 1;
  }
  return success();
}

void Scheduler::remember(StringRef way, const PlanCost &cost) {
  ways.choices.push_back({way.str(),
                          {{"path", std::to_string(cost.path)},
                           {"steps", std::to_string(cost.steps)},
                           {"threadblocks", std::to_string(cost.threadblocks)}}});
}

/// Ways that take more threadblocks or channels for a shorter path, or fewer of them.
LogicalResult Scheduler::considerMore(bool paired) {
  if (options.goal == ScheduleGoal::Threadblocks) {
    if (failed(consider("one channel, neighbours share threadblocks",
                        assign(1, Pairing::Neighbours, Sharing::Always))))
      return failure();
    return consider("one channel, strangers share threadblocks",
                    assign(1, Pairing::Strangers, Sharing::Always));
  }
  std::vector<uint32_t> depths = program.depths();
  uint32_t shortest = depths.empty() ? 0 : *std::max_element(depths.begin(), depths.end()) + 1;
  auto tryWith = [&](StringRef way, Pairing pairing, Sharing sharing) -> LogicalResult {
    if (best->cost.path <= shortest)
      return success();
    FailureOr<Assignment> next = assign(options.maxChannels, pairing, sharing);
    if (failed(next))
      return failure();
    return fits(*next) ? consider(way, std::move(next), sharing == Sharing::WhileIdle) : success();
  };
  if (paired && failed(tryWith("few channels, a threadblock for each direction", Pairing::Dependent,
                               Sharing::Always)))
    return failure();
  if (failed(tryWith("channels as chains meet, neighbours share threadblocks", Pairing::Neighbours,
                     Sharing::WhileIdle)))
    return failure();
  return made == Pairing::Dependent
             ? success()
             : tryWith("channels as chains meet, a threadblock for each direction",
                       Pairing::Dependent, Sharing::WhileIdle);
}

LogicalResult Scheduler::considerAll() {
  FailureOr<Assignment> first = assign(options.maxChannels, Pairing::Neighbours, Sharing::Always);
  if (failed(first))
    return failure();
  if (fits(*first)) {
    bool paired = made != Pairing::Dependent;
    if (failed(consider(paired ? "few channels, neighbours share threadblocks" : "few channels",
                        std::move(first))))
      return failure();
    return options.weigh ? considerMore(paired) : success();
  }
  uint32_t used = 0;
  for (const schedule::Connection &connection : first->connections)
    used = std::max(used, connection.channel.index() + 1);
  FailureOr<Assignment> strangers =
      assign(options.maxChannels, Pairing::Strangers, Sharing::Always);
  if (failed(strangers))
    return failure();
  if (fits(*strangers)) {
    if (failed(consider("strangers share threadblocks", std::move(strangers))))
      return failure();
    if (!options.weigh)
      return success();
  }
  for (Pairing pairing : {Pairing::Neighbours, Pairing::Strangers}) {
    FailureOr<Assignment> fewer = assignFewerChannels(used, pairing);
    if (failed(fewer))
      return failure();
    // The last one has to do.
    if (fits(*fewer) || (!best && pairing == Pairing::Strangers))
      if (failed(consider(pairing == Pairing::Strangers
                              ? "fewer channels, strangers share threadblocks"
                              : "fewer channels",
                          std::move(fewer))))
        return failure();
    if (best && !options.weigh)
      break;
  }
  return success();
}

/// Says which way was taken, and what it could not keep together.
void Scheduler::explain() {
  ways.choices[bestWay].taken = true;
  remarks->decide(ways);
  for (uint32_t id = 0; id < program.size(); ++id) {
    const Instr &instr = program.instrs()[id];
    if (best->assignment.splitSend[id])
      remarks->left("schedule", instr.sendLoc,
                    "taken apart again: no channel has one threadblock for both of its connections",
                    instr.loc);
    else if (best->order.splitSend[id])
      remarks->left("schedule", instr.sendLoc,
                    "taken apart again: with so few slots it would stop others", instr.loc);
    if (best->order.splitRecv[id])
      remarks->left("schedule", instr.loc,
                    "received into scratch first: with so few slots it would stop others");
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
  context.count("schedule", "unit_path", plan->cost.path);
  return makePlan(program, plan->draft, plan->waits, plan->assignment, options.slots,
                  context.diags);
}

StringRef cclc::goalName(ScheduleGoal goal) {
  switch (goal) {
  case ScheduleGoal::Balance:
    return "balance";
  case ScheduleGoal::Path:
    return "path";
  case ScheduleGoal::Steps:
    return "steps";
  case ScheduleGoal::Threadblocks:
    return "threadblocks";
  }
  llvm_unreachable("unknown goal");
}

std::optional<ScheduleGoal> cclc::parseGoal(StringRef name) {
  for (ScheduleGoal goal :
       {ScheduleGoal::Balance, ScheduleGoal::Path, ScheduleGoal::Steps, ScheduleGoal::Threadblocks})
    if (goalName(goal) == name)
      return goal;
  return std::nullopt;
}

void cclc::registerSchedulers(PassRegistry &registry) {
  registry.add(
      {"schedule", Level::Instr, Level::Exec,
       "assign channels and threadblocks, order the steps, reduce the waits",
       "slots (8): slots of every connection, or inf\n"
       "channels (32): channels to open at most\n"
       "threadblocks: threadblocks that a rank should not exceed\n"
       "queue_pairs: connections of a rank in each direction that it should not exceed\n"
       "per_channel: the same on one channel\n"
       "goal (balance): balance, path, steps or threadblocks: what matters most\n"
       "weigh (yes): whether to try alternatives",
       [](PassOptions &options) {
         ScheduleOptions how;
         how.slots = options.slots("slots").value_or(defaultSlots);
         how.maxChannels = options.number("channels").value_or(32);
         how.maxThreadblocks = options.number("threadblocks");
         how.maxQueuePairs = options.number("queue_pairs");
         how.maxPerChannel = options.number("per_channel");
         how.goal = parseGoal(options.choice("goal", {"balance", "path", "steps", "threadblocks"}))
                        .value_or(ScheduleGoal::Balance);
         how.weigh = options.flag("weigh", true);
         return makePass<InstrProgram, ExecPlan>(
             "schedule", [=](InstrProgram &&program, PassContext &context) {
               return scheduleProgram(std::move(program), how, context);
             });
       }});
}
