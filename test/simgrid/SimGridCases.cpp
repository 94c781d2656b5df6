//===- SimGridCases.cpp - Runs for comparison with SimGrid ----------------===//
//
// usage: simgrid-cases FOLDER [--large]
//
// Simulates plans, one or several at once, under `maxmin` on machines whose PEs and
// queues take no time and have no limits, and writes each run to a file that
// simgrid-replay reads: the links, the routes of the connections, the starts of the
// plans, and the messages with those that must have arrived before each is sent.
// Prints one line per file: its name, the number of messages, the CPU time in seconds,
// and the simulated time of each plan from its start in picoseconds.
//
// The file, whose numbers are separated by white space:
//   links N         then N times: bytes per second, latency in picoseconds
//   connections N   then N times: sender, receiver, number of links, the links
//   plans N         then N times: start in picoseconds, number of messages
//   messages N      then N times: connection, bytes, number of messages, those messages
//
// The messages are listed plan by plan.
//
// A link's latency includes the overhead of the node at its end.
//
// Rings of more shuffled ranks on a mesh or torus are not suitable for a comparison:
// the delay of one flow changes the rates of others, and after some dozens of rounds
// times differ by several percent if all sizes differ by one part in 10^13.
//
//===----------------------------------------------------------------------===//

#include "../support/Placed.h"
#include "../support/RandomPlan.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/DSL/Registry.h"
#include "cclc/Sim/ConcurrentPlans.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>
#include <map>
#include <set>

using namespace cclc;
using llvm::formatv;

namespace {

template <class T> T unwrap(FailureOr<T> result, const DiagnosticEngine &diags) {
  if (failed(result)) {
    diags.print(llvm::errs(), "simgrid-cases");
    std::exit(1);
  }
  return std::move(*result);
}

/// A plan that runs on \p ranks endpoints after the first \p skipped ones.
struct Part {
  std::string program;
  uint32_t ranks;
  uint64_t bytes;
  std::vector<std::pair<std::string, std::string>> parameters = {};
  uint32_t skipped = 0;
  SimTime start = {};
};

/// Plans that run at once, on endpoints in the order of the machine or shuffled.
struct Case {
  std::string name, target;
  std::vector<Part> parts;
  bool shuffle = true;
};

ExecPlan compiled(const Part &run) {
  if (run.program == "random") {
    test::RandomProgramOptions options;
    options.maxRanks = run.ranks;
    options.maxOps = 150;
    return test::randomPlan(run.ranks, Slots::unlimited(), /*fused=*/true, options);
  }
  dsl::ProgramRegistry registry;
  dsl::registerAllPrograms(registry);
  CompileRequest request;
  request.ranks = run.ranks;
  request.parameters = run.parameters;
  request.slots = Slots::unlimited();
  request.verify = false;
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(*registry.find(run.program), request, diags);
  if (failed(outcome)) {
    diags.print(llvm::errs(), "simgrid-cases");
    std::exit(1);
  }
  return std::move(outcome->plan);
}

/// The messages that must have arrived before a step begins: the number of messages of each
/// connection.
using Needs = std::map<uint32_t, uint32_t>;

class Exchange {
public:
  explicit Exchange(const PlacedPlan &placed) : placed(placed), needs(placed.plan.steps().size()) {
    const ExecPlan &plan = placed.plan;
    received.resize(plan.steps().size());
    std::vector<uint32_t> threadblockOf, count(placed.placedConnections.size());
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
      for (uint32_t s = 0; s < plan.threadblocks()[t].numSteps; ++s)
        threadblockOf.push_back(t);
    for (uint32_t c = 0; c < placed.placedConnections.size(); ++c)
      forEachMessage(plan, placed.connections.connections()[c], [&](uint32_t send, uint32_t recv) {
        messages.push_back({c, send});
        received[recv] = {c, ++count[c]};
      });
    // Steps in a possible order: each after its predecessors.
    std::vector<uint32_t> missing(plan.steps().size());
    std::vector<std::vector<uint32_t>> next(plan.steps().size());
    for (uint32_t s = 0; s < plan.steps().size(); ++s) {
      auto after = [&](uint32_t before) {
        next[before].push_back(s);
        ++missing[s];
      };
      const Threadblock &tb = plan.threadblocks()[threadblockOf[s]];
      if (s > tb.firstStep)
        after(s - 1);
      if (std::optional<Wait> wait = plan.steps()[s].wait()) {
        uint32_t step = plan.threadblocks(tb.rank)[wait->tb.index()].firstStep + wait->step.index();
        after((*placed.publishers[step]).index());
      }
    }
    std::vector<uint32_t> ready;
    for (uint32_t s = 0; s < missing.size(); ++s)
      if (missing[s] == 0)
        ready.push_back(s);
    while (!ready.empty()) {
      uint32_t s = ready.back();
      ready.pop_back();
      if (auto [c, n] = received[s]; n > 0)
        needs[s][c] = n;
      for (uint32_t later : next[s]) {
        for (auto [c, n] : needs[s])
          needs[later][c] = std::max(needs[later][c], n);
        if (--missing[later] == 0)
          ready.push_back(later);
      }
    }
  }

