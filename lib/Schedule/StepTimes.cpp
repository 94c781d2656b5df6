//===- StepTimes.cpp - The critical path method ---------------------------===//
//
// Earliest ends and longest rests by one forward and one backward pass over the draft, which is a
// topological order (Kelley and Walker, Critical-Path Planning and Scheduling, 1959). An added wait
// is propagated through the steps whose times change, with a worklist. Whether it would close a
// cycle is decided by a search among the steps that start no later than the target.
//
//===----------------------------------------------------------------------===//

#include "StepTimes.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::schedule;

StepNetwork::StepNetwork(const InstrProgram &program, const Draft &draft, const Waits &waits,
                         const Assignment &assignment)
    : waits(waits), waiters(draft.steps.size(), [&](auto add) {
        for (uint32_t s = 0; s < draft.steps.size(); ++s)
          for (uint32_t target : waits.of(s))
            add(target, s);
      }) {
  findPartners(program, draft, assignment);
}

StepTimes::StepTimes(const StepNetwork &network, std::vector<uint32_t> ends,
                     std::vector<uint32_t> rests)
    : network(network), end(std::move(ends)), rest(std::move(rests)),
      thePath(*std::max_element(end.begin(), end.end())) {}

StepTimes::StepTimes(const InstrProgram &program, const Draft &draft, const StepNetwork &network)
    : network(network), program(&program), draft(&draft), end(draft.steps.size()),
      rest(end.size()) {
  // The order of the draft is a topological order.
  for (uint32_t s = 0; s < end.size(); ++s) {
    uint32_t start = 0;
    network.forPredecessors(s, [&](uint32_t pred) { start = std::max(start, end[pred]); });
    end[s] = start + costOf(s);
  }
  for (uint32_t s = rest.size(); s-- > 0;) {
    uint32_t after = 0;
    network.forSuccessors(s, [&](uint32_t succ) { after = std::max(after, rest[succ]); });
    rest[s] = after + costOf(s);
    thePath = std::max(thePath, rest[s]);
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

std::vector<uint32_t> schedule::unitRests(const InstrProgram &program, const Draft &draft,
                                          const Waits &waits, const Assignment &assignment) {
  uint32_t n = draft.steps.size();
  std::vector<uint32_t> rest(n), ofThreadblock(assignment.threadblocks.size());
  // The rest from the receive of each message on; messages are visited from the last one on.
  std::vector<uint32_t> received, head;
  uint32_t messages = 0;
  for (const ConnectionDraft &connection : assignment.connections) {
    messages += connection.transfers;
    head.push_back(messages);
  }
  received.resize(messages);
  std::vector<uint32_t> tail = head;
  for (uint32_t s = n; s-- > 0;) {
    const DraftStep &step = draft.steps[s];
    uint32_t &next = ofThreadblock[step.threadblock.index()], after = std::max(next, rest[s]);
    if (traits(step.op).sends) {
      InstrId to = *program[step.instr].to;
      after = std::max(after, received[--head[(*assignment.connectionOf[to.index()]).index()]]);
    }
    rest[s] = next = after + 1;
    for (uint32_t target : waits.of(s))
      rest[target] = std::max(rest[target], rest[s]);
    if (traits(step.op).receives)
      received[--tail[(*assignment.connectionOf[step.instr.index()]).index()]] = rest[s];
  }
  return rest;
}

bool StepTimes::reaches(uint32_t from, uint32_t to) {
  isSeen.resize(end.size());
  seen = {from};
  bool found = from == to;
  for (size_t i = 0; i < seen.size() && !found; ++i)
    network.forSuccessors(seen[i], [&](uint32_t succ) {
      found |= succ == to;
      if (start(succ) <= start(to) && !isSeen[succ]) {
        isSeen[succ] = true;
        seen.push_back(succ);
      }
    });
  for (uint32_t step : seen)
    isSeen[step] = false;
  return found;
}

void StepTimes::followWait(uint32_t step, uint32_t target) {
  delay(step, end[target] + costOf(step));
  hurry(target, rest[step] + costOf(target));
}

/// Raises the earliest end of \p step to \p at, and updates the steps that depend on it.
void StepTimes::delay(uint32_t step, uint32_t at) {
  if (end[step] >= at)
    return;
  end[step] = at;
  worklist = {step};
  while (!worklist.empty()) {
    uint32_t late = worklist.back();
    worklist.pop_back();
    thePath = std::max(thePath, end[late]);
    network.forSuccessors(late, [&](uint32_t succ) {
      if (uint32_t least = end[late] + costOf(succ); end[succ] < least) {
        end[succ] = least;
        worklist.push_back(succ);
      }
    });
  }
}

/// Raises the time from the start of \p step on to \p time, and updates the steps that it depends
/// on.
void StepTimes::hurry(uint32_t step, uint32_t time) {
  if (rest[step] >= time)
    return;
  rest[step] = time;
  worklist = {step};
  while (!worklist.empty()) {
    uint32_t early = worklist.back();
    worklist.pop_back();
    network.forPredecessors(early, [&](uint32_t pred) {
      if (uint32_t least = rest[early] + costOf(pred); rest[pred] < least) {
        rest[pred] = least;
        worklist.push_back(pred);
      }
    });
  }
}
