//===- MachineCheck.cpp - Parts of a machine that are slower --------------===//
//
// The findings are those of Target/Import. What one costs are the bounds of two machines: the one
// in which its parts alone differ from their siblings, and the one in which none does. The bounds
// of a machine are computed once.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/MachineCheck.h"

#include "JsonText.h"

#include "cclc/Bound/CollectiveBound.h"
#include "cclc/IR/CollectiveNames.h"
#include "cclc/Support/Decimal.h"
#include "cclc/Support/InputFile.h"
#include "cclc/Support/Printable.h"
#include "cclc/Support/Text.h"
#include "cclc/Target/Loader.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

namespace {
/// Visits of arcs: some seconds on a fabric of a thousand hosts.
const LinkBudget boundBudget{uint64_t(1) << 28, uint64_t(1) << 28, uint64_t(1) << 24};

using Times = CheckedMachine::Times;
constexpr auto &kinds = CheckedMachine::kinds;

class Costs {
public:
  /// \p shown names the machines in messages.
  Costs(std::string shown, DiagnosticEngine &diags) : shown(std::move(shown)), diags(diags) {}

  /// The bounds of the machine of \p target, with a second node if it may have one and should.
  FailureOr<Times> of(const std::string &target, bool needsSecondNode) {
    if (auto known = times.find({target, needsSecondNode}); known != times.end())
      return known->second;
    FailureOr<Machine> machine = loadTargetText(target, shown, diags);
    if (failed(machine))
      return failure();
    // Only a target of switched nodes has their number as a value.
    if (needsSecondNode && machine->geometry().levels.front().width == 1) {
      DiagnosticEngine unheard;
      if (FailureOr<Machine> two =
              loadTargetText(target, shown, unheard, TargetOverride{"nodes", "2"});
          succeeded(two))
        machine = std::move(two);
    }
    std::vector<EndpointId> endpoints;
    for (uint32_t e = 0; e < machine->numEndpoints(); ++e)
      endpoints.emplace_back(e);
    Times result;
    for (size_t k = 0; k < std::size(kinds); ++k)
      result[k] = CollectiveBound({*machine,
                                   endpoints,
                                   Collective(kinds[k], endpoints.size(), 1),
                                   machine->network,
                                   {},
                                   {},
                                   boundBudget})
                      .at(CheckedMachine::bytes)
                      .time();
    return times[{target, needsSecondNode}] = result;
  }

private:
  std::string shown;
  DiagnosticEngine &diags;
  std::map<std::pair<std::string, bool>, Times> times;
};

std::string timeText(SimTime time) {
  return time == SimTime::max() ? "no path" : microsecondsText(time) + " us";
}
std::string changeText(SimTime with, SimTime without) {
  if (with == SimTime::max() || without == SimTime() || without == SimTime::max())
    return "";
  double more = 100 * (double(with.picoseconds()) / double(without.picoseconds()) - 1);
  return formatv("{0}{1:F1} %", more < 0 ? "" : "+", more);
}

/// "allreduce of 1 GiB: at least 8053.06 us, 5368.70 us without this (+50.0 %)".
std::string costText(const CheckedMachine::Cost &cost, size_t kind) {
  std::string text = formatv("{0} of 1 GiB: at least {1}, {2} without this",
                             std::string(collectiveName(kinds[kind])), timeText(cost.with[kind]),
                             timeText(cost.without[kind]));
  std::string change = changeText(cost.with[kind], cost.without[kind]);
  return change.empty() ? text : text + " (" + change + ")";
}
} // namespace

void CheckedMachine::addErrors(DiagnosticEngine &diags) const {
  for (const Checked &each : findings) {
    DiagnosticEngine::InFlight error = diags.error({file}, each.finding.text);
    for (const std::string &detail : each.finding.details)
      error.note({file}, detail);
    for (size_t k = 0; each.cost && k < std::size(kinds); ++k)
      error.note({file}, costText(*each.cost, k));
    error.note({file}, each.finding.remedy).as(Failure::Wrong);
  }
}

