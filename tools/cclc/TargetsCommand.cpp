//===- TargetsCommand.cpp - cclc targets ----------------------------------===//
//
// Lists the bundled targets, describes or examines one, or converts a file of another tool to a
// target. The figures and the drawing are made in MachineView, the conversion in Tools.
//
//===----------------------------------------------------------------------===//

#include "TargetsCommand.h"

#include "DumpOptions.h"
#include "Listings.h"
#include "cclc/Tools/Cli/Files.h"
#include "cclc/Tools/TargetImport.h"
#include "cclc/Views/MachineView/MachineDescription.h"
#include "cclc/Views/MachineView/MachineDot.h"

#include "cclc/Target/EqualRoutes.h"
#include "cclc/Target/Loader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;

void TargetsCommand::addTo(CommandLine &verb, MessageForm &messages) {
  verb.flag("--json", json, "print JSON");
  describing.emplace(
      verb.command("describe", "describe a machine: levels, links, routes and limits"));
  describing->positional("NAME|FILE", target, "a bundled target or a target file", true);
  describing->settings(sets);
  describing->number("--ranks", 1, 1 << 16, ranks,
                     "set the number of ranks of a target without a fixed size");
  describing->flag("--json", json, "print JSON");
  describing->option("--dump", "FILE", dump,
                     "draw the machine: as DOT source, or rendered by graphviz if FILE ends in "
                     ".svg, .pdf or .png");
  check.emplace(
      verb.command("check", "find parts of a machine that are slower than their siblings"));
  checking.addTo(*check, messages);
  importing.emplace(verb.command("import", "convert a file of another tool to a target"));
  importing->positionals(
      "FILE", foreign, llvm::join(importFormats(), ", or ") + ", and its system file (JSON)", true);
  importing->option("--gpu", "TYPE", gpu,
                    "rates of the links of GPUs, such as A100, H100, B200 or MI300X");
  importing->option("--nic-bandwidth", "GB/s", nicRate,
                    "rate of a NIC in each direction, in 10^9 bytes per second");
  importing->option("--node-bandwidth", "GB/s", nodeRate,
                    "rate of each host of a fabric in a file of a scheduler");
  importing->option("--uplink-bandwidth", "GB/s", uplinkRate,
                    "rate of all links of a switch to those above it in a file of a scheduler "
                    "(default: that of the links below it)");
  importing->option(
      "--nodes", "N|LIST", nodes,
      "connect N such servers by their NICs, or take the first N hosts of a fabric, or "
      "those of a list such as n[1-4,07-09],m");
  importing->option(
      "--fabric", "FILE", fabric,
      "connect the servers by the fabric in FILE: the output of ibnetdiscover, or a file of SLURM "
      "or topograph");
  importing->choice(
      "--order", {"given", "rack", "best"}, order,
      "order of the hosts of a fabric: that of --nodes or the file (default), sorted by "
      "rack, or the one of both in which a ring is faster");
  importing->number("--gpus-per-host", 1, 64, gpusPerHost,
                    "make N ranks of each host of a fabric (default: one)");
  importing->option("-o,--output", "FILE", output, "write the target to FILE (default: -, stdout)");
}

/// Reads the value of \p option, a rate in GB/s, if it is given.
static LogicalResult readRate(StringRef option, const std::optional<std::string> &text,
                              std::optional<uint64_t> &rate, DiagnosticEngine &diags) {
  double value = -1;
  if (!text)
    return success();
  if (!StringRef(*text).getAsDouble(value))
    rate = rateOf(value);
  if (!rate)
    return diags.error({}, option + " takes GB/s from 0.000001 to 1000000, not '" + *text + "'");
  return success();
}

ExitCode TargetsCommand::import(DiagnosticEngine &diags) const {
  std::string to = output.value_or("-");
  NamedFiles names;
  for (const std::string &file : foreign)
    names.input("FILE", file);
  names.input("--fabric", fabric);
  names.output("-o", to);
  if (failed(names.check(diags)))
    return ExitCode::Unusable;
  if (foreign.size() > 2) {
    diags.error({foreign[2]}, "is a third file: no format has more than two");
    return ExitCode::Unusable;
  }
  TargetImport request{foreign[0], {}, fabric, nodes, order.value_or("given"), {}};
  if (foreign.size() > 1)
    request.system = foreign[1];
  ImportOptions &options = request.options;
  options.gpu = gpu;
  if (gpusPerHost)
    options.gpusPerHost = uint32_t(*gpusPerHost);
  if (failed(readRate("--nic-bandwidth", nicRate, options.nicRate, diags)) ||
      failed(readRate("--node-bandwidth", nodeRate, options.nodeRate, diags)) ||
      failed(readRate("--uplink-bandwidth", uplinkRate, options.uplinkRate, diags)))
    return ExitCode::Unusable;
  FailureOr<std::string> imported = importTarget(request, diags);
  if (failed(imported) || failed(writeFile(to, [&](raw_ostream &os) { os << *imported; }, diags)))
    return ExitCode::Unusable;
  return ExitCode::Success;
}

ExitCode TargetsCommand::describe(const std::string &targetDir, DiagnosticEngine &diags) const {
  TargetRequest request{target, targetDir, {}, std::nullopt};
  if (ranks)
    request.ranks = uint32_t(*ranks);
  NamedFiles files;
  files.target(target, targetDir);
  files.output("--dump", dump);
  std::string resolved;
  if (failed(files.check(diags)) || failed(parseOverrides(sets, request.overrides, diags)))
    return ExitCode::Unusable;
  FailureOr<Machine> machine = loadTarget(request, diags, &resolved);
  if (failed(machine))
    return ExitCode::Unusable;
  if (dump && failed(writeGraph(*dump, [&](raw_ostream &os) { writeDot(*machine, os); }, diags)))
    return ExitCode::Unusable;
  if (dump == "-")
    return ExitCode::Success;
  std::vector<EndpointId> endpoints;
  for (uint32_t e = 0; e < machine->numEndpoints(); ++e)
    endpoints.emplace_back(e);
  warnOfEqualRoutes(*machine, endpoints, diags);
  MachineDescription description = cclc::describe(*machine, resolved);
  if (json)
    writeDescriptionJson(*machine, description, llvm::outs());
  else
    printDescription(*machine, description, llvm::outs());
  return ExitCode::Success;
}

ExitCode TargetsCommand::run(const std::string &targetDir, DiagnosticEngine &diags) {
  if (check->chosen())
    return checking.run(targetDir, diags);
  if (describing->chosen())
    return describe(targetDir, diags);
  if (importing->chosen())
    return import(diags);
  printTargets(targetDir, json, llvm::outs());
  return ExitCode::Success;
}
