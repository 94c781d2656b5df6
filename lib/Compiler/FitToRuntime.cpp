#include "FitToRuntime.h"

#include "cclc/Formats/Msccl/Xml.h"

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
  return restrictSizes(compiled.plan, transmissionsOf(dialect, info), compiled.report->slotsNeeded,
                       unsafe, diags);
}

/// Whether \p machine has the slots that the plan needs.
static LogicalResult checkSlots(const Compiled &compiled, const Machine &machine,
                                DiagnosticEngine &diags) {
  const ProgramInfo &info = compiled.plan.info();
  Constraints constraints("target " + machine.name);
  if (Slots slots = machine.slotsFor(info); !slots.isUnlimited())
    constraints.atMost(Limit::Slots, slots.limit());
  return constraints.check(
      Rule::Slots, compiled.report->slotsNeeded.value_or(0), {}, diags, [&]() -> std::string {
        return machine.find(info.protocol) ? "protocol " + protocolName(info.protocol).str()
                                           : "its queues";
      });
}

LogicalResult cclc::fitSizes(Compiled &compiled, const Machine &machine, UnsafeSizes unsafe,
                             DiagnosticEngine &diags) {
  if (!compiled.report)
    return success();
  DiagnosticEngine unheard;
  bool isCut = unsafe == UnsafeSizes::Cut;
  if (failed(checkSlots(compiled, machine, isCut ? unheard : diags)))
    return isCut ? success() : failure();
  std::optional<Transmissions> moves = transmissionsOf(machine, compiled.plan.info());
  return moves ? restrictSizes(compiled.plan, *moves, compiled.report->slotsNeeded, unsafe, diags)
               : success();
}
