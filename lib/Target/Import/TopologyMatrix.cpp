//===- TopologyMatrix.cpp - The matrix of nvidia-smi topo -m --------------===//
//
// The matrix has a row and a column for each GPU and NIC. A cell is the way between two devices:
// `NV4` over 4 NVLinks, else the farthest part that it passes, a bridge (`PIX`), several bridges
// (`PXB`), the host bridge (`PHB`), several host bridges (`NODE`) or the connection of the CPUs
// (`SYS`, once `SOC`). As these are the distances in a tree, the sets of devices whose distances
// are at most one of them are the parts of the tree. Terminals and clipboards replace tabs by
// spaces, so that words are counted, not columns; only the affinities behind the cells may be
// missing.
//
// The reader makes the server that topology files of NCCL describe.
//
//===----------------------------------------------------------------------===//

#include "GpuTypes.h"
#include "NcclTopology.h"
#include "Readers.h"

#include "cclc/Support/Text.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>
#include <map>

using namespace cclc;
using namespace cclc::nccl;
using llvm::formatv;

namespace {
constexpr size_t mostColumns = 256;
/// Rate between CPUs, as their type is not in the file: that of Intel since 2017, in NCCL.
constexpr uint64_t intelRate = 10'000'000'000;

enum Way : uint8_t { Self, Linked, Bridge, Bridges, HostBridge, HostBridges, Cpus };
constexpr std::array<std::pair<const char *, Way>, 7> distances = {{{"X", Self},
                                                                    {"PIX", Bridge},
                                                                    {"PXB", Bridges},
                                                                    {"PHB", HostBridge},
                                                                    {"NODE", HostBridges},
                                                                    {"SYS", Cpus},
                                                                    {"SOC", Cpus}}};

struct Cell {
  Way distance = Self;
  uint32_t links = 0; ///< NVLinks
};

struct Column {
  std::string name;
  std::optional<uint32_t> gpu; ///< its number; unset for a NIC
  std::string numa;            ///< its NUMA node, or empty
  std::vector<Cell> cells;
  unsigned line = 0;
};

bool isGpuName(StringRef word, uint32_t &number) {
  return word.consume_front("GPU") && !word.getAsInteger(10, number);
}

/// The words of a line without the escape sequences of terminals.
std::vector<std::string> wordsOf(StringRef line) {
  std::string text;
  for (size_t i = 0; i < line.size(); ++i)
    if (line[i] != '\x1b')
      text += line[i];
    else
      // "ESC [ 4 m": a letter ends the sequence.
      while (i + 1 < line.size() && !llvm::isAlpha(line[++i])) {
      }
  SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  return {words.begin(), words.end()};
}

bool isHeader(const std::vector<std::string> &words) {
  uint32_t number;
  return !words.empty() && isGpuName(words[0], number) &&
         (words.size() == 1 || !llvm::is_contained(words, "X"));
}

class MatrixReader {
public:
  MatrixReader(const ForeignFile &file, const ImportOptions &options, DiagnosticEngine &diags)
      : file(file), options(options), diags(diags) {}

  FailureOr<Server> read() {
    if (failed(readLines()) || failed(checkCells()))
      return failure();
    FailureOr<GpuType> known =
        gpuTypeOf(options.gpu, assumedType(), /*isAmd=*/false, file.name, diags);
    if (failed(known))
      return failure();
    type = *known;
    server.source = "the matrix of nvidia-smi topo -m";
    server.hosts = 1;
    server.assumptions.insert(
        "the type of the CPUs is not in the file: they are as those of Intel");
    server.assumptions.insert(
        formatv("links of PCIe have the rate of a link of {0}, x16", type.name));
    addTree();
    if (failed(addNvLinks()) || failed(setRatesOfNics(server, file, options, diags)))
      return failure();
    return std::move(server);
  }

private:
  Location at(unsigned line) const { return {file.name, line}; }

  LogicalResult readLines() {
    unsigned line = 0;
    for (StringRef text : llvm::split(file.text, '\n')) {
      ++line;
      std::vector<std::string> words = wordsOf(text);
      if (words.empty())
        continue;
      if (devices.empty()) {
        if (isHeader(words) && failed(readHeader(words, line)))
          return failure();
        continue;
      }
      if (words.size() == 2 && StringRef(words[0]).ends_with(":"))
        nicNames[StringRef(words[0]).drop_back().str()] = words[1];
      auto row = llvm::find_if(devices, [&](const Column &d) { return d.name == words[0]; });
      if (row != devices.end() && words.size() > 1 && failed(readRow(*row, words, line)))
        return failure();
    }
    for (const Column &device : devices)
      if (device.cells.empty())
        return diags.error({file.name}, formatv("has no row of '{0}'", device.name));
    return success();
  }

