#include "cclc/Legality/Legality.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
class LegalityChecker {
public:
  LegalityChecker(const ExecPlan &plan, const Machine &machine, DiagnosticEngine &diags)
      : plan(plan), machine(machine), limits(machine.limits), diags(diags) {}

  LogicalResult check() {
    if (plan.ranks() > machine.numEndpoints())
      return diags.error({}, formatv("illegal for target {0}: {1} ranks, but it has {2} PEs",
                                     machine.name, plan.ranks(), machine.numEndpoints()));
    if (failed(within(limits.channels, plan.channels(), "channels", {},
                      "use fewer channels or instances")))
      return failure();
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      if (failed(checkRank(RankId(r))))
        return failure();
    return success();
  }

private:
  LogicalResult within(std::optional<uint32_t> limit, uint64_t value, const std::string &what,
                       Location loc, StringRef remedy) {
    if (!limit || value <= *limit)
      return success();
    return diags.error(loc, formatv("illegal for target {0}: {1} {2}, the limit is {3}; {4}",
                                    machine.name, value, what, *limit, remedy));
  }

  LogicalResult checkRank(RankId rank) {
    std::string on = formatv("on r{0}", rank.index());
    if (failed(within(limits.threadblocks, plan.numThreadblocks(rank), "threadblocks " + on, {},
                      "use fewer channels or instances")))
      return failure();
    uint32_t sends = 0, receives = 0;
    for (const Threadblock &tb : plan.threadblocks(rank)) {
      sends += tb.sendPeer.has_value();
      receives += tb.recvPeer.has_value();
      if (failed(within(limits.stepsPerThreadblock, tb.numSteps, "steps in one threadblock " + on,
                        {}, "spread the work over more channels")))
        return failure();
      if (!limits.count)
        continue;
      for (const Step &step : plan.steps(tb))
        if (step.count > *limits.count)
          return within(limits.count, step.count, "chunks in one step",
                        plan.info().locate(step.loc), "split the operation");
    }
    if (failed(within(limits.queuePairs, sends, "outgoing connections " + on, {},
                      "let the rank have fewer neighbours or channels")))
      return failure();
    return within(limits.queuePairs, receives, "incoming connections " + on, {},
                  "let the rank have fewer neighbours or channels");
  }

  const ExecPlan &plan;
  const Machine &machine;
  const TargetLimits &limits;
  DiagnosticEngine &diags;
};
} // namespace

LogicalResult cclc::checkLegality(const ExecPlan &plan, const Machine &machine,
                                  DiagnosticEngine &diags) {
  return LegalityChecker(plan, machine, diags).check();
}
