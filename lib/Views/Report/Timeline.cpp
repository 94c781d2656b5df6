//===- Timeline.cpp - Spans, messages and link activity of a run ----------===//
//
// Adjacent spans of one step and cause are merged as they arrive, and a counting sort by
// threadblock orders them at the end. The bytes of a link are a histogram over time: when a run
// exceeds its bins, neighbouring bins are merged and their width doubles, so memory is bounded and
// the cost of doubling is amortised.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/Timeline.h"

using namespace cclc;

void LinkActivity::halve() {
  width = width * 2;
  for (std::vector<uint64_t> &row : rows) {
    for (size_t b = 0; b < row.size(); ++b) {
      uint64_t bytes = std::exchange(row[b], 0);
      row[b / 2] += bytes;
    }
    row.resize((row.size() + 1) / 2);
  }
}

void LinkActivity::add(LinkId link, Bytes bytes, SimTime begin, SimTime end) {
  while (binOf(end) >= maxBins)
    halve();
  std::vector<uint64_t> &row = rows[link.index()];
  size_t first = binOf(begin), last = binOf(end);
  row.resize(std::max(row.size(), last + 1));
  // Cumulative bytes at the end of each slice are rounded down, so that the sum is exact.
  Wide duration = (end - begin).picoseconds();
  uint64_t before = 0;
  for (size_t b = first; b < last; ++b) {
    SimTime passed = width * int64_t(b + 1) - begin;
    uint64_t now = uint64_t(Wide(bytes.count()) * passed.picoseconds() / duration);
    row[b] += now - std::exchange(before, now);
  }
  row[last] += bytes.count() - before;
}

Timeline::Timeline(const PlanOnMachine &plan, size_t maxSpans)
    : maxSpans(maxSpans), latest(plan.shown.numThreadblocks()),
      fifos(plan.placedConnections.size()), activity(plan.machine.links().size()) {}

void Timeline::spent(const StepRun &step, Cause cause, SimTime begin, SimTime end) {
  // Other threadblocks may still report spans that began before the limit.
  if (fullAt && begin >= *fullAt)
    return;
  uint32_t threadblock = step.threadblock.index();
  if (Index previous = latest[threadblock]) {
    Span &span = theSpans[*previous];
    if (span.step == step.step.index() && span.piece == step.piece && span.cause == cause) {
      span.end = end;
      return;
    }
  }
  if (!fullAt && theSpans.size() == maxSpans) {
    fullAt = begin;
    return;
  }
  latest[threadblock] = theSpans.size();
  theSpans.push_back({threadblock, step.step.index(), step.piece, cause, begin, end});
}

void Timeline::messageSent(ConnectionId connection, StepId step, Bytes size, SimTime at) {
  if (fullAt)
    return;
  uint32_t message = theMessages.size();
  theMessages.push_back({connection.index(), step.index(), size, at, {}, {}});
  nextOf.emplace_back();
  Fifo &fifo = fifos[connection.index()];
  if (fifo.last)
    nextOf[*fifo.last] = message;
  fifo.last = message;
  if (!fifo.arrives)
    fifo.arrives = message;
  if (!fifo.taken)
    fifo.taken = message;
}

void Timeline::messageArrives(ConnectionId connection, SimTime now) {
  Index &message = fifos[connection.index()].arrives;
  if (!message)
    return;
  theMessages[*message].arrived = now;
  message = nextOf[*message];
}

void Timeline::messageTaken(ConnectionId connection, StepId step, SimTime now) {
  Index &message = fifos[connection.index()].taken;
  if (!message)
    return;
  theMessages[*message].taken = now;
  theMessages[*message].takenStep = step.index();
  message = nextOf[*message];
}

void Timeline::linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) {
  activity.add(link, bytes, begin, end);
}

void Timeline::finish() {
  sorted = GroupedValues<Span>(latest.size(), [&](auto add) {
    for (const Span &span : theSpans)
      add(span.threadblock, span);
  });
  theSpans = {};
}
