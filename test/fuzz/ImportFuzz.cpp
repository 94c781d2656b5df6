//===- ImportFuzz.cpp - Arbitrary bytes, imported as a target -------------===//
//
// A topology of NCCL or a network of ASTRA-sim is converted to the text of a target or refused with
// an error. The text is JSON that the reader of targets accepts, or refuses with an error.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "cclc/Target/Import/Import.h"

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
  DiagnosticEngine ofNccl, ofServers, ofAstra;
  bool accepted = check(importNcclTopology(input, "fuzz", "name", {}, ofNccl), ofNccl, input);
  accepted |= check(importNcclTopology(input, "fuzz", "name", 2, ofServers), ofServers, input);
  accepted |= check(importAstraNetwork(input, "fuzz", "name", ofAstra), ofAstra, input);
  return accepted ? 0 : -1;
}
