//===- ChromeTrace.cpp - Writing Chrome trace events ----------------------===//
//
// Events of Chrome's Trace Event Format: complete events (X) for steps that are one span, begin and
// end (B, E) for others, flow events (s, f) for messages, counters (C) for slots and links. Events
// go to the buffer of TraceText with texts that are prepared once. Of several changes of slots at
// the same time, the last is written.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/ChromeTrace.h"

#include "LinkHistory.h"
#include "PlanTracks.h"

#include "cclc/IR/StepNames.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {

struct Span {
  Cause cause;
  SimTime begin, end;
};

/// One end of an arrow.
struct FlowEnd {
  uint64_t id;
  SimTime at;
  bool sends;
};

/// The current step of a threadblock. A step with a single span is one event; other steps have
/// begin and end events, and an event for each span.
struct Thread {
  bool executes = false, isOpen = false;
  SimTime begin;
  std::optional<Span> last; ///< not written yet
  SmallVector<FlowEnd, 2> flows;
};

struct Queue {
  uint64_t sent = 0, taken = 0;   ///< messages
  uint32_t used = 0;              ///< slots
  std::optional<SimTime> changed; ///< time of a change that is not written yet
  /// Times when slots become free; those before \c firstFreed have been counted.
  SmallVector<SimTime, 2> freed;
  uint32_t firstFreed = 0;
};
} // namespace

class ChromeTrace::Impl {
public:
  Impl(const PlanOnMachine &bound, const Sizing &sizing, raw_ostream &os, const TracePart *part)
      : links(bound.machine), bound(bound), plan(bound.shown), sizing(sizing), isPart(part),
        tracks(plan, part ? part->before : 0, os), out(tracks.out), threads(plan.numThreadblocks()),
        queues(bound.placedConnections.size()), runBegan(bound.shown.ranks()) {
    for (const PlacedConnection &connection : bound.placedConnections)
      tracks.addCounter(connection.senderTb, connection.receiverTb);
    nameTracks(part ? part->label : "");
  }

  // --- Threadblocks ----------------------------------------------------------------------

  void runBegins(uint32_t rank, SimTime now) { runBegan[rank] = now; }

  void stepBegins(uint32_t t, SimTime now) {
    threads[t].executes = true;
    threads[t].begin = now;
  }

  void spent(uint32_t t, uint32_t step, uint32_t piece, Span span) {
    Thread &thread = threads[t];
    if (!thread.executes)
      return writeSpan(t, step, span);
    if (thread.last)
      writePart(t, step, piece);
    thread.last = span;
  }

  void stepEnds(uint32_t t, uint32_t step, uint32_t piece, SimTime now) {
    Thread &thread = threads[t];
    bool whole = !thread.last || (thread.last->begin == thread.begin && thread.last->end == now);
    if (!thread.isOpen && whole) {
      begin('X', t, thread.begin);
      out << ",\"dur\":" << now - thread.begin;
      describeStep(t, step, piece, thread.last ? &*thread.last : nullptr);
    } else {
      writePart(t, step, piece);
      begin('E', t, now);
      end();
    }
    // Arrows are written after their slice, which may begin at the same time.
    for (const FlowEnd &flow : thread.flows)
      tracks.flow(flow.sends, t, flow.at, flow.id);
    thread = Thread();
  }

  // --- Connections and links -------------------------------------------------------------

  void messageSent(uint32_t c) {
    Thread &sender = threads[bound.placedConnections[c].senderTb];
    sender.flows.push_back({messageId(c, queues[c].sent++), sender.begin, true});
  }
  void messageTaken(uint32_t c, SimTime now) {
    Thread &receiver = threads[bound.placedConnections[c].receiverTb];
    receiver.flows.push_back({messageId(c, queues[c].taken++), now, false});
  }

  void slotTaken(uint32_t c, SimTime now) {
    freeSlots(c, now);
    changeSlots(c, now, queues[c].used + 1);
  }
  void slotFreed(uint32_t c, SimTime at) { queues[c].freed.push_back(at); }

