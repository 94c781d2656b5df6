//===- ImportFuzz.cpp - Arbitrary bytes, imported as a target -------------===//
//
// A file of one of the known formats is converted to the text of a target or refused with an error.
// The text is JSON that the reader of targets accepts, or refuses with an error. So are the texts
// of the machines in which its parts are as their siblings.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "cclc/Target/Import/Health.h"

#include <nlohmann/json.hpp>

using namespace cclc;
using namespace cclc::fuzz;

namespace {
bool check(const FailureOr<std::string> &target, const DiagnosticEngine &diags, StringRef input) {
  if (failed(target) != diags.hasErrors())
    defect("the result and the errors disagree", input, diags);
  if (succeeded(target) && !nlohmann::json::accept(*target))
    defect("an imported target is not JSON", input, diags);
  return succeeded(target);
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const StringRef input(reinterpret_cast<const char *>(data), size);
  ImportOptions plain, several, matrices, fabrics, trees, systems, servers;
  several.nodes = matrices.nodes = 2;
  matrices.gpu = "V100";
  matrices.nicRate = 1'000'000'000;
  fabrics.hosts = {"node4", "node1"};
  fabrics.gpusPerHost = 2;
  trees.nodeRate = 1'000'000'000;
  trees.uplinkRate = 7;
  // A network with the input as its system file.
  systems.system = {"fuzz", input};
  const StringRef network = "topology: [Ring]\nnpus_count: [2]\nbandwidth: [1]\nlatency: [1]\n";
  // Servers with the input as their fabric.
  servers.fabric = {"fuzz", input};
  const StringRef matrix = "\tGPU0\tGPU1\tmlx5_0\nGPU0\tX\tNV4\tPIX\nGPU1\tNV4\tX\tPIX\n"
                           "mlx5_0\tPIX\tPIX\tX\n";
  servers.gpu = "A100";
  servers.nicRate = 25'000'000'000;
  servers.byRack = true;
  bool accepted = false;
  const std::pair<StringRef, const ImportOptions *> others[] = {{network, &systems},
                                                                {matrix, &servers}};
  for (const auto &[text, options] : others) {
    DiagnosticEngine diags;
    accepted |= check(importMachine({"fuzz", text}, *options, diags), diags, input);
  }
  for (const ImportOptions &options : {plain, several, matrices, fabrics, trees}) {
    DiagnosticEngine diags;
    accepted |= check(importMachine({"fuzz", input}, options, diags), diags, input);
  }
  DiagnosticEngine diags;
  FailureOr<MachineHealth> health = examineFile({"fuzz", input}, plain, diags);
  check(failed(health) ? FailureOr<std::string>(failure()) : health->target, diags, input);
  for (size_t f = 0; succeeded(health) && f < health->findings.size(); ++f)
    for (const std::string &text : {health->findings[f].with, health->findings[f].without})
      if (!text.empty())
        check(text, diags, input);
  return accepted ? 0 : -1;
}
