//===- CallStatistics.cpp - Calls by collective ---------------------------===//
//
// Times are those of whole calls in one process: with the waits for other processes that come
// later, whichever way the call takes.
//
//===----------------------------------------------------------------------===//

#include "CallStatistics.h"

#include "cclc/Support/MemoryBudget.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::run;
using llvm::formatv;

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
  case Reason::Comparison:
    return "comparison of times";
  }
  return "";
}

std::string CallStatistics::Calls::text() const {
  return formatv("{0} in {1:F1} us", sizeText(Bytes(bytes)), double(nanoseconds) / 1e3);
}

/// The times of the calls that were compared, and of as many calls by plans in each class of sizes.
std::string CallStatistics::comparisonText(size_t kind) const {
  uint64_t calls = 0;
  double library = 0, plans = 0;
  for (const SizeClass &one : classes[kind])
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
  for (size_t kind = 0; kind < byPlans.size(); ++kind) {
    const Calls &plans = byPlans[kind], &library = byLibrary[kind];
    if (plans.calls + library.calls == 0)
      continue;
    result += formatv("  {0}: {1} by plans, {2} by the MPI library\n",
                      collectiveName(CollectiveKind(kind)).data(), uint64_t(plans.calls),
                      uint64_t(library.calls));
    result += formatv("    plans: {0}; MPI library: {1}\n", plans.text(), library.text());
    result += comparisonText(kind);
    for (size_t reason = 0; reason < reasons[kind].size(); ++reason)
      if (uint64_t calls = reasons[kind][reason])
        result += formatv("    by the MPI library: {0}: {1}\n", calls, reasonText(Reason(reason)));
  }
  return result;
}
