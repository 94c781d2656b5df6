#include "cclc/Emit/MscclXml.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace cclc;
using llvm::formatv;

namespace {
/// What microsoft/msccl allocates and checks for.
namespace limit {
constexpr uint32_t steps = 256;
constexpr uint32_t threadblocks = 216;
constexpr uint32_t waitTarget = 127; // an 8-bit signed threadblock number
constexpr uint32_t perChannel = 32;
constexpr uint32_t channels = 32;
constexpr uint32_t count = 71;
constexpr uint32_t name = 63;
constexpr uint32_t nodes = 4096; // XML elements held per rank
} // namespace limit

class LimitChecker {
public:
  LimitChecker(const ExecPlan &plan, DiagnosticEngine &diags) : plan(plan), diags(diags) {}

  LogicalResult check() {
    if (plan.channels() > limit::channels)
      return refuse({}, "channels", plan.channels(), limit::channels,
                    "use fewer channels or instances");
    if (plan.info().collective.chunksPerLoop() == 0)
      return diags.error({}, "illegal for msccl: the plan has no chunks");
    if (plan.info().name.size() > limit::name)
      return refuse({}, "characters of the name", plan.info().name.size(), limit::name,
                    "rename the program");
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      if (failed(checkRank(RankId(r))))
        return failure();
    return success();
  }

private:
  LogicalResult refuse(Location loc, const std::string &what, uint64_t value, uint64_t limit,
                       StringRef remedy) {
    return diags.error(loc, formatv("illegal for msccl: {0} {1}, the limit is {2}; {3}", value,
                                    what, limit, remedy));
  }

  LogicalResult checkRank(RankId rank) {
    std::string of = formatv("on r{0}", rank.index());
    ArrayRef<Threadblock> tbs = plan.threadblocks(rank);
    if (tbs.size() > limit::threadblocks)
      return refuse({}, "threadblocks " + of, tbs.size(), limit::threadblocks,
                    "use fewer channels or instances");
    // The root, every gpu, and the threadblocks and steps of this rank.
    uint64_t nodes = 1 + plan.ranks() + tbs.size();
    std::map<uint32_t, uint32_t> sends, receives;
    for (const Threadblock &tb : tbs) {
      nodes += tb.numSteps;
      if (tb.numSteps > limit::steps)
        return refuse({}, "steps in one threadblock " + of, tb.numSteps, limit::steps,
                      "spread the work over more channels");
      if ((tb.sendPeer && ++sends[tb.channel.index()] > limit::perChannel) ||
          (tb.recvPeer && ++receives[tb.channel.index()] > limit::perChannel))
        return refuse(
            {}, formatv("threadblocks {0} in one direction of channel {1}", of, tb.channel.index()),
            limit::perChannel + 1, limit::perChannel, "use more channels");
      for (const Step &step : plan.steps(tb))
        if (failed(checkStep(step)))
          return failure();
    }
    if (nodes > limit::nodes)
      return refuse({}, "XML elements for one rank", nodes, limit::nodes,
                    "use fewer ranks or steps");
    return success();
  }

  LogicalResult checkStep(const Step &step) {
    Location loc = plan.info().locate(step.loc);
    if (step.count > limit::count)
      return refuse(loc, "chunks in one step", step.count, limit::count, "split the operation");
    if (std::optional<Wait> wait = step.wait(); wait && wait->tb.index() > limit::waitTarget)
      return refuse(loc, "as the number of a threadblock to wait for", wait->tb.index(),
                    limit::waitTarget, "use fewer threadblocks a rank");
    return success();
  }

  const ExecPlan &plan;
  DiagnosticEngine &diags;
};

class XmlWriter {
public:
  XmlWriter(const ExecPlan &plan, raw_ostream &os) : plan(plan), os(os) {}

