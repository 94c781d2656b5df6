//===- PathRecording.cpp - Recording of the critical path -----------------===//
//
// Every execution records its last wait. After the run, the critical path is traced backwards over
// these records from the last event, in time linear in its length.
//
// Implements rule 29.
//
//===----------------------------------------------------------------------===//

#include "EngineCore.h"

#include "cclc/IR/StepNames.h"

using namespace cclc;

void EngineCore::record(uint32_t t, const Step &step) {
  ThreadblockState &self = states[t];
  uint64_t me = execution(self);
  uint64_t previous = std::exchange(self.previous, me);
  latest[self.next] = me;
  recorder->begins(me, now);
  bool first = self.trip == 0 && self.next == self.begin && self.part == 0;
  if (self.ended == now) {
    if (!first)
      recorder->follows(me, previous);
    return;
  }
  switch (waits[t]) {
  case Cause::Engine: // for its loads, which are issued from the beginning of the run on
    if (beginsRun(self))
      recorder->waited(me, Cause::Engine, runs.lastExecution(self.rank), runs.began(self.rank));
    else if (first)
      recorder->begins(me, startOf(pes[self.pe]));
    else
      recorder->follows(me, previous);
    break;
  case Cause::Link: {
    const Arrival &arrival = incoming(self).front();
    recorder->waited(me, Cause::Link, arrival.sender, arrival.injected, arrival.contention);
    break;
  }
  case Cause::Slot: {
    // The slot that was freed last.
    const Reader *last = nullptr;
    for (ConnectionId connection : sends(self)) {
      const Fifo &fifo = fifos[connection.index()];
      if (fifo.sent < bound.slots.limit())
        continue;
      const Reader &reader = readers[fifo.credit(fifo.sent - bound.slots.limit())];
      if (!last || reader.at > last->at)
        last = &reader;
    }
    recorder->waited(me, Cause::Slot, last->execution, last->at);
    break;
  }
  default: {
    if (beginsRun(self) && runs.began(self.rank) == now) {
      recorder->waited(me, Cause::Dependence, runs.lastExecution(self.rank), now);
      return;
    }
    uint32_t target =
        (*bound.publishers[ownerOf(t, step).begin + step.wait()->step.index()]).index();
    recorder->waited(me, Cause::Dependence, latest[target], now);
  }
  }
}

/// Traces the critical path back from \p last, the execution that ends the run at \p done after the
/// launch of the plan.
void EngineCore::traceBack(uint64_t last, SimTime done) {
  if (result.steps == 0)
    return;
  result.criticalPath = recorder->path(last, share.start + done, executions, [&](uint32_t step) {
    return threadblockOf(plan, StepId(step)).index();
  });
  for (PathSegment &segment : result.criticalPath) {
    // The recorded path begins at 0.
    segment.begin = std::max(segment.begin, share.start) - share.start;
    segment.end -= share.start;
  }
  llvm::erase_if(result.criticalPath,
                 [](const PathSegment &segment) { return segment.begin == segment.end; });
  if (done < result.time) {
    PathSegment &final = result.criticalPath.emplace_back(result.criticalPath.back());
    final.cause = Cause::Launch;
    final.begin = done;
    final.end = result.time;
  }
}
