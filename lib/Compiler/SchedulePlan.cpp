//===- SchedulePlan.cpp - Scheduling within limits ------------------------===//
//
// The first attempt has no limit of steps. If it exceeds a limit, the plan is scheduled again with
// the limit of steps; as long as splitting fused receives then makes threadblocks too long, the
// limit is reduced in the same proportion. If no attempt is within the limits, or several in a row
// shorten no threadblock because the program fixes its channels, the first plan is returned, which
// the legality check rejects. There is no further attempt if the program fixes the channel of more
// transfers between two ranks than a threadblock may have steps. Diagnostics, remarks and
// statistics of a discarded attempt are discarded as well.
//
//===----------------------------------------------------------------------===//

#include "SchedulePlan.h"

#include "cclc/Constraints/PlanQueues.h"
#include "cclc/Msccl/Dialect.h"
#include "cclc/Pass/PassRegistry.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace cclc;

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
                                            std::optional<uint32_t> steps) const {
  ScheduleOptions how;
  how.slots = slots;
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
  how.maxSteps = steps;
  manager.add(schedulePass(how));
  if (request.lowerFused)
    manager.add(lowerFusedPass());
  FailureOr<Module> result = manager.run(std::move(program), context);
  if (failed(result))
    return failure();
  return std::get<ExecPlan>(std::move(*result));
}

static uint32_t longestThreadblock(const ExecPlan &plan) {
  uint32_t longest = 0;
  for (const Threadblock &tb : plan.threadblocks())
    longest = std::max(longest, tb.numSteps);
  return longest;
}

namespace {
/// A plan that may be discarded, with its diagnostics, remarks and statistics.
struct Attempt {
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
} // namespace

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

/// The number of attempts in a row that may leave the longest threadblock as long as it was.
static constexpr unsigned maxFruitless = 8;

FailureOr<ExecPlan> PlanScheduler::scheduleWithin(InstrProgram &&program, const Variant &variant,
                                                  Slots slots, PassManager &manager,
                                                  PassContext &context) const {
  std::optional<uint32_t> most = constraints.most(Limit::Steps);
  if (!most)
    return schedule(std::move(program), variant, slots, manager, context);
  // The limits that depend on channels and threadblocks.
  Constraints cuts = constraints.only({Limit::Channels, Limit::Threadblocks, Limit::Steps,
                                       Limit::ConnectionsOfChannel, Limit::WaitTarget});
  auto attempt = [&](Attempt &one, std::optional<uint32_t> steps) {
    one.plan = schedule(InstrProgram(program), variant, slots, one.manager, one.context, steps);
    return succeeded(one.plan) && keeps(*one.plan, cuts);
  };
  Attempt first(request);
  DiagnosticEngine unheard;
  bool done = attempt(first, std::nullopt) || failed(first.plan) ||
              failed(checkBounds(*first.plan, constraints, unheard)) ||
              fixesLongerThreadblock(program, *most);
  // Splitting fused receives makes threadblocks longer than the scheduler made them.
  uint32_t shortest = ~uint32_t(0);
  unsigned fruitless = 0;
  for (uint32_t steps = *most; !done;) {
    Attempt next(request);
    if (attempt(next, steps)) {
      next.commit(request, manager, context);
      return std::move(next.plan);
    }
    uint32_t longest = succeeded(next.plan) ? longestThreadblock(*next.plan) : 0;
    fruitless = longest < shortest ? 0 : fruitless + 1;
    shortest = std::min(shortest, longest);
    done = steps == 1 || longest <= *most || fruitless == maxFruitless;
    if (!done)
      steps = std::clamp<uint64_t>(uint64_t(steps) * *most / longest, 1, steps - 1);
  }
  first.commit(request, manager, context);
  return std::move(first.plan);
}
