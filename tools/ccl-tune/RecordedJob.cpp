//===- RecordedJob.cpp - What to tune for a recorded job ------------------===//
//
// A search takes longer the more sizes it has. Of a collective with many, those whose calls took
// most of the time are tuned; the smallest and the largest are among them, so that the portfolio
// serves all others as well.
//
//===----------------------------------------------------------------------===//

#include "RecordedJob.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <set>

using namespace cclc;
using llvm::formatv;

namespace {
constexpr size_t mostSizes = 24;

/// The calls of a collective on a number of ranks, by size.
struct Group {
  std::map<uint64_t, uint64_t> nanoseconds;
  uint64_t total = 0;
};

std::vector<uint64_t> sizesOf(const Group &group) {
  std::vector<std::pair<uint64_t, uint64_t>> byTime; // with the size
  for (auto [size, time] : group.nanoseconds)
    byTime.emplace_back(time, size);
  llvm::sort(byTime, std::greater<>());
  std::set<uint64_t> sizes = {group.nanoseconds.begin()->first, group.nanoseconds.rbegin()->first};
  for (auto [time, size] : byTime)
    if (sizes.size() < mostSizes)
      sizes.insert(size);
  return {sizes.begin(), sizes.end()};
}

/// The name with most bytes.
std::optional<DataType> mostUsed(const std::map<std::string, uint64_t> &bytesOfTypes) {
  auto fewer = [](const auto &a, const auto &b) { return a.second < b.second; };
  auto most = std::max_element(bytesOfTypes.begin(), bytesOfTypes.end(), fewer);
  return most == bytesOfTypes.end() ? std::nullopt : parseDataType(most->first);
}
} // namespace

FailureOr<RecordedJob> cclc::readRecordedJob(const std::string &path, ArrayRef<CollectiveKind> only,
                                             DiagnosticEngine &diags) {
  auto buffer = openPlanFile(path, diags);
  if (failed(buffer))
    return failure();
  FailureOr<CallRecord> record = readCallRecord((*buffer)->getBuffer(), path, diags);
  if (failed(record))
    return failure();
  std::map<std::pair<CollectiveKind, uint32_t>, Group> groups;
  std::map<std::string, uint64_t> bytesOfTypes;
  RecordedTimes all, others;
  for (const auto &[call, times] : record->calls) {
    if (!only.empty() && !llvm::is_contained(only, call.collective))
      continue;
    all += times;
    if (!call.isCovered() || call.ranks < 2) {
      others += times;
      continue;
    }
    Group &group = groups[{call.collective, call.ranks}];
    group.nanoseconds[call.bytes] += times.nanoseconds;
    group.total += times.nanoseconds;
    if (!call.type.empty())
      bytesOfTypes[call.type] += call.bytes * times.calls;
  }
  if (groups.empty())
    return diags.error({path}, "the record has no call that plans can execute");
  RecordedJob job{{}, mostUsed(bytesOfTypes), ""};
  for (const auto &[key, group] : groups)
    job.collectives.push_back({key.first, key.second, sizesOf(group)});
  auto timeOf = [&](const RecordedCollective &each) {
    return groups[{each.collective, each.ranks}].total;
  };
  // By the collective and its ranks where times are equal.
  llvm::sort(job.collectives, [&](const RecordedCollective &a, const RecordedCollective &b) {
    return std::make_tuple(timeOf(b), a.collective, a.ranks) <
           std::make_tuple(timeOf(a), b.collective, b.ranks);
  });
  job.summary = formatv("{0}: {1} in {2:F3} ms", path, counted(all.calls, "call"),
                        double(all.nanoseconds) / 1e6);
  if (others.calls)
    job.summary += formatv("; {0} in {1:F3} ms of types or operators that plans do not have",
                           counted(others.calls, "call"), double(others.nanoseconds) / 1e6);
  return job;
}