  void write() {
    const ProgramInfo &info = plan.info();
    os << "<algo name=\"" << escaped(info.name) << "\" proto=\"" << protocolName(info.protocol)
       << "\" nchannels=\"" << plan.channels() << "\" nchunksperloop=\""
       << info.collective.chunksPerLoop() << "\" ngpus=\"" << plan.ranks() << "\" coll=\""
       << collective() << "\" inplace=\"" << info.placements.allowsInPlace() << "\" outofplace=\""
       << info.placements.allowsOutOfPlace() << "\" minBytes=\"" << info.minBytes
       << "\" maxBytes=\"" << info.maxBytes.value_or(0) << '"';
    if (info.collective.isRooted() && info.collective.root() != RankId(0))
      os << " root=\"" << info.collective.root().index() << '"';
    os << ">\n";
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      gpu(RankId(r));
    os << "</algo>\n";
  }

private:
  StringRef collective() const {
    switch (plan.info().collective.kind()) {
    case CollectiveKind::ReduceScatter:
      return "reduce_scatter";
    case CollectiveKind::AllToNext:
    case CollectiveKind::SendRecv:
      return "custom";
    default:
      return StringRef(collectiveName(plan.info().collective.kind()));
    }
  }

  static std::string escaped(StringRef text) {
    std::string result;
    for (char c : text)
      switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\t':
      case '\n':
      case '\r':
        // Readers make spaces of these in attributes unless they are written as numbers.
        result += "&#" + std::to_string(int(c)) + ";";
        break;
      default:
        result += c;
      }
    return result;
  }

  /// The runtime wants the size of a buffer that is used, and 0 for one that is
  /// not.
  void gpu(RankId rank) {
    bool used[3] = {};
    for (const Threadblock &tb : plan.threadblocks(rank))
      for (const Step &step : plan.steps(tb))
        for (Operand operand : {step.src, step.dst})
          if (!operand.isNone())
            used[static_cast<unsigned>(operand.buffer())] = true;
    auto size = [&](Buffer buffer) {
      return used[static_cast<unsigned>(buffer)]
                 ? bufferChunks(plan.info().collective, plan.scratchChunks(), rank, buffer)
                 : 0;
    };
    os << "  <gpu id=\"" << rank.index() << "\" i_chunks=\"" << size(Buffer::Input)
       << "\" o_chunks=\"" << size(Buffer::Output) << "\" s_chunks=\"" << size(Buffer::Scratch)
       << "\">\n";
    uint32_t id = 0;
    for (const Threadblock &tb : plan.threadblocks(rank))
      threadblock(id++, tb);
    os << "  </gpu>\n";
  }

  void threadblock(uint32_t id, const Threadblock &tb) {
    auto peer = [](OptionalId<RankId> rank) { return rank ? int64_t((*rank).index()) : -1; };
    os << "    <tb id=\"" << id << "\" send=\"" << peer(tb.sendPeer) << "\" recv=\""
       << peer(tb.recvPeer) << "\" chan=\"" << tb.channel.index() << "\">\n";
    uint32_t index = 0;
    for (const Step &s : plan.steps(tb))
      step(index++, s);
    os << "    </tb>\n";
  }

  void step(uint32_t index, const Step &step) {
    // The side that a step does not use repeats the other one, as readers of the format expect.
    Operand src = step.src.isNone() ? step.dst : step.src;
    Operand dst = step.dst.isNone() ? step.src : step.dst;
    os << "      <step s=\"" << index << "\" type=\"" << traits(step.op).mnemonic << '"';
    place("src", src);
    place("dst", dst);
    os << " cnt=\"" << step.count << '"';
    if (std::optional<Wait> wait = step.wait())
      os << " depid=\"" << wait->tb.index() << "\" deps=\"" << wait->step.index() << '"';
    else
      os << " depid=\"-1\" deps=\"-1\"";
    os << " hasdep=\"" << (step.publishes ? 1 : 0) << "\"/>\n";
  }

  void place(const char *side, Operand operand) {
    if (operand.isNone())
      os << ' ' << side << "buf=\"i\" " << side << "off=\"-1\"";
    else
      os << ' ' << side << "buf=\"" << bufferLetter(operand.buffer()) << "\" " << side << "off=\""
         << operand.index() << '"';
  }

  const ExecPlan &plan;
  raw_ostream &os;
};
} // namespace

LogicalResult cclc::checkMscclLimits(const ExecPlan &plan, DiagnosticEngine &diags) {
  return LimitChecker(plan, diags).check();
}

void cclc::writeMscclXml(const ExecPlan &plan, raw_ostream &os) { XmlWriter(plan, os).write(); }
