#include "cclc/MscclppSim/SizedPlan.h"

#include "cclc/Data/BufferLayout.h"
#include "cclc/MscclppProof/Unroll.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::mscclpp;
using llvm::formatv;

/// The largest buffer of a rank, in bytes: offsets have 32 bits.
static constexpr uint64_t maxBuffer = ~uint32_t(0);

FailureOr<SizedPlan> SizedPlan::create(const Plan &plan, Bytes requested, DataType type,
                                       DiagnosticEngine &diags) {
  const Header &header = plan.header();
  uint64_t size = requested.count();
  if (size < header.minBytes || (header.maxBytes && size > *header.maxBytes))
    return diags.error({}, formatv("the plan is for {0} to {1} bytes, not for {2}", header.minBytes,
                                   header.maxBytes ? std::to_string(*header.maxBytes) : "unlimited",
                                   size));
  uint64_t granule = header.bufferAlignment;
  uint64_t chunk = llvm::alignTo(
      ceilDiv(std::max<uint64_t>(size, 1), chunksOfBuffer(header.collective)), granule);
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
  Division division;
  division.granules = chunk / granule;
  division.bytesOfPieces = granule;
  FailureOr<Plan> unrolled = unroll(plan, division, diags);
  if (failed(unrolled))
    return failure();
  return SizedPlan{plan, std::move(*unrolled), granule, chunk, requested, type};
}
