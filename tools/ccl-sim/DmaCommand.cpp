//===- DmaCommand.cpp - ccl-sim dma ---------------------------------------===//
//
// Parses and simulates requests to memories (Sim/Network/DmaStudy.h), and writes their times as
// text, limited to the first eight requests, or as JSON.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "JsonText.h"

#include "cclc/Sim/Network/DmaStudy.h"
#include "cclc/Support/Decimal.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// Requests and their times on a machine and a network.
struct DmaRun {
  const Machine &machine;
  StringRef network;
  ArrayRef<DmaRequest> requests;
  Bytes size;
  DmaResult result;
};

constexpr size_t maxShown = 8;

std::string requestText(const Machine &machine, const DmaRequest &request) {
  return endpointName(machine, request.pe) + (request.write ? " -> " : " <- ") +
         endpointName(machine, request.owner);
}

/// Prints the first requests, then the totals.
void printDma(const DmaRun &report, raw_ostream &os) {
  size_t count = report.requests.size();
  os << formatv("{0} {1} of {2} bytes on {3}, network {4}\n\n", count,
                count == 1 ? "request" : "requests", report.size.count(),
                report.machine.stamp.title(), report.network);
  os << formatv("{0,14} {1,14}  {2}\n", "issued [ns]", "latency [ns]", "request");
  for (size_t r = 0; r < std::min(count, maxShown); ++r) {
    const DmaResult::Times &times = report.result.requests[r];
    os << formatv("{0,14} {1,14}  {2}\n", nanosecondsText(times.issued),
                  nanosecondsText(times.done - times.issued),
                  requestText(report.machine, report.requests[r]));
  }
  if (count > maxShown)
    os << formatv("{0,14} {1,14}  and {2} more\n", "", "", count - maxShown);
  os << formatv("\nlast done {0} ns, makespan {1} ns, {2} GB/s\n",
                nanosecondsText(report.result.lastDone), nanosecondsText(report.result.makespan),
                gigabytesText(report.result.aggregateRate));
}

/// Writes JSON; docs/CommandGuide/ccl-sim.md documents the keys.
void writeDmaJson(const DmaRun &report, raw_ostream &os) {
  using nlohmann::ordered_json;
  ordered_json document;
  document["format"] = "ccl-dma-report";
  document["version"] = 1;
  document["target"] = report.machine.name;
  document["network"] = report.network.str();
  document["bytes"] = report.size.count();
  document["target_settings"] = report.machine.stamp.settings;
  document["last_done_ns"] = toNanoseconds(report.result.lastDone);
  document["makespan_ns"] = toNanoseconds(report.result.makespan);
  document["aggregate_gbs"] = double(report.result.aggregateRate) / 1e9;
  document["requests"] = ordered_json::array();
  for (size_t r = 0; r < report.requests.size(); ++r) {
    const DmaRequest &request = report.requests[r];
    const DmaResult::Times &times = report.result.requests[r];
    document["requests"].push_back({{"pe", endpointName(report.machine, request.pe)},
                                    {"memory", endpointName(report.machine, request.owner)},
                                    {"kind", request.write ? "write" : "read"},
                                    {"stage", request.stage},
                                    {"issued_ns", toNanoseconds(times.issued)},
                                    {"latency_ns", toNanoseconds(times.done - times.issued)}});
  }
  document["links"] = ordered_json::array();
  for (uint32_t l = 0; l < report.result.links.size(); ++l) {
    const LinkUse &use = report.result.links[l];
    if (use.bytes > Bytes())
      document["links"].push_back({{"link", report.machine.linkName(LinkId(l))},
                                   {"bytes", use.bytes.count()},
                                   {"busy_ns", toNanoseconds(use.busy)},
                                   {"longest_wait_ns", toNanoseconds(use.longestWait)}});
  }
  os << jsonText(document) << '\n';
}
} // namespace

ExitCode cclc::runDma(const SimArguments &args, DiagnosticEngine &diags) {
  if (!args.target) {
    diags.error({}, "--target is required: it has the memories");
    return ExitCode::Unusable;
  }
  FailureOr<Machine> machine = args.loadMachineOfRun(nullptr, diags);
  if (failed(machine))
    return ExitCode::Unusable;
  std::string network = args.network.value_or(machine->network);
  FailureOr<std::vector<DmaRequest>> requests = parseDmaRequests(args.requests, *machine, diags);
  if (failed(requests))
    return ExitCode::Unusable;
  Bytes size(args.sizes.front());
  FailureOr<DmaResult> result = simulateDma(*machine, network, *requests, size, diags);
  if (failed(result))
    return ExitCode::Unusable;
  DmaRun report{*machine, network, *requests, size, std::move(*result)};
  auto write = [&](raw_ostream &os) { writeDmaJson(report, os); };
  if (args.json && failed(writeFile(*args.json, write, diags)))
    return ExitCode::Unusable;
  if (args.summarise) {
    printDma(report, llvm::outs());
    llvm::outs().flush();
  }
  return ExitCode::Success;
}
