//===- MeasuredTimes.cpp - Reading results of ccl-run ---------------------===//
//
// The keys are documented in docs/CommandGuide/ccl-run.md.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/MeasuredTimes.h"

#include "JsonFields.h"

#include "cclc/Support/InputFile.h"

#include <algorithm>

using namespace cclc;
using llvm::formatv;

static double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Checks what all times have in common; \p holder has the keys.
static void addConditions(const JsonValue &holder, MeasuredTimes &found) {
  const std::string transport = holder.at("transport"), type = holder.at("dtype");
  if (!found.transport.empty() && (found.transport != transport || found.type != type))
    throw Unreadable{formatv("these times are of {0} and {1}, others of {2} and {3}", transport,
                             type, found.transport, found.type)};
  found.transport = transport;
  found.type = type;
}

static void addTime(const JsonValue &plan, const JsonValue &size, double nanoseconds,
                    MeasuredTimes &found) {
  if (nanoseconds > 0)
    found.times.push_back({plan.at("file"), countOf<uint64_t>(size, "bytes"), nanoseconds});
}

static void readTurns(const JsonValue &document, std::string &where, MeasuredTimes &found) {
  addConditions(document, found);
  for (size_t i = 0; const JsonValue &size : document.at("turns")) {
    where = formatv("turns[{0}]: ", i++);
    for (const JsonValue &plan : size.at("plans"))
      if (auto times = plan.at("times_ns").get<std::vector<double>>(); !times.empty())
        addTime(plan, size, median(std::move(times)), found);
  }
}

static void readPlans(const JsonValue &document, std::string &where, MeasuredTimes &found) {
  for (size_t i = 0; const JsonValue &plan : document.at("plans")) {
    where = formatv("plans[{0}]: ", i++);
    addConditions(plan, found);
    for (const JsonValue &size : plan.at("results"))
      if (isGiven(size, "median_ns"))
        addTime(plan, size, size.at("median_ns"), found);
  }
}

FailureOr<MeasuredTimes> cclc::readMeasuredTimes(ArrayRef<std::string> files,
                                                 DiagnosticEngine &diags) {
  MeasuredTimes found;
  for (const std::string &file : files) {
    auto buffer = readInput(file, file, diags);
    if (failed(buffer) || failed(readFields((*buffer)->getBuffer(), file, diags,
                                            [&](const JsonValue &document, std::string &where) {
                                              document.contains("turns")
                                                  ? readTurns(document, where, found)
                                                  : readPlans(document, where, found);
                                            })))
      return failure();
  }
  if (found.times.empty())
    return diags.error({files.front()}, "the results have no times of plans: write them with "
                                        "ccl-run --json");
  return found;
}
