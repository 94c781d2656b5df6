//===- ImportMachine.cpp - The formats of machines of other tools ---------===//
//
// A table has the formats in the order in which they are tried: how the text of a file shows its
// format, the options for values that files of the format lack, and the reader.
//
//===----------------------------------------------------------------------===//

#include "Health.h"
#include "Readers.h"

#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>
#include <variant>

using namespace cclc;
using llvm::formatv;

namespace {
/// Options that not all formats use.
enum Use : unsigned {
  Nodes = 1 << 0,
  Hosts = 1 << 1,
  GpuTypes = 1 << 2,
  GpuNumbers = 1 << 3,
  NicRates = 1 << 4,
  FabricRates = 1 << 5,
  SystemFiles = 1 << 6,
  Fabrics = 1 << 7
};

template <class Result>
using ReaderOf = FailureOr<Result> (*)(const ForeignFile &, const ImportOptions &,
                                       DiagnosticEngine &);

struct Format {
  const char *name;
  bool (*recognises)(StringRef text);
  std::variant<ReaderOf<std::string>, ReaderOf<nccl::Server>, ReaderOf<Fabric>> read;
  unsigned uses; ///< the sum of its options
};

FailureOr<nccl::Server> readNcclTopology(const ForeignFile &file, const ImportOptions &,
                                         DiagnosticEngine &diags) {
  return nccl::readTopology(file.text, file.name, diags);
}

constexpr std::array formats = {
    Format{"XML of hwloc", isHwloc, readHwloc, Nodes | NicRates | Fabrics},
    Format{"a topology file of NCCL or RCCL (XML)",
           [](StringRef text) { return text.ltrim().starts_with("<"); }, readNcclTopology,
           Nodes | Fabrics},
    Format{"the output of rocm-smi --showtopo", isRocmTopology, readRocmTopology, GpuTypes},
    Format{"the output of nvidia-smi topo -m", isTopologyMatrix, readTopologyMatrix,
           Nodes | GpuTypes | NicRates | Fabrics},
    Format{"the output of ibnetdiscover", isIbNetDiscover, readIbNetDiscover,
           Nodes | Hosts | GpuNumbers},
    Format{"topology.conf of SLURM", isSlurmConf, readSlurmConf,
           Nodes | Hosts | GpuNumbers | FabricRates},
    Format{"topology.yaml of SLURM", isSlurmYaml, readSlurmYaml,
           Nodes | Hosts | GpuNumbers | FabricRates},
    Format{"instances of topograph (JSON)", isTopograph, readTopograph,
           Nodes | Hosts | GpuNumbers | FabricRates},
    Format{"a network file of ASTRA-sim (YAML)", isAstraNetwork, importAstraNetwork, SystemFiles},
};

/// Reports the options other than \p uses, which a file of \p format does not use.
LogicalResult checkOptions(const Format &format, unsigned uses, const ForeignFile &file,
                           const ImportOptions &options, DiagnosticEngine &diags) {
  const std::tuple<const char *, bool, Use> given[] = {
      {"a second file", options.system.has_value(), SystemFiles},
      {"--fabric", options.fabric.has_value(), Fabrics},
      {"--order", options.byRack, Hosts},
      {"--nodes", options.nodes.has_value(), Nodes},
      {"a list of hosts as --nodes", !options.hosts.empty(), Hosts},
      {"--gpus-per-host", options.gpusPerHost.has_value(), GpuNumbers},
      {"--gpu", options.gpu.has_value(), GpuTypes},
      {"--nic-bandwidth", options.nicRate.has_value(), NicRates},
      {"--node-bandwidth", options.nodeRate.has_value(), FabricRates},
      {"--uplink-bandwidth", options.uplinkRate.has_value(), FabricRates}};
  for (const auto &[option, isGiven, use] : given)
    if (isGiven && !(uses & use))
      return diags.error({file.name},
                         formatv("is {0}, which does not use {1}: remove it", format.name, option));
  return success();
}

FailureOr<const Format *> formatOf(const ForeignFile &file, DiagnosticEngine &diags) {
  const auto *format =
      llvm::find_if(formats, [&](const Format &f) { return f.recognises(file.text); });
  if (format == formats.end())
    return diags.error({file.name},
                       "has no known format: it must be " + llvm::join(importFormats(), ", or "));
  return format;
}

/// Servers of one kind, which a fabric connects.
FailureOr<std::string> importServers(const Format &format, const ForeignFile &file,
                                     const ImportOptions &options, DiagnosticEngine &diags) {
  FailureOr<const Format *> ofFabric = formatOf(*options.fabric, diags);
  if (failed(ofFabric))
    return failure();
  const auto *readFabric = std::get_if<ReaderOf<Fabric>>(&(*ofFabric)->read);
  if (!readFabric)
    return diags.error(
        {options.fabric->name},
        formatv("is {0}, which describes no network between hosts: --fabric takes the "
                "output of ibnetdiscover, or a file of SLURM or topograph",
                (*ofFabric)->name));
  if (failed(checkOptions(format, format.uses | Hosts | ((*ofFabric)->uses & FabricRates), file,
                          options, diags)))
    return failure();
  // The server reads the rate of its NICs, of which there are several nodes.
  ImportOptions ofServer = options, ofNetwork = options;
  ofServer.nodes = 2;
  FailureOr<nccl::Server> server =
      std::get<ReaderOf<nccl::Server>>(format.read)(file, ofServer, diags);
  if (failed(server))
    return failure();
  if (!ofNetwork.nodeRate)
    ofNetwork.nodeRate = nccl::usedRate(*server);
  FailureOr<Fabric> fabric = (*readFabric)(*options.fabric, ofNetwork, diags);
  if (failed(fabric))
    return failure();
  return targetOf(std::move(*server), file, options, diags, &*fabric);
}

/// The target of what a reader has read, without findings. What its import warns of is a finding,
/// so that only its errors are reported.
template <class Result>
FailureOr<MachineHealth> importedHealth(const Result &result, const ForeignFile &file,
                                        const ImportOptions &options, DiagnosticEngine &diags) {
  DiagnosticEngine ofImport;
  FailureOr<std::string> target = targetOf(result, file, options, ofImport);
  if (succeeded(target))
    return MachineHealth{std::move(*target), "", {}};
  diags.append(std::move(ofImport));
  return failure();
}

/// Compares the parts of \p server. What limits messages between servers is examined in two.
FailureOr<MachineHealth> examineServer(const nccl::Server &server, const ForeignFile &file,
                                       const ImportOptions &options, DiagnosticEngine &diags) {
  auto textOf = [&](const nccl::Server &each, bool betweenServers) -> std::string {
    ImportOptions own = options;
    if (betweenServers)
      own.nodes = 2;
    DiagnosticEngine unheard;
    FailureOr<std::string> text = targetOf(each, file, own, unheard);
    return succeeded(text) ? std::move(*text) : std::string();
  };
  FailureOr<MachineHealth> imported = importedHealth(server, file, options, diags);
  if (failed(imported))
    return failure();
  MachineHealth &health = *imported;
  uint64_t links = 0;
  for (const nccl::Device &device : server.devices)
    links += device.links;
  health.summary = counted(server.gpus.size(), "GPU");
  if (!server.nics.empty())
    health.summary += ", " + counted(server.nics.size(), "NIC");
  if (links > 0 && !server.hasXgmi)
    health.summary += ", " + counted(links, "NVLink");
  health.findings = withTargets<nccl::Server>(nccl::findUnhealthy(server), server, textOf);
  return imported;
}
} // namespace

