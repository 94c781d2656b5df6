//===- EndpointCheck.cpp - Sums over the plans of an endpoint -------------===//
//
// Collects the ranks of every endpoint, and compares the sums of those with ranks of several plans
// with the limits of the machine.
//
// Implements rule 51.
//
//===----------------------------------------------------------------------===//

#include "cclc/Limits/EndpointCheck.h"

#include "cclc/Limits/PlanCheck.h"
#include "cclc/Limits/PlanQueues.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace cclc;
using llvm::formatv;

namespace {
/// A rank on an endpoint.
struct Guest {
  size_t plan;
  RankId rank;
};

class EndpointChecker {
public:
  EndpointChecker(ArrayRef<PlanOnEndpoints> plans, const Machine &machine, DiagnosticEngine &diags)
      : plans(plans), machine(machine), constraints(constraintsOf(machine)), diags(diags) {
    for (const PlanOnEndpoints &plan : plans) {
      memories.emplace_back(plan.plan, machine, plan.slots);
      queues.emplace_back(plan.plan, machine);
    }
  }

  LogicalResult check(EndpointId endpoint, ArrayRef<Guest> guests) const {
    auto connections = [&](Peers (ExecPlan::*peers)(const Threadblock &) const) {
      return [=, this](const Guest &guest) {
        uint64_t count = 0;
        const ExecPlan &plan = plans[guest.plan].plan;
        for (const Threadblock &tb : plan.threadblocks(guest.rank))
          count += (plan.*peers)(tb).size();
        return count;
      };
    };
    auto threadblocks = [&](const Guest &guest) -> uint64_t {
      return plans[guest.plan].plan.numThreadblocks(guest.rank);
    };
    if (failed(checkSum(Rule::Threadblocks, endpoint, guests, threadblocks)) ||
        failed(checkSum(Rule::Outgoing, endpoint, guests, connections(&ExecPlan::sendPeers))) ||
        failed(checkSum(Rule::Incoming, endpoint, guests, connections(&ExecPlan::recvPeers))))
      return failure();
    for (size_t g = 0; g < numQueueGroups && !machine.directionQueues.multiplex; ++g) {
      auto group = static_cast<QueueGroup>(g);
      auto needed = [&](const Guest &guest) -> uint64_t {
        return queues[guest.plan].needed(guest.rank, group);
      };
      if (failed(checkSum(queueRule(group), endpoint, guests, needed,
                          ", or let connections share queues (--multiplex-queues)")))
        return failure();
    }
    for (size_t m = 0; m < numPeMemories; ++m) {
      auto memory = static_cast<PeMemory>(m);
      auto bytes = [&](const Guest &guest) {
        return memories[guest.plan].needOf(memory, guest.rank, plans[guest.plan].chunk).total();
      };
      if (failed(checkSum(memoryRule(memory), endpoint, guests, bytes)))
        return failure();
    }
    return success();
  }

private:
  LogicalResult checkSum(Rule rule, EndpointId endpoint, ArrayRef<Guest> guests,
                         llvm::function_ref<uint64_t(const Guest &)> numberOf,
                         StringRef otherRemedy = "") const {
    uint64_t sum = 0;
    for (const Guest &guest : guests)
      sum = llvm::SaturatingAdd(sum, numberOf(guest));
    // "endpoint 3 (2 for r3 of a.json, 4 for r0 of b.json)"
    auto where = [&] {
      SmallVector<std::string, 2> parts;
      for (const Guest &guest : guests)
        parts.push_back(formatv("{0} for r{1} of {2}", numberOf(guest), guest.rank.index(),
                                plans[guest.plan].name));
      return formatv("endpoint {0} ({1})", endpoint.index(), llvm::join(parts, ", ")).str();
    };
    std::optional<Breach> breach = constraints.check(
        rule, std::min<uint64_t>(sum, std::numeric_limits<int64_t>::max()), where);
    if (!breach)
      return success();
    breach->remedy =
        formatv("run the plans on different endpoints, or one after the other{0}", otherRemedy);
    return diags.error({}, breach->message());
  }

  ArrayRef<PlanOnEndpoints> plans;
  const Machine &machine;
  Constraints constraints;
  DiagnosticEngine &diags;
  std::vector<PlanMemory> memories; ///< by plan
  std::vector<PlanQueues> queues;   ///< by plan
};
} // namespace

LogicalResult cclc::checkSharedEndpoints(ArrayRef<PlanOnEndpoints> plans, const Machine &machine,
                                         DiagnosticEngine &diags) {
  std::map<EndpointId, SmallVector<Guest, 2>> guests;
  for (size_t p = 0; p < plans.size(); ++p)
    for (uint32_t r = 0; r < plans[p].plan.ranks(); ++r)
      guests[plans[p].endpointOf[r]].push_back({p, RankId(r)});
  EndpointChecker checker(plans, machine, diags);
  for (const auto &[endpoint, ranks] : guests)
    if (ranks.size() > 1 && failed(checker.check(endpoint, ranks)))
      return failure();
  return success();
}
