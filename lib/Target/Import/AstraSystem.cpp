//===- AstraSystem.cpp - System files of ASTRA-sim ------------------------===//
//
// A JSON object with the values of an endpoint and the collective algorithms of a simulation
// (ASTRA-sim, astra-sim/system/Sys.cc). Two of them are values of the machine: `endpoint-delay`,
// the nanoseconds in which an endpoint processes a message that it has received, and
// `local-mem-bw`, the GB/s of its memory, by which a reduction reads two operands and writes one,
// and a copy reads and writes one. The algorithms are those of plans, and the schedule is that of a
// workload.
//
//===----------------------------------------------------------------------===//

#include "AstraSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace cclc;
using llvm::formatv;
using Json = nlohmann::ordered_json;

namespace {
constexpr size_t mostSystemBytes = 1 << 20;

/// The value of \p key, from 0 to \p most, which \p unit describes; 0 if the file does not have it.
FailureOr<double> valueOf(const Json &system, StringRef key, double most, StringRef unit,
                          const ForeignFile &file, DiagnosticEngine &diags) {
  auto found = system.find(key.str());
  if (found == system.end())
    return 0.0;
  double value = found->is_number() ? found->get<double>() : -1;
  if (!(value >= 0 && value <= most))
    return diags.error({file.name}, formatv("'{0}' takes {1} from 0 to {2}, not '{3}'", key, unit,
                                            uint64_t(most), jsonText(*found, -1)));
  return value;
}
} // namespace

LogicalResult cclc::addAstraSystem(const ForeignFile &file, Json &target, DiagnosticEngine &diags) {
  if (file.text.size() > mostSystemBytes)
    return diags.error({file.name}, "is too large for a system file");
  Json system;
  try {
    system = parseOrderedJson(file.text);
  } catch (const nlohmann::json::exception &error) {
    return diags.error({file.name}, jsonMessage(error.what()));
  }
  if (!system.is_object())
    return diags.error({file.name}, "is not a system file of ASTRA-sim: a JSON object");
  auto delay = valueOf(system, "endpoint-delay", 1e9, "nanoseconds", file, diags);
  auto memory = valueOf(system, "local-mem-bw", 1e6, "GB/s", file, diags);
  if (failed(delay) || failed(memory))
    return failure();
  std::vector<std::string> ignored;
  for (const auto &[key, value] : system.items())
    if (key != "endpoint-delay" && key != "local-mem-bw")
      ignored.push_back("'" + key + "'");
  if (!ignored.empty())
    diags.warning({file.name},
                  formatv("{0} {1} ignored: a target has no such {2}", llvm::join(ignored, ", "),
                          ignored.size() == 1 ? "is" : "are",
                          ignored.size() == 1 ? "value" : "values"));
  if (*delay > 0)
    target["queue"] = {{"receive_overhead", *delay / 1e9}};
  if (*memory > 0) {
    auto engine = [&](double accesses) {
      return Json{{"cycle", 1e-9},
                  {"bytes_per_cycle", std::max<uint64_t>(std::llround(*memory / accesses), 1)}};
    };
    target["// assumptions"] = {"a reduction reads two operands and writes one at the rate of "
                                "local-mem-bw, and a copy reads "
                                "and writes one"};
    target["pe"] = {{"math", engine(3)}, {"copy", engine(2)}};
  }
  return success();
}
