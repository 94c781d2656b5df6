//===- MscclppFuzz.cpp - Arbitrary bytes, read as an MSCCL++ plan ---------===//
//
// Reading ends in a plan or in an error. A plan is written, read back and written
// again with the same result; small plans are proved before and after, with the
// same verdict.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "cclc/Mscclpp/Executor.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Mscclpp/Proof/Verify.h"

using namespace cclc;
using namespace cclc::fuzz;

namespace {
std::string textOf(const mscclpp::Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  mscclpp::writeJson(plan, os);
  return os.str();
}

bool isSmallPlan(const mscclpp::Plan &plan) {
  uint64_t size = plan.ops().size();
  for (const mscclpp::Rank &rank : plan.ranks())
    size += rank.scratchChunks;
  for (const mscclpp::Operation &op : plan.ops())
    for (const mscclpp::Place &place : plan.sources(op))
      size += place.count;
  return isSmallCollective(plan.header().collective) && size <= 1 << 14;
}

Verdict prove(const mscclpp::Plan &plan, StringRef input) {
  DiagnosticEngine diags;
  bool legal = succeeded(mscclpp::checkExecutor(plan, diags));
  if (legal == diags.hasErrors())
    defect("limits without an error, or the other way round", input, diags);
  DiagnosticEngine found;
  Verdict verdict = mscclpp::verify(plan, found).verdict;
  if ((verdict == Verdict::Ok) == found.hasErrors())
    defect("a verdict without an error, or the other way round", input, found);
  return verdict;
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  (void)mscclpp::looksLikePlan(text);
  DiagnosticEngine diags;
  Verdict why = Verdict::Ok;
  FailureOr<mscclpp::Plan> plan = mscclpp::readJson(text, "fuzz", diags, &why);
  if (failed(plan)) {
    if (!diags.hasErrors())
      defect("refused without an error", text, diags);
    if (why != Verdict::Malformed && why != Verdict::Unsupported)
      defect("refused without a verdict", text, diags);
    return -1;
  }
  std::string once = textOf(*plan);
  DiagnosticEngine second;
  FailureOr<mscclpp::Plan> again = mscclpp::readJson(once, "again", second);
  if (failed(again))
    defect("a plan that was written is not read", once, second);
  if (textOf(*again) != once)
    defect("a plan differs when it is written again", once, second);
  if (isSmallPlan(*plan) && prove(*plan, text) != prove(*again, once))
    defect("a plan that was written and read has another verdict", once, second);
  return 0;
}
