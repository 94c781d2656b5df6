#include "DmaCommand.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

using namespace cclc;
using llvm::formatv;

namespace {
constexpr size_t maxShown = 8;

/// Thousands of something, with all digits.
std::string inThousands(uint64_t n) {
  std::string digits = std::to_string(n % 1000);
  return std::to_string(n / 1000) + "." + std::string(3 - digits.size(), '0') + digits;
}
std::string nanoseconds(SimTime time) { return inThousands(time.picoseconds()); }

std::string requestText(const Machine &machine, const DmaRequest &request) {
  return endpointName(machine, request.pe) + (request.write ? " -> " : " <- ") +
         endpointName(machine, request.owner);
}
} // namespace

void cclc::printDma(const DmaReport &report, raw_ostream &os) {
  size_t count = report.requests.size();
  os << formatv("{0} {1} of {2} bytes on {3}, network {4}\n\n", count,
                count == 1 ? "request" : "requests", report.size.count(), report.machine.name,
                report.network);
  os << formatv("{0,14} {1,14}  {2}\n", "issued [ns]", "latency [ns]", "request");
  for (size_t r = 0; r < std::min(count, maxShown); ++r) {
    const DmaResult::Times &times = report.result.requests[r];
    os << formatv("{0,14} {1,14}  {2}\n", nanoseconds(times.issued),
                  nanoseconds(times.done - times.issued),
                  requestText(report.machine, report.requests[r]));
  }
  if (count > maxShown)
    os << formatv("{0,14} {1,14}  and {2} more\n", "", "", count - maxShown);
  os << formatv("\nlast done {0} ns, makespan {1} ns, {2} GB/s\n",
                nanoseconds(report.result.lastDone), nanoseconds(report.result.makespan),
                inThousands(report.result.aggregateRate / 1'000'000));
}

void cclc::writeDmaJson(const DmaReport &report, raw_ostream &os) {
  using nlohmann::ordered_json;
  auto ns = [](SimTime time) { return double(time.picoseconds()) / 1000; };
  ordered_json document;
  document["format"] = "ccl-dma-report";
  document["version"] = 1;
  document["target"] = report.machine.name;
  document["network"] = report.network.str();
  document["bytes"] = report.size.count();
  document["last_done_ns"] = ns(report.result.lastDone);
  document["makespan_ns"] = ns(report.result.makespan);
  document["aggregate_gbs"] = double(report.result.aggregateRate) / 1e9;
  document["requests"] = ordered_json::array();
  for (size_t r = 0; r < report.requests.size(); ++r) {
    const DmaRequest &request = report.requests[r];
    const DmaResult::Times &times = report.result.requests[r];
    document["requests"].push_back({{"pe", endpointName(report.machine, request.pe)},
                                    {"memory", endpointName(report.machine, request.owner)},
                                    {"kind", request.write ? "write" : "read"},
                                    {"stage", request.stage},
                                    {"issued_ns", ns(times.issued)},
                                    {"latency_ns", ns(times.done - times.issued)}});
  }
  document["links"] = ordered_json::array();
  for (uint32_t l = 0; l < report.result.links.size(); ++l) {
    const LinkUse &use = report.result.links[l];
    if (use.bytes > Bytes())
      document["links"].push_back({{"link", report.machine.linkName(LinkId(l))},
                                   {"bytes", use.bytes.count()},
                                   {"busy_ns", ns(use.busy)},
                                   {"longest_wait_ns", ns(use.longestWait)}});
  }
  os << document.dump(2) << '\n';
}