bool cclc::isForeign(StringRef text) {
  return llvm::any_of(formats, [&](const Format &format) { return format.recognises(text); });
}

FailureOr<MachineHealth> cclc::examineFile(const ForeignFile &file, const ImportOptions &options,
                                           DiagnosticEngine &diags) {
  FailureOr<const Format *> format = formatOf(file, diags);
  if (failed(format))
    return failure();
  return std::visit(
      [&]<class Result>(ReaderOf<Result> read) -> FailureOr<MachineHealth> {
        FailureOr<Result> result = read(file, options, diags);
        if (failed(result))
          return failure();
        if constexpr (std::is_same_v<Result, nccl::Server>)
          return examineServer(*result, file, options, diags);
        else if constexpr (std::is_same_v<Result, std::string>)
          return MachineHealth{std::move(*result), "", {}};
        else
          return importedHealth(*result, file, options, diags);
      },
      (*format)->read);
}

std::vector<std::string> cclc::importFormats() {
  std::vector<std::string> names;
  for (const Format &format : formats)
    names.emplace_back(format.name);
  return names;
}

FailureOr<std::string> cclc::importMachine(const ForeignFile &file, const ImportOptions &options,
                                           DiagnosticEngine &diags) {
  FailureOr<const Format *> format = formatOf(file, diags);
  if (failed(format))
    return failure();
  if (options.fabric && ((*format)->uses & Fabrics))
    return importServers(**format, file, options, diags);
  if (failed(checkOptions(**format, (*format)->uses, file, options, diags)))
    return failure();
  return std::visit(
      [&]<class Result>(ReaderOf<Result> read) -> FailureOr<std::string> {
        FailureOr<Result> result = read(file, options, diags);
        if constexpr (std::is_same_v<Result, std::string>)
          return result;
        else
          return failed(result) ? FailureOr<std::string>(failure())
                                : targetOf(std::move(*result), file, options, diags);
      },
      (*format)->read);
}
