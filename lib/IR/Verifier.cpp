//===- Verifier.cpp - Structure of plans and programs --------------------===//
//
// Checks the properties that later analyses assume, in one pass over the tables and one over the
// steps; connections are matched from both sides.
//
// Implements structure rules 1 to 9.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/Verifier.h"

#include "cclc/IR/Connections.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
class StructureVerifier {
public:
  StructureVerifier(const ExecPlan &plan, DiagnosticEngine &diags, const PlanPositions *positions)
      : plan(plan), diags(diags), positions(positions) {}

  LogicalResult verify() {
    if (failed(verifySize()) || failed(verifyRange()) ||
        failed(verifyTables(plan.info(), Generations::Allocated, whole(), diags)))
      return failure();
    for (Placement placement : plan.info().placements.list())
      spaces.push_back(plan.cells(placement));
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
      if (failed(verifyThreadblock(t)))
        return failure();
    return plan.info().rotations.empty() ? verifyConnections() : success();
  }

private:
  // --- Locations and errors -------------------------------------------------

  Location whole() const { return positions ? Location{positions->file} : Location(); }

  Location locateTb(uint32_t t) const {
    if (!positions)
      return plan.threadblocks()[t].numSteps ? locateStep(plan.threadblocks()[t].firstStep)
                                             : Location();
    if (positions->threadblocks.empty())
      return whole();
    PlanPositions::Pos pos = positions->threadblocks[t];
    return {positions->file, pos.line, pos.column};
  }

  Location locateStep(uint32_t s) const {
    if (!positions)
      return plan.info().locate(plan.steps()[s].loc);
    if (positions->steps.empty())
      return whole();
    PlanPositions::Pos pos = positions->steps[s];
    return {positions->file, pos.line, pos.column};
  }

  std::string tbName(uint32_t t) const {
    return formatv("r{0} tb{1}", plan.threadblocks()[t].rank.index(), plan.localId(t).index());
  }

  DiagnosticEngine::InFlight stepError(uint32_t t, uint32_t s, const std::string &text) {
    const Threadblock &tb = plan.threadblocks()[t];
    return diags.error(locateStep(s),
                       formatv("{0} step {1} ({2}): {3}", tbName(t), s - tb.firstStep,
                               traits(plan.steps()[s].op).mnemonic, text)
                           .str());
  }

  DiagnosticEngine::InFlight tbError(uint32_t t, const std::string &text) {
    return diags.error(locateTb(t), tbName(t) + ": " + text);
  }

  // --- The rules ------------------------------------------------------------

  LogicalResult verifySize() {
    uint64_t moved = 0;
    for (const Step &step : plan.steps())
      moved += step.count;
    uint64_t cells = countCells(plan.info().collective, plan.scratchChunks());
    if (!plan.info().rotations.empty())
      cells /= plan.ranks(); // all ranks are equal, and the limit is for those that are listed
    return cclc::verifySize("plan", cells, moved, whole(), diags);
  }

  LogicalResult verifyRange() {
    const ProgramInfo &info = plan.info();
    if (!info.maxBytes || *info.maxBytes >= info.minBytes)
      return success();
    return diags.error(
        whole(), formatv("the maximum buffer size of {0} bytes is less than the minimum of {1}",
                         *info.maxBytes, info.minBytes)
                     .str());
  }

  LogicalResult verifyPeers(uint32_t t, const Peers &peers, StringRef verb) {
    for (size_t i = 0; i < peers.size(); ++i) {
      if (peers[i].index() >= plan.ranks())
        return tbError(t, formatv("{0} rank {1}, but there are {2} ranks", verb, peers[i].index(),
                                  plan.ranks()));
      if (peers[i] == plan.threadblocks()[t].rank)
        return tbError(t, formatv("{0} its own rank", verb));
      if (i > 0 && peers[i - 1] >= peers[i])
        return tbError(t, formatv("{0} r{1} and then r{2}: the peers of a threadblock must ascend",
                                  verb, peers[i - 1].index(), peers[i].index()));
    }
    if (peers.size() > 1 && !plan.info().rotations.empty())
      return tbError(t, "has several peers, but this is the plan of one rank of a rolled plan");
    return success();
  }

