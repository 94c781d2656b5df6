//===- Executor.cpp - Rules of the executor of MSCCL++ --------------------===//
//
// The limits are the array sizes of the executor, as constraints with the messages of Rules.def.
// checkMeaning() rejects operations that the executor would accept but execute differently.
//
//===----------------------------------------------------------------------===//

#include "cclc/Mscclpp/Executor.h"

#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

namespace cclc::mscclpp {

using llvm::formatv;

Constraints executorConstraints() {
  Constraints result("mscclpp");
  result.forbid(Limit::Calls)
      .forbid(Limit::LL128Plans)
      .atMost(Limit::Threads, 1024)
      .atMost(Limit::Threadblocks, 108)
      .atMost(Limit::Operations, 64)
      .atMost(Limit::ChannelsOfThreadblock, 16)
      .atMost(Limit::RemotesOfThreadblock, 16)
      .atMost(Limit::ChannelsOfOperation, 8)
      .atMost(Limit::SemaphoresOfOperation, 16)
      .atMost(Limit::PlacesOfOperation, 10)
      .atMost(Limit::BarrierNumber, 15);
  return result;
}

namespace {
class ExecutorChecker {
public:
  ExecutorChecker(const Plan &plan, DiagnosticEngine &diags) : plan(plan), diags(diags) {}

  LogicalResult check() {
    const Header &header = plan.header();
    if (header.threadsPerBlock == 0)
      return refuse(plan.whole(),
                    "threadblocks without threads; set num_threads_per_block to 1024");
    if (failed(within(Rule::Threads, header.threadsPerBlock, plan.whole(),
                      [] { return std::string(); })))
      return failure();
    if (header.bufferAlignment == 0 || header.bufferAlignment % 16 != 0)
      return refuse(plan.whole(), formatv("a buffer alignment of {0} bytes: the executor adds and "
                                          "copies 16 bytes at a time; use a multiple of 16",
                                          header.bufferAlignment));
    for (uint32_t r = 0; r < plan.ranks().size(); ++r)
      if (failed(checkRank(RankId(r))))
        return failure();
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
      if (failed(checkThreadblock(t)))
        return failure();
    return success();
  }

private:
  LogicalResult refuse(Location loc, const llvm::Twine &what) {
    return diags.error(std::move(loc), illegalFor("mscclpp", what));
  }
  LogicalResult within(Rule rule, int64_t found, Location loc, Constraints::Where where) {
    return constraints.check(rule, found, std::move(loc), diags, where);
  }

  LogicalResult checkRank(RankId id) {
    const Rank &rank = plan.ranks()[id.index()];
    if (rank.inputChunks == 0 || rank.outputChunks == 0)
      return refuse(plan.whole(),
                    formatv("r{0} has 0 {1} chunks, by which the executor divides; set the number "
                            "of chunks of the buffer, even if it is unused",
                            id.index(), rank.inputChunks == 0 ? "input" : "output"));
    return within(Rule::Threadblocks, rank.threadblocks.count, plan.whole(),
                  [&] { return formatv("r{0}", id.index()).str(); });
  }

  LogicalResult checkThreadblock(uint32_t t) {
    const Threadblock &tb = plan.threadblocks()[t];
    auto name = [&] { return plan.threadblockName(PlanThreadblockId(t)); };
    uint32_t most = constraints[Limit::Operations];
    if (failed(within(Rule::Operations, tb.ops.count,
                      tb.ops.count > most ? plan.locate(PlanOpId(tb.ops.first + most)) : Location(),
                      name)) ||
        failed(within(Rule::ChannelsOfThreadblock, tb.switches.count, plan.whole(), name)))
      return failure();
    // The tables of each kind of channel are separate.
    for (ChannelKind kind : {ChannelKind::Memory, ChannelKind::Port})
      if (failed(within(Rule::ChannelsOfThreadblock, plan.channels(tb, kind).size(), plan.whole(),
                        name)) ||
          failed(within(Rule::RemotesOfThreadblock, plan.remotes(tb, kind).size(), plan.whole(),
                        name)))
        return failure();
    for (uint32_t op = tb.ops.first; op < tb.ops.first + tb.ops.count; ++op)
      if (failed(checkOp(t, op)) ||
          (plan.ops()[op].op == OpKind::Pipeline && failed(checkPipeline(t, op))))
        return failure();
    return success();
  }

