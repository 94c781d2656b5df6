//===- PathRecording.cpp - Recording of the critical path -----------------===//
//
// Every execution records its last wait. After the run, the critical path is traced backwards over
// these records from the last event, in time linear in its length.
//
// Implements rule 29.
//
//===----------------------------------------------------------------------===//

#include "PathRecording.h"

#include "cclc/IR/StepNames.h"

using namespace cclc;

void PathRecording::record(uint32_t t, const Step &step) {
  ThreadblockState &self = state.threads[t];
  uint64_t me = state.execution(self);
  uint64_t previous = std::exchange(self.previous, me);
  latest[self.next] = me;
  recorder.begins(me, state.now);
  bool first = self.trip == 0 && self.next == self.begin && self.part == 0;
  if (self.ended == state.now) {
    if (!first)
      recorder.follows(me, previous);
    return;
  }
  switch (threadblocks.waitOf(t)) {
  case Cause::Engine: // for its loads, which are issued from the beginning of the run on
    if (self.beginsRun())
      recorder.waited(me, Cause::Engine, runs.last(self.rank).execution, runs.last(self.rank).at);
    else if (first)
      recorder.begins(me, state.startOf(state.pes[self.pe]));
    else
      recorder.follows(me, previous);
    break;
  case Cause::Link: {
    const Arrival &arrival = connections.incoming(self).front();
    recorder.waited(me, Cause::Link, arrival.sender, arrival.injected, arrival.contention);
    break;
  }
  case Cause::Slot: {
    Ending freed = connections.slotFreed(self);
    recorder.waited(me, Cause::Slot, freed.execution, freed.at);
    break;
  }
  default: {
    const Ending &run = runs.last(self.rank);
    bool waitedForRank = self.beginsRun() && run.at == state.now;
    recorder.waited(me, Cause::Dependence,
                    waitedForRank ? run.execution : latest[threadblocks.targetOf(self, step)],
                    state.now);
  }
  }
}

void PathRecording::waitForRest(const ThreadblockState &self, const Arrival &arrival,
                                SimTime complete) {
  recorder.begins(self.previous, complete);
  recorder.waited(self.previous, Cause::Link, arrival.sender, arrival.injected, arrival.contention);
}

void PathRecording::traceBack(const Ending &last) {
  SimResult &result = state.result;
  if (result.steps == 0)
    return;
  result.criticalPath =
      recorder.path(last.execution, last.at, state.executions,
                    [&](uint32_t step) { return threadblockOf(state.plan, StepId(step)).index(); });
  for (PathSegment &segment : result.criticalPath) {
    // The recorded path begins at 0.
    segment.begin = std::max(segment.begin, state.share.start) - state.share.start;
    segment.end -= state.share.start;
  }
  llvm::erase_if(result.criticalPath,
                 [](const PathSegment &segment) { return segment.begin == segment.end; });
  if (SimTime done = last.at - state.share.start; done < result.time) {
    PathSegment &final = result.criticalPath.emplace_back(result.criticalPath.back());
    final.cause = Cause::Launch;
    final.begin = done;
    final.end = result.time;
  }
}
