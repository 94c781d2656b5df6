//===- ChromeTrace.cpp - Writing Chrome trace events ----------------------===//
//
// Events of Chrome's Trace Event Format: complete events (X) for steps that are one span, begin and
// end (B, E) for others, flow events (s, f) for messages, counters (C) for slots and links. Events
// go to the buffer of TraceText with texts that are prepared once. Of several changes of slots at
// the same time, the last is written.
//
//===----------------------------------------------------------------------===//

#include "cclc/Report/ChromeTrace.h"

#include "LinkHistory.h"
#include "TraceText.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace cclc;
using llvm::formatv;

namespace {

/// \p text as a JSON string, with its quotes.
std::string quoted(StringRef text) {
  std::string result;
  llvm::raw_string_ostream(result)
      << llvm::json::Value(llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text));
  return result;
}

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
  Impl(const BoundPlan &bound, const Sizing &sizing, raw_ostream &os)
      : links(bound.machine), bound(bound), plan(bound.plan), sizing(sizing), out(os),
        threads(plan.threadblocks().size()), queues(bound.bound.size()),
        runBegan(bound.plan.ranks()) {
    for (const std::string &file : plan.info().locs.files())
      files.push_back(StringRef(quoted(file)).drop_back().str()); // a line number follows
    for (const Phase &phase : plan.info().phases)
      phases.push_back(phase.name.empty() ? "" : ",\"phase\":" + quoted(phase.name));
    uint32_t ranks = plan.ranks();
    runProcess = ranks + 1;
    linkProcess = ranks + 2;
    queueProcess = ranks + 3;
    for (uint32_t t = 0; t < threads.size(); ++t)
      tracks.push_back(formatv(",\"pid\":{0},\"tid\":{1}", plan.threadblocks()[t].rank.index() + 1,
                               ranks + 4 + t));
    for (const BoundConnection &connection : bound.bound) {
      const Threadblock &sender = plan.threadblocks()[connection.senderTb];
      counters.push_back(formatv(",\"pid\":{0},\"name\":\"r{1} -> r{2} ch{3}\",\"cat\":"
                                 "\"slots\",\"args\":{{\"slots\":",
                                 queueProcess, sender.rank.index(), (*sender.sendPeer).index(),
                                 sender.channel.index()));
    }
    nameTracks();
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
      describeStep(t, step, piece, thread.last.has_value());
    } else {
      writePart(t, step, piece);
      begin('E', t, now);
      end();
    }
    // Arrows are written after their slice, which may begin at the same time.
    for (const FlowEnd &flow : thread.flows) {
      begin(flow.sends ? 's' : 'f', t, flow.at);
      out << ",\"id\":" << flow.id << ",\"name\":\"message\",\"cat\":\"flow\"";
      if (!flow.sends)
        out << ",\"bp\":\"e\"";
      end();
    }
    thread = Thread();
  }

  // --- Connections and links -------------------------------------------------------------

  void messageSent(uint32_t c) {
    Thread &sender = threads[bound.bound[c].senderTb];
    sender.flows.push_back({messageId(c, queues[c].sent++), sender.begin, true});
  }
  void messageTaken(uint32_t c, SimTime now) {
    Thread &receiver = threads[bound.bound[c].receiverTb];
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
    out << "{\"ph\":\"X\",\"pid\":" << runProcess << ",\"tid\":" << runProcess
        << ",\"ts\":0,\"dur\":" << time << ",\"name\":" << quoted(plan.info().name)
        << ",\"cat\":\"run\",\"args\":{\"bytes\":" << sizing.requested.count()
        << ",\"pieces\":" << uint64_t(sizing.pieces);
    for (const RunSetting &setting : settings)
      out << ",\"" << setting.name << "\":" << quoted(setting.value);
    out << "}}\n]}\n";
    out.flush();
  }

  LinkHistory links;

