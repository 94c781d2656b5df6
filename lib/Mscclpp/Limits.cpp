#include "cclc/Mscclpp/Limits.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::mscclpp;
using llvm::formatv;

namespace {
class LimitChecker {
public:
  LimitChecker(const Plan &plan, DiagnosticEngine &diags) : plan(plan), diags(diags) {}

  LogicalResult check() {
    const Header &header = plan.header();
    if (header.threadsPerBlock == 0 || header.threadsPerBlock > limit::maxThreads)
      return exceeds(plan.whole(), "threads in a threadblock", header.threadsPerBlock,
                     limit::maxThreads, "set num_threads_per_block to 1024");
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
    return diags.error(std::move(loc), "illegal for mscclpp: " + what);
  }
  LogicalResult exceeds(Location loc, const llvm::Twine &what, uint64_t value, uint64_t limit,
                        const char *remedy) {
    return refuse(std::move(loc), llvm::Twine(value) + " " + what + ", the limit is " +
                                      llvm::Twine(limit) + "; " + remedy);
  }

  LogicalResult checkRank(RankId id) {
    const Rank &rank = plan.ranks()[id.index()];
    std::string of = formatv(" on r{0}", id.index());
    if (rank.inputChunks == 0 || rank.outputChunks == 0)
      return refuse(plan.whole(),
                    formatv("r{0} has 0 {1} chunks, by which the executor divides; say how many "
                            "chunks the buffer has, even if no operation names it",
                            id.index(), rank.inputChunks == 0 ? "input" : "output"));
    if (rank.threadblocks.count > limit::threadblocks)
      return exceeds(plan.whole(), "threadblocks" + of, rank.threadblocks.count,
                     limit::threadblocks, "use fewer channels or instances");
    if (rank.semaphores.count > limit::semaphores)
      return exceeds(plan.whole(), "semaphores" + of, rank.semaphores.count, limit::semaphores,
                     "let fewer pairs of threadblocks wait for each other: use fewer channels, "
                     "instances or ranks");
    return success();
  }

  LogicalResult checkThreadblock(uint32_t t) {
    const Threadblock &tb = plan.threadblocks()[t];
    std::string of = " of " + plan.threadblockName(t);
    if (tb.ops.count > limit::ops)
      return exceeds(plan.locate(tb.ops.first + limit::ops), "operations" + of, tb.ops.count,
                     limit::ops, "spread the work over more threadblocks");
    if (tb.channels.count > limit::channelsOfThreadblock)
      return exceeds(plan.whole(), "memory channels" + of, tb.channels.count,
                     limit::channelsOfThreadblock, "spread them over more threadblocks");
    if (tb.remotes.count > limit::remotesOfThreadblock)
      return exceeds(plan.whole(), "remote buffers" + of, tb.remotes.count,
                     limit::remotesOfThreadblock, "spread them over more threadblocks");
    for (uint32_t op = tb.ops.first; op < tb.ops.first + tb.ops.count; ++op)
      if (failed(checkOp(t, op)))
        return failure();
    return success();
  }

  LogicalResult checkOp(uint32_t t, uint32_t o) {
    const Operation &op = plan.ops()[o];
    const OpTraits &does = traits(op.op);
    Location loc = plan.locate(o);
    std::string of = " of " + plan.opName(t, o);
    if (does.ids == IdKind::Channels && op.ids.count > limit::channelsOfOp)
      return exceeds(loc, "channels" + of, op.ids.count, limit::channelsOfOp,
                     "use several operations");
    if (does.ids == IdKind::Semaphores && op.ids.count > limit::semaphores)
      return exceeds(loc, "semaphores" + of, op.ids.count, limit::semaphores,
                     "use several operations");
    if (does.ids == IdKind::Barrier && plan.ids(op).front() >= limit::barriers)
      return exceeds(loc, "as the number of the barrier" + of, plan.ids(op).front(),
                     limit::barriers - 1, "use fewer barriers");
    if (failed(checkPlaces(o, "sources" + of, plan.sources(op))) ||
        failed(checkPlaces(o, "destinations" + of, plan.destinations(op))))
      return failure();
    return checkMeaning(t, o);
  }

  LogicalResult checkPlaces(uint32_t o, const std::string &what, ArrayRef<Place> places) {
    uint32_t remote = 0;
    for (const Place &place : places)
      remote += place.remote.has_value();
    if (remote > limit::remotesOfOp)
      return exceeds(plan.locate(o), "remote " + what, remote, limit::remotesOfOp,
                     "use several operations");
    if (places.size() > limit::placesOfOp)
      return exceeds(plan.locate(o), what, places.size(), limit::placesOfOp,
                     "use several operations");
    return success();
  }

  /// What the executor would do otherwise than the plan says.
  LogicalResult checkMeaning(uint32_t t, uint32_t o) {
    const Header &header = plan.header();
    const Operation &op = plan.ops()[o];
    const OpTraits &does = traits(op.op);
    Location loc = plan.locate(o);
    std::string name = plan.opName(t, o);
    ArrayRef<Place> sources = plan.sources(op), destinations = plan.destinations(op);
    if (does.usesPackets() && header.protocol != Protocol::LL)
      return refuse(loc, name + " uses packets, for which the executor makes room only in the "
                                "protocol LL");
    if (op.op == OpKind::Put || op.op == OpKind::PutPackets)
      for (const Place &source : sources)
        if (source.buffer != sources.front().buffer)
          return refuse(loc, name + " has sources in different buffers, and the executor takes all "
                                    "from the first one; use several operations");
    if (op.op == OpKind::Get)
      for (size_t i = 0; i < sources.size(); ++i)
        if (sources[i].index != destinations[i].index)
          return refuse(loc, formatv("{0} reads chunk {1} into chunk {2}, and the executor takes "
                                     "either for the other; use the same chunk, or a put",
                                     name, sources[i].index, destinations[i].index));
    if (header.doubleScratch)
      for (ArrayRef<Place> places : {sources, destinations})
        for (size_t i = 0; i < places.size(); ++i) {
          bool isSource = places.data() == sources.data();
          Access access = isSource ? does.source(i) : does.destination(i);
          if (access == Access::Remote && places[i].buffer == Buffer::Scratch)
            return refuse(loc, name + " accesses scratch of another rank without packets, where "
                                      "the executor does not follow a double scratch buffer; use "
                                      "packets or a single scratch buffer");
        }
    return success();
  }

  const Plan &plan;
  DiagnosticEngine &diags;
};
} // namespace

LogicalResult mscclpp::checkLimits(const Plan &plan, DiagnosticEngine &diags) {
  return LimitChecker(plan, diags).check();
}