void CheckedMachine::writeJson(raw_ostream &os) const {
  auto nanoseconds = [](SimTime time) {
    return time == SimTime::max() ? ordered_json() : ordered_json(toNanoseconds(time));
  };
  ordered_json list = ordered_json::array();
  for (const Checked &each : findings) {
    ordered_json costs = ordered_json::array();
    for (size_t k = 0; each.cost && k < std::size(kinds); ++k)
      costs.push_back({{"collective", std::string(collectiveName(kinds[k]))},
                       {"bytes", bytes.count()},
                       {"bound_ns", nanoseconds(each.cost->with[k])},
                       {"without_ns", nanoseconds(each.cost->without[k])}});
    list.push_back({{"text", each.finding.text},
                    {"parts", each.finding.parts},
                    {"details", each.finding.details},
                    {"remedy", each.finding.remedy},
                    {"costs", costs}});
  }
  ordered_json report{
      {"file", file}, {"healthy", findings.empty()}, {"examined", summary}, {"findings", list}};
  os << jsonText(report) << '\n';
}

void CheckedMachine::print(raw_ostream &os) const {
  if (findings.empty())
    os << "healthy: " << printable(summary) << '\n';
  for (const Checked &each : findings) {
    os << printable(each.finding.text) << '\n';
    for (const std::string &detail : each.finding.details)
      os << "  " << printable(detail) << '\n';
    for (size_t k = 0; each.cost && k < std::size(kinds); ++k)
      os << "  " << costText(*each.cost, k) << '\n';
    os << "  " << printable(each.finding.remedy) << '\n';
  }
  if (!findings.empty())
    os << formatv("unhealthy: {0} in {1}\n", counted(findings.size(), "finding"),
                  printable(summary));
}

/// The machine in \p file: its target, and the findings of a file of another tool.
static FailureOr<MachineHealth> examineInput(const std::string &file, const std::string &targetDir,
                                             const Machine *reference, DiagnosticEngine &diags) {
  auto buffer = readInput(file, "'" + file + "'", diags);
  if (failed(buffer))
    return failure();
  StringRef text = withoutByteOrderMark((*buffer)->getBuffer());
  if (!isForeign(text)) {
    if (!text.ltrim().starts_with("{"))
      return diags.error({file}, "has no known format: it must be a target (JSON), or " +
                                     llvm::join(importFormats(), ", or "));
    std::string resolved;
    // A name without a slash is that of a bundled target.
    std::string path = StringRef(file).contains('/') ? file : "./" + file;
    FailureOr<Machine> machine =
        file == "-" ? loadTargetText(text, file, diags)
                    : loadTarget({path, targetDir, {}, std::nullopt}, diags, &resolved);
    if (failed(machine))
      return failure();
    // The ports of cables are comments, which the resolved text does not have.
    bool isWhole = !text.contains("\"base\"") || file == "-";
    return examineTarget(*machine, isWhole ? text.str() : resolved, reference);
  }
  ImportOptions options;
  options.name = llvm::sys::path::stem(file).str();
  FailureOr<MachineHealth> health = examineFile({file, text}, options, diags);
  if (failed(health) || (!health->summary.empty() && !reference))
    return health;
  FailureOr<Machine> machine = loadTargetText(health->target, file, diags);
  if (failed(machine))
    return failure();
  return examineTarget(*machine, health->target, reference);
}

FailureOr<CheckedMachine> cclc::checkMachine(const std::string &file,
                                             const std::optional<std::string> &against,
                                             const std::string &targetDir,
                                             DiagnosticEngine &diags) {
  std::optional<Machine> reference;
  if (against) {
    FailureOr<Machine> loaded = loadTarget({*against, targetDir, {}, std::nullopt}, diags);
    if (failed(loaded))
      return failure();
    reference = std::move(*loaded);
  }
  FailureOr<MachineHealth> health =
      examineInput(file, targetDir, reference ? &*reference : nullptr, diags);
  if (failed(health))
    return failure();
  Costs costs(file, diags);
  CheckedMachine checked{file, std::move(health->summary), {}};
  for (Finding &finding : health->findings) {
    auto &each = checked.findings.emplace_back(CheckedMachine::Checked{std::move(finding), {}});
    if (each.finding.with.empty() || each.finding.without.empty())
      continue;
    const bool second = each.finding.needsSecondNode;
    FailureOr<Times> with = costs.of(each.finding.with, second);
    FailureOr<Times> without = costs.of(each.finding.without, second);
    if (failed(with) || failed(without))
      return failure();
    each.cost = {*with, *without};
  }
  return checked;
}
