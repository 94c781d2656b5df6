//===- AdviceCandidates.cpp - Changes to try for --advise -----------------===//
//
// Candidates are limited to what a user can change: a delay that was given, a link that is slower
// than its equals, and slots. Dispatch, bandwidths and latencies of the machine are limits.
//
//===----------------------------------------------------------------------===//

#include "AdviceCandidates.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Target/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

using namespace cclc;
using llvm::formatv;

namespace {
/// The maximum number of links and ranks that are tried one by one.
constexpr size_t triedOneByOne = 4;

std::string microseconds(SimTime time) { return thousandths(time.picoseconds() / 1000); }

class Options {
public:
  Options(const AdviceRequest &request, uint32_t dispatch)
      : request(request), machine(request.placed.machine), size(request.report.sizes.back()),
        dispatch(dispatch) {}

  std::vector<OptionCandidate> all() {
    addSkew();
    addSlowLinks();
    addSlots();
    addSlotSizes();
    return std::move(candidates);
  }

private:
  void add(std::string subject, std::string cause, std::string action, AddedOptions options,
           uint32_t weight = fullWeight) {
    candidates.push_back(
        {std::move(subject), std::move(cause), std::move(action), std::move(options), weight});
  }

  /// The ranks with the largest delay, and those with the slowest engines.
  void addSkew() {
    std::vector<uint32_t> late, slow;
    ArrayRef<Skew> skew = request.options.skew;
    for (uint32_t r = 0; r < skew.size(); ++r) {
      if (skew[r].start > SimTime())
        late.push_back(r);
      if (skew[r].permille > 1000)
        slow.push_back(r);
    }
    std::sort(late.begin(), late.end(), [&](uint32_t a, uint32_t b) {
      return skew[a].start != skew[b].start ? skew[a].start > skew[b].start : a < b;
    });
    std::sort(slow.begin(), slow.end(), [&](uint32_t a, uint32_t b) {
      return skew[a].permille != skew[b].permille ? skew[a].permille > skew[b].permille : a < b;
    });
    for (uint32_t r : ArrayRef(late).take_front(triedOneByOne))
      add(formatv("start {0}", r),
          formatv("straggler: rank {0} starts {1} us late", r, microseconds(skew[r].start)),
          formatv("Start rank {0} with the others", r), {{}, UndoneSkew{r}, {}});
    if (late.size() > 1)
      add("starts",
          formatv("stragglers: {0} ranks start up to {1} us late", late.size(),
                  microseconds(skew[late.front()].start)),
          "Start all ranks together", {{}, UndoneSkew{}, {}});
    for (uint32_t r : ArrayRef(slow).take_front(triedOneByOne))
      add(formatv("engines {0}", r),
          formatv("straggler: the engines of rank {0} take {1} times as long as others", r,
                  thousandths(skew[r].permille)),
          formatv("Run rank {0} at full speed", r), {{}, UndoneSkew{r, true}, {}});
  }

  /// Links with traffic that are slower than most links between nodes of the same kinds.
  void addSlowLinks() {
    using Kind = std::pair<std::string, std::string>;
    auto kindOf = [&](const Link &link) {
      return Kind(nodeNameClass(machine.nodes()[link.from.index()].name),
                  nodeNameClass(machine.nodes()[link.to.index()].name));
    };
    std::map<Kind, std::map<uint64_t, size_t>> rates;
    for (const Link &link : machine.links())
      if (link.present)
        ++rates[kindOf(link)][link.bandwidth.bytesPerSecond()];
    std::vector<std::string> all;
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (const SizeResult::UsedLink &used : size.links) {
      const Link &link = machine.link(used.link);
      const auto &ofKind = rates[kindOf(link)];
      auto usual = std::max_element(ofKind.begin(), ofKind.end(), [](const auto &a, const auto &b) {
        return a.second < b.second;
      });
      uint64_t rate = link.bandwidth.bytesPerSecond();
      // Rates of as many links are a property of the machine.
      if (rate == 0 || rate >= usual->first || ofKind.at(rate) * 3 > usual->second)
        continue;
      auto [from, to] = std::pair(link.from.index(), link.to.index());
      bool bothWays = link.reverse && machine.link(*link.reverse).bandwidth == link.bandwidth;
      if (!seen.emplace(from, to).second || (bothWays && seen.count({to, from})))
        continue;
      std::string name =
          machine.nodes()[from].name + (bothWays ? "<->" : "->") + machine.nodes()[to].name;
      all.push_back(formatv("links.{0}.bandwidth={1}", name, usual->first));
      if (all.size() <= triedOneByOne)
        add("link " + name,
            formatv("slow link: {0} has {1} GB/s, and {2} links of its kind have {3} GB/s", name,
                    gigabytesText(rate), usual->second, gigabytesText(usual->first)),
            formatv("Repair link {0}", name), {{all.back()}, {}, {}});
    }
    if (all.size() > 1)
      add("links",
          formatv("slow links: {0} links are slower than the others of their kind", all.size()),
          "Repair all slow links", {all, {}, {}});
  }

