//===- RocmTopology.cpp - The output of rocm-smi --showtopo ---------------===//
//
// Tables with a row and a column for each GPU, below titles such as
//
//   ================ Weight between two GPUs ================
//
// and a list of the NUMA nodes. A link type is XGMI, of any number of hops, or PCIE; the weight is
// 15 for each hop over xGMI (less between parts of a GPU), so that pairs with at most 15 have
// links. The output has neither numbers of links nor NICs.
//
// The reader makes the server that topology files of RCCL describe.
//
//===----------------------------------------------------------------------===//

#include "GpuTypes.h"
#include "NcclRates.h"
#include "Readers.h"

#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using namespace cclc::nccl;
using llvm::formatv;

namespace {
constexpr size_t mostRocmGpus = 256;
/// The weight of one hop over xGMI.
constexpr uint32_t hopWeight = 15;

class RocmReader {
public:
  RocmReader(const ForeignFile &file, const ImportOptions &options, DiagnosticEngine &diags)
      : file(file), options(options), diags(diags) {}

  FailureOr<Server> read() {
    if (failed(readLines()))
      return failure();
    const Table &types = tables["Link Type"];
    if (types.empty())
      return diags.error({file.name}, "has no table 'Link Type between two GPUs'");
    if (types.size() > mostRocmGpus)
      return diags.error({file.name}, formatv("has more than {0} GPUs", mostRocmGpus));
    for (const char *title : {"Link Type", "Weight"})
      for (const auto &[gpu, row] : tables[title])
        if (row.size() != types.size() || !types.count(gpu))
          return diags.error(
              {file.name},
              formatv(
                  "'GPU{0}' has {1} in the table '{2} between two GPUs', but the server has {3}",
                  gpu, counted(row.size(), "cell"), title, counted(types.size(), "GPU")));
    FailureOr<GpuType> type = gpuTypeOf(options.gpu, "MI300X", /*isAmd=*/true, file.name, diags);
    if (failed(type))
      return failure();
    addServer(*type);
    return std::move(server);
  }

private:
  using Table = std::map<uint32_t, std::vector<std::string>>; ///< rows by number of the GPU

  LogicalResult readLines() {
    Table *table = nullptr;
    unsigned line = 0;
    for (StringRef text : llvm::split(file.text, '\n')) {
      ++line;
      text = text.trim();
      if (text.starts_with("=") || text.contains("between two GPUs")) {
        StringRef title = text.trim("= ").split(" between").first;
        table = text.contains("between two GPUs") ? &tables[title.str()] : nullptr;
        continue;
      }
      readNuma(text);
      SmallVector<StringRef> words;
      llvm::SplitString(text, words);
      uint32_t gpu;
      if (!table || words.size() < 2 || !words[0].consume_front("GPU") ||
          words[0].getAsInteger(10, gpu) || words[1].starts_with("GPU"))
        continue;
      auto [row, isNew] = table->try_emplace(gpu);
      if (!isNew)
        return diags.error({file.name, line}, formatv("'GPU{0}' is a duplicate", gpu));
      row->second.assign(words.begin() + 1, words.end());
    }
    return success();
  }

  /// "GPU[0] : (Topology) Numa Node: 0"
  void readNuma(StringRef text) {
    uint32_t gpu;
    auto [device, node] = text.split("Numa Node:");
    if (node.empty() || !device.consume_front("GPU[") || device.consumeInteger(10, gpu))
      return;
    numa[gpu] = node.trim().str();
  }

  /// The weight of a pair, or that of one hop if the output has no weights.
  uint32_t weightOf(uint32_t gpu, size_t column) {
    auto row = tables["Weight"].find(gpu);
    uint32_t weight = hopWeight;
    if (row != tables["Weight"].end() && StringRef(row->second[column]).getAsInteger(10, weight))
      weight = ~0u;
    return weight;
  }

  void addServer(const GpuType &type) {
    server.source = "the output of rocm-smi --showtopo";
    server.hosts = 1;
    server.isRccl = true;
    const uint64_t rate = *cpuRate("x86_64", "AuthenticAMD", std::nullopt, std::nullopt);
    std::map<std::string, uint32_t> cpuOf;
    const Table &types = tables["Link Type"];
    std::vector<uint32_t> numbers;
    for (const auto &[gpu, row] : types)
      numbers.push_back(gpu);
    for (uint32_t gpu : numbers) {
      auto [cpu, isNew] = cpuOf.try_emplace(numa[gpu], server.nodes.size());
      if (isNew) {
        server.cpus.push_back({uint32_t(server.nodes.size()), 0, rate});
        server.nodes.push_back({formatv("cpu{0}", server.cpus.size() - 1), std::nullopt});
      }
      uint32_t node = server.nodes.size();
      server.nodes.push_back({formatv("gpu{0}", gpu), cpu->second, type.pcieRate});
      server.gpus.push_back({gpu, node, 0, uint32_t(server.devices.size())});
      Device &device = server.devices.emplace_back();
      device.node = node;
      device.linkRate = type.linkRate;
    }
    server.assumptions.insert(
        formatv("links of PCIe have the rate of a link of {0}, x16", type.name));
    server.assumptions.insert("the type of the CPUs is not in the file: they are as those of AMD");
    for (size_t a = 0; a < numbers.size(); ++a)
      for (size_t b = 0; b < numbers.size(); ++b)
        if (a != b && types.at(numbers[a])[b] == "XGMI" && weightOf(numbers[a], b) <= hopWeight) {
          server.devices[a].nvLinks.push_back({uint32_t(b), type.linkRate});
          ++server.devices[a].links;
          server.hasXgmi = true;
        }
    if (server.hasXgmi) {
      server.assumptions.insert(assumptionOfLinks(type));
      server.assumptions.insert(
          "GPUs next to each other have one xGMI link: the file has no numbers");
    }
    dropHalfLinks();
  }

  /// Links that only one of both ends has are reported by the check of the server.
  void dropHalfLinks() {
    auto links = [&](uint32_t from, uint32_t to) {
      return llvm::any_of(server.devices[from].nvLinks,
                          [&](const NvLinks &l) { return l.device == to; });
    };
    for (uint32_t d = 0; d < server.devices.size(); ++d)
      for (const NvLinks &own : server.devices[d].nvLinks)
        if (!links(*own.device, d))
          server.halfLinks.push_back({d, *own.device, own.rate, 0});
    for (const HalfLinks &half : server.halfLinks)
      llvm::erase_if(server.devices[half.from].nvLinks,
                     [&](const NvLinks &l) { return l.device == half.to; });
  }

  const ForeignFile &file;
  const ImportOptions &options;
  DiagnosticEngine &diags;
  std::map<std::string, Table> tables;
  std::map<uint32_t, std::string> numa;
  Server server;
};
} // namespace

bool cclc::isRocmTopology(StringRef text) { return text.contains("between two GPUs"); }

FailureOr<Server> cclc::readRocmTopology(const ForeignFile &file, const ImportOptions &options,
                                         DiagnosticEngine &diags) {
  return RocmReader(file, options, diags).read();
}
