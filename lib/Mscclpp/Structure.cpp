//===- Structure.cpp - Well-formedness of a plan of MSCCL++ ---------------===//
//
// Checks top down: sizes, ranks, channels and remote buffers, threadblocks, operations and their
// places against the table of operations. Later stages index without further checks.
//
//===----------------------------------------------------------------------===//

#include "Structure.h"

#include "cclc/IR/Verifier.h"
#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;

namespace cclc::mscclpp {
namespace {
class StructureVerifier {
public:
  StructureVerifier(const Plan &plan, DiagnosticEngine &diags)
      : plan(plan), diags(diags), collective(plan.header().collective) {}

  LogicalResult verify() {
    if (plan.ranks().size() != collective.ranks())
      return diags.error(plan.whole(), formatv("the collective has {0} ranks, the plan {1}",
                                               collective.ranks(), plan.ranks().size()));
    std::vector<uint32_t> scratch;
    for (const Rank &rank : plan.ranks())
      scratch.push_back(rank.scratchChunks);
    uint64_t moved = 0;
    for (const Operation &op : plan.ops())
      for (const Place &place : plan.sources(op))
        moved += place.count;
    // Packets and a double scratch buffer each take twice the space.
    if (failed(verifySize("plan", 4 * countCells(collective, scratch), moved, plan.whole(), diags)))
      return failure();
    for (uint32_t r = 0; r < plan.ranks().size(); ++r)
      if (failed(verifyRank(RankId(r), plan.ranks()[r])))
        return failure();
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
      if (failed(verifyThreadblock(t)))
        return failure();
    return success();
  }

private:
  /// A buffer may have 0 chunks, since the collective is defined by the other one; the executor
  /// would reject such a plan.
  LogicalResult verifyChunks(RankId rank, const char *buffer, uint32_t chunks, uint32_t expected) {
    if (chunks == 0 || chunks == expected)
      return success();
    return diags.error(plan.whole(),
                       formatv("r{0} has {1} {2} chunks, but {3} has {4}", rank.index(), chunks,
                               buffer, plan.header().collectiveName, expected));
  }

  LogicalResult verifyRank(RankId id, const Rank &rank) {
    if (failed(verifyChunks(id, "input", rank.inputChunks, collective.inputChunks())) ||
        failed(verifyChunks(id, "output", rank.outputChunks, collective.outputChunks())))
      return failure();
    for (ChannelKind kind : {ChannelKind::Memory, ChannelKind::Port})
      for (RankId peer : plan.channels(rank, kind))
        if (failed(verifyPeer(id, "channel", peer)))
          return failure();
    for (const SwitchChannel &channel : plan.switches(rank))
      if (failed(verifyGroup(id, plan.members(channel))))
        return failure();
    for (const RemoteBuffer &buffer : plan.remotes(rank))
      if (failed(verifyPeer(id, "remote buffer", buffer.rank)))
        return failure();
    return success();
  }

  LogicalResult verifyPeer(RankId rank, const char *what, RankId peer) {
    if (peer == rank)
      return diags.error(plan.whole(),
                         formatv("a {0} of r{1} refers to its own rank", what, rank.index()));
    if (peer.index() >= plan.ranks().size())
      return diags.error(plan.whole(),
                         formatv("a {0} of r{1} refers to rank {2}, but there are {3} ranks", what,
                                 rank.index(), peer.index(), plan.ranks().size()));
    return success();
  }

  LogicalResult verifyGroup(RankId rank, ArrayRef<RankId> members) {
    auto refuse = [&](const llvm::Twine &what) {
      return diags.error(plan.whole(),
                         formatv("a switch channel of r{0} {1}", rank.index(), what.str()));
    };
    for (size_t i = 0; i < members.size(); ++i) {
      if (members[i].index() >= plan.ranks().size())
        return refuse(formatv("refers to rank {0}, but there are {1} ranks", members[i].index(),
                              plan.ranks().size()));
      if (llvm::is_contained(members.take_front(i), members[i]))
        return refuse(formatv("names rank {0} twice", members[i].index()));
    }
    return llvm::is_contained(members, rank) ? success() : refuse("does not name the rank itself");
  }