  void writeConnections(llvm::raw_ostream &os) const {
    for (uint32_t c = 0; c < placed.placedConnections.size(); ++c) {
      const Route &route = placed.routes[c];
      auto endpoint = [&](uint32_t tb) {
        return placed.endpointOf[placed.plan.threadblocks()[tb].rank.index()].index();
      };
      os << endpoint(placed.placedConnections[c].senderTb) << " "
         << endpoint(placed.placedConnections[c].receiverTb) << " " << route.length();
      for (LinkId link : placed.routes.linksOf(route))
        os << " " << link.index();
      os << "\n";
    }
  }

  /// Writes the messages, with the numbers of the first connection and of the first message of the
  /// plan in the file.
  void writeMessages(llvm::raw_ostream &os, Bytes size, size_t firstConnection,
                     size_t firstMessage) const {
    std::vector<uint32_t> first(placed.placedConnections.size());
    for (uint32_t m = messages.size(); m-- > 0;)
      first[messages[m].connection] = m;
    for (const Message &m : messages) {
      os << firstConnection + m.connection << " "
         << (size * placed.plan.steps()[m.send].count).count() << " " << needs[m.send].size();
      for (auto [c, n] : needs[m.send])
        os << " " << firstMessage + first[c] + n - 1;
      os << "\n";
    }
  }

  size_t numConnections() const { return placed.placedConnections.size(); }
  size_t numMessages() const { return messages.size(); }

private:
  struct Message {
    uint32_t connection, send;
  };
  const PlacedPlan &placed;
  std::vector<Needs> needs; ///< by step
  std::vector<Message> messages;
  std::vector<std::pair<uint32_t, uint32_t>> received; ///< by step: connection, number
};

/// A part of a case on the machine.
struct Placed {
  Placed(const Part &part, ExecPlan compiledPlan, const Machine &machine, bool shuffle,
         DiagnosticEngine &diags)
      : plan(std::move(compiledPlan)), start(part.start) {
    if (shuffle) {
      std::vector<uint32_t> all = test::shuffled(machine.numEndpoints(), 1);
      auto first = all.begin() + part.skipped;
      plan = test::placed(plan, {first, first + plan.ranks()}, machine.name);
    }
    placed.emplace(unwrap(PlacedPlan::create(plan, machine, Slots::unlimited(), diags), diags));
    sizing = unwrap(Sizing::create(*placed, Bytes(part.bytes), DataType::F32, diags), diags);
    exchange.emplace(*placed);
  }
  Placed(const Placed &) = delete;

