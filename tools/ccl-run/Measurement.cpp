//===- Measurement.cpp - The results of executions ------------------------===//
//
// Bandwidths refer to the least time, which other processes on the machine disturb least.
//
//===----------------------------------------------------------------------===//

#include "Measurement.h"
#include "JsonText.h"

#include "cclc/Sim/SweepResult.h"
#include "cclc/Support/Decimal.h"
#include "cclc/Support/Printable.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;
using std::chrono::nanoseconds;

namespace {
nanoseconds median(ArrayRef<nanoseconds> times) { return times[times.size() / 2]; }

/// In GB/s, which are bytes per nanosecond.
double algorithmBandwidth(const MeasuredSize &size) {
  return double(size.bytes.count()) / double(std::max<int64_t>(size.times.front().count(), 1));
}

double busBandwidth(const MeasuredPlan &plan, const MeasuredSize &size) {
  auto [numerator, denominator] = busFactor(plan.collective);
  return algorithmBandwidth(size) * double(numerator) / double(denominator);
}

std::string microseconds(nanoseconds time) { return formatv("{0:F2}", double(time.count()) / 1e3); }

std::string dataText(const MeasuredSize &size) {
  return !size.right ? "-" : *size.right ? "right" : "WRONG";
}
} // namespace

void cclc::printHead(const MeasuredPlan &plan, raw_ostream &os) {
  os << formatv("{0}: {1} over {2} ranks, {3}, {4}, {5} {6}, {7}\n\n", printable(plan.name),
                collectiveName(plan.collective.kind()).data(), plan.collective.ranks(),
                plan.transport, Slots(plan.slots).phrase(), dataTypeName(plan.type),
                reduceOpName(plan.op), placementText(plan.placement));
  os << formatv("{0,12} {1,12} {2,12} {3,12} {4,12} {5,12} {6,14} {7,12} {8,8}\n", "bytes",
                "min [us]", "median [us]", "max [us]", "alg [GB/s]", "bus [GB/s]", "predicted [us]",
                "mpi [us]", "data");
}

void cclc::printRow(const MeasuredPlan &plan, const MeasuredSize &size, raw_ostream &os) {
  auto ifMeasured = [&](auto text) { return size.times.empty() ? std::string("-") : text(); };
  auto number = [&](double value) { return formatv("{0:F3}", value).str(); };
  os << formatv("{0,12} {1,12} {2,12} {3,12} {4,12} {5,12} {6,14} {7,12} {8,8}\n",
                size.bytes.count(), ifMeasured([&] { return microseconds(size.times.front()); }),
                ifMeasured([&] { return microseconds(median(size.times)); }),
                ifMeasured([&] { return microseconds(size.times.back()); }),
                ifMeasured([&] { return number(algorithmBandwidth(size)); }),
                ifMeasured([&] { return number(busBandwidth(plan, size)); }),
                size.predicted ? number(double(size.predicted->picoseconds()) / 1e6) : "-",
                size.native.empty() ? "-" : microseconds(size.native.front()), dataText(size));
}

void cclc::writeMeasurements(ArrayRef<MeasuredPlan> plans, bool complete, raw_ostream &os) {
  ordered_json document;
  document["version"] = 1;
  document["complete"] = complete;
  document["plans"] = ordered_json::array();
  for (const MeasuredPlan &plan : plans) {
    ordered_json entry = {{"file", plan.file},
                          {"name", plan.name},
                          {"collective", std::string(collectiveName(plan.collective.kind()))},
                          {"ranks", plan.collective.ranks()},
                          {"transport", plan.transport},
                          {"slots", plan.slots},
                          {"dtype", dataTypeName(plan.type).str()},
                          {"op", reduceOpName(plan.op).str()},
                          {"in_place", plan.placement == Placement::InPlace}};
    entry["results"] = ordered_json::array();
    for (const MeasuredSize &size : plan.sizes) {
      ordered_json row = {{"bytes", size.bytes.count()}, {"pieces", size.pieces}};
      if (!size.times.empty()) {
        row["iterations"] = size.times.size();
        row["min_ns"] = size.times.front().count();
        row["median_ns"] = median(size.times).count();
        row["max_ns"] = size.times.back().count();
        row["algbw_gbs"] = algorithmBandwidth(size);
        row["busbw_gbs"] = busBandwidth(plan, size);
      }
      if (!size.native.empty()) {
        row["mpi_min_ns"] = size.native.front().count();
        row["mpi_median_ns"] = median(size.native).count();
      }
      row["predicted_ns"] =
          size.predicted ? ordered_json(toNanoseconds(*size.predicted)) : ordered_json(nullptr);
      row["data"] =
          size.right ? ordered_json(*size.right ? "right" : "wrong") : ordered_json(nullptr);
      entry["results"].push_back(std::move(row));
    }
    document["plans"].push_back(std::move(entry));
  }
  os << jsonText(document, 1) << '\n';
}
