//===- SizedPlan.cpp - The chunks that the executor moves for a size ------===//
//
// Pipelines and shared operations become operations on smaller chunks (Mscclpp/Proof/Unroll.h).
// These are as large as the size allows, so that large messages take few of them.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Mscclpp/SizedPlan.h"

#include "cclc/Mscclpp/Proof/Unroll.h"
#include "cclc/Sim/Data/BufferLayout.h"
#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

namespace cclc::mscclpp {

using llvm::formatv;

/// The largest buffer of a rank, in bytes: offsets have 32 bits.
static constexpr uint64_t maxBuffer = ~uint32_t(0);

/// The largest unit of which all chunks, pieces of pipelines and parts of shared operations are
/// multiples, or a granule if parts have different sizes.
static uint64_t unitOf(const Plan &plan, uint64_t chunk, uint64_t granule) {
  uint64_t whole = chunk, parts = 1;
  for (const Operation &op : plan.ops()) {
    if (op.op == OpKind::Pipeline)
      whole = std::gcd(whole, op.pieces.bytes);
    parts = std::lcm(parts, uint64_t(op.share.parts));
    if (parts > whole)
      return granule;
  }
  return whole % (parts * granule) == 0 ? whole / parts : granule;
}

uint64_t sizeMultiple(const Header &header) {
  return std::max<uint64_t>(chunksOfBuffer(header.collective), 1) * header.bufferAlignment;
}

FailureOr<SizedPlan> SizedPlan::create(const Plan &plan, Bytes requested, DataType type,
                                       DiagnosticEngine &diags) {
  const Header &header = plan.header();
  uint64_t size = requested.count();
  if (size < header.minBytes || (header.maxBytes && size > *header.maxBytes))
    return diags.error({}, formatv("the plan is for {0} to {1} bytes, not for {2}", header.minBytes,
                                   header.maxBytes ? std::to_string(*header.maxBytes) : "unlimited",
                                   size));
  if (const uint64_t multiple = sizeMultiple(header), over = size % multiple; over) {
    const std::string least = size < multiple ? "" : formatv("{0} and ", size - over).str();
    return diags.error({}, formatv("{0} bytes are no multiple of {1}, so that the executor of "
                                   "MSCCL++ throws: it divides a buffer into {2} of a multiple of "
                                   "{3} bytes; it executes {4}{5} bytes",
                                   size, multiple,
                                   counted(multiple / header.bufferAlignment, "chunk"),
                                   header.bufferAlignment, least, size - over + multiple));
  }
  uint64_t granule = header.bufferAlignment;
  uint64_t chunk = std::max(
      size / std::max<uint64_t>(chunksOfBuffer(header.collective), 1), granule);
  bool packets =
      llvm::any_of(plan.ops(), [](const Operation &op) { return traits(op.op).usesPackets(); });
  for (const Rank &rank : plan.ranks()) {
    uint64_t scratch =
        uint64_t(rank.scratchChunks) * (packets ? 2 : 1) * (header.doubleScratch ? 2 : 1);
    uint64_t most = std::max({uint64_t(rank.inputChunks), uint64_t(rank.outputChunks), scratch});
    if (chunk > maxBuffer / std::max<uint64_t>(most, 1))
      return diags.error({},
                         formatv("{0} bytes take a buffer of {1} chunks of {2} bytes, more than "
                                 "the 4 GiB that the executor of MSCCL++ addresses",
                                 size, most, chunk));
  }
  if (!needsUnrolling(plan))
    return SizedPlan{plan, plan, chunk, chunk, requested, type};
  uint64_t unit = unitOf(plan, chunk, granule);
  Division division;
  division.granules = chunk / unit;
  division.bytesOfPieces = unit;
  FailureOr<Plan> unrolled = unroll(plan, division, diags);
  if (failed(unrolled))
    return failure();
  return SizedPlan{plan, std::move(*unrolled), unit, chunk, requested, type};
}

} // namespace cclc::mscclpp