  void finish(SimTime time, ArrayRef<RunSetting> settings) {
    for (uint32_t c = 0; c < queues.size(); ++c) {
      // The last credits are still pending at the end of the run.
      for (SimTime &at : queues[c].freed)
        at = std::min(at, time);
      freeSlots(c, time);
      writeSlots(c);
    }
    for (uint32_t link = 0; link < bound.machine.links().size(); ++link)
      writeLink(LinkId(link), time);
    out.begin();
    out << "{\"ph\":\"X\",\"pid\":" << tracks.runProcess << ",\"tid\":" << tracks.runProcess
        << ",\"ts\":0,\"dur\":" << time << ",\"name\":" << quotedJson(plan.info().name)
        << ",\"cat\":\"run\",\"args\":{\"bytes\":" << sizing.requested.count()
        << ",\"pieces\":" << uint64_t(sizing.pieces);
    for (const RunSetting &setting : settings)
      out << ",\"" << setting.name << "\":" << quotedJson(setting.value);
    out << (isPart ? StringRef("}},\n") : StringRef("}}\n]}\n"));
    out.flush();
  }

  LinkHistory links;

private:
  // --- Events ----------------------------------------------------------------------------

  void begin(char phase, uint32_t t, SimTime at) { tracks.begin(phase, t, at); }
  void end() { tracks.end(); }

  /// Writes the rest of an event. \p whole: the span that has all of its time, if there is one.
  void describeStep(uint32_t t, uint32_t s, uint32_t piece, const Span *whole) {
    std::string category = "step";
    if (whole)
      category += whole->cause == Cause::Engine ? ",engine" : "," + causeName(whole->cause).str();
    tracks.describeStep(t, s, category, sizing.pieces > 1, piece,
                        sizing.pieceBytes(piece).count() * plan.step(s).count);
  }

  /// Writes the last span of a step that has several.
  void writePart(uint32_t t, uint32_t step, uint32_t piece) {
    Thread &thread = threads[t];
    if (!std::exchange(thread.isOpen, true)) {
      begin('B', t, thread.begin);
      describeStep(t, step, piece, nullptr);
    }
    if (thread.last)
      writeSpan(t, step, *thread.last);
    thread.last.reset();
  }

  void writeSpan(uint32_t t, uint32_t s, const Span &span) {
    begin('X', t, span.begin);
    out << ",\"dur\":" << span.end - span.begin;
    if (span.cause == Cause::Launch || span.cause == Cause::Engine) {
      out << ",\"name\":\"" << causeName(span.cause) << "\",\"cat\":\"" << causeName(span.cause)
          << "\"";
      return end();
    }
    const Threadblock tb = plan.threadblock(t);
    const Step step = plan.step(s);
    out << ",\"name\":\"waits: " << causeName(span.cause) << "\",\"cat\":\"wait,"
        << causeName(span.cause) << "\",\"args\":{\"step\":" << uint64_t(s - tb.firstStep)
        << ",\"for\":\"";
    if (span.cause == Cause::Dependence && span.begin < runBegan[tb.rank.index()])
      out << "the rest of its rank's run";
    else if (span.cause == Cause::Slot)
      out << "a slot to " << peerNames(plan.sendPeers(tb));
    else if (std::optional<Wait> wait = step.wait(); wait && span.cause == Cause::Dependence)
      out << "tb" << wait->tb.index() << " step " << wait->step.index();
    else if (traits(step.op).receives)
      out << "a message from " << peerNames(plan.recvPeers(tb));
    else if (!plan.sendPeers(tb).empty())
      out << "its message to " << peerNames(plan.sendPeers(tb));
    else // an operation of a plan of MSCCL++, which has no connections
      out << (span.cause == Cause::Dependence ? "another threadblock" : "another rank");
    out << "\"}";
    end();
  }

  // --- Counters --------------------------------------------------------------------------

  /// A unique number for every message.
  uint64_t messageId(uint32_t connection, uint64_t number) const {
    return number * queues.size() + connection;
  }

  void changeSlots(uint32_t c, SimTime at, uint32_t used) {
    if (queues[c].changed && *queues[c].changed != at)
      writeSlots(c);
    queues[c].changed = at;
    queues[c].used = used;
  }
  /// Counts the slots that are freed up to \p until, in the order of their events.
  void freeSlots(uint32_t c, SimTime until) {
    Queue &queue = queues[c];
    while (queue.firstFreed < queue.freed.size() && queue.freed[queue.firstFreed] <= until)
      changeSlots(c, queue.freed[queue.firstFreed++], queue.used - 1);
    if (size_t(2) * queue.firstFreed >= queue.freed.size()) {
      queue.freed.erase(queue.freed.begin(), queue.freed.begin() + queue.firstFreed);
      queue.firstFreed = 0;
    }
  }
  void writeSlots(uint32_t c) {
    Queue &queue = queues[c];
    if (!queue.changed)
      return;
    tracks.slots(c, *queue.changed, queue.used);
    queue.changed.reset();
  }

