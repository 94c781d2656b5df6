//===- PlanTracks.cpp - Names of tracks and descriptions of steps ---------===//
//
// All texts that recur are prepared once, since a trace has an event for every execution of a step.
//
//===----------------------------------------------------------------------===//

#include "PlanTracks.h"

#include "cclc/IR/StepNames.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace cclc;
using llvm::formatv;

std::string cclc::quotedJson(StringRef text) {
  std::string result;
  llvm::raw_string_ostream(result)
      << llvm::json::Value(llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text));
  return result;
}

PlanTracks::PlanTracks(ShownPlan plan, uint32_t before, raw_ostream &os)
    : out(os), runProcess(before + plan.ranks() + 1), linkProcess(runProcess + 1),
      queueProcess(runProcess + 2), plan(plan), before(before) {
  for (const std::string &file : plan.info().locs.files())
    files.push_back(StringRef(quotedJson(file)).drop_back().str()); // a line number follows
  for (const Phase &phase : plan.info().phases)
    phases.push_back(phase.name.empty() ? "" : ",\"phase\":" + quotedJson(phase.name));
  for (uint32_t t = 0; t < plan.numThreadblocks(); ++t)
    tracks.push_back(formatv(",\"pid\":{0},\"tid\":{1}",
                             rankProcess(plan.threadblock(t).rank.index()), queueProcess + 1 + t));
}

void PlanTracks::addCounter(uint32_t senderTb, uint32_t receiverTb) {
  const Threadblock sender = plan.threadblock(senderTb), receiver = plan.threadblock(receiverTb);
  counters.push_back(formatv(",\"pid\":{0},\"name\":\"r{1} -> r{2} ch{3}\",\"cat\":"
                             "\"slots\",\"args\":{{\"slots\":",
                             queueProcess, sender.rank.index(), receiver.rank.index(),
                             sender.channel.index()));
}

void PlanTracks::printRange(Operand operand, uint32_t count) {
  char letter[] = {' ', bufferLetter(operand.buffer()), '['};
  out << StringRef(letter, 3) << operand.index();
  if (count != 1)
    out << ":" << operand.index() + count;
  out << "]";
}

void PlanTracks::printLocation(LocId id) {
  const LocTable::Entry &entry = plan.info().locs.entries()[id.index()];
  out << files[entry.file.index()];
  if (entry.line)
    out << ":" << uint64_t(entry.line);
  if (entry.column)
    out << ":" << uint64_t(entry.column);
  out << "\"";
}

void PlanTracks::describeStep(uint32_t threadblock, uint32_t s, StringRef category, bool hasPieces,
                              uint32_t piece, uint64_t bytes) {
  const Step step = plan.step(s);
  const OpTraits &op = traits(step.op);
  out << ",\"name\":\"" << StringRef(op.mnemonic);
  if (op.readsSrc)
    printRange(step.src, step.count);
  if (op.writesDst) {
    out << " ->";
    printRange(step.dst, step.count);
  }
  out << "\",\"cat\":\"" << category
      << "\",\"args\":{\"step\":" << uint64_t(s - plan.threadblock(threadblock).firstStep);
  if (hasPieces)
    out << ",\"piece\":" << uint64_t(piece);
  out << ",\"bytes\":" << bytes;
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

void PlanTracks::nameProcess(uint32_t process, const std::string &name) {
  out.begin();
  out << "{\"ph\":\"M\",\"pid\":" << process
      << ",\"name\":\"process_name\",\"args\":{\"name\":" << name
      << "}},\n{\"ph\":\"M\",\"pid\":" << process
      << ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":"
      << (process == runProcess ? before : process) << "}},\n";
}

void PlanTracks::nameThreads() {
  for (uint32_t t = 0; t < tracks.size(); ++t) {
    const Threadblock tb = plan.threadblock(t);
    std::string name = formatv("tb {0}, ch {1}", plan.localId(t).index(), tb.channel.index());
    if (Peers from = plan.recvPeers(tb); !from.empty())
      name += ", from " + peerNames(from);
    if (Peers to = plan.sendPeers(tb); !to.empty())
      name += ", to " + peerNames(to);
    out.begin();
    out << "{\"ph\":\"M\"" << tracks[t] << ",\"name\":\"thread_name\",\"args\":{\"name\":\"" << name
        << "\"}},\n{\"ph\":\"M\"" << tracks[t]
        << ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":" << plan.localId(t).index()
        << "}},\n";
  }
}
