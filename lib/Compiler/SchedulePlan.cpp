//===- SchedulePlan.cpp - Scheduling within limits ------------------------===//
//
// The first attempt has no limit of steps. If it exceeds a limit, the plan is scheduled again with
// the limit of steps; as long as splitting fused receives then makes threadblocks too long, the
// limit is reduced in the same proportion. If no attempt is within the limits, or several in a row
// shorten no threadblock because the program fixes its channels, the first plan is returned, which
// the legality check rejects. There is no further attempt if the program fixes the channel of more
// transfers between two ranks than a threadblock may have steps, or more threadblocks of a rank
// than it may have. Diagnostics, remarks and statistics of a discarded attempt are discarded as
// well.
//
//===----------------------------------------------------------------------===//

#include "SchedulePlan.h"

#include "cclc/Formats/AhbmModule.h"
#include "cclc/Formats/Msccl/Dialect.h"
#include "cclc/Limits/PlanQueues.h"
#include "cclc/Target/SwitchPorts.h"
#include "cclc/Transforms/Pass/PassRegistry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace cclc;
using llvm::formatv;

Constraints cclc::constraintsOf(const CompileRequest &request, const Machine *machine) {
  Constraints result("the command line");
  result.atMost(Limit::Channels, request.maxChannels);
  result.atMost(Limit::Threadblocks, request.maxThreadblocks);
  if (machine)
    result.combine(constraintsOf(*machine));
  if (request.dialect)
    result.combine(constraintsOf(*request.dialect));
  return result;
}

SwitchOperations cclc::switchOperations(const ProgramInfo &info, const Machine *machine,
                                        RankPlacement placement, std::optional<uint32_t> most) {
  if (!machine || !machine->switches)
    return {false, false};
  std::vector<EndpointId> endpointOf;
  for (uint32_t r = 0; r < info.ranks(); ++r)
    endpointOf.push_back(
        EndpointId(info.placementOnTarget.empty() ? r : info.placementOnTarget[r]));
  // Ranks that are placed later may be anywhere.
  bool isPlaced = placement == RankPlacement::Linear;
  return {machine->switches->multicasts, machine->switches->adds, [=](ArrayRef<RankId> members) {
            if (most && members.size() > *most)
              return false;
            std::vector<EndpointId> endpoints;
            for (RankId member : members)
              endpoints.push_back(endpointOf[member.index()]);
            return portsOfSwitch(*machine, isPlaced ? endpoints : endpointOf).has_value();
          }};
}

/// The limits of queues that connections do not share.
static std::optional<QueueLimits> queueLimits(const ProgramInfo &info, const Machine *machine) {
  if (!machine || !machine->directionQueues.areLimited() || machine->directionQueues.multiplex)
    return std::nullopt;
  const auto &most = machine->directionQueues.number;
  return QueueLimits{[groups = QueueGroups(info, *machine)](RankId rank, RankId peer) {
                       return static_cast<uint32_t>(groups.of(rank, peer));
                     },
                     {most.begin(), most.end()}};
}

FailureOr<ExecPlan> PlanScheduler::schedule(InstrProgram &&program, const Variant &variant,
                                            Slots slots, PassManager &manager, PassContext &context,
                                            ScheduleCut cut) const {
  ScheduleOptions how;
  how.slots = slots;
  how.jobs = request.optimisation >= 3 ? 1 : request.jobs; // -O3 evaluates variants in parallel
  how.weigh = variant.goal.has_value();
  how.goal = variant.goal.value_or(how.goal);
  Constraints bounds = constraints;
  bounds.atMost(Limit::Channels, variant.maxChannels);
  how.maxChannels = bounds.most(Limit::Channels).value_or(how.maxChannels);
  how.maxThreadblocks = bounds.most(Limit::Threadblocks);
  how.maxQueuePairs = bounds.most(Limit::QueuePairs);
  how.queues = queueLimits(program.info(), machine);
  how.maxPerChannel = bounds.most(Limit::ConnectionsOfChannel);
  how.maxWaitTarget = bounds.most(Limit::WaitTarget);
  how.maxSteps = cut.steps;
  how.splitsFused = request.lowerFused;
  how.mergesReductions = request.dialect && cut.mergesReductions;
  how.inLockstep = inLockstep;
  how.keepChannels = cut.keepChannels;
  manager.add(schedulePass(how));
  if (request.lowerFused)
    manager.add(lowerFusedPass());
  if (how.mergesReductions)
    manager.add(gatherWaitsPass());
  FailureOr<Module> result = manager.run(std::move(program), context);
  if (failed(result))
    return failure();
  ExecPlan &plan = std::get<ExecPlan>(*result);
  if (request.ahbmModule)
    return kernbench::performedPlan(plan, context.diags);
  return std::move(plan);
}

static uint32_t longestThreadblock(const ExecPlan &plan) {
  uint32_t longest = 0;
  for (const Threadblock &tb : plan.threadblocks())
    longest = std::max(longest, tb.numSteps);
  return longest;
}

/// A plan that may be discarded, with its diagnostics, remarks and statistics.
struct PlanScheduler::Attempt {
  explicit Attempt(const CompileRequest &request) : context(diags), printTo(printed) {
    if (request.remarks)
      context.remarks = &remarks;
    PassManagerOptions options = request.passes;
    if (options.printTo)
      options.printTo = &printTo;
    manager = PassManager(options);
  }

  /// Keeps this attempt.
  void commit(const CompileRequest &request, PassManager &finalManager, PassContext &to) {
    if (request.passes.printTo)
      *request.passes.printTo << printTo.str();
    finalManager = std::move(manager);
    to.diags.append(std::move(diags));
    to.append(context);
  }

