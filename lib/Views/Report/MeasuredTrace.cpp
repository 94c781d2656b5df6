//===- MeasuredTrace.cpp - Writing the timeline of an execution -----------===//
//
// A message leaves when its sending step begins, and its slot is free when its receiving step
// begins: the executor writes to a slot at the begin of a step, so the number of slots in use never
// exceeds those of the connection. If the clocks of two machines differ by more than a message
// takes, it is drawn without duration.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/MeasuredTrace.h"

#include "PlanTracks.h"

#include "cclc/IR/StepNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;
using run::Position;
using std::chrono::nanoseconds;

namespace {
class Writer {
public:
  Writer(const run::PreparedPlan &run, const run::RunTrace &trace, raw_ostream &os)
      : run(run), plan(run.plan), trace(trace), tracks(plan, 0, os), out(tracks.out),
        last(plan.threadblocks().size(), trace.begin), sent(run.connections.size()),
        received(run.connections.size()) {}

  TracePart openHeader() {
    out.begin();
    out << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
    auto name = [&](uint32_t process, const std::string &text) {
      tracks.nameProcess(process, quotedJson("measured " + text));
    };
    name(tracks.runProcess, "run");
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      name(tracks.rankProcess(r), formatv("rank {0}", r));
    name(tracks.queueProcess, "slots in use");
    tracks.nameThreads();
    for (const Connection &connection : run.connections.connections())
      tracks.addCounter(connection.senderTb, connection.receiverTb);
    out.flush();
    return {tracks.queueProcess + uint32_t(plan.threadblocks().size()), "predicted "};
  }

  void writeStep(const run::StepTime &time) {
    uint32_t t = time.threadblock.index(), s = time.step.index();
    const Step &step = plan.steps()[s];
    if (time.waited != Position::Reason::None && time.begin > last[t])
      writeWait(time, step);
    last[t] = time.end;
    tracks.begin('X', t, at(time.begin));
    out << ",\"dur\":" << at(time.end) - at(time.begin);
    tracks.describeStep(t, s, "step", run.pieces() > 1, time.piece, bytesOf(step, time.piece));
    if (traits(step.op).receives)
      for (ConnectionId connection : run.connections.recvsOf(t))
        writeFlow(false, connection, t, time.begin);
    if (traits(step.op).sends)
      for (ConnectionId connection : run.connections.sendsOf(t))
        writeFlow(true, connection, t, time.begin);
  }

  void finish(Bytes bytes, ArrayRef<RunSetting> settings) {
    for (uint32_t c = 0; c < sent.size(); ++c)
      writeSlots(c);
    out.begin();
    out << "{\"ph\":\"X\",\"pid\":" << tracks.runProcess << ",\"tid\":" << tracks.runProcess
        << ",\"ts\":0,\"dur\":" << at(trace.end) << ",\"name\":" << quotedJson(plan.info().name)
        << ",\"cat\":\"run\",\"args\":{\"bytes\":" << bytes.count()
        << ",\"pieces\":" << run.pieces();
    for (const RunSetting &setting : settings)
      out << ",\"" << setting.name << "\":" << quotedJson(setting.value);
    out << "}}\n]}\n";
    out.flush();
  }

private:
  SimTime at(nanoseconds time) const {
    return SimTime(std::max<int64_t>((time - trace.begin).count(), 0) * 1000);
  }

  uint64_t bytesOf(const Step &step, uint32_t piece) const {
    const OpTraits &op = traits(step.op);
    uint64_t elements = 0;
    for (uint32_t c = 0; c < step.count && (op.readsSrc || op.writesDst); ++c)
      elements += run.span(op.readsSrc ? step.src : step.dst, c, piece).count;
    return elements * run.elementSize();
  }

  void writeWait(const run::StepTime &time, const Step &step) {
    uint32_t t = time.threadblock.index();
    const Threadblock &tb = plan.threadblocks()[t];
    auto write = [&](StringRef reason, const std::string &what) {
      tracks.begin('X', t, at(last[t]));
      out << ",\"dur\":" << at(time.begin) - at(last[t]) << ",\"name\":\"waits: " << reason
          << "\",\"cat\":\"wait," << reason
          << "\",\"args\":{\"step\":" << uint64_t(time.step.index() - tb.firstStep) << ",\"for\":\""
          << StringRef(what) << "\"}";
      tracks.end();
    };
    switch (time.waited) {
    case Position::Reason::None:
      return;
    case Position::Reason::Message:
      return write("message", "a message from " + peerNames(plan.recvPeers(tb)));
    case Position::Reason::Slot:
      return write("slot", "a slot to " + peerNames(plan.sendPeers(tb)));
    case Position::Reason::Unsent:
      return write("slot", "sent messages that the step overwrites");
    case Position::Reason::Dependence:
      return write("dependence",
                   formatv("tb{0} step {1}", step.wait()->tb.index(), step.wait()->step.index()));
    }
  }

  void writeFlow(bool sends, ConnectionId connection, uint32_t t, nanoseconds time) {
    std::vector<nanoseconds> &times = (sends ? sent : received)[connection.index()];
    tracks.flow(sends, t, at(time), times.size() * sent.size() + connection.index());
    times.push_back(time);
  }

  void writeSlots(uint32_t connection) {
    std::vector<std::pair<nanoseconds, int>> changes;
    for (auto [taken, freed] : llvm::zip_first(sent[connection], received[connection])) {
      changes.emplace_back(taken, 1);
      changes.emplace_back(std::max(taken, freed), -1);
    }
    llvm::sort(changes);
    int used = 0;
    for (size_t i = 0; i < changes.size(); ++i) {
      used += changes[i].second;
      if (i + 1 == changes.size() || changes[i + 1].first != changes[i].first)
        tracks.slots(connection, at(changes[i].first), used);
    }
  }

  const run::PreparedPlan &run;
  const ExecPlan &plan;
  const run::RunTrace &trace;
  PlanTracks tracks;
  TraceText &out;                                       ///< that of `tracks`
  std::vector<nanoseconds> last;                        ///< end of the last step, by threadblock
  std::vector<std::vector<nanoseconds>> sent, received; ///< of messages, by connection
};
} // namespace

void cclc::writeMeasuredTrace(const run::PreparedPlan &plan, const run::RunTrace &trace,
                              Bytes bytes, ArrayRef<RunSetting> settings,
                              llvm::function_ref<void(raw_ostream &, const TracePart &)> others,
                              raw_ostream &os) {
  Writer writer(plan, trace, os);
  TracePart part = writer.openHeader();
  others(os, part);
  for (const run::StepTime &step : trace.steps)
    writer.writeStep(step);
  writer.finish(bytes, settings);
}
