#include "WhatIfCandidates.h"

using namespace cclc;

std::vector<WhatIf> cclc::whatIfCandidates(const BoundPlan &plan, const SizeReport &size) {
  const Machine &machine = plan.machine;
  std::string protocol = "protocols." + protocolName(plan.plan.info().protocol).str();
  std::vector<WhatIf> rows = {
      {"launch", plan.protocol ? protocol + ".launch=0" : "launch=0", {}},
      {"dispatch", "pe.dispatch=0", {}},
      {"dispatch of local steps", "pe.local_dispatch=0", {}},
      {"one stream for each threadblock", "pe.streams=65536", {}},
      {"reductions", "pe.math.bytes_per_cycle=0", {}},
      {"local copies", "pe.copy.bytes_per_cycle=0", {}},
      {"putting messages into the network", "pe.dma_bandwidth=0", {}},
      {"moving data through the threadblock", "pe.threadblock_bandwidth=0", {}},
      {"slot accesses", machine.queueKey + ".slot_access=off", {}},
      {"waiting for the delivery of credits", machine.queueKey + ".credit_blocks_receiver=off", {}},
      {"unlimited slots", "", {}},
      {"bandwidth of all links", "links.*->*.bandwidth=0", {}},
      {"propagation of all links", "links.*->*.propagation=0", {}},
  };
  if (machine.memory.loadStore)
    rows.push_back({"loading inputs and storing results", "memory.load_store=off", {}});
  if (machine.queue.sendOverhead > SimTime())
    rows.push_back({"setting up sends", machine.queueKey + ".send_overhead=0", {}});
  if (machine.queue.receiveOverhead > SimTime())
    rows.push_back({"setting up receives", machine.queueKey + ".receive_overhead=0", {}});
  if (plan.protocol) {
    rows.push_back({"latency of steps", protocol + ".step_latency=0", {}});
    rows.push_back({"trips of the threads", protocol + ".trip_time=0", {}});
    rows.push_back({"waits for other threadblocks", "pe.wait=0", {}});
  }
  constexpr size_t linksTried = 8;
  for (const SizeReport::UsedLink &used : ArrayRef(size.links).take_front(linksTried)) {
    const Link &link = machine.link(used.link);
    const std::string &from = machine.nodes()[link.from.index()].name,
                      &to = machine.nodes()[link.to.index()].name;
    rows.push_back({"bandwidth of " + machine.linkName(used.link),
                    "links." + from + "->" + to + ".bandwidth=0",
                    {}});
  }
  return rows;
}