  LogicalResult readHeader(const std::vector<std::string> &words, unsigned line) {
    for (const std::string &word : words) {
      // "CPU Affinity" and the columns behind it.
      if (word == "CPU" || word == "NUMA")
        break;
      if (llvm::any_of(devices, [&](const Column &d) { return d.name == word; }))
        return diags.error(at(line), formatv("'{0}' is a duplicate", word));
      if (devices.size() == mostColumns)
        return diags.error(at(line), formatv("has more than {0} devices", mostColumns));
      uint32_t number;
      Column device{word, std::nullopt, "", {}, line};
      if (isGpuName(word, number))
        device.gpu = number;
      devices.push_back(std::move(device));
    }
    return success();
  }

  LogicalResult readRow(Column &device, const std::vector<std::string> &words, unsigned line) {
    if (!device.cells.empty())
      return diags.error(at(line), formatv("'{0}' is a duplicate", device.name));
    device.line = line;
    if (words.size() <= devices.size())
      return diags.error(at(line), formatv("'{0}' has {1}, but there are {2} columns", device.name,
                                           counted(words.size() - 1, "cell"), devices.size()));
    for (size_t d = 0; d < devices.size(); ++d) {
      FailureOr<Cell> cell = readCell(words[d + 1], device, devices[d], line);
      if (failed(cell))
        return failure();
      device.cells.push_back(*cell);
    }
    // Behind the affinity to cores, which only GPUs have.
    if (size_t numa = devices.size() + 2; words.size() > numa && words[numa] != "N/A")
      device.numa = words[numa];
    return success();
  }

  FailureOr<Cell> readCell(StringRef word, const Column &row, const Column &column, unsigned line) {
    for (const auto &[name, distance] : distances)
      if (word == name && (distance == Self) == (&row == &column))
        return Cell{distance, 0};
    Cell cell{Linked, 0};
    if (StringRef number = word; number.consume_front("NV") && row.gpu && column.gpu &&
                                 &row != &column && !number.getAsInteger(10, cell.links) &&
                                 cell.links > 0 && cell.links <= 64)
      return cell;
    return diags.error(at(line), formatv("'{0}' to '{1}' is X for itself, NV and the number of "
                                         "NVLinks, PIX, PXB, PHB, NODE or SYS, not '{2}'",
                                         row.name, column.name, word));
  }

  /// Both directions agree, except in their numbers of NVLinks.
  LogicalResult checkCells() {
    for (size_t a = 0; a < devices.size(); ++a)
      for (size_t b = 0; b < a; ++b) {
        const Cell &there = devices[a].cells[b], &back = devices[b].cells[a];
        if (there.distance != back.distance)
          return diags.error(at(devices[a].line),
                             formatv("'{0}' to '{1}' is another connection than back",
                                     devices[a].name, devices[b].name));
      }
    return success();
  }

  uint32_t linksOf(const Column &device) const {
    uint32_t sum = 0;
    for (const Cell &cell : device.cells)
      sum += cell.links;
    return sum;
  }
  uint32_t mostLinks(const Column &device) const {
    uint32_t most = 0;
    for (const Cell &cell : device.cells)
      most = std::max(most, cell.links);
    return most;
  }

  StringRef assumedType() const {
    bool many = llvm::any_of(devices, [&](const Column &d) { return mostLinks(d) > 12; });
    return many ? "H100" : "A100";
  }

  /// Whether affinities, or the lack of several CPUs, show that devices have the same CPU.
  bool sameCpu(const Column &a, const Column &b) const {
    if (!a.numa.empty() && !b.numa.empty())
      return a.numa == b.numa;
    return llvm::none_of(devices, [](const Column &device) {
      return llvm::any_of(device.cells, [](const Cell &c) { return c.distance == Cpus; });
    });
  }

  /// Sets of devices, each with the number of its first one, whose distances are at most \p most.
  std::vector<uint32_t> setsWithin(Way most) const {
    llvm::EquivalenceClasses<uint32_t> sets;
    for (uint32_t a = 0; a < devices.size(); ++a) {
      sets.insert(a);
      for (uint32_t b = 0; b < a; ++b) {
        Way distance = devices[a].cells[b].distance;
        bool isNear = distance >= Bridge && distance <= most;
        // Cells with NVLinks do not show where the GPUs are.
        if (isNear || (most >= HostBridges && distance != Cpus && sameCpu(devices[a], devices[b])))
          sets.unionSets(a, b);
      }
    }
    std::vector<uint32_t> firsts;
    std::map<uint32_t, uint32_t> firstOf; // by leader
    for (uint32_t d = 0; d < devices.size(); ++d)
      firsts.push_back(firstOf.try_emplace(sets.getLeaderValue(d), d).first->second);
    return firsts;
  }

  /// A node for every set of \p firsts in which some devices are not in one set of \p inner.
  std::map<uint32_t, uint32_t> addBridges(ArrayRef<uint32_t> firsts, ArrayRef<uint32_t> inner,
                                          const std::vector<uint32_t> &parents, StringRef name) {
    std::map<uint32_t, uint32_t> nodes; // by the first device
    for (uint32_t d = 0; d < devices.size(); ++d)
      if (inner[d] != inner[firsts[d]] && !nodes.count(firsts[d])) {
        nodes[firsts[d]] = server.nodes.size();
        server.nodes.push_back(
            {formatv("{0}{1}", name, nodes.size() - 1), parents[d], type.pcieRate});
      }
    return nodes;
  }