  LogicalResult verifyThreadblock(uint32_t t) {
    const Threadblock &tb = plan.threadblocks()[t];
    if (failed(verifyPeers(t, plan.sendPeers(tb), "sends to")) ||
        failed(verifyPeers(t, plan.recvPeers(tb), "receives from")))
      return failure();
    for (Buffer buffer : {Buffer::Input, Buffer::Output, Buffer::Scratch})
      chunks[static_cast<size_t>(buffer)] =
          bufferChunks(plan.info().collective, plan.scratchChunks(), tb.rank, buffer);
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s)
      if (failed(verifyStep(t, s)))
        return failure();
    return success();
  }

  LogicalResult verifyStep(uint32_t t, uint32_t s) {
    const Threadblock &tb = plan.threadblocks()[t];
    const Step &step = plan.steps()[s];
    const OpTraits &op = traits(step.op);
    if (op.sends && plan.sendPeers(tb).empty())
      return stepError(t, s, "sends, but its threadblock has no send peer");
    if (op.receives && plan.recvPeers(tb).empty())
      return stepError(t, s, "receives, but its threadblock has no receive peer");
    if (step.op != OpKind::Nop && step.count == 0)
      return stepError(t, s, "count must be at least 1");
    if (!isSound(step.src, step, op.readsSrc))
      return operandError(t, s, step.src, op.readsSrc, "source");
    if (!isSound(step.dst, step, op.writesDst))
      return operandError(t, s, step.dst, op.writesDst, "destination");
    if (step.count > 1) {
      std::string overlap = findOverlapOfRanges(spaces, tb.rank, step.src, step.dst, step.count);
      if (!overlap.empty())
        return stepError(t, s, overlap);
    }
    return step.waits() ? verifyWait(t, s) : success();
  }

  uint32_t chunksOf(Buffer buffer) const { return chunks[static_cast<size_t>(buffer)]; }
  static uint64_t endOf(Operand operand, const Step &step) {
    return uint64_t(operand.index()) + step.count;
  }
  bool isSound(Operand operand, const Step &step, bool used) const {
    if (!used || operand.isNone())
      return !used && operand.isNone();
    return endOf(operand, step) <= chunksOf(operand.buffer());
  }
  LogicalResult operandError(uint32_t t, uint32_t s, Operand operand, bool used, StringRef what) {
    if (!used)
      return stepError(t, s, formatv("takes no {0} operand", what));
    if (operand.isNone())
      return stepError(t, s, formatv("has no {0} operand", what));
    return stepError(t, s,
                     formatv("{0} {1}[{2}:{3}] is out of range: the buffer has {4}", what,
                             bufferLetter(operand.buffer()), operand.index(),
                             endOf(operand, plan.steps()[s]),
                             counted(chunksOf(operand.buffer()), "chunk")));
  }

  LogicalResult verifyWait(uint32_t t, uint32_t s) {
    std::optional<Wait> wait = plan.steps()[s].wait();
    RankId rank = plan.threadblocks()[t].rank;
    if (wait->tb.index() >= plan.numThreadblocks(rank))
      return stepError(t, s,
                       formatv("waits for tb{0}, but r{1} has {2} threadblocks", wait->tb.index(),
                               rank.index(), plan.numThreadblocks(rank)));
    const Threadblock &other = plan.threadblocks(rank)[wait->tb.index()];
    if (wait->step.index() >= other.numSteps)
      return stepError(t, s,
                       formatv("waits for step {0} of tb{1}, which has {2} steps",
                               wait->step.index(), wait->tb.index(), other.numSteps));
    if (publishers.empty())
      publishers = findPublishers(plan);
    if (!publishers[other.firstStep + wait->step.index()])
      return stepError(t, s,
                       formatv("waits for tb{0} step {1}, but neither that step nor a later "
                               "one of tb{0} publishes its completion",
                               wait->tb.index(), wait->step.index()));
    return success();
  }

  /// A connection, and the threadblock that owns each side of it.
  struct Ends {
    RankId src, dst;
    std::optional<uint32_t> sender, receiver;
  };

  LogicalResult verifyConnections() {
    llvm::DenseMap<uint64_t, uint32_t> index;
    std::vector<Ends> table;
    auto endsOf = [&](RankId src, RankId dst, ChannelId channel) -> Ends & {
      auto [it, inserted] = index.try_emplace(connectionKey(src, dst, channel), table.size());
      if (inserted)
        table.push_back({src, dst, {}, {}});
      return table[it->second];
    };
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
      const Threadblock &tb = plan.threadblocks()[t];
      auto uses = [&](bool OpTraits::*direction) {
        return llvm::any_of(plan.steps(tb),
                            [&](const Step &step) { return traits(step.op).*direction; });
      };
      bool sends = uses(&OpTraits::sends), receives = uses(&OpTraits::receives);
      Peers to = plan.sendPeers(tb), from = plan.recvPeers(tb);
      for (size_t i = 0; sends && i < to.size(); ++i)
        if (failed(own(t, endsOf(tb.rank, to[i], tb.channel).sender, "sends to", to[i])))
          return failure();
      for (size_t i = 0; receives && i < from.size(); ++i)
        if (failed(own(t, endsOf(from[i], tb.rank, tb.channel).receiver, "receives from", from[i])))
          return failure();
    }
    for (const Ends &ends : table)
      if (failed(verifyMessages(ends)))
        return failure();
    return success();
  }

  LogicalResult own(uint32_t t, std::optional<uint32_t> &owner, StringRef verb, RankId peer) {
    if (!owner) {
      owner = t;
      return success();
    }
    const Threadblock &tb = plan.threadblocks()[t];
    return tbError(t, formatv("{0} r{1} on channel {2}, but tb{3} owns that side of the connection",
                              verb, peer.index(), tb.channel.index(), plan.localId(*owner).index()))
        .note(locateTb(*owner), formatv("tb{0} is here", plan.localId(*owner).index()).str());
  }

  /// The steps of a threadblock that send, or those that receive.
  struct Messages {
    ArrayRef<Step> steps; ///< of the plan
    uint32_t at, end;
    bool OpTraits::*direction;

    OptionalIndex next() {
      while (at < end)
        if (traits(steps[at++].op).*direction)
          return at - 1;
      return {};
    }
  };
  Messages messagesOf(std::optional<uint32_t> t, bool OpTraits::*direction) const {
    if (!t)
      return {plan.steps(), 0, 0, direction};
    const Threadblock &tb = plan.threadblocks()[*t];
    return {plan.steps(), tb.firstStep, tb.firstStep + tb.numSteps, direction};
  }

  /// Walks the sends and the receives of one connection side by side.
  LogicalResult verifyMessages(const Ends &ends) {
    std::optional<uint32_t> sender = ends.sender, receiver = ends.receiver;
    Messages sends = messagesOf(sender, &OpTraits::sends);
    Messages recvs = messagesOf(receiver, &OpTraits::receives);
    if (sender && receiver && !groups && hasGates)
      groups.emplace(plan.info());
    for (uint32_t message = 0;; ++message) {
      OptionalIndex send = sends.next(), recv = recvs.next();
      if (!send && !recv)
        return success();
      if (!recv)
        return stepError(*sender, *send,
                         formatv("message {0} to r{1} on channel {2} is never received", message,
                                 ends.dst.index(), plan.threadblocks()[*sender].channel.index()));
      if (!send)
        return stepError(*receiver, *recv,
                         formatv("message {0} from r{1} on channel {2} is never sent", message,
                                 ends.src.index(), plan.threadblocks()[*receiver].channel.index()));
      if (plan.steps()[*send].count != plan.steps()[*recv].count)
        return stepError(*receiver, *recv,
                         formatv("receives {0} chunks, but message {1} from r{2} has {3}",
                                 plan.steps()[*recv].count, message,
                                 plan.threadblocks()[*sender].rank.index(),
                                 plan.steps()[*send].count))
            .note(locateStep(*send), formatv("{0} step {1} sends it", tbName(*sender),
                                             *send - plan.threadblocks()[*sender].firstStep)
                                         .str());
      if (!hasGates)
        continue;
      std::string stray = groups->findStray(plan.steps()[*send].phase, ends.src, ends.dst);
      if (!stray.empty())
        return stepError(*sender, *send, stray);
    }
  }

  const ExecPlan &plan;
  DiagnosticEngine &diags;
  const PlanPositions *positions;
  std::vector<CellSpace> spaces; ///< of every placement
  uint32_t chunks[3] = {};       ///< by Buffer, on the rank of the threadblock that is verified
  const bool hasGates =
      llvm::any_of(plan.info().phases, [](const Phase &phase) { return phase.gate.has_value(); });
  std::optional<MessageGroups> groups; ///< if there are gates
  std::vector<OptionalId<StepId>> publishers;
};
} // namespace

