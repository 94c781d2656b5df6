//===- WhatIfCandidates.cpp - Settings for one faster resource ------------===//
//
// A fixed list of resources, followed by links: each of the eight busiest, the parallel ones of
// these together, and all links of equal rate together, since one slow kind of link hides another.
// The settings of a faster resource state its times divided, and its rates multiplied, by the
// factor.
//
//===----------------------------------------------------------------------===//

#include "WhatIfCandidates.h"

#include "cclc/Support/Decimal.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>
#include <tuple>

using namespace cclc;
using llvm::formatv;

namespace {
using Settings = std::vector<std::string>;
/// The settings that make a resource a percentage as fast.
using Faster = std::function<Settings(uint32_t)>;

/// "KEY=SECONDS".
std::string shorter(const std::string &key, SimTime time, uint32_t percent) {
  return formatv("{0}={1}e-12", key, ceilDiv(time.picoseconds() * 100, percent));
}

/// "KEY=BYTES_PER_SECOND"; unlimited rates stay unlimited.
std::string larger(const std::string &key, Bandwidth rate, uint32_t percent) {
  Wide value = Wide(rate.bytesPerSecond()) * percent / 100;
  return formatv("{0}={1}", key, uint64_t(std::min<Wide>(value, 1'000'000'000'000'000'000)));
}

Faster timeOf(const std::string &key, SimTime time) {
  return [=](uint32_t percent) { return Settings{shorter(key, time, percent)}; };
}

Faster rateOf(const std::string &key, Bandwidth rate) {
  return [=](uint32_t percent) { return Settings{larger(key, rate, percent)}; };
}

Faster engineOf(const std::string &key, const CycleEngine &engine) {
  return [=](uint32_t percent) {
    return Settings{shorter(key + ".cycle", engine.cycle, percent),
                    shorter(key + ".latency", engine.latency, percent)};
  };
}

Faster accessOf(const std::string &key, const SlotAccess &access) {
  return [=](uint32_t percent) {
    Settings all;
    for (const char *memory : {"tcm", "sram", "hbm"}) { // the slots are in one of them
      std::string of = key + ".access." + memory;
      all.push_back(shorter(of + ".latency", access.latency, percent));
      all.push_back(larger(of + ".bandwidth", access.rate, percent));
      all.push_back(larger(of + ".second_bandwidth", access.secondRate, percent));
    }
    return all;
  };
}

/// The links with traffic. The two directions of a link are one resource, and so is each of several
/// parallel links.
class LinkRows {
public:
  LinkRows(const Machine &machine, const SizeResult &size) : machine(machine) {
    std::set<Ends> all, seen;
    for (const Link &link : machine.links())
      all.emplace(link.from.index(), link.to.index(), link.parallel);
    for (const SizeResult::UsedLink &used : size.links) {
      const Link &link = machine.link(used.link);
      auto [from, to] = std::pair(link.from.index(), link.to.index());
      bool bothWays = all.count({to, from, link.parallel});
      if (bothWays && from > to)
        std::swap(from, to);
      if (!seen.emplace(from, to, link.parallel).second)
        continue;
      std::string key = "links." + name(from) + (bothWays ? "<->" : "->") + name(to);
      std::string title = name(from) + (bothWays ? " <-> " : " -> ") + name(to);
      std::string number = link.parallel ? "#" + std::to_string(link.parallel) : "";
      links.push_back({key + number, title + number, link.parallel ? key : "", title,
                       link.bandwidth, link.propagation});
    }
  }