  void addSlots() {
    Slots now = request.placed.slots;
    if (now.isUnlimited())
      return;
    constexpr uint32_t most = 1024;
    uint32_t percent = costPercent(request, Cost::Kind::Slot);
    std::string cause = formatv("few slots: sends wait for one of {0}", now.phrase());
    if (now.limit() == 1)
      cause = "few slots: sends wait for the only slot";
    if (percent > 0)
      cause += formatv(", {0} % of the critical path", percent);
    for (uint64_t n = uint64_t(now.limit()) * 2; n <= most; n *= 2)
      add("slots", cause, formatv("Use {0} slots on each connection", n),
          {{}, {}, Slots(uint32_t(n))}, request.slots ? fullWeight : slotsWeight);
  }

  void addSlotSizes() {
    const ProtocolModel *protocol = request.placed.protocol;
    uint64_t now = request.placed.slotSize.count();
    std::string key = protocol
                          ? "protocols." + protocolName(request.placed.plan.info().protocol).str()
                          : machine.queueKey;
    if (now == 0)
      return;
    auto addSize = [&](uint64_t bytes, const std::string &cause) {
      add("slot size", cause, formatv("Use slots of {0} bytes", bytes),
          {{formatv("{0}.slot_size={1}", key, bytes)}, {}, {}});
    };
    // A smaller piece is forwarded earlier; a larger one needs fewer steps.
    std::string chunk = formatv("a chunk goes in {0} {1} through slots of {2} bytes", size.pieces,
                                size.pieces == 1 ? "piece" : "pieces", now);
    std::string cause = "small pieces: " + chunk;
    if (dispatch >= boundByDispatch)
      cause = formatv("dispatch-bound by small pieces: {0}, and dispatch is {1} % of the time",
                      chunk, dispatch);
    for (uint64_t factor = 2; factor <= 4096 && factor < uint64_t(size.pieces) * 2; factor *= 2)
      addSize(now * factor, cause);
    for (uint64_t divisor = 2; divisor <= 64 && now / divisor >= 64; divisor *= 2)
      addSize(now / divisor, "large pieces: " + chunk);
  }

  const AdviceRequest &request;
  const Machine &machine;
  const SizeResult &size;
  uint32_t dispatch;
  std::vector<OptionCandidate> candidates;
};
} // namespace

uint32_t cclc::dispatchPercent(const AdviceRequest &request) {
  const PeModel &pe = request.placed.machine.pe;
  SimTime now = request.report.sizes.back().time;
  if ((pe.dispatch == SimTime() && pe.localDispatch == SimTime()) || now == SimTime())
    return 0;
  AddedOptions free{{"pe.dispatch=0", "pe.local_dispatch=0"}, {}, {}};
  std::optional<RunFigures> then = tryRun(request, request.placed.plan, request.slotsNeeded, free);
  if (!then || then->time >= now)
    return 0;
  return uint32_t(Wide((now - then->time).picoseconds()) * 100 / now.picoseconds());
}

std::vector<OptionCandidate> cclc::optionCandidates(const AdviceRequest &request,
                                                    uint32_t dispatch) {
  return Options(request, dispatch).all();
}