private:
  // --- Events ----------------------------------------------------------------------------

  void begin(char phase, uint32_t t, SimTime at) {
    out.begin();
    out << "{\"ph\":\"" << StringRef(&phase, 1) << "\"" << tracks[t] << ",\"ts\":" << at;
  }
  void end() { out << "},\n"; }

  void printRange(Operand operand, uint32_t count) {
    char letter[] = {' ', bufferLetter(operand.buffer()), '['};
    out << StringRef(letter, 3) << operand.index();
    if (count != 1)
      out << ":" << operand.index() + count;
    out << "]";
  }

  void printLocation(LocId id) {
    const LocTable::Entry &entry = plan.info().locs.entries()[id.index()];
    out << files[entry.file.index()];
    if (entry.line)
      out << ":" << uint64_t(entry.line);
    if (entry.column)
      out << ":" << uint64_t(entry.column);
    out << "\"";
  }

  /// Writes the rest of an event. \p whole: all of its time is engine time.
  void describeStep(uint32_t t, uint32_t s, uint32_t piece, bool whole) {
    const Step &step = plan.steps()[s];
    const OpTraits &op = traits(step.op);
    out << ",\"name\":\"" << StringRef(op.mnemonic);
    if (op.readsSrc)
      printRange(step.src, step.count);
    if (op.writesDst) {
      out << " ->";
      printRange(step.dst, step.count);
    }
    if (whole && threads[t].last->cause != Cause::Engine)
      out << "\",\"cat\":\"step," << causeName(threads[t].last->cause);
    else if (whole)
      out << "\",\"cat\":\"step,engine";
    else
      out << "\",\"cat\":\"step";
    out << "\",\"args\":{\"step\":" << uint64_t(s - plan.threadblocks()[t].firstStep);
    if (sizing.pieces > 1)
      out << ",\"piece\":" << uint64_t(piece);
    out << ",\"bytes\":" << sizing.pieceBytes(piece).count() * step.count;
    if (step.loc != LocTable::unknown()) {
      out << ",\"at\":";
      printLocation(step.loc);
    }
    if (step.sendLoc != step.loc) {
      out << ",\"then\":";
      printLocation(step.sendLoc);
    }
    out << phases[step.phase] << "}";
    end();
  }

  /// Writes the last span of a step that has several.
  void writePart(uint32_t t, uint32_t step, uint32_t piece) {
    Thread &thread = threads[t];
    if (!std::exchange(thread.isOpen, true)) {
      begin('B', t, thread.begin);
      describeStep(t, step, piece, /*whole=*/false);
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
    const Threadblock &tb = plan.threadblocks()[t];
    const Step &step = plan.steps()[s];
    out << ",\"name\":\"waits: " << causeName(span.cause) << "\",\"cat\":\"wait,"
        << causeName(span.cause) << "\",\"args\":{\"step\":" << uint64_t(s - tb.firstStep)
        << ",\"for\":\"";
    if (span.cause == Cause::Dependence && span.begin < runBegan[tb.rank.index()])
      out << "the rest of its rank's run";
    else if (span.cause == Cause::Slot)
      out << "a slot to r" << (*tb.sendPeer).index();
    else if (std::optional<Wait> wait = step.wait(); wait && span.cause == Cause::Dependence)
      out << "tb" << wait->tb.index() << " step " << wait->step.index();
    else if (traits(step.op).receives)
      out << "a message from r" << (*tb.recvPeer).index();
    else
      out << "its message to r" << (*tb.sendPeer).index();
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
    out.begin();
    out << "{\"ph\":\"C\",\"ts\":" << *queue.changed << counters[c] << queue.used << "}";
    end();
    queue.changed.reset();
  }

  /// Writes the utilisation in per cent, with two decimals.
  void writeLink(LinkId id, SimTime time) {
    ArrayRef<int64_t> busy = links.busy(id);
    if (busy.empty())
      return;
    std::string name = quoted(bound.machine.linkName(id));
    auto write = [&](SimTime at, uint64_t hundredths) {
      out.begin();
      out << "{\"ph\":\"C\",\"pid\":" << linkProcess << ",\"ts\":" << at << ",\"name\":" << name
          << ",\"cat\":\"link\",\"args\":{\"%\":" << hundredths / 100;
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

  void nameProcess(uint32_t process, const std::string &name, uint32_t place) {
    out.begin();
    out << "{\"ph\":\"M\",\"pid\":" << process
        << ",\"name\":\"process_name\",\"args\":{\"name\":" << name
        << "}},\n{\"ph\":\"M\",\"pid\":" << process
        << ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":" << place << "}},\n";
  }

  void nameTracks() {
    out.begin();
    out << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"target\":"
        << quoted(bound.machine.stamp.title()) << "},\"traceEvents\":[\n";
    nameProcess(runProcess, "\"run\"", 0);
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      nameProcess(
          r + 1,
          quoted(
              formatv("rank {0} ({1})", r, endpointName(bound.machine, bound.endpointOf[r])).str()),
          r + 1);
    nameProcess(queueProcess, "\"slots in use\"", queueProcess);
    nameProcess(linkProcess, "\"links\"", linkProcess);
    for (uint32_t t = 0; t < threads.size(); ++t) {
      const Threadblock &tb = plan.threadblocks()[t];
      std::string name = formatv("tb {0}, ch {1}", plan.localId(t).index(), tb.channel.index());
      if (tb.recvPeer)
        name += formatv(", from r{0}", (*tb.recvPeer).index());
      if (tb.sendPeer)
        name += formatv(", to r{0}", (*tb.sendPeer).index());
      out.begin();
      out << "{\"ph\":\"M\"" << tracks[t] << ",\"name\":\"thread_name\",\"args\":{\"name\":\""
          << name << "\"}},\n{\"ph\":\"M\"" << tracks[t]
          << ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":" << plan.localId(t).index()
          << "}},\n";
    }
  }

  const BoundPlan &bound;
  const ExecPlan &plan;
  const Sizing &sizing;
  TraceText out;
  std::vector<Thread> threads;
  std::vector<Queue> queues;
  std::vector<SimTime> runBegan;          ///< begin of the current run, by rank
  std::vector<std::string> files, phases; ///< in their output form
  std::vector<std::string> tracks;        ///< by threadblock: its process and thread
  std::vector<std::string> counters;      ///< by connection: the text of the event, except time and
                                          ///< value
  uint32_t runProcess, linkProcess, queueProcess;
};

ChromeTrace::ChromeTrace(const BoundPlan &plan, const Sizing &sizing, raw_ostream &os)
    : impl(std::make_unique<Impl>(plan, sizing, os)) {}
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