  void addTo(std::vector<WhatIfCandidate> &rows) const {
    rows.push_back({{"bandwidth of all links", {"links.*->*.bandwidth=0"}, {}, {}},
                    ratesOf(links),
                    /*isSingle=*/false});
    rows.push_back({{"propagation of all links", {"links.*->*.propagation=0"}, {}, {}},
                    propagation(),
                    /*isSingle=*/false});
    for (const UsedLink &link : ArrayRef(links).take_front(linksTried))
      rows.push_back(
          {{"bandwidth of " + link.title, {link.key + ".bandwidth=0"}, {}, {}}, ratesOf({link})});
    addParallel(rows);
    std::map<uint64_t, std::vector<UsedLink>> byRate;
    for (const UsedLink &link : links)
      byRate[link.rate.bytesPerSecond()].push_back(link);
    // A single rate is covered by the row for all links, and a single link of a rate by its own row
    // if it is busy.
    if (byRate.size() < 2)
      return;
    for (const auto &[rate, same] : byRate) {
      if (same.size() < 2 || rate == 0)
        continue;
      Settings free;
      for (const UsedLink &link : same)
        free.push_back(link.key + ".bandwidth=0");
      rows.push_back(
          {{formatv("bandwidth of the {0} links of {1} GB/s", same.size(), gigabytesText(rate)),
            free,
            {},
            {}},
           ratesOf(same)});
    }
  }

private:
  static constexpr size_t linksTried = 8;
  using Ends = std::tuple<uint32_t, uint32_t, uint32_t>; ///< with the number of the parallel link
  struct UsedLink {
    std::string key, title;
    std::string allKey, allTitle; ///< of all parallel links; no key if there is one link
    Bandwidth rate;
    SimTime propagation;
  };

  /// Adds the parallel links of the busiest links together.
  void addParallel(std::vector<WhatIfCandidate> &rows) const {
    std::set<StringRef> seen;
    for (const UsedLink &busy : ArrayRef(links).take_front(linksTried)) {
      if (busy.allKey.empty() || !seen.insert(busy.allKey).second)
        continue;
      std::vector<UsedLink> all;
      for (const UsedLink &link : links)
        if (link.allKey == busy.allKey)
          all.push_back(link);
      if (all.size() > 1)
        rows.push_back({{formatv("bandwidth of the {0} links {1}", all.size(), busy.allTitle),
                         {busy.allKey + ".bandwidth=0"},
                         {},
                         {}},
                        ratesOf(std::move(all))});
    }
  }

  static Faster ratesOf(std::vector<UsedLink> links) {
    return [links = std::move(links)](uint32_t percent) {
      Settings all;
      for (const UsedLink &link : links)
        all.push_back(larger(link.key + ".bandwidth", link.rate, percent));
      return all;
    };
  }
  Faster propagation() const {
    return [links = links](uint32_t percent) {
      Settings all;
      for (const UsedLink &link : links)
        all.push_back(shorter(link.key + ".propagation", link.propagation, percent));
      return all;
    };
  }
  const std::string &name(uint32_t node) const { return machine.nodes()[node].name; }

  const Machine &machine;
  std::vector<UsedLink> links; ///< the busiest first
};
} // namespace

