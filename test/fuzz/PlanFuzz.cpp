//===- PlanFuzz.cpp - Arbitrary bytes, read as a plan ---------------------===//
//
// Reading ends in a plan or in an error, linting in a verdict with a reason. A plan
// is written as JSON, as text and in binary; each is read back and must be written
// again with the same bytes. Small plans are verified. Binary inputs get a correct
// checksum, which mutations would not produce.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "cclc/Formats/Msccl/Lint.h"
#include "cclc/Formats/PlanBin.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanJson.h"
#include "cclc/IR/Text/Printer.h"
#include "cclc/Proof/PlanVerifier.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"

using namespace cclc;
using namespace cclc::fuzz;

namespace {
std::string jsonOf(const ExecPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePlanJson(plan, os);
  return os.str();
}

std::string textOf(const ExecPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, plan);
  return os.str();
}

std::string binaryOf(const ExecPlan &plan) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  writePlanBin(plan, os);
  return bytes;
}

void repairChecksum(std::string &bytes) {
  if (!looksLikePlanBin(bytes) || bytes.size() < 12)
    return;
  size_t end = bytes.size() - 4;
  uint32_t sum = llvm::crc32(llvm::arrayRefFromStringRef(StringRef(bytes).take_front(end)));
  llvm::support::endian::write32le(bytes.data() + end, sum);
}

void checkForm(const ExecPlan &plan, std::string (*write)(const ExecPlan &), const char *form) {
  std::string once = write(plan);
  DiagnosticEngine diags;
  FailureOr<ExecPlan> again = readPlan(once, "again", diags);
  if (failed(again))
    defect(std::string(form) + " that was written is not read", once, diags);
  // Names that are not UTF-8 lose bytes in JSON, and two names may become equal.
  bool lost = StringRef(once).contains("\xef\xbf\xbd");
  if (write(*again) != once && !lost)
    defect(std::string(form) + " differs when it is written again", once, diags);
}
} // namespace

/// A runtime that does not load a file unchanged has a reason with a location.
static void checkLint(StringRef text) {
  MscclLint lint = lintMsccl(text);
  for (size_t d = 0; d < lint.verdicts.size(); ++d) {
    bool found = lint.verdicts[d] == MscclVerdict::Loads;
    for (const MscclFinding &finding : lint.findings)
      found |= finding.dialects.test(d) && finding.verdict == lint.verdicts[d] &&
               finding.line > 0 && finding.column > 0;
    if (!found)
      defect("a verdict without a reason", text.str(), {});
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  repairChecksum(bytes);
  StringRef text = bytes;
  checkLint(text);
  DiagnosticEngine diags;
  FailureOr<ExecPlan> plan = readPlan(text, "fuzz", diags);
  if (failed(plan)) {
    if (!diags.hasErrors())
      defect("refused without an error", text.str(), diags);
    if (looksLikePlanBin(text) && diags.all().size() != 1)
      defect("more than one error", text.str(), diags);
    return -1;
  }
  if (diags.hasErrors())
    defect("read in spite of an error", text.str(), diags);
  checkForm(*plan, jsonOf, "JSON");
  checkForm(*plan, textOf, "text");
  checkForm(*plan, binaryOf, "binary");
  if (isSmall(*plan))
    for (Slots slots : {Slots(1), Slots(8), Slots::unlimited()}) {
      DiagnosticEngine found;
      PlanProof report = verifyPlan(*plan, slots, found);
      if ((report.verdict == Verdict::Ok) == found.hasErrors())
        defect("the verdict and the errors disagree", text.str(), found);
    }
  return 0;
}