  LogicalResult verifyThreadblock(uint32_t t) {
    const Threadblock &tb = plan.threadblocks()[t];
    const Rank &rank = plan.rankOf(tb);
    std::string name = plan.threadblockName(PlanThreadblockId(t));
    auto verifyReferences = [&](const char *what, ArrayRef<uint32_t> references,
                                size_t size) -> LogicalResult {
      for (uint32_t number : references)
        if (number >= size)
          return diags.error(plan.whole(), formatv("{0} refers to {1} {2}, but r{3} has {4}", name,
                                                   what, number, tb.rank.index(), size));
      return success();
    };
    if (failed(verifyReferences("channel", plan.channels(tb, ChannelKind::Memory),
                                plan.channels(rank, ChannelKind::Memory).size())) ||
        failed(verifyReferences("port channel", plan.channels(tb, ChannelKind::Port),
                                plan.channels(rank, ChannelKind::Port).size())) ||
        failed(verifyReferences("switch channel", plan.switches(tb), rank.switches.count)))
      return failure();
    for (ChannelKind kind : {ChannelKind::Memory, ChannelKind::Port})
      if (failed(verifyReferences("remote buffer", plan.remotes(tb, kind), rank.remotes.count)))
        return failure();
    uint32_t endOfBody = 0;
    for (uint32_t op = tb.ops.first; op < tb.ops.first + tb.ops.count; ++op) {
      const Operation &operation = plan.ops()[op];
      if (operation.op == OpKind::Pipeline) {
        if (op < endOfBody)
          return error(t, op, " is in a pipeline");
        endOfBody = op + 1 + operation.pieces.bodySize;
        if (endOfBody > tb.ops.first + tb.ops.count)
          return error(t, op, " has more operations than follow it");
        if (operation.pieces.bytes == 0)
          return error(t, op, " does not end, because its pieces have 0 bytes");
      }
      if (failed(verifyOp(t, op)))
        return failure();
    }
    return success();
  }

  LogicalResult error(uint32_t threadblock, uint32_t op, const llvm::Twine &what) {
    return diags.error(plan.locate(PlanOpId(op)),
                       plan.opName(PlanThreadblockId(threadblock), PlanOpId(op)) + what);
  }

  LogicalResult verifyOp(uint32_t t, uint32_t o) {
    const Operation &op = plan.ops()[o];
    const OpTraits &does = traits(op.op);
    if (does.usesChannels() && !existsOn(op.op, op.channel))
      return error(t, o, formatv(" does not exist on {0} channels", channelKindName(op.channel)));
    if (failed(verifyIds(t, o)))
      return failure();
    if (op.share.part >= op.share.parts)
      return error(t, o, formatv(" is part {0} of {1}", op.share.part, op.share.parts));
    if (!does.movesData() && op.src.count + op.dst.count)
      return error(t, o, " moves no data, but has buffers");
    auto count = [&](const char *what, uint32_t have, uint32_t least,
                     Access further) -> LogicalResult {
      if (have < least)
        return error(t, o, formatv(" needs at least {0} {1}, not {2}", least, what, have));
      if (further == Access::None && have > least)
        return error(t, o, formatv(" takes {0} {1}, not {2}", least, what, have));
      return success();
    };
    if (does.movesData() &&
        (failed(count("source", op.src.count, does.least[0], does.src[1])) ||
         failed(count("destination", op.dst.count, does.least[1], does.dst[2]))))
      return failure();
    if (does.paired && op.src.count != op.dst.count)
      return error(t, o,
                   formatv(" has {0} sources for {1} destinations", op.src.count, op.dst.count));
    for (uint32_t i = 0; i < op.src.count; ++i)
      if (failed(verifyPlace(t, o, {"source", i}, plan.sources(op)[i], op.source(i))))
        return failure();
    for (uint32_t i = 0; i < op.dst.count; ++i)
      if (failed(
              verifyPlace(t, o, {"destination", i}, plan.destinations(op)[i], op.destination(i))))
        return failure();
    // All sizes must be equal, except for operations whose pairs the executor processes one by one.
    for (size_t i = 0; i < op.src.count + op.dst.count; ++i) {
      bool isSource = i < op.src.count;
      size_t at = isSource ? i : i - op.src.count;
      const Place &place = isSource ? plan.sources(op)[at] : plan.destinations(op)[at];
      uint32_t expected = plan.sources(op)[does.paired ? at : 0].count;
      if (place.count != expected)
        return error(t, o,
                     formatv(": {0} {1} has {2} chunks, not {3}",
                             isSource ? "source" : "destination", at, place.count, expected));
    }
    return success();
  }

