//===- DialectSizes.cpp - maxBytes of a plan for an MSCCL runtime ---------===//
//
// SizeVerifier computes the largest safe size with the slots and transmissions of the runtime. It
// is a multiple of 8 bytes, the size of the largest element, so it is valid for elements of every
// type.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/DialectSizes.h"

#include "cclc/Sim/SizeVerifier.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

std::optional<uint64_t> cclc::largestSafe(const ExecPlan &plan, const MscclDialect &dialect,
                                          std::optional<uint32_t> slotsNeeded) {
  const MscclTransmissions &moves = dialect.transmissionsOf(plan.info().protocol);
  ConnectionTable connections(plan);
  SizeVerifier verifier(plan, connections, Slots(moves.slots),
                        TransmissionSize{Bytes(moves.slotBytes), MscclDialect::count}, slotsNeeded);
  std::optional<Bytes> largest = verifier.largestSafe(sizeof(double));
  if (!largest)
    return std::nullopt;
  return largest->count();
}

std::string cclc::whyUnsafe(const ExecPlan &plan, const MscclDialect &dialect) {
  return formatv("steps of up to {0} chunks take more transmissions than a connection "
                 "holds ({1})",
                 plan.maxCount(), dialect.transmissionsOf(plan.info().protocol).slots);
}

static void setLargest(ExecPlan &plan, uint64_t safe, const MscclDialect &dialect,
                       DiagnosticEngine &diags) {
  plan.setMaxBytes(safe);
  diags.warning(
      {},
      formatv(
          "the plan is limited to sizes of up to {0} bytes: above, {1} of {2}, and the plan hangs",
          safe, whyUnsafe(plan, dialect), dialect.runtime));
}

LogicalResult cclc::restrictSizes(ExecPlan &plan, const MscclDialect &dialect,
                                  std::optional<uint32_t> slotsNeeded, UnsafeSizes unsafe,
                                  DiagnosticEngine &diags) {
  std::optional<uint64_t> safe = largestSafe(plan, dialect, slotsNeeded);
  if (!safe)
    return success();
  const ProgramInfo &info = plan.info();
  bool isCut = unsafe == UnsafeSizes::Cut;
  bool tooLarge = !isCut && info.maxBytes.value_or(0) > *safe;
  if (tooLarge || info.minBytes > *safe) {
    const char *what = isCut ? "minimum size" : tooLarge ? "--max-bytes" : "--min-bytes";
    return diags.error(
        {},
        illegalFor(dialect.name,
                   formatv("{0} of {1} bytes: above {2} bytes {3}, and the plan hangs; use a size "
                           "of at most {2}",
                           what, tooLarge ? *info.maxBytes : info.minBytes, *safe,
                           whyUnsafe(plan, dialect))
                       .str()));
  }
  if (!info.maxBytes || *info.maxBytes > *safe)
    setLargest(plan, *safe, dialect, diags);
  return success();
}
