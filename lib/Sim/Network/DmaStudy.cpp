//===- DmaStudy.cpp - Memory requests without a plan ---------------------===//
//
// Reads the notation of requests, then simulates the requests: each waits for its channel, pays
// the overhead of the DMA engine, and crosses the network.
//
// Implements rules 39 and 40.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Network/DmaStudy.h"

#include "cclc/Sim/Network/EventQueue.h"
#include "cclc/Support/Ring.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

using namespace cclc;
using llvm::formatv;

namespace {
class DmaSimulation final : NetworkHost {
public:
  DmaSimulation(RouteTable &routes, ArrayRef<DmaRequest> requests, Bytes size)
      : routes(routes), machine(routes.machine), requests(requests), size(size) {
    result.requests.resize(requests.size());
  }

  /// Finds the route of the data of each request. Fails if there is none.
  LogicalResult bind(DiagnosticEngine &diags);
  DmaResult run(NetworkModel &network);

private:
  struct Event {
    enum class Kind : uint8_t { Issue, Inject, Network, Arrive, Done } kind;
    uint32_t index; ///< index of the request or the flight, or token of the network model
  };
  struct Channel {
    Ring<uint32_t> waiting; ///< requests
    bool busy = false;
  };

  Channel &channelOf(const DmaRequest &request) { return channels[{request.pe, request.write}]; }
  void beginStage();
  void next(Channel &channel);
  void handle(Event event);
  void finish(uint32_t r);
  void schedule(SimTime at, uint32_t token) override {
    queue.push(at, {Event::Kind::Network, token});
  }
  void arrives(uint32_t flight, SimTime at) override {
    queue.push(at, {Event::Kind::Arrive, flight});
  }

  RouteTable &routes;
  const Machine &machine;
  ArrayRef<DmaRequest> requests;
  Bytes size;
  std::vector<SimTime> wayThere, wayBack; ///< times of an empty message, by request
  NetworkModel *network = nullptr;
  SimTime now;
  EventQueue<Event> queue;
  std::map<std::pair<EndpointId, bool>, Channel> channels;
  uint32_t stage = 0, outstanding = 0;
  DmaResult result;
};

LogicalResult DmaSimulation::bind(DiagnosticEngine &diags) {
  SmallVector<LinkId, 64> there, data;
  for (const DmaRequest &request : requests) {
    there.clear();
    machine.routeToMemory(request.pe, request.owner, there);
    if (there.empty())
      return diags.error({}, formatv("target {0} has no path from {1} to the memory of {2}",
                                     machine.name, endpointName(machine, request.pe),
                                     endpointName(machine, request.owner)));
    SimTime out, back;
    for (LinkId id : there) {
      out += machine.latency(machine.link(id));
      back += machine.latency(machine.link(*machine.link(id).reverse));
    }
    wayThere.push_back(out);
    wayBack.push_back(back);
    data = there;
    if (!request.write) {
      std::reverse(data.begin(), data.end());
      for (LinkId &id : data)
        id = *machine.link(id).reverse;
    }
    routes.add(data);
  }
  return success();
}

/// Passes the requests of the next non-empty stage to their channels.
void DmaSimulation::beginStage() {
  std::optional<uint32_t> first;
  for (const DmaRequest &request : requests)
    if (request.stage >= stage)
      first = std::min(first.value_or(request.stage), request.stage);
  if (!first)
    return;
  stage = *first;
  for (uint32_t r = 0; r < requests.size(); ++r)
    if (requests[r].stage == stage) {
      ++outstanding;
      channelOf(requests[r]).waiting.push(r);
    }
  for (auto &[key, channel] : channels)
    next(channel);
  ++stage;
}

void DmaSimulation::next(Channel &channel) {
  if (channel.busy || channel.waiting.empty())
    return;
  channel.busy = true;
  uint32_t r = channel.waiting.pop();
  result.requests[r].issued = now;
  queue.push(now + machine.memory.dmaOverhead, {Event::Kind::Issue, r});
}

void DmaSimulation::handle(Event event) {
  switch (event.kind) {
  case Event::Kind::Issue: {
    // The request of a read carries no data.
    SimTime at = now + (requests[event.index].write ? SimTime() : wayThere[event.index]);
    queue.push(at, {Event::Kind::Inject, network->create(event.index, size, at, event.index)});
    break;
  }
  case Event::Kind::Inject:
    network->start(event.index, now);
    break;
  case Event::Kind::Network:
    network->event(event.index, now);
    break;
  case Event::Kind::Arrive: {
    uint32_t r = network->flight(event.index).connection;
    network->release(event.index);
    queue.push(now + (requests[r].write ? wayBack[r] : SimTime()), {Event::Kind::Done, r});
    break;
  }
  case Event::Kind::Done:
    finish(event.index);
    break;
  }
}

void DmaSimulation::finish(uint32_t r) {
  result.requests[r].done = result.lastDone = now;
  Channel &channel = channelOf(requests[r]);
  channel.busy = false;
  next(channel);
  if (--outstanding == 0)
    beginStage();
}

DmaResult DmaSimulation::run(NetworkModel &model) {
  network = &model;
  network->attach(*this);
  beginStage();
  while (!queue.empty()) {
    auto entry = queue.pop();
    now = entry.time;
    handle(entry.event);
  }
  result.makespan = result.lastDone + machine.memory.completion;
  result.aggregateRate = averageRate(size * requests.size(), result.makespan);
  result.links = network->linkUse();
  return std::move(result);
}

/// The endpoints, in order, that a name matches.
FailureOr<std::vector<uint32_t>> parseEndpoints(StringRef name, const Machine &machine,
                                                DiagnosticEngine &diags) {
  ArrayRef<GridLevel> levels = machine.geometry().levels;
  auto wrong = [&]() -> FailureOr<std::vector<uint32_t>> {
    std::string form;
    for (const GridLevel &level : levels)
      form += formatv("{0}{1}0", form.empty() ? "" : ".", level.name).str();
    return diags.error({}, formatv("'{0}' is not a PE of target {1}; an example is {2}, and * "
                                   "matches all members of a level",
                                   name, machine.name, form));
  };
  SmallVector<StringRef, 4> parts;
  name.split(parts, '.');
  std::vector<uint32_t> endpoints = {0};
  size_t part = 0;
  for (const GridLevel &level : levels) {
    uint32_t first = 0, last = 0;
    if (part < parts.size() && parts[part].starts_with(level.name)) {
      StringRef number = parts[part++].drop_front(level.name.size());
      if (number == "*")
        last = level.size() - 1;
      else if (number.getAsInteger(10, first) || first >= level.size())
        return wrong();
      else
        last = first;
    }
    std::vector<uint32_t> inner;
    for (uint32_t outer : endpoints)
      for (uint32_t member = first; member <= last; ++member)
        inner.push_back(outer * level.size() + member);
    endpoints = std::move(inner);
  }
  if (part != parts.size())
    return wrong();
  return endpoints;
}
} // namespace