std::vector<WhatIfCandidate> cclc::whatIfCandidates(const PlacedPlan &plan,
                                                    const SizeResult &size) {
  const Machine &machine = plan.machine;
  const PeModel &pe = machine.pe;
  const QueueModel &queue = machine.queue;
  std::string protocol = "protocols." + protocolName(plan.plan.info().protocol).str();
  std::vector<WhatIfCandidate> rows;
  auto add = [&](const char *what, std::string setting, Faster faster = nullptr) {
    rows.push_back({{what, {std::move(setting)}, {}, {}}, std::move(faster)});
  };
  auto addTime = [&](const char *what, const std::string &key, SimTime time) {
    add(what, key + "=0", timeOf(key, time));
  };
  if (plan.protocol)
    addTime("launch", protocol + ".launch", plan.protocol->launch);
  else
    addTime("launch", "launch", machine.launch);
  addTime("dispatch", "pe.dispatch", pe.dispatch);
  addTime("dispatch of local steps", "pe.local_dispatch", pe.localDispatch);
  add("one stream for each threadblock", "pe.streams=65536");
  add("reductions", "pe.math.bytes_per_cycle=0", engineOf("pe.math", pe.math));
  add("local copies", "pe.copy.bytes_per_cycle=0", engineOf("pe.copy", pe.copy));
  add("putting messages into the network", "pe.dma_bandwidth=0",
      rateOf("pe.dma_bandwidth", pe.dmaRate));
  add("moving data through the threadblock", "pe.threadblock_bandwidth=0",
      rateOf("pe.threadblock_bandwidth", pe.threadblockRate));
  add("slot accesses", machine.queueKey + ".slot_access=off",
      accessOf(machine.queueKey, queue.write));
  add("waiting for the delivery of credits", machine.queueKey + ".credit_blocks_receiver=off");
  rows.push_back({{"unlimited slots", {}, {}, {}}, nullptr});
  if (machine.memory.loadStore)
    add("loading inputs and storing results", "memory.load_store=off");
  if (const DirectionQueues &queues = machine.directionQueues;
      queues.multiplex && queues.switchTime > SimTime())
    addTime("changing shared queues", "ipcq.switch_time", queues.switchTime);
  if (queue.sendOverhead > SimTime())
    addTime("setting up sends", machine.queueKey + ".send_overhead", queue.sendOverhead);
  if (queue.receiveOverhead > SimTime())
    addTime("setting up receives", machine.queueKey + ".receive_overhead", queue.receiveOverhead);
  if (plan.protocol) {
    addTime("latency of steps", protocol + ".step_latency", plan.protocol->stepLatency);
    if (plan.protocol->sliceLatency > SimTime())
      addTime("synchronisation of slices", protocol + ".slice_latency",
              plan.protocol->sliceLatency);
    addTime("trips of the threads", protocol + ".trip_time", plan.protocol->trip.cycle);
    addTime("waits for other threadblocks", "pe.wait", pe.wait);
  }
  LinkRows(machine, size).addTo(rows);
  return rows;
}

std::vector<WhatIfCandidate> cclc::whatIfCandidatesOfMscclpp(const Machine &machine,
                                                             const SizeResult &size) {
  const MscclppModel &model = *machine.mscclpp;
  std::vector<WhatIfCandidate> rows;
  auto addTime = [&](const char *what, const std::string &key, SimTime time) {
    if (time > SimTime())
      rows.push_back({{what, {key + "=0"}, {}, {}}, timeOf(key, time)});
  };
  auto addRate = [&](const char *what, const std::string &key, Bandwidth rate) {
    if (!rate.isUnlimited())
      rows.push_back({{what, {key + "=0"}, {}, {}}, rateOf(key, rate)});
  };
  addTime("launch", "mscclpp.launch", model.launch);
  addTime("dispatch", "mscclpp.dispatch", model.dispatch);
  addTime("nops", "mscclpp.nop", model.nop);
  addTime("barriers", "mscclpp.barrier", model.barrier);
  addTime("semaphores", "mscclpp.semaphore", model.semaphore);
  addTime("signals", "mscclpp.signal", model.signal);
  addTime("waits for signals", "mscclpp.wait", model.wait);
  addTime("latency of loads and stores", "mscclpp.memory.latency", model.memory.latency);
  addRate("moving data through the threadblock", "mscclpp.memory.bandwidth", model.memory.rate);
  addTime("latency of packets", "mscclpp.packet.latency", model.packets.latency);
  addRate("moving packets through the threadblock", "mscclpp.packet.bandwidth", model.packets.rate);
  if (model.port) {
    addTime("handing transfers to the proxy", "mscclpp.port.trigger", model.port->trigger);
    addTime("transfers of the proxy", "mscclpp.port.transfer", model.port->transfer);
    addTime("signals of the proxy", "mscclpp.port.signal", model.port->signal);
  }
  if (machine.switches)
    addTime("latency of the switch", "switch.latency", machine.switches->latency);
  LinkRows(machine, size).addTo(rows);
  return rows;
}