  ExecPlan plan;
  SimTime start;
  std::optional<PlacedPlan> placed;
  Sizing sizing;
  std::optional<Exchange> exchange;
};
using PlacedParts = std::vector<std::unique_ptr<Placed>>;

void write(const Machine &machine, const PlacedParts &parts, llvm::raw_ostream &os) {
  os << "links " << machine.links().size() << "\n";
  for (const Link &link : machine.links())
    os << link.bandwidth.bytesPerSecond() << " "
       << (link.propagation + machine.nodes()[link.to.index()].overhead).picoseconds() << "\n";
  size_t connections = 0, messages = 0;
  for (const auto &part : parts) {
    connections += part->exchange->numConnections();
    messages += part->exchange->numMessages();
  }
  os << "connections " << connections << "\n";
  for (const auto &part : parts)
    part->exchange->writeConnections(os);
  os << "plans " << parts.size() << "\n";
  for (const auto &part : parts)
    os << part->start.picoseconds() << " " << part->exchange->numMessages() << "\n";
  os << "messages " << messages << "\n";
  connections = messages = 0;
  for (const auto &part : parts) {
    part->exchange->writeMessages(os, part->sizing.pieceBytes(0), connections, messages);
    connections += part->exchange->numConnections();
    messages += part->exchange->numMessages();
  }
}

/// The time of each part from its start.
std::vector<SimTime> simulateTogether(const PlacedParts &parts) {
  if (parts.size() == 1) {
    const Placed &only = *parts.front();
    return {
        simulate(*only.placed, only.sizing, *createNetwork("maxmin", only.placed->routes)).time};
  }
  std::vector<ConcurrentPlan> plans;
  for (const auto &part : parts)
    plans.push_back({*part->placed, part->sizing, part->start});
  std::vector<SimTime> times;
  for (const SimResult &plan : simulateConcurrently(plans, "maxmin").plans)
    times.push_back(plan.time);
  return times;
}

void simulateAndWrite(const Case &run, const std::string &folder) {
  DiagnosticEngine diags;
  std::vector<ExecPlan> plans;
  uint32_t room = 0;
  for (const Part &part : run.parts) {
    plans.push_back(compiled(part));
    room = std::max(room, part.skipped + plans.back().ranks());
  }
  Machine machine = unwrap(loadTarget({run.target, CCLC_TARGETS, {}, room}, diags), diags);
  machine.launch = SimTime();
  machine.pe = PeModel();
  machine.queue = QueueModel();
  machine.memory = MemoryModel();
  machine.protocols = {};
  PlacedParts parts;
  for (size_t p = 0; p < plans.size(); ++p)
    parts.push_back(
        std::make_unique<Placed>(run.parts[p], std::move(plans[p]), machine, run.shuffle, diags));
  std::error_code error;
  llvm::raw_fd_ostream file(folder + "/" + run.name, error);
  write(machine, parts, file);
  std::clock_t begin = std::clock();
  std::vector<SimTime> times = simulateTogether(parts);
  double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  size_t messages = 0;
  for (const auto &part : parts)
    messages += part->exchange->numMessages();
  llvm::outs() << formatv("{0} {1} {2:f6}", run.name, messages, seconds);
  for (SimTime time : times)
    llvm::outs() << " " << time.picoseconds();
  llvm::outs() << "\n";
}

/// Four leaves with six PEs each, and two spines one of which is faster: a list of links with
/// various rates and latencies.
std::string writeFatTree(const std::string &folder) {
  std::string file = folder + "/fat-tree.json", nodes, links;
  auto node = [&](const std::string &name, const char *more) {
    nodes += (nodes.empty() ? "" : ", ") + ("{\"name\": \"" + name) + "\"" + more + "}";
  };
  auto link = [&](const std::string &a, const std::string &b, uint32_t rate, uint32_t latency) {
    links += (links.empty() ? "" : ",\n") +
             formatv(R"({{"from": "{0}", "to": "{1}", "bandwidth": {2}e9, "propagation": {3}e-9})",
                     a, b, rate, latency)
                 .str();
  };
  for (uint32_t leaf = 0; leaf < 4; ++leaf)
    for (uint32_t pe = 0; pe < 6; ++pe) {
      std::string name = formatv("pe{0}", 6 * leaf + pe);
      node(name, "");
      link(name, formatv("leaf{0}", leaf), 40 + 10 * (pe % 3), 100 + 50 * leaf);
    }
  for (uint32_t leaf = 0; leaf < 4; ++leaf) {
    node(formatv("leaf{0}", leaf), R"(, "endpoint": "off", "overhead": 120e-9)");
    link(formatv("leaf{0}", leaf), leaf % 2 ? "spine0" : "spine1", 120, 400);
    link(formatv("leaf{0}", leaf), leaf % 2 ? "spine1" : "spine0", 90, 300);
  }
  node("spine0", R"(, "endpoint": "off", "overhead": 200e-9)");
  node("spine1", R"(, "endpoint": "off", "overhead": 90e-9)");
  std::error_code error;
  llvm::raw_fd_ostream(file, error) << R"({"name": "fat-tree", "family": "graph", "nodes": [)"
                                    << nodes << "],\n\"links\": [" << links << "]}\n";
  return file;
}
/// Machines of the topology families, of 24 to 32 endpoints: name and text. On a machine where two
/// messages of a plan arrive simultaneously, a change of a rate by one part in 10^9 may change the
/// time by 1 %, in SimGrid as well; values that differ from link to link avoid this.
constexpr std::pair<const char *, const char *> families[] = {
    {"torus", R"({"name": "torus", "family": "graph", "shape": "torus",
      "link": {"bandwidth": 80e9, "propagation": 300e-9},
      "dimensions": [{"size": 4}, {"size": 3, "bandwidth": 50e9}, {"size": 2, "bandwidth": 30e9}]})"},
    {"composed", R"({"name": "composed", "family": "graph", "shape": "composed",
      "link": {"bandwidth": 80e9, "propagation": 300e-9},
      "dimensions": [{"kind": "fully_connected", "size": 4}, {"kind": "ring", "size": 3},
        {"kind": "switch", "size": 2, "bandwidth": 30e9, "switch_overhead": 150e-9}]})"},
    {"hypercube", R"({"name": "hypercube", "family": "graph", "shape": "hypercube", "ranks": 32,
      "link": {"bandwidth": 60e9, "propagation": 250e-9}})"},
    {"tree", R"({"name": "tree", "family": "graph", "shape": "fat_tree", "ranks": 24,
      "link": {"bandwidth": 50e9, "propagation": 200e-9},
      "tiers": [{"down": 4, "oversubscription": 2, "overhead": 100e-9},
        {"down": 3, "up": 2, "bandwidth": 100e9, "propagation": 330e-9},
        {"down": 2, "overhead": 50e-9}],
      "link_changes": [{"links": "n1*<->tier0.*", "bandwidth": 47e9},
        {"links": "n*3<->tier0.*", "propagation": 230e-9},
        {"links": "n*6<->tier0.*", "bandwidth": 41e9}]})"},
    {"tree-ecmp", R"({"base": "tree.json", "routing": "ecmp", "routing_seed": 3})"},
    {"dragonfly", R"({"name": "dragonfly", "family": "graph", "shape": "dragonfly",
      "link": {"bandwidth": 50e9, "propagation": 100e-9},
      "dragonfly": {"groups": 4, "routers": 3, "endpoints": 2, "overhead": 80e-9,
        "global": {"bandwidth": 90e9, "propagation": 700e-9}}})"},
    {"rails", R"({"base": "ndv4", "name": "rails", "fabric": {"shape": "rails"}})"},
    {"rail-tree", R"({"base": "ndv4", "name": "rail-tree", "fabric": {"shape": "fat_tree",
      "rails": "on", "tiers": [{"down": 4, "up": 2}, {"down": 8}]}})"},
    {"sips", R"({"base": "ahbm-6sip-torus", "name": "sips", "sips": {"links": "direct"},
      "cubes": {"width": 2, "height": 1, "pes": 2}})"}};

