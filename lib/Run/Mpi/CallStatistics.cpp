//===- CallStatistics.cpp - Calls by collective ---------------------------===//
//
// Times are those of whole calls in one process: with the waits for other processes that come
// later, whichever way the call takes.
//
//===----------------------------------------------------------------------===//

#include "CallStatistics.h"

#include "CallData.h"
#include "CollectiveCall.h"

#include "cclc/Support/MemoryBudget.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::run;
using llvm::formatv;

size_t CallStatistics::rowOf(const CollectiveCall &call) {
  return call.isBarrier ? barriers : size_t(call.kind);
}

void CallStatistics::addPlan(const CollectiveCall &call, std::chrono::nanoseconds time) {
  const size_t row = rowOf(call);
  const uint64_t bytes = bytesOf(call);
  byPlans[row].add(bytes, time);
  classOf(row, bytes).byPlans.add(bytes, time);
}

void CallStatistics::addReason(const CollectiveCall &call, Reason reason) {
  reasons[rowOf(call)][size_t(reason)].fetch_add(1, std::memory_order_relaxed);
}

void CallStatistics::addLibrary(const CollectiveCall &call, bool isCompared,
                                std::chrono::nanoseconds time) {
  const size_t row = rowOf(call);
  const uint64_t bytes = bytesOf(call);
  byLibrary[row].add(bytes, time);
  if (isCompared)
    classOf(row, bytes).compared.add(bytes, time);
}

/// What follows "3 calls: ".
static const char *reasonText(Reason reason) {
  switch (reason) {
  case Reason::NoPlans:
    return "no plan is used in this job";
  case Reason::Threads:
    return "MPI_THREAD_MULTIPLE";
  case Reason::Processes:
    return "no plan for the processes of the communicator";
  case Reason::OtherJob:
    return "processes of another job";
  case Reason::TwoGroups:
    return "a communicator between two groups";
  case Reason::Type:
    return "a type that plans do not reduce";
  case Reason::Operator:
    return "an operator that plans do not have";
  case Reason::NoData:
    return "no data";
  case Reason::Size:
    return "no plan for the size";
  case Reason::Memory:
    return "the plan needs more memory than CCL_MPI_MEMORY";
  case Reason::Bits:
    return "the plan rounds differently on the ranks";
  case Reason::Plan:
    return "the plan cannot be used";
  case Reason::Communicators:
    return "no communicator is left for the messages of plans";
  case Reason::Devices:
    return "memory of a device";
  case Reason::Arguments:
    return "wrong arguments";
  case Reason::NotAgreed:
    return "non-blocking, before a blocking call by a plan";
  case Reason::NotShared:
    return "non-blocking, and messages do not pass through the memory of a node";
  case Reason::NoRoom:
    return "non-blocking, and the memory of the node is full";
  case Reason::Comparison:
    return "comparison of times";
  case Reason::NotMeasured:
    return "a barrier, and all-reduces alone were measured";
  }
  return "";
}

std::string CallStatistics::Calls::text() const {
  return formatv("{0} in {1:F1} us", sizeText(Bytes(bytes)), double(nanoseconds) / 1e3);
}

/// The times of the calls that were compared, and of as many calls by plans in each class of sizes.
std::string CallStatistics::comparisonText(size_t row) const {
  uint64_t calls = 0;
  double library = 0, plans = 0;
  for (const SizeClass &one : classes[row])
    if (one.compared.calls && one.byPlans.calls) {
      calls += one.compared.calls;
      library += double(one.compared.nanoseconds);
      plans +=
          double(one.byPlans.nanoseconds) / double(one.byPlans.calls) * double(one.compared.calls);
    }
  if (calls == 0)
    return "";
  return formatv("    compared: {0} calls by the MPI library {1:F1} us, by plans {2:F1} us\n",
                 calls, library / 1e3, plans / 1e3);
}

std::string CallStatistics::text() const {
  std::string result;
  for (size_t row = 0; row < byPlans.size(); ++row) {
    const Calls &plans = byPlans[row], &library = byLibrary[row];
    if (plans.calls + library.calls == 0)
      continue;
    result += formatv("  {0}: {1} by plans, {2} by the MPI library\n",
                      row == barriers ? "barrier" : collectiveName(CollectiveKind(row)).data(),
                      uint64_t(plans.calls), uint64_t(library.calls));
    result += formatv("    plans: {0}; MPI library: {1}\n", plans.text(), library.text());
    result += comparisonText(row);
    for (size_t reason = 0; reason < reasons[row].size(); ++reason)
      if (uint64_t calls = reasons[row][reason])
        result += formatv("    by the MPI library: {0}: {1}\n", calls, reasonText(Reason(reason)));
  }
  return result;
}
