#include "MscclRows.h"

#include "cclc/Emit/MscclXml.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::msccl;
using llvm::formatv;

/// Whatever the runtime would read differently is refused here as well.
LogicalResult cclc::checkMscclLimits(const ExecPlan &plan, const MscclDialect &dialect,
                                     DiagnosticEngine &diags) {
  bool illegal = false;
  auto report = [&](const Finding &finding) {
    if (finding.effect == Effect::Advice || illegal)
      return;
    illegal = true;
    Location loc = finding.at ? plan.info().locate(plan.steps()[*finding.at].loc) : Location();
    diags.error(loc,
                formatv("illegal for {0}: {1}; {2}", dialect.name, finding.text, finding.remedy));
  };
  Loader loader(dialect, report);
  std::vector<Row> rows;
  loader.begin(headerOf(plan, dialect));
  for (uint32_t r = 0; r < plan.ranks() && !illegal; ++r) {
    loader.beginRank(gpuOf(plan, RankId(r)), plan.numThreadblocks(RankId(r)));
    uint32_t id = 0;
    for (const Threadblock &tb : plan.threadblocks(RankId(r)))
      loader.add(tbOf(plan, tb, id++, rows));
    loader.endRank();
  }
  return LogicalResult::success(!illegal);
}