constexpr uint64_t perRank = 1 << 18;

Part ring(uint32_t ranks) { return {"allreduce_ring", ranks, ranks * perRank}; }
Part direct(uint32_t ranks) { return {"alltoall_direct", ranks, ranks * uint64_t(32768)}; }
Part doubling(uint32_t ranks) {
  return {"allreduce_recursive_doubling", ranks, ranks * perRank, {{"chunks", "4"}}};
}
Part random(uint32_t ranks) { return {"random", ranks, 1 << 20}; }

/// \p part on endpoints after the first \p skipped ones, from \p start on.
Part after(Part part, uint32_t skipped, SimTime start = {}) {
  part.skipped = skipped;
  part.start = start;
  return part;
}

/// A ring, an all-to-all, recursive doubling and a random plan on a machine.
void addCases(const std::string &name, const std::string &target, uint32_t ranks,
              uint32_t ringRanks, std::vector<Case> &cases) {
  cases.push_back({name + "-ring", target, {ring(ringRanks)}});
  cases.push_back({name + "-alltoall", target, {direct(ranks)}});
  cases.push_back({name + "-doubling", target, {doubling(ranks)}});
  cases.push_back({name + "-random", target, {random(8)}});
}

/// Plans at once: on disjoint endpoints from the same time on and with a delay, on endpoints of
/// which they share half, and two on the same endpoints.
void addConcurrentCases(const std::string &name, const std::string &target, uint32_t ranks,
                        std::vector<Case> &cases) {
  uint32_t half = ranks / 2, quarter = ranks / 4, ringRanks = std::min(half, 16u);
  cases.push_back({name + "-together", target, {ring(ringRanks), after(direct(half), half)}});
  cases.push_back({name + "-delayed",
                   target,
                   {doubling(half), after(ring(ringRanks), half, SimTime(3'141'592))}});
  cases.push_back({name + "-shared",
                   target,
                   {direct(half), after(doubling(half), quarter, SimTime(2'718'281)),
                    after(random(half), half, SimTime(5'772'156))}});
  cases.push_back(
      {name + "-same", target, {ring(ringRanks), after(direct(half), 0, SimTime(1'618'034))}});
}
} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  std::string folder = argv[1];
  std::vector<Case> cases;
  if (argc == 2) {
    std::string fatTree = writeFatTree(folder), line = folder + "/line.json";
    std::error_code error;
    llvm::raw_fd_ostream(line, error)
        << R"({"base": "ring", "name": "line", "shape": "line", "link": {"bandwidth": 30e9}})";
    struct Topology {
      std::string name, target;
      uint32_t ranks, ring;
    };
    for (const Topology &t : std::vector<Topology>{{"ring", "ring", 16, 16},
                                                   {"line", line, 12, 12},
                                                   {"mesh2d", "mesh2d", 36, 16},
                                                   {"torus2d", "torus2d", 64, 16},
                                                   {"full", "fully-connected", 16, 16},
                                                   {"ndv4", "ndv4", 32, 32},
                                                   {"dgx1", "dgx1", 8, 8},
                                                   {"ahbm", "ahbm", 24, 24},
                                                   {"fat-tree", fatTree, 24, 24}}) {
      addCases(t.name, t.target, t.ranks, t.ring, cases);
      addConcurrentCases(t.name, t.target, t.ranks, cases);
    }
    for (auto [name, text] : families) {
      std::string file = folder + "/" + name + ".json";
      llvm::raw_fd_ostream(file, error) << text;
      bool isLarge = StringRef(text).contains("ndv4") || StringRef(name) == "hypercube";
      addCases(name, file, isLarge ? 32 : 24, 16, cases);
      addConcurrentCases(name, file, isLarge ? 32 : 24, cases);
    }
  } else {
    for (uint32_t edge : {8, 16, 32}) {
      uint32_t ranks = edge * edge;
      std::string size = std::to_string(edge) + "x" + std::to_string(edge);
      Part part = {"allreduce_ring", ranks, ranks * 65536ull};
      cases.push_back({size + "-rows", "torus2d", {part}, false});
      cases.push_back({size + "-shuffled", "torus2d", {part}});
    }
  }
  for (const Case &run : cases)
    simulateAndWrite(run, folder);
}
