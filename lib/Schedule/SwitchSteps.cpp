//===- SwitchSteps.cpp - Joining threadblocks of a common rank ------------===//
//
// The common rank of an operation has one step for each other rank, each on a connection of its
// own. As the rank is an instance, these connections are on channels without other transfers, and
// their threadblocks have no other steps except local ones. All threadblocks of one rank and
// channel become one, which has one step for each operation, at the place of the first of its
// steps.
//
// This is an execution order inside the rank if the operations have the same order on all
// connections: then every threadblock is a subsequence of the new one. What the joined steps depend
// on precedes the first of them, because the sends read one value, and the later reductions read
// only partial sums. A multicast of the sum of a reduction becomes one step with it, unless there
// is another multicast between them. If the orders differ, or a later gate would precede an earlier
// one, the threadblocks remain as they are.
//
//===----------------------------------------------------------------------===//

#include "SwitchSteps.h"

#include "MakePlan.h"

#include "cclc/IR/PlanAttributes.h"
#include "cclc/Proof/PlanControlFlow.h"
#include "cclc/Transforms/Pass/Pass.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace cclc;
using namespace cclc::schedule;

namespace {
class Joiner {
public:
  Joiner(const InstrProgram &program, Draft &draft, Assignment &assignment)
      : program(program), draft(draft), assignment(assignment),
        segments(segmentsOf(program.info().phases)), removed(draft.steps.size()) {}

  /// Returns the number of operations that became one step.
  uint32_t run() {
    findOperations();
    std::map<std::pair<RankId, ChannelId>, Lane> lanes;
    for (uint32_t s = 0; s < draft.steps.size(); ++s) {
      const ThreadblockDraft &threadblock = threadblockOf(s);
      if (threadblock.channel)
        lanes[{threadblock.rank, *threadblock.channel}].steps.push_back(s);
    }
    for (auto &[place, lane] : lanes)
      if (canJoin(lane))
        join(lane);
    removeSteps();
    return joined;
  }

private:
  /// The steps of the common rank of an operation, in their order.
  struct Operation {
    std::vector<uint32_t> steps;
    bool reduces;
  };
  /// The steps of all threadblocks of one rank and channel, and the operations that they are,
  /// in the order of their first steps.
  struct Lane {
    std::vector<uint32_t> steps, operations = {};
  };

  const DraftStep &step(uint32_t s) const { return draft.steps[s]; }
  const Instr &instrOf(uint32_t s) const { return program[step(s).instr]; }
  Draft::Operands operandsOf(uint32_t s) const { return draft.operandsOf(step(s), instrOf(s)); }
  const ThreadblockDraft &threadblockOf(uint32_t s) const {
    return assignment.threadblocks[step(s).threadblock.index()];
  }

  bool isLocal(uint32_t s) const { return !traits(step(s).op).communicates(); }
  /// The number of the operation of a switch for whose common rank the step is, or 0.
  uint32_t operationOf(uint32_t s) const {
    const Instr &instr = instrOf(s);
    if (step(s).op == OpKind::Send) {
      // The other ranks of a reduction send, too.
      bool copies = !traits(program[*instr.to].op).reduces();
      return copies ? program.info().directives[instr.sendDirective].inSwitch : 0;
    }
    bool reduces = step(s).op == OpKind::RecvReduceCopy;
    return reduces ? program.info().directives[instr.directive].inSwitch : 0;
  }

  void findOperations() {
    for (uint32_t s = 0; s < draft.steps.size(); ++s)
      if (uint32_t number = operationOf(s)) {
        Operation &operation = operations[number];
        operation.steps.push_back(s);
        operation.reduces = step(s).op != OpKind::Send;
      }
  }

  bool canJoin(Lane &lane) const {
    std::map<ThreadblockId, std::vector<uint32_t>> ofThreadblock; // operations in their order
    std::map<uint32_t, size_t> found;                             // steps of each operation
    for (uint32_t s : lane.steps) {
      if (isLocal(s))
        continue;
      uint32_t number = operationOf(s);
      if (number == 0 || threadblockOf(s).fixedId)
        return false;
      if (++found[number] == 1)
        lane.operations.push_back(number);
      ofThreadblock[step(s).threadblock].push_back(number);
    }
    auto segmentOf = [&](uint32_t number) {
      return segments[instrOf(operations.at(number).steps.front()).phase];
    };
    if (!llvm::is_sorted(lane.operations,
                         [&](uint32_t a, uint32_t b) { return segmentOf(a) < segmentOf(b); }))
      return false;
    for (auto [number, steps] : found)
      if (steps != operations.at(number).steps.size() || !isUniform(operations.at(number)))
        return false;
    for (const auto &[threadblock, order] : ofThreadblock) {
      auto next = lane.operations.begin();
      for (uint32_t number : order) {
        next = std::find(next, lane.operations.end(), number);
        if (next == lane.operations.end())
          return false;
        ++next;
      }
    }
    return llvm::any_of(found, [](auto entry) { return entry.second > 1; });
  }