  /// CPUs, bridges and devices from the sets of devices.
  void addTree() {
    std::vector<uint32_t> alone(devices.size()), cpus = setsWithin(HostBridges);
    for (uint32_t d = 0; d < devices.size(); ++d)
      alone[d] = d;
    std::vector<uint32_t> parents(devices.size());
    std::map<uint32_t, uint32_t> cpuOf; // by the first device
    for (uint32_t d = 0; d < devices.size(); ++d) {
      auto [cpu, isNew] = cpuOf.try_emplace(cpus[d], server.nodes.size());
      if (isNew) {
        server.cpus.push_back({uint32_t(server.nodes.size()), 0, intelRate});
        server.nodes.push_back({formatv("cpu{0}", server.cpus.size() - 1), std::nullopt, 0});
      }
      parents[d] = cpu->second;
    }
    std::vector<uint32_t> inner = setsWithin(Bridge), outer = setsWithin(Bridges);
    auto addLevel = [&](ArrayRef<uint32_t> sets, ArrayRef<uint32_t> parts, StringRef name) {
      std::map<uint32_t, uint32_t> nodes = addBridges(sets, parts, parents, name);
      for (uint32_t d = 0; d < devices.size(); ++d)
        if (auto found = nodes.find(sets[d]); found != nodes.end())
          parents[d] = found->second;
    };
    addLevel(outer, inner, "bridges");
    addLevel(inner, alone, "bridge");
    for (uint32_t d = 0; d < devices.size(); ++d) {
      uint32_t node = server.nodes.size();
      const Column &device = devices[d];
      std::string name = device.gpu ? formatv("gpu{0}", *device.gpu).str() : device.name;
      server.nodes.push_back({name, parents[d], type.pcieRate});
      if (device.gpu)
        server.gpus.push_back({*device.gpu, node, 0, 0});
      else
        server.nics.push_back(
            {nicNames[name].empty() ? name : nicNames[name], node, 0, 0, {}, false});
    }
    llvm::sort(server.gpus, [](const Gpu &a, const Gpu &b) { return a.number < b.number; });
    for (Gpu &gpu : server.gpus) {
      gpu.device = server.devices.size();
      Device &device = server.devices.emplace_back();
      device.node = gpu.node;
      device.capability = type.capability;
      device.linkRate = type.linkRate;
    }
  }

  /// If the cells of a GPU have more links than its type, they are those to the NVSwitches, which
  /// all cells count.
  LogicalResult addNvLinks() {
    std::vector<const Column *> gpus;
    for (const Gpu &gpu : server.gpus)
      gpus.push_back(
          &*llvm::find_if(devices, [&](const Column &d) { return d.gpu == gpu.number; }));
    bool isSwitched = llvm::any_of(gpus, [&](const Column *d) { return linksOf(*d) > type.links; });
    for (size_t g = 0; g < gpus.size(); ++g) {
      const Column &device = *gpus[g];
      uint32_t most = mostLinks(device);
      if (most > type.links)
        return diags.error(at(device.line),
                           formatv("'{0}' has {1}, but {2} has {3}: state the type of the GPUs by "
                                   "--gpu",
                                   device.name, counted(most, "NVLink"), type.name, type.links));
      if (most > 0)
        server.assumptions.insert(assumptionOfLinks(type));
      server.devices[g].links = isSwitched ? most : linksOf(device);
      if (isSwitched && most > 0)
        server.devices[g].nvLinks.push_back({std::nullopt, most * type.linkRate});
      for (uint32_t other = 0; other < gpus.size() && !isSwitched; ++other)
        addLinksBetween(g, other, device.cells[gpus[other] - devices.data()].links,
                        gpus[other]->cells[gpus[g] - devices.data()].links);
    }
    return success();
  }

  /// Links of \p one to \p other; both list them.
  void addLinksBetween(uint32_t one, uint32_t other, uint32_t there, uint32_t back) {
    if (there != back && one < other)
      server.halfLinks.push_back({one, other, there * type.linkRate, back * type.linkRate});
    if (uint32_t both = std::min(there, back))
      server.devices[one].nvLinks.push_back({other, both * type.linkRate});
  }

  const ForeignFile &file;
  const ImportOptions &options;
  DiagnosticEngine &diags;
  std::vector<Column> devices;                 ///< in the order of the columns
  std::map<std::string, std::string> nicNames; ///< by column, from the legend
  GpuType type{};
  Server server;
};
} // namespace

bool cclc::isTopologyMatrix(StringRef text) {
  bool headed = false;
  for (StringRef line : llvm::split(text, '\n')) {
    std::vector<std::string> words = wordsOf(line);
    if (headed && words.size() > 1 && StringRef(words[0]).starts_with("GPU"))
      return words[1] == "X";
    headed |= isHeader(words);
  }
  return false;
}

FailureOr<Server> cclc::readTopologyMatrix(const ForeignFile &file, const ImportOptions &options,
                                           DiagnosticEngine &diags) {
  return MatrixReader(file, options, diags).read();
}
