//===- SimGridReplay.cpp - Replay of a simulated run with SimGrid ---------===//
//
// usage: simgrid-replay FILE
//
// Sends the messages of a file that simgrid-cases wrote, under SimGrid's CM02
// model without correction factors. Writes the CPU time in seconds, and for each plan
// the simulated time from its start to its last arrival in picoseconds.
//
// The unit of time is a microsecond, so that times in picoseconds keep their precision.
//
//===----------------------------------------------------------------------===//

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;

namespace {
constexpr double unitsPerSecond = 1e6, unitsPerPicosecond = 1e-6;

struct Connection {
  sg::Host *from, *to;
  uint32_t sent = 0, arrived = 0; ///< messages
  std::vector<uint32_t> messages;
};
struct Plan {
  double start;
  uint32_t firstMessage, messages;
  double lastArrival = 0;
};
struct Message {
  uint32_t connection, plan;
  uint64_t bytes;
  uint32_t missing = 0; ///< messages that have to arrive before
  bool through = false;
  std::vector<uint32_t> next;
  sg::CommPtr comm;
};

std::vector<Connection> connections;
std::vector<Plan> plans;
std::vector<Message> messages;
uint64_t arrivals = 0;

void send(uint32_t m) {
  Connection &connection = connections[messages[m].connection];
  messages[m].comm = sg::Comm::sendto_init(connection.from, connection.to);
  messages[m].comm->set_payload_size(messages[m].bytes);
  messages[m].comm->set_data(reinterpret_cast<void *>(uintptr_t(m)));
  messages[m].comm->vetoable_start();
}

/// Messages of a connection arrive in order. Communications are kept, because SimGrid may still
/// access those that end at the same time.
void finish(uint32_t m) {
  messages[m].through = true;
  Connection &connection = connections[messages[m].connection];
  while (connection.arrived < connection.messages.size()) {
    uint32_t first = connection.messages[connection.arrived];
    if (!messages[first].through)
      return;
    ++connection.arrived;
    ++arrivals;
    plans[messages[first].plan].lastArrival = sg::Engine::get_clock();
    for (uint32_t next : messages[first].next)
      if (--messages[next].missing == 0)
        send(next);
  }
}

/// Sends the first messages of a plan at its start.
void launch(const Plan &plan, const std::vector<uint32_t> &first) {
  auto sendAll = [first] {
    for (uint32_t m : first)
      send(m);
  };
  if (plan.start == 0) {
    sendAll();
    return;
  }
  // Communications that an actor starts would end with it.
  simgrid::kernel::timer::Timer::set(plan.start, sendAll);
}

void readFile(const char *name) {
  std::ifstream file(name);
  std::string word;
  size_t count;
  sg::NetZone *zone = sg::create_full_zone("all");
  std::vector<sg::Link *> links;
  for (file >> word >> count; links.size() < count;) {
    double rate, latency;
    file >> rate >> latency;
    sg::Link *link = zone->create_link(std::to_string(links.size()), rate / unitsPerSecond);
    link->set_latency(latency * unitsPerPicosecond)->seal();
    links.push_back(link);
  }
  std::map<uint32_t, sg::Host *> hosts;
  auto host = [&](uint32_t endpoint) {
    sg::Host *&found = hosts[endpoint];
    if (!found)
      found = zone->create_host(std::to_string(endpoint), 1.0)->seal();
    return found;
  };
  std::map<std::pair<uint32_t, uint32_t>, bool> routed;
  for (file >> word >> count; connections.size() < count;) {
    uint32_t from, to, length, link;
    file >> from >> to >> length;
    std::vector<sg::LinkInRoute> route;
    for (uint32_t i = 0; i < length; ++i) {
      file >> link;
      route.emplace_back(links[link]);
    }
    connections.push_back({host(from), host(to), 0, 0, {}});
    if (!std::exchange(routed[{from, to}], true))
      zone->add_route(host(from)->get_netpoint(), host(to)->get_netpoint(), nullptr, nullptr, route,
                      /*symmetrical=*/false);
  }
  uint32_t planned = 0;
  for (file >> word >> count; plans.size() < count;) {
    double start;
    uint32_t own;
    file >> start >> own;
    plans.push_back({start * unitsPerPicosecond, planned, own});
    planned += own;
  }
  file >> word >> count;
  messages.resize(count);
  for (uint32_t m = 0, plan = 0; m < count; ++m) {
    while (m == plans[plan].firstMessage + plans[plan].messages)
      ++plan;
    messages[m].plan = plan;
    uint32_t needs, before;
    file >> messages[m].connection >> messages[m].bytes >> needs;
    connections[messages[m].connection].messages.push_back(m);
    for (; needs > 0; --needs) {
      file >> before;
      messages[before].next.push_back(m);
      ++messages[m].missing;
    }
  }
  zone->seal();
  if (!file) {
    std::cerr << name << ": not what simgrid-cases writes\n";
    std::exit(1);
  }
}
} // namespace

int main(int argc, char **argv) {
  sg::Engine engine(&argc, argv);
  for (const char *option :
       {"network/model:CM02", "network/TCP-gamma:1e30", "network/crosstraffic:0",
        "network/weight-S:0", "network/bandwidth-factor:1", "network/latency-factor:1",
        "surf/precision:1e-9", "maxmin/precision:1e-9"})
    sg::Engine::set_config(option);
  if (argc != 2)
    return 2;
  readFile(argv[1]);
  sg::Activity::on_completion_cb([](const sg::Activity &activity) {
    if (const auto *comm = dynamic_cast<const sg::Comm *>(&activity))
      finish(uint32_t(reinterpret_cast<uintptr_t>(comm->get_data<void>())));
  });
  std::clock_t begin = std::clock();
  for (const Plan &plan : plans) {
    std::vector<uint32_t> first;
    for (uint32_t m = plan.firstMessage; m < plan.firstMessage + plan.messages; ++m)
      if (messages[m].missing == 0)
        first.push_back(m);
    launch(plan, first);
  }
  engine.run();
  if (arrivals != messages.size()) {
    std::cerr << argv[1] << ": " << arrivals << " of " << messages.size()
              << " messages have arrived\n";
    return 1;
  }
  std::printf("%.6f", double(std::clock() - begin) / CLOCKS_PER_SEC);
  for (const Plan &plan : plans)
    std::printf(" %.0f", (plan.lastArrival - plan.start) / unitsPerPicosecond);
  std::printf("\n");
}
