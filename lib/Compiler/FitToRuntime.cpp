#include "FitToRuntime.h"

#include "cclc/Msccl/Xml.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

LogicalResult cclc::fitToRuntime(Compiled &compiled, const MscclDialect &dialect,
                                 UnsafeSizes unsafe, DiagnosticEngine &diags) {
  const ProgramInfo &info = compiled.plan.info();
  if (failed(checkMscclLimits(compiled.plan, dialect, diags)))
    return failure();
  uint32_t slots = compiled.report ? compiled.report->slotsNeeded.value_or(0) : 0;
  if (failed(constraintsOf(dialect, info.protocol).check(Rule::Slots, slots, {}, diags, [&] {
        return "protocol " + protocolName(info.protocol).str();
      })))
    return failure();
  if (!dialect.hasOutOfPlace && info.placements == Placements::both())
    diags.warning({}, formatv("{0} uses an algorithm in place or out of place, not both: this "
                              "file is for in place; compile another one with -p "
                              "buffers=out_of_place",
                              dialect.runtime));
  // An unverified plan has no known safe sizes.
  if (!compiled.report)
    return success();
  return restrictSizes(compiled.plan, dialect, compiled.report->slotsNeeded, unsafe, diags);
}