  /// Whether the steps of an operation are one value that is sent, or one sum.
  bool isUniform(const Operation &operation) const {
    const DraftStep &first = step(operation.steps.front());
    Draft::Operands value = operandsOf(operation.steps.front());
    for (uint32_t s : operation.steps) {
      bool isFirst = s == operation.steps.front();
      if (instrOf(s).count != program[first.instr].count ||
          instrOf(s).phase != program[first.instr].phase)
        return false;
      auto [src, dst] = operandsOf(s);
      if (operation.reduces ? dst != value.dst || (!isFirst && src != dst) : src != value.src)
        return false;
    }
    return true;
  }

  void join(const Lane &lane) {
    ThreadblockId all = step(lane.steps.front()).threadblock;
    JoinedThreadblock &ends = assignment.joined[all.index()];
    for (uint32_t s : lane.steps) {
      const ThreadblockDraft &threadblock = threadblockOf(s);
      auto add = [](std::vector<ConnectionId> &list, OptionalId<ConnectionId> connection) {
        if (connection && !llvm::is_contained(list, *connection))
          list.push_back(*connection);
      };
      add(ends.sends, threadblock.send);
      add(ends.recvs, threadblock.recv);
      if (isLocal(s))
        draft.steps[s].threadblock = all;
    }
    for (ConnectionId connection : ends.sends)
      assignment.connections[connection.index()].sender = all;
    for (ConnectionId connection : ends.recvs)
      assignment.connections[connection.index()].receiver = all;
    std::vector<const Operation *> unsent; // reductions after the last step that multicasts
    for (uint32_t number : lane.operations) {
      const Operation &operation = operations.at(number);
      const uint32_t first = operation.steps.front();
      for (uint32_t s : operation.steps)
        removed[s] = s != first;
      draft.steps[first].threadblock = all;
      ++joined;
      if (operation.reduces) {
        unsent.push_back(&operation);
        continue;
      }
      auto reduction =
          llvm::find_if(unsent, [&](const Operation *before) { return sends(operation, *before); });
      if (reduction == unsent.end()) {
        unsent.clear();
        continue;
      }
      removed[first] = true;
      DraftStep &sum = draft.steps[(*reduction)->steps.front()];
      sum.op = OpKind::RecvReduceCopySend;
      draft.multicasts.try_emplace(sum.instr.index(), step(first).instr);
      unsent.erase(unsent.begin(), reduction + 1); // multicasts keep their order
    }
  }

  /// Whether \p multicast sends the sum of \p reduction.
  bool sends(const Operation &multicast, const Operation &reduction) const {
    const DraftStep &send = step(multicast.steps.front()), &sum = step(reduction.steps.back());
    if (operandsOf(multicast.steps.front()).src != operandsOf(reduction.steps.back()).dst ||
        program[send.instr].count != program[sum.instr].count ||
        segments[program[send.instr].phase] != segments[program[sum.instr].phase])
      return false;
    std::span<const DepEdge> sources = program.dependences().preds(send.instr.index());
    return sources.size() == 1 && sources.front().node() == sum.instr.index();
  }

  void removeSteps() {
    if (joined == 0)
      return;
    uint32_t kept = 0;
    for (uint32_t s = 0; s < draft.steps.size(); ++s)
      if (!removed[s])
        draft.steps[kept++] = draft.steps[s];
    draft.steps.erase(draft.steps.begin() + kept, draft.steps.end());
    draft.joins.clear(); // their steps have other numbers
  }

  const InstrProgram &program;
  Draft &draft;
  Assignment &assignment;
  std::vector<uint32_t> segments;           ///< by phase
  std::map<uint32_t, Operation> operations; ///< by number
  std::vector<bool> removed;                ///< by step
  uint32_t joined = 0;
};
} // namespace

/// Fails without a message if no operation of a switch is one step.
static FailureOr<ExecPlan> planWithSwitches(const InstrProgram &program, Alternative schedule,
                                            const ScheduleOptions &options, PassContext &context) {
  uint32_t joined = Joiner(program, schedule.draft, schedule.assignment).run();
  context.count("schedule", "in_switch", joined);
  if (joined == 0)
    return failure();
  ProgramGraph graph(program);
  Waits waits = findWaits(graph, schedule.draft, schedule.assignment, options.jobs);
  DiagnosticEngine unheard;
  FailureOr<ExecPlan> plan =
      makePlan(program, schedule.draft, waits, schedule.assignment, options, unheard);
  if (failed(plan) || !PlanControlFlow(*plan, ConnectionTable(*plan)).run(options.slots))
    return failure();
  return plan;
}

FailureOr<ExecPlan> schedule::makePlan(InstrProgram &&program, const Alternative &schedule,
                                       const ScheduleOptions &options, PassContext &context) {
  if (marksSwitchOperations(program.info()))
    if (FailureOr<ExecPlan> joined = planWithSwitches(program, schedule, options, context);
        succeeded(joined))
      return joined;
  program.takeDependences(); // frees their memory
  return makePlan(program, schedule.draft, schedule.waits, schedule.assignment, options,
                  context.diags);
}