  DiagnosticEngine diags;
  PassContext context;
  Remarks remarks;
  std::string printed;
  llvm::raw_string_ostream printTo;
  PassManager manager;
  FailureOr<ExecPlan> plan = failure();
};

/// Whether the transfers of two ranks whose channel the program fixes, which are steps of one
/// threadblock of the sender, exceed \p most.
static bool fixesLongerThreadblock(const InstrProgram &program, uint32_t most) {
  std::map<std::tuple<RankId, RankId, uint32_t>, uint32_t> transfers; // by connection
  for (const Instr &send : program.instrs())
    if (send.to) {
      const Directive &directive = program.info().directives[send.sendDirective];
      RankId receiver = program[*send.to].rank;
      if (directive.channel && ++transfers[{send.rank, receiver, *directive.channel}] > most)
        return true;
    }
  return false;
}

/// Whether the program fixes more than \p most threadblocks of a rank.
static bool fixesMoreThreadblocks(const InstrProgram &program, uint32_t most) {
  std::vector<std::set<uint32_t>> fixed(program.info().ranks());
  auto add = [&](RankId rank, std::optional<uint32_t> threadblock) {
    return threadblock && fixed[rank.index()].insert(*threadblock).second &&
           fixed[rank.index()].size() > most;
  };
  return llvm::any_of(program.instrs(), [&](const Instr &instr) {
    const std::vector<Directive> &directives = program.info().directives;
    return (instr.to && add(instr.rank, directives[instr.sendDirective].sendTb)) ||
           (instr.from && add(instr.rank, directives[instr.directive].recvTb));
  });
}

/// The number of attempts in a row that may leave the longest threadblock as long as it was.
static constexpr unsigned maxFruitless = 8;

static bool fixesChannels(const InstrProgram &program) {
  return llvm::any_of(program.info().directives,
                      [](const Directive &directive) { return directive.channel.has_value(); });
}

Constraints PlanScheduler::cuts() const {
  return constraints.only({Limit::Channels, Limit::Threadblocks, Limit::Steps,
                           Limit::ConnectionsOfChannel, Limit::WaitTarget});
}

/// True if \p one becomes a plan within the limits.
bool PlanScheduler::attempt(Attempt &one, const InstrProgram &program, const Variant &variant,
                            Slots slots, ScheduleCut cut) const {
  one.plan = schedule(InstrProgram(program), variant, slots, one.manager, one.context, cut);
  return succeeded(one.plan) && keeps(*one.plan, cuts());
}

/// Schedules with limits of steps. Null if no attempt is within the limits.
std::unique_ptr<PlanScheduler::Attempt> PlanScheduler::attemptCuts(const InstrProgram &program,
                                                                   const Variant &variant,
                                                                   Slots slots,
                                                                   ScheduleCut cut) const {
  uint32_t most = *constraints.most(Limit::Steps);
  if (cut.keepChannels && fixesLongerThreadblock(program, most))
    return nullptr;
  // Splitting fused receives makes threadblocks longer than the scheduler made them.
  uint32_t shortest = ~uint32_t(0);
  unsigned fruitless = 0;
  for (uint32_t steps = most;;) {
    auto next = std::make_unique<Attempt>(request);
    cut.steps = steps;
    if (attempt(*next, program, variant, slots, cut))
      return next;
    uint32_t longest = succeeded(next->plan) ? longestThreadblock(*next->plan) : 0;
    fruitless = longest < shortest ? 0 : fruitless + 1;
    shortest = std::min(shortest, longest);
    if (steps == 1 || longest <= most || fruitless == maxFruitless)
      return nullptr;
    steps = std::clamp<uint64_t>(uint64_t(steps) * most / longest, 1, steps - 1);
  }
}

/// The reason why the channels that the program fixes are not used.
static std::string whyOtherChannels(const Breach &breach, uint32_t before, uint32_t now) {
  return formatv("the channels that the program fixes are not used: with them, the plan is illegal "
                 "for {0}: {1}; it has {2} {3} instead of {4}",
                 breach.owner, breach.text, now, now == 1 ? "channel" : "channels", before);
}

FailureOr<ExecPlan> PlanScheduler::scheduleWithin(InstrProgram &&program, const Variant &variant,
                                                  Slots slots, PassManager &manager,
                                                  PassContext &context) const {
  if (!constraints.most(Limit::Steps))
    return schedule(std::move(program), variant, slots, manager, context);
  Attempt first(request);
  DiagnosticEngine unheard;
  if (!attempt(first, program, variant, slots, {}) && succeeded(first.plan) &&
      !fixesMoreThreadblocks(program,
                             constraints.most(Limit::Threadblocks).value_or(~uint32_t(0))) &&
      succeeded(checkBounds(*first.plan, constraints, unheard))) {
    std::unique_ptr<Attempt> next = attemptCuts(program, variant, slots, {});
    if (!next && fixesChannels(program)) {
      next = attemptCuts(program, variant, slots, {.keepChannels = false});
      if (next)
        next->diags.warning({}, whyOtherChannels(*findBreach(*first.plan, cuts()),
                                                 first.plan->channels(), next->plan->channels()));
    }
    // The waits of merged reductions are steps, and their sums take threadblocks.
    if (!next && request.dialect) {
      next = std::make_unique<Attempt>(request);
      if (!attempt(*next, program, variant, slots, {.mergesReductions = false}))
        next = attemptCuts(program, variant, slots, {.mergesReductions = false});
    }
    if (next) {
      next->commit(request, manager, context);
      return std::move(next->plan);
    }
  }
  first.commit(request, manager, context);
  return std::move(first.plan);
}
