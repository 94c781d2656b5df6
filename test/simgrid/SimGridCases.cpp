//===- SimGridCases.cpp - Runs for comparison with SimGrid ----------------===//
//
// usage: simgrid-cases FOLDER [--large]
//
// Simulates plans under `maxmin` on machines whose PEs and queues take no time and
// have no limits, and writes each run to a file that simgrid-replay reads: the
// links, the routes of the connections, and the messages with those that must have
// arrived before each is sent. Prints one line per file: its name, the number of
// messages, the simulated time in picoseconds, the CPU time in seconds.
//
// The file, whose numbers are separated by white space:
//   links N         then N times: bytes per second, latency in picoseconds
//   connections N   then N times: sender, receiver, number of links, the links
//   messages N      then N times: connection, bytes, number of messages, those messages
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
#include "cclc/Sim/Engine.h"

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

struct Case {
  std::string name, target, program;
  uint32_t ranks;
  uint64_t bytes;
  bool shuffle = true;
  std::vector<std::pair<std::string, std::string>> parameters = {};
};

ExecPlan compiled(const Case &run) {
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
  CompileOutcome outcome = compile(*registry.find(run.program), request, diags);
  if (!outcome.compiled) {
    diags.print(llvm::errs(), "simgrid-cases");
    std::exit(1);
  }
  return std::move(outcome.compiled->plan);
}

/// The messages that must have arrived before a step begins: the number of messages of each
/// connection.
using Needs = std::map<uint32_t, uint32_t>;

class Exchange {
public:
  explicit Exchange(const BoundPlan &bound) : bound(bound), needs(bound.plan.steps().size()) {
    const ExecPlan &plan = bound.plan;
    received.resize(plan.steps().size());
    std::vector<uint32_t> threadblockOf, count(bound.bound.size());
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
      for (uint32_t s = 0; s < plan.threadblocks()[t].numSteps; ++s)
        threadblockOf.push_back(t);
    for (uint32_t c = 0; c < bound.bound.size(); ++c)
      forEachMessage(plan, bound.connections.connections()[c], [&](uint32_t send, uint32_t recv) {
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
        after((*bound.publishers[step]).index());
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

  void write(llvm::raw_ostream &os, Bytes size) const {
    const Machine &machine = bound.machine;
    os << "links " << machine.links().size() << "\n";
    for (const Link &link : machine.links())
      os << link.bandwidth.bytesPerSecond() << " "
         << (link.propagation + machine.nodes()[link.to.index()].overhead).picoseconds() << "\n";
    os << "connections " << bound.bound.size() << "\n";
    for (uint32_t c = 0; c < bound.bound.size(); ++c) {
      const Route &route = bound.routes[c];
      auto endpoint = [&](uint32_t tb) {
        return bound.endpointOf[bound.plan.threadblocks()[tb].rank.index()].index();
      };
      os << endpoint(bound.bound[c].senderTb) << " " << endpoint(bound.bound[c].receiverTb) << " "
         << route.length();
      for (LinkId link : bound.routes.linksOf(route))
        os << " " << link.index();
      os << "\n";
    }
    std::vector<uint32_t> first(bound.bound.size());
    for (uint32_t m = messages.size(); m-- > 0;)
      first[messages[m].connection] = m;
    os << "messages " << messages.size() << "\n";
    for (const Message &m : messages) {
      os << m.connection << " " << (size * bound.plan.steps()[m.send].count).count() << " "
         << needs[m.send].size();
      for (auto [c, n] : needs[m.send])
        os << " " << first[c] + n - 1;
      os << "\n";
    }
  }

  size_t numMessages() const { return messages.size(); }

private:
  struct Message {
    uint32_t connection, send;
  };
  const BoundPlan &bound;
  std::vector<Needs> needs; ///< by step
  std::vector<Message> messages;
  std::vector<std::pair<uint32_t, uint32_t>> received; ///< by step: connection, number
};

void simulateAndWrite(const Case &run, const std::string &folder) {
  DiagnosticEngine diags;
  ExecPlan plan = compiled(run);
  Machine machine = unwrap(loadTarget({run.target, CCLC_TARGETS, {}, plan.ranks()}, diags), diags);
  machine.launch = SimTime();
  machine.pe = PeModel();
  machine.queue = QueueModel();
  machine.memory = MemoryModel();
  machine.protocols = {};
  if (run.shuffle) {
    std::vector<uint32_t> endpoints = test::shuffled(machine.numEndpoints(), 1);
    endpoints.resize(plan.ranks());
    plan = test::placed(plan, endpoints, machine.name);
  }
  BoundPlan bound = unwrap(BoundPlan::create(plan, machine, Slots::unlimited(), diags), diags);
  Sizing sizing = unwrap(Sizing::create(bound, Bytes(run.bytes), DataType::F32, diags), diags);
  std::error_code error;
  llvm::raw_fd_ostream file(folder + "/" + run.name, error);
  Exchange exchange(bound);
  exchange.write(file, sizing.pieceBytes(0));
  std::clock_t begin = std::clock();
  std::unique_ptr<NetworkModel> network = createNetwork("maxmin", bound.routes);
  SimResult result = simulate(bound, sizing, *network);
  double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  llvm::outs() << formatv("{0} {1} {2} {3:f6}\n", run.name, exchange.numMessages(),
                          result.time.picoseconds(), seconds);
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

/// A ring, an all-to-all, recursive doubling and a random plan on a machine.
void addCases(const std::string &name, const std::string &target, uint32_t ranks, uint32_t ring,
              std::vector<Case> &cases) {
  uint64_t perRank = 1 << 18;
  cases.push_back({name + "-ring", target, "allreduce_ring", ring, ring * perRank});
  cases.push_back({name + "-alltoall", target, "alltoall_direct", ranks, ranks * 32768});
  cases.push_back({name + "-doubling",
                   target,
                   "allreduce_recursive_doubling",
                   ranks,
                   ranks * perRank,
                   true,
                   {{"chunks", "4"}}});
  cases.push_back({name + "-random", target, "random", 8, 1 << 20});
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
                                                   {"fat-tree", fatTree, 24, 24}})
      addCases(t.name, t.target, t.ranks, t.ring, cases);
    for (auto [name, text] : families) {
      std::string file = folder + "/" + name + ".json";
      llvm::raw_fd_ostream(file, error) << text;
      bool isLarge = StringRef(text).contains("ndv4") || StringRef(name) == "hypercube";
      addCases(name, file, isLarge ? 32 : 24, 16, cases);
    }
  } else {
    for (uint32_t edge : {8, 16, 32}) {
      uint32_t ranks = edge * edge;
      std::string size = std::to_string(edge) + "x" + std::to_string(edge);
      cases.push_back(
          {size + "-rows", "torus2d", "allreduce_ring", ranks, ranks * 65536ull, false});
      cases.push_back({size + "-shuffled", "torus2d", "allreduce_ring", ranks, ranks * 65536ull});
    }
  }
  for (const Case &run : cases)
    simulateAndWrite(run, folder);
}