  /// Writes the utilisation in per cent, with two decimals.
  void writeLink(LinkId id, SimTime time) {
    ArrayRef<int64_t> busy = links.busy(id);
    if (busy.empty())
      return;
    std::string name = quotedJson(bound.machine.linkName(id));
    auto write = [&](SimTime at, uint64_t hundredths) {
      out.begin();
      out << "{\"ph\":\"C\",\"pid\":" << tracks.linkProcess << ",\"ts\":" << at
          << ",\"name\":" << name << ",\"cat\":\"link\",\"args\":{\"%\":" << hundredths / 100;
      out.fraction<2>(hundredths % 100);
      out << "}";
      end();
    };
    int64_t width = links.window().picoseconds();
    uint64_t before = 0;
    for (size_t w = 0; w < busy.size(); ++w) {
      int64_t length = std::min(width, time.picoseconds() - int64_t(w) * width);
      uint64_t hundredths = length > 0 ? uint64_t(Wide(busy[w]) * 10'000 / length) : 0;
      if (hundredths != before)
        write(SimTime(int64_t(w) * width), hundredths);
      before = hundredths;
    }
    if (before != 0)
      write(std::min(SimTime(int64_t(busy.size()) * width), time), 0);
  }

  // --- Names -----------------------------------------------------------------------------

  void nameTracks(const std::string &label) {
    if (!isPart) {
      out.begin();
      out << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"target\":"
          << quotedJson(bound.machine.stamp.title()) << "},\"traceEvents\":[\n";
    }
    auto name = [&](uint32_t process, const std::string &text) {
      tracks.nameProcess(process, quotedJson(label + text));
    };
    name(tracks.runProcess, "run");
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      name(tracks.rankProcess(r),
           formatv("rank {0} ({1})", r, endpointName(bound.machine, bound.endpointOf[r])));
    name(tracks.queueProcess, "slots in use");
    name(tracks.linkProcess, "links");
    tracks.nameThreads();
  }

  const PlanOnMachine &bound;
  const ShownPlan plan;
  const Sizing &sizing;
  const bool isPart;
  PlanTracks tracks;
  TraceText &out; ///< that of `tracks`
  std::vector<Thread> threads;
  std::vector<Queue> queues;
  std::vector<SimTime> runBegan; ///< begin of the current run, by rank
};

ChromeTrace::ChromeTrace(const PlanOnMachine &plan, const Sizing &sizing, raw_ostream &os,
                         const TracePart *part)
    : impl(std::make_unique<Impl>(plan, sizing, os, part)) {}
ChromeTrace::~ChromeTrace() = default;

void ChromeTrace::runBegins(RankId rank, uint32_t, SimTime now) {
  impl->runBegins(rank.index(), now);
}
void ChromeTrace::stepBegins(const StepRun &step, SimTime now) {
  impl->stepBegins(step.threadblock.index(), now);
}
void ChromeTrace::stepEnds(const StepRun &step, SimTime now) {
  impl->stepEnds(step.threadblock.index(), step.step.index(), step.piece, now);
}
void ChromeTrace::spent(const StepRun &step, Cause cause, SimTime begin, SimTime end) {
  impl->spent(step.threadblock.index(), step.step.index(), step.piece, {cause, begin, end});
}
void ChromeTrace::messageSent(ConnectionId connection, StepId, Bytes, SimTime) {
  impl->messageSent(connection.index());
}
void ChromeTrace::messageTaken(ConnectionId connection, StepId, SimTime now) {
  impl->messageTaken(connection.index(), now);
}
void ChromeTrace::slotTaken(ConnectionId connection, SimTime now) {
  impl->slotTaken(connection.index(), now);
}
void ChromeTrace::slotFreed(ConnectionId connection, SimTime at) {
  impl->slotFreed(connection.index(), at);
}
void ChromeTrace::linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) {
  impl->links.add(link, bytes, begin, end);
}
void ChromeTrace::finish(SimTime time, ArrayRef<RunSetting> settings) {
  impl->finish(time, settings);
}

SimResult cclc::writeTrace(const PlanOnMachine &plan, const Sizing &sizing,
                           ArrayRef<RunSetting> settings, raw_ostream &os,
                           llvm::function_ref<SimResult(SimListener &)> simulate) {
  ChromeTrace trace(plan, sizing, os);
  SimResult result = simulate(trace);
  trace.finish(result.time, settings);
  return result;
}