std::string cclc::findOverlapOfRanges(ArrayRef<CellSpace> spaces, RankId rank, Operand src,
                                      Operand dst, uint32_t count) {
  if (src.isNone() || dst.isNone())
    return {};
  for (const CellSpace &space : spaces) {
    if (!space.overlapPartly(rank, src, dst, count))
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "source ";
    printRange(os, src, count);
    os << " and destination ";
    printRange(os, dst, count);
    // Operands in different buffers overlap only where the buffers are aliased.
    os << (src.buffer() == dst.buffer() ? " overlap" : " overlap in place")
       << ", and the chunks of one step have no order";
    return text;
  }
  return {};
}

LogicalResult cclc::verifySize(StringRef what, uint64_t cells, uint64_t moved, const Location &loc,
                               DiagnosticEngine &diags) {
  if (cells > maxCells)
    return diags.error(
        loc,
        formatv("the {0} has {1} cells, more than the limit of {2}", what, cells, maxCells).str());
  if (moved > maxMovedChunks)
    return diags.error(loc, formatv("the {0} moves {1} chunks, more than the limit of {2}", what,
                                    moved, maxMovedChunks)
                                .str());
  return success();
}

LogicalResult cclc::verifyStructure(const ExecPlan &plan, DiagnosticEngine &diags,
                                    const PlanPositions *positions) {
  return StructureVerifier(plan, diags, positions).verify();
}
