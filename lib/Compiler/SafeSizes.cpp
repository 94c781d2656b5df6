//===- SafeSizes.cpp - maxBytes of a plan for a runtime or a target -------===//
//
// SizeVerifier computes the largest safe size with the slots and transmissions of the destination.
// It is a multiple of 8 bytes, the size of the largest element, so it is valid for elements of
// every type.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/SafeSizes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

Transmissions cclc::transmissionsOf(const MscclDialect &dialect, const ProgramInfo &plan) {
  const MscclTransmissions &moves = dialect.transmissionsOf(plan.protocol);
  return {dialect.name,
          dialect.runtime,
          Slots(moves.slots),
          {Bytes(moves.slotBytes), MscclDialect::count}};
}

std::optional<Transmissions> cclc::transmissionsOf(const Machine &machine,
                                                   const ProgramInfo &plan) {
  const ProtocolModel *protocol = machine.find(plan.protocol);
  if (!protocol)
    return std::nullopt;
  std::string name = "target " + machine.name;
  return Transmissions{
      name, name, machine.slotsFor(plan), {protocol->slotSize, protocol->maxChunks}};
}

std::optional<uint64_t> cclc::largestSafe(const ExecPlan &plan, const Transmissions &moves,
                                          std::optional<uint32_t> slotsNeeded) {
  if (plan.maxCount() == 1)
    return std::nullopt; // steps of one chunk are not split
  ConnectionTable connections(plan);
  SizeVerifier verifier(plan, connections, moves.slots, moves.size, slotsNeeded);
  std::optional<Bytes> largest = verifier.largestSafe(sizeof(double));
  if (!largest)
    return std::nullopt;
  return largest->count();
}

std::string cclc::whyUnsafe(const ExecPlan &plan, const Transmissions &moves) {
  return formatv("steps of up to {0} chunks take more transmissions than a connection "
                 "holds ({1})",
                 plan.maxCount(), moves.slots.str());
}

static void setLargest(ExecPlan &plan, uint64_t safe, const Transmissions &moves,
                       DiagnosticEngine &diags) {
  plan.setMaxBytes(safe);
  diags.warning(
      {},
      formatv(
          "the plan is limited to sizes of up to {0} bytes: above, {1} of {2}, and the plan hangs",
          safe, whyUnsafe(plan, moves), moves.executor));
}

LogicalResult cclc::restrictSizes(ExecPlan &plan, const Transmissions &moves,
                                  std::optional<uint32_t> slotsNeeded, UnsafeSizes unsafe,
                                  DiagnosticEngine &diags) {
  std::optional<uint64_t> safe = largestSafe(plan, moves, slotsNeeded);
  if (!safe)
    return success();
  const ProgramInfo &info = plan.info();
  auto refuse = [&](const std::string &what) {
    return diags.error({}, illegalFor(moves.owner, what));
  };
  if (*safe == 0)
    return refuse(formatv("at every size {0}, and the plan hangs; copy fewer chunks at once, or "
                          "compile for more slots",
                          whyUnsafe(plan, moves)));
  bool isCut = unsafe == UnsafeSizes::Cut;
  bool tooLarge = !isCut && info.maxBytes.value_or(0) > *safe;
  if (tooLarge || info.minBytes > *safe) {
    const char *what = isCut ? "minimum size" : tooLarge ? "--max-bytes" : "--min-bytes";
    return refuse(formatv("{0} of {1} bytes: above {2} bytes {3}, and the plan hangs; use a size "
                          "of at most {2}",
                          what, tooLarge ? *info.maxBytes : info.minBytes, *safe,
                          whyUnsafe(plan, moves)));
  }
  if (!info.maxBytes || *info.maxBytes > *safe)
    setLargest(plan, *safe, moves, diags);
  return success();
}