  /// In every piece the executor accesses the same part of each range, whatever the range.
  LogicalResult checkPipeline(uint32_t t, uint32_t pipeline) {
    const Pieces &pieces = plan.ops()[pipeline].pieces;
    for (uint32_t o = pipeline + 1; o <= pipeline + pieces.bodySize; ++o) {
      const Operation &op = plan.ops()[o];
      std::string name = plan.opName(PlanThreadblockId(t), PlanOpId(o));
      if (op.share.parts > 1)
        return refuse(plan.locate(PlanOpId(o)),
                      name + " is shared by threadblocks in a pipeline, whose later pieces the "
                             "executor then takes from outside of its part");
      if (traits(op.op).usesPackets())
        continue;
      for (ArrayRef<Place> places : {plan.sources(op), plan.destinations(op)})
        for (const Place &place : places)
          if (place.count != pieces.chunks)
            return refuse(plan.locate(PlanOpId(o)),
                          formatv("{0} has {1} in a pipeline over {2}, which the executor applies "
                                  "to each operation; use the same number",
                                  name, counted(place.count, "chunk"), pieces.chunks));
    }
    return success();
  }

  LogicalResult checkOp(uint32_t t, uint32_t o) {
    const Operation &op = plan.ops()[o];
    IdKind ids = op.idKind();
    Location loc = plan.locate(PlanOpId(o));
    auto name = [&] { return plan.opName(PlanThreadblockId(t), PlanOpId(o)); };
    if ((ids == IdKind::Channels &&
         failed(within(Rule::ChannelsOfOperation, op.ids.count, loc, name))) ||
        (ids == IdKind::Semaphores &&
         failed(within(Rule::SemaphoresOfOperation, op.ids.count, loc, name))) ||
        (ids == IdKind::Barrier &&
         failed(within(Rule::BarrierNumber, plan.ids(op).front(), loc, name))) ||
        failed(within(Rule::Sources, plan.sources(op).size(), loc, name)) ||
        failed(within(Rule::Destinations, plan.destinations(op).size(), loc, name)))
      return failure();
    return checkMeaning(t, o);
  }

  /// Reports operations that the executor would execute differently.
  LogicalResult checkMeaning(uint32_t t, uint32_t o) {
    const Header &header = plan.header();
    const Operation &op = plan.ops()[o];
    const OpTraits &does = traits(op.op);
    Location loc = plan.locate(PlanOpId(o));
    auto name = [&] { return plan.opName(PlanThreadblockId(t), PlanOpId(o)); };
    ArrayRef<Place> sources = plan.sources(op), destinations = plan.destinations(op);
    if (does.usesPackets() && header.protocol != Protocol::LL)
      return refuse(loc, name() + " uses packets, which the executor supports only in protocol LL");
    if ((op.op == OpKind::Put && op.channel == ChannelKind::Memory) || op.op == OpKind::PutPackets)
      for (const Place &source : sources)
        if (source.buffer != sources.front().buffer)
          return refuse(loc, name() +
                                 " has sources in different buffers, but the executor reads all "
                                 "from the first one; use several operations");
    if (op.op == OpKind::Get)
      for (size_t i = 0; i < sources.size(); ++i)
        if (sources[i].index != destinations[i].index)
          return refuse(loc, formatv("{0} reads chunk {1} into chunk {2}, but the executor uses "
                                     "one index for both; use the same chunk, or a put",
                                     name(), sources[i].index, destinations[i].index));
    if (header.doubleScratch)
      for (ArrayRef<Place> places : {sources, destinations})
        for (size_t i = 0; i < places.size(); ++i) {
          bool isSource = places.data() == sources.data();
          Access access = isSource ? op.source(i) : op.destination(i);
          if (access == Access::Remote && places[i].buffer == Buffer::Scratch)
            return refuse(loc, name() +
                                   " accesses scratch of another rank without packets, which "
                                   "the executor does not support with a double scratch buffer; "
                                   "use packets or a single scratch buffer");
        }
    return success();
  }

  const Plan &plan;
  DiagnosticEngine &diags;
  Constraints constraints = executorConstraints();
};
} // namespace

LogicalResult checkExecutor(const Plan &plan, DiagnosticEngine &diags) {
  return ExecutorChecker(plan, diags).check();
}

} // namespace cclc::mscclpp
