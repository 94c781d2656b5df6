//===- Fuzz.h - Common helpers of the fuzzers -------------------*- C++ -*-===//

#ifndef CCL_TEST_FUZZ_FUZZ_H
#define CCL_TEST_FUZZ_FUZZ_H

#include "cclc/IR/ExecPlan.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace cclc::fuzz {

/// Reports that a property is violated, prints the input, and aborts.
[[noreturn]] inline void defect(const std::string &what, StringRef input,
                                const DiagnosticEngine &diags) {
  llvm::errs() << "DEFECT: " << what << '\n';
  diags.print(llvm::errs(), "fuzz");
  llvm::errs() << "---- input\n" << input << "\n----\n";
  std::abort();
}

/// The time and memory of analyses are proportional to the number of cells, and a file of a few
/// bytes can declare millions of them.
inline bool isSmallCollective(const Collective &collective) {
  return uint64_t(collective.ranks()) *
             (uint64_t(collective.inputChunks()) + collective.outputChunks()) <=
         1 << 14;
}

inline bool isSmall(const ExecPlan &plan) {
  uint64_t size = 0;
  for (uint32_t chunks : plan.scratchChunks())
    size += chunks;
  for (const Step &step : plan.steps())
    size += step.count;
  return isSmallCollective(plan.info().collective) && size <= 1 << 14;
}

} // namespace cclc::fuzz

#endif // CCL_TEST_FUZZ_FUZZ_H
