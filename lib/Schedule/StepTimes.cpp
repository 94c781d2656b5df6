//===- StepTimes.cpp - The critical path method ---------------------------===//
//
// Earliest and latest starts by one forward and one backward pass over the draft, which is a
// topological order (Kelley and Walker, Critical-Path Planning and Scheduling, 1959). An added wait
// is propagated through the steps whose times change, with a worklist. Whether it would close a
// cycle is decided by a depth-first search among the steps that start no later than the target.
//
//===----------------------------------------------------------------------===//

#include "StepTimes.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::schedule;

StepNetwork::StepNetwork(const InstrProgram &program, const Draft &draft, const Waits &waits,
                         const Assignment &assignment)
    : waits(waits) {
  uint32_t n = draft.steps.size();
  findPartners(program, draft, assignment);
  waiterBegin.resize(n + 1);
  for (uint32_t s = 0; s < n; ++s)
    for (uint32_t target : waits.of(s))
      ++waiterBegin[target + 1];
  for (uint32_t s = 0; s < n; ++s)
    waiterBegin[s + 1] += waiterBegin[s];
  waiters.resize(waiterBegin[n]);
  std::vector<uint32_t> at(waiterBegin.begin(), waiterBegin.end() - 1);
  for (uint32_t s = 0; s < n; ++s)
    for (uint32_t target : waits.of(s))
      waiters[at[target]++] = s;
}

StepTimes::StepTimes(const InstrProgram &program, const Draft &draft, const StepNetwork &network,
                     StepCost unit)
    : network(network) {
  uint32_t n = draft.steps.size();
  cost.reserve(n);
  for (const DraftStep &step : draft.steps)
    cost.push_back(unit == StepCost::Unit ? 1 : program[step.instr].count);
  // The order of the draft is a topological order.
  earliest.resize(n);
  for (uint32_t s = 0; s < n; ++s) {
    int64_t start = 0;
    network.forPredecessors(
        s, [&](uint32_t pred) { start = std::max(start, earliest[pred] + cost[pred]); });
    earliest[s] = start;
    thePath = std::max(thePath, start + cost[s]);
  }
  firstPath = thePath;
  latest.resize(n);
  for (uint32_t s = n; s-- > 0;) {
    int64_t end = thePath;
    network.forSuccessors(s, [&](uint32_t succ) { end = std::min(end, latest[succ]); });
    latest[s] = end - cost[s];
  }
}

void StepNetwork::findPartners(const InstrProgram &program, const Draft &draft,
                               const Assignment &assignment) {
  uint32_t n = draft.steps.size();
  for (std::vector<OptionalIndex> *partners : {&previous, &next, &sender, &receiver})
    partners->resize(n);
  std::vector<OptionalIndex> last(assignment.threadblocks.size());
  // Match sends and receives, which have the same order on a connection.
  std::vector<uint32_t> sent, begin(assignment.connections.size() + 1), head;
  for (uint32_t c = 0; c < assignment.connections.size(); ++c)
    begin[c + 1] = begin[c] + assignment.connections[c].transfers;
  sent.resize(begin.back());
  head.assign(begin.begin(), begin.end() - 1);
  std::vector<uint32_t> tail = head;
  for (uint32_t s = 0; s < n; ++s) {
    const DraftStep &step = draft.steps[s];
    OptionalIndex &before = last[step.threadblock.index()];
    if (before) {
      previous[s] = before;
      next[*before] = s;
    }
    before = s;
    if (traits(step.op).receives) {
      uint32_t connection = (*assignment.connectionOf[step.instr.index()]).index();
      uint32_t send = sent[head[connection]++];
      sender[s] = send;
      receiver[send] = s;
    }
    if (traits(step.op).sends) {
      InstrId to = *program[step.instr].to;
      sent[tail[(*assignment.connectionOf[to.index()]).index()]++] = s;
    }
  }
}

uint32_t schedule::unitPath(const InstrProgram &program, const Draft &draft, const Waits &waits,
                            const Assignment &assignment, std::vector<uint32_t> &end) {
  std::vector<uint32_t> threadblockEnd(assignment.threadblocks.size());
  end.resize(draft.steps.size());
  // The end of the send of each message. Sends and receives have the same order on a connection.
  std::vector<uint32_t> sent, head;
  uint32_t messages = 0, path = 0;
  for (const ConnectionDraft &connection : assignment.connections) {
    head.push_back(messages);
    messages += connection.transfers;
  }
  sent.resize(messages);
  std::vector<uint32_t> tail = head;
  for (uint32_t s = 0; s < draft.steps.size(); ++s) {
    const DraftStep &step = draft.steps[s];
    uint32_t &last = threadblockEnd[step.threadblock.index()], start = last;
    if (traits(step.op).receives)
      start = std::max(start, sent[head[(*assignment.connectionOf[step.instr.index()]).index()]++]);
    for (uint32_t target : waits.of(s))
      start = std::max(start, end[target]);
    last = end[s] = start + 1;
    path = std::max(path, last);
    if (traits(step.op).sends) {
      InstrId to = *program[step.instr].to;
      sent[tail[(*assignment.connectionOf[to.index()]).index()]++] = last;
    }
  }
  return path;
}

/// Whether \p to follows \p from in every execution.
bool StepTimes::reaches(uint32_t from, uint32_t to) {
  seenBy.resize(earliest.size());
  ++searches;
  worklist = {from};
  while (!worklist.empty()) {
    uint32_t step = worklist.back();
    worklist.pop_back();
    if (step == to)
      return true;
    network.forSuccessors(step, [&](uint32_t succ) {
      if (earliest[succ] <= earliest[to] && seenBy[succ] != searches) {
        seenBy[succ] = searches;
        worklist.push_back(succ);
      }
    });
  }
  return false;
}

bool StepTimes::mayWait(uint32_t step, uint32_t target, uint64_t longest) {
  return earliest[target] + cost[target] <= latest[step] + int64_t(longest) - firstPath &&
         !reaches(step, target);
}

void StepTimes::followWait(uint32_t step, uint32_t target) {
  delay(step, earliest[target] + cost[target]);
  hurry(target, latest[step] - cost[target]);
}

/// Raises the earliest start of \p step to \p start, and updates the steps that depend on it.
void StepTimes::delay(uint32_t step, int64_t start) {
  if (earliest[step] >= start)
    return;
  earliest[step] = start;
  worklist = {step};
  while (!worklist.empty()) {
    uint32_t late = worklist.back();
    worklist.pop_back();
    int64_t end = earliest[late] + cost[late];
    thePath = std::max(thePath, end);
    network.forSuccessors(late, [&](uint32_t succ) {
      if (earliest[succ] < end) {
        earliest[succ] = end;
        worklist.push_back(succ);
      }
    });
  }
}

/// Lowers the latest start of \p step to \p start, and updates the steps that it depends on.
void StepTimes::hurry(uint32_t step, int64_t start) {
  if (latest[step] <= start)
    return;
  latest[step] = start;
  worklist = {step};
  while (!worklist.empty()) {
    uint32_t early = worklist.back();
    worklist.pop_back();
    network.forPredecessors(early, [&](uint32_t pred) {
      if (latest[pred] > latest[early] - cost[pred]) {
        latest[pred] = latest[early] - cost[pred];
        worklist.push_back(pred);
      }
    });
  }
}