FailureOr<std::vector<DmaRequest>> cclc::parseDmaRequests(StringRef text, const Machine &machine,
                                                          DiagnosticEngine &diags) {
  std::vector<DmaRequest> requests;
  SmallVector<StringRef, 4> stages;
  text.split(stages, ';');
  for (uint32_t stage = 0; stage < stages.size(); ++stage) {
    SmallVector<StringRef, 8> parts;
    stages[stage].split(parts, ',');
    for (StringRef part : parts) {
      bool write = part.contains("->");
      auto [pe, memory] = part.split(write ? "->" : "<-");
      if (memory.empty())
        return diags.error({}, "'" + part.trim() +
                                   "' is not of the form PE<-PE (a read) or "
                                   "PE->PE (a write)");
      FailureOr<std::vector<uint32_t>> pes = parseEndpoints(pe.trim(), machine, diags);
      if (failed(pes))
        return failure();
      FailureOr<std::vector<uint32_t>> owners = parseEndpoints(memory.trim(), machine, diags);
      if (failed(owners))
        return failure();
      if (uint64_t(pes->size()) * owners->size() + requests.size() > (1u << 20))
        return diags.error({}, "more than 1048576 requests are not supported");
      for (uint32_t p : *pes)
        for (uint32_t o : *owners)
          requests.push_back({EndpointId(p), EndpointId(o), write, stage});
    }
  }
  return requests;
}

FailureOr<DmaResult> cclc::simulateDma(const Machine &machine, StringRef networkName,
                                       ArrayRef<DmaRequest> requests, Bytes size,
                                       DiagnosticEngine &diags) {
  if (!machine.hasMemories())
    return diags.error({}, "target " + machine.name + " has no memories");
  if (failed(checkNetwork(networkName, diags)))
    return failure();
  RouteTable routes(machine);
  DmaSimulation simulation(routes, requests, size);
  if (failed(simulation.bind(diags)))
    return failure();
  return simulation.run(*createNetwork(networkName, routes));
}
