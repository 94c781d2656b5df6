//===- Machines.cpp - Machines: import, describe, check -------------------===//
//
// The work of `cclc targets`: that of Tools, and of MachineView for descriptions.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/Support/Spelling.h"
#include "cclc/Target/EqualRoutes.h"
#include "cclc/Tools/MachineCheck.h"
#include "cclc/Tools/TargetImport.h"
#include "cclc/Views/MachineView/MachineDescription.h"
#include "cclc/Views/MachineView/MachineDot.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::api;
using llvm::formatv;

// --- Import -------------------------------------------------------------------------

static void readRate(const char *what, std::optional<double> gigabytes,
                     std::optional<uint64_t> &rate, DiagnosticEngine &diags) {
  if (!gigabytes)
    return;
  rate = rateOf(*gigabytes);
  if (!rate)
    diags.error({}, formatv("the bandwidth of {0} must be 0.000001 to 1000000 GB/s, not {1}", what,
                            *gigabytes));
}

Result<std::string> api::importTarget(const std::string &path, const ImportOptions &options) {
  DiagnosticEngine diags;
  TargetImport request{path, options.system, options.fabric, options.nodes, options.order, {}};
  request.options.gpu = options.gpu;
  request.options.gpusPerHost = options.gpusPerHost;
  readRate("a NIC", options.nicBandwidth, request.options.nicRate, diags);
  readRate("a host", options.nodeBandwidth, request.options.nodeRate, diags);
  readRate("the links above a switch", options.uplinkBandwidth, request.options.uplinkRate, diags);
  if (options.gpusPerHost == 0u)
    diags.error({}, "the number of GPUs of a host must be at least 1");
  if (options.order != "given" && options.order != "rack" && options.order != "best")
    diags.error({}, unknownWord("order of hosts", options.order, {"given", "rack", "best"}));
  if (diags.hasErrors())
    return Failed{diags};
  FailureOr<std::string> text = cclc::importTarget(request, diags);
  if (failed(text))
    return Failed{diags};
  return {std::move(*text), messagesOf(diags)};
}

// --- Describe -----------------------------------------------------------------------

namespace {
struct DescriptionContent : ReportAccess::Content {
  Machine machine;
  MachineDescription description;

  DescriptionContent(Machine made, const std::string &resolved)
      : machine(std::move(made)), description(describe(machine, resolved)) {}
  void text(raw_ostream &os) const override { printDescription(machine, description, os); }
  void json(raw_ostream &os) const override { writeDescriptionJson(machine, description, os); }
};
} // namespace

Result<Description> Toolchain::describe(const Target &target, std::optional<uint32_t> ranks) const {
  DiagnosticEngine diags;
  FailureOr<TargetRequest> request = requestOf(target, folder, diags);
  if (failed(request))
    return Failed{diags};
  request->ranks = ranks;
  std::string resolved;
  FailureOr<Machine> machine = loadTarget(*request, diags, &resolved);
  if (failed(machine))
    return Failed{diags};
  auto content = std::make_shared<DescriptionContent>(std::move(*machine), resolved);
  const Machine &its = content->machine;
  Description description{its.name, its.numEndpoints(), {}, {}};
  llvm::raw_string_ostream os(description.dot);
  writeDot(its, os);
  std::vector<EndpointId> endpoints;
  for (uint32_t e = 0; e < its.numEndpoints(); ++e)
    endpoints.emplace_back(e);
  warnOfEqualRoutes(its, endpoints, diags);
  description.report = ReportAccess::make(std::move(content));
  return {std::move(description), messagesOf(diags)};
}

// --- Check --------------------------------------------------------------------------

namespace {
struct CheckContent : ReportAccess::Content {
  CheckedMachine checked;

  explicit CheckContent(CheckedMachine checked) : checked(std::move(checked)) {}
  void text(raw_ostream &os) const override { checked.print(os); }
  void json(raw_ostream &os) const override { checked.writeJson(os); }
};
} // namespace

static std::optional<int64_t> picoseconds(SimTime time) {
  return time == SimTime::max() ? std::nullopt : std::optional(time.picoseconds());
}

static api::Finding findingOf(const CheckedMachine::Checked &checked) {
  const cclc::Finding &its = checked.finding;
  api::Finding finding{its.text, its.parts, its.details, its.remedy, {}};
  for (size_t k = 0; checked.cost && k < std::size(CheckedMachine::kinds); ++k)
    finding.costs.push_back({std::string(collectiveName(CheckedMachine::kinds[k])),
                             CheckedMachine::bytes.count(), picoseconds(checked.cost->with[k]),
                             picoseconds(checked.cost->without[k])});
  return finding;
}

Result<TargetCheck> Toolchain::check(const std::string &path,
                                     const std::optional<std::string> &against) const {
  DiagnosticEngine diags;
  FailureOr<CheckedMachine> checked = checkMachine(path, against, folder, diags);
  if (failed(checked))
    return Failed{diags};
  TargetCheck result{checked->summary, {}, {}};
  for (const CheckedMachine::Checked &each : checked->findings)
    result.findings.push_back(findingOf(each));
  result.report = ReportAccess::make(std::make_shared<CheckContent>(std::move(*checked)));
  return {std::move(result), messagesOf(diags)};
}
