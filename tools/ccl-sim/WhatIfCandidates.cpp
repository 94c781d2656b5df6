//===- WhatIfCandidates.cpp - Settings that remove one cost ---------------===//
//
// A fixed list of settings, followed by links: each of the eight busiest, and all links of equal
// rate together, since one slow kind of link hides another.
//
//===----------------------------------------------------------------------===//

#include "WhatIfCandidates.h"

#include "cclc/Support/Decimal.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

using namespace cclc;
using llvm::formatv;

namespace {
/// The rows for links with traffic: all links of equal rate together, since one slow kind of link
/// hides another, and each of the busiest links. Both directions count as one link.
class LinkRows {
public:
  LinkRows(const Machine &machine, const SizeResult &size) : machine(machine) {
    std::set<Ends> all, seen;
    for (const Link &link : machine.links())
      all.emplace(link.from.index(), link.to.index());
    for (const SizeResult::UsedLink &used : size.links) {
      const Link &link = machine.link(used.link);
      auto [from, to] = std::pair(link.from.index(), link.to.index());
      bool bothWays = all.count({to, from});
      if (bothWays && from > to)
        std::swap(from, to);
      if (!seen.emplace(from, to).second)
        continue;
      std::string arrow = bothWays ? "<->" : "->", a = name(from), b = name(to);
      std::string setting = "links." + a + arrow + b + ".bandwidth=0";
      byRate[link.bandwidth.bytesPerSecond()].push_back(setting);
      if (rows.size() < linksTried)
        rows.push_back({"bandwidth of " + a + " " + arrow + " " + b, {setting}, {}});
    }
  }

  void addTo(std::vector<WhatIf> &all) const {
    all.insert(all.end(), rows.begin(), rows.end());
    // A single rate is covered by the row for all links, and a single link of a rate by its own row
    // if it is busy.
    if (byRate.size() < 2)
      return;
    for (const auto &[rate, settings] : byRate)
      if (settings.size() > 1 && rate > 0)
        all.push_back({formatv("bandwidth of the {0} links of {1} GB/s", settings.size(),
                               gigabytesText(rate)),
                       settings,
                       {}});
  }

private:
  static constexpr size_t linksTried = 8;
  using Ends = std::pair<uint32_t, uint32_t>;

  const std::string &name(uint32_t node) const { return machine.nodes()[node].name; }

  const Machine &machine;
  std::vector<WhatIf> rows;
  std::map<uint64_t, std::vector<std::string>> byRate;
};
} // namespace

std::vector<WhatIf> cclc::whatIfCandidates(const BoundPlan &plan, const SizeResult &size) {
  const Machine &machine = plan.machine;
  std::string protocol = "protocols." + protocolName(plan.plan.info().protocol).str();
  std::vector<WhatIf> rows;
  auto add = [&](const char *what, std::string setting) {
    rows.push_back({what, {std::move(setting)}, {}});
  };
  add("launch", plan.protocol ? protocol + ".launch=0" : "launch=0");
  add("dispatch", "pe.dispatch=0");
  add("dispatch of local steps", "pe.local_dispatch=0");
  add("one stream for each threadblock", "pe.streams=65536");
  add("reductions", "pe.math.bytes_per_cycle=0");
  add("local copies", "pe.copy.bytes_per_cycle=0");
  add("putting messages into the network", "pe.dma_bandwidth=0");
  add("moving data through the threadblock", "pe.threadblock_bandwidth=0");
  add("slot accesses", machine.queueKey + ".slot_access=off");
  add("waiting for the delivery of credits", machine.queueKey + ".credit_blocks_receiver=off");
  rows.push_back({"unlimited slots", {}, {}});
  add("bandwidth of all links", "links.*->*.bandwidth=0");
  add("propagation of all links", "links.*->*.propagation=0");
  if (machine.memory.loadStore)
    add("loading inputs and storing results", "memory.load_store=off");
  if (machine.queue.sendOverhead > SimTime())
    add("setting up sends", machine.queueKey + ".send_overhead=0");
  if (machine.queue.receiveOverhead > SimTime())
    add("setting up receives", machine.queueKey + ".receive_overhead=0");
  if (plan.protocol) {
    add("latency of steps", protocol + ".step_latency=0");
    add("trips of the threads", protocol + ".trip_time=0");
    add("waits for other threadblocks", "pe.wait=0");
  }
  LinkRows(machine, size).addTo(rows);
  return rows;
}