  LogicalResult verifyIds(uint32_t t, uint32_t o) {
    const Threadblock &tb = plan.threadblocks()[t];
    const Operation &op = plan.ops()[o];
    IdKind kind = op.idKind();
    if (kind == IdKind::None)
      return success();
    if (op.isByProxy() && op.ids.count != op.dst.count)
      return error(t, o,
                   formatv(" has {0} for {1}", counted(op.ids.count, "channel"),
                           counted(op.dst.count, "destination")));
    if (op.ids.count == 0)
      return error(t, o,
                   kind == IdKind::Channels     ? " names no channel"
                   : kind == IdKind::Semaphores ? " names no semaphore"
                                                : " names no barrier");
    for (uint32_t id : plan.ids(op)) {
      if (kind == IdKind::Channels && id >= plan.channels(tb, op.channel).size())
        return error(t, o,
                     formatv(" names {0} channel {1}, and the threadblock has {2}",
                             channelKindName(op.channel), id,
                             plan.channels(tb, op.channel).size()));
      if (kind == IdKind::Semaphores && id >= plan.rankOf(tb).semaphores.count)
        return error(t, o,
                     formatv(" names semaphore {0}, and r{1} has {2}", id, tb.rank.index(),
                             plan.rankOf(tb).semaphores.count));
    }
    if (kind == IdKind::Barrier && op.participants == 0)
      return error(t, o, " waits for 0 threadblocks");
    return success();
  }

  /// The name of a place in messages, which is a text only when there is one.
  struct PlaceName {
    const char *side;
    uint32_t number;
    std::string text() const { return formatv(": {0} {1} ", side, number); }
  };

  LogicalResult verifyPlace(uint32_t t, uint32_t o, PlaceName what, const Place &place,
                            Access access) {
    const Threadblock &tb = plan.threadblocks()[t];
    const Operation &op = plan.ops()[o];
    if (isRemote(access) != place.remote.has_value() ||
        isOnSwitch(access) != place.group.has_value())
      return error(t, o,
                   what.text() + (isRemote(access)     ? "must be remote"
                                  : isOnSwitch(access) ? "must be on a switch channel"
                                                       : "must be local"));
    if (place.remote && *place.remote >= plan.remotes(tb, op.channel).size())
      return error(t, o,
                   formatv("{0}is in remote buffer {1}, and the threadblock has {2}", what.text(),
                           *place.remote, plan.remotes(tb, op.channel).size()));
    if (place.group && *place.group >= tb.switches.count)
      return error(t, o,
                   formatv("{0}is on switch channel {1}, and the threadblock has {2}", what.text(),
                           *place.group, tb.switches.count));
    if (isPackets(access) && place.buffer != Buffer::Scratch)
      return error(t, o, what.text() + "holds packets, which only scratch does");
    if (place.count == 0)
      return error(t, o, what.text() + "has 0 chunks");
    if (!place.group)
      return verifyRange(t, o, what, place, plan.owner(tb, op, place));
    const SwitchChannel &channel = plan.switches(plan.rankOf(tb))[plan.switches(tb)[*place.group]];
    for (RankId member : plan.members(channel))
      if (failed(verifyRange(t, o, what, place, member)))
        return failure();
    return success();
  }

  LogicalResult verifyRange(uint32_t t, uint32_t o, PlaceName what, const Place &place,
                            RankId owner) {
    const Rank &rank = plan.ranks()[owner.index()];
    uint32_t size = place.buffer == Buffer::Input    ? collective.inputChunks()
                    : place.buffer == Buffer::Output ? collective.outputChunks()
                                                     : rank.scratchChunks;
    uint64_t end = uint64_t(place.index) + place.count;
    if (end > size)
      return error(t, o,
                   formatv("{0}is {1}[{2}:{3}] of r{4}, which has {5} chunks", what.text(),
                           bufferLetter(place.buffer), place.index, end, owner.index(), size));
    return success();
  }

  const Plan &plan;
  DiagnosticEngine &diags;
  const Collective &collective;
};
} // namespace

LogicalResult verifyStructure(const Plan &plan, DiagnosticEngine &diags) {
  return StructureVerifier(plan, diags).verify();
}
} // namespace cclc::mscclpp
