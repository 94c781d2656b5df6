//===- StepMover.cpp - The data of a step ---------------------------------===//
//
// The order of operands is that of Ops.def, so that sums are rounded as in the simulator.
//
//===----------------------------------------------------------------------===//

#include "cclc/Run/StepMover.h"

#include "cclc/Run/StreamingCopy.h"

using namespace cclc;
using namespace cclc::run;

/// Messages and data may be the same memory.
static void transfer(std::byte *to, const std::byte *from, size_t bytes) {
  if (to != from)
    copyData(to, from, bytes);
}

StepMover::StepMover(const PreparedPlan &plan, RankId rank)
    : plan(plan),
      reduce(plan.settings.others ? plan.settings.others->reduce
                                  : reduceFunction(plan.settings.type, plan.settings.op)),
      firstStep(plan.firstStep(rank)), streaming(findStreamingSteps(plan, rank)) {
  // Small messages cost little more than the divisions that these take.
  for (const Threadblock &block : plan.plan.threadblocks(rank))
    for (const Step &step : plan.plan.steps(block))
      if (plan.pieces() == 1)
        places.push_back(placesOf(step, 0));
}

static constexpr PreparedPlan::Span unused{0, ~uint64_t(0)};

std::optional<StepMover::Places> StepMover::placesOf(const Step &step, uint32_t piece) const {
  const OpTraits &op = traits(step.op);
  std::optional<PreparedPlan::Span> src = unused, dst = unused;
  if (op.readsSrc)
    src = plan.adjacentSpan(step.src, step.count, piece);
  if (op.writesDst)
    dst = plan.adjacentSpan(step.dst, step.count, piece);
  return src && dst ? std::optional(Places{*src, *dst}) : std::nullopt;
}

void StepMover::store(const Step &step, std::byte *to, const std::byte *from, size_t bytes) const {
  if (to == from)
    return;
  if (!streaming.empty() && streaming[&step - firstStep])
    copyStreaming(to, from, bytes);
  else
    copyData(to, from, bytes);
}

void StepMover::move(const Step &step, uint32_t piece, const std::byte *in, std::byte *out) {
  if (auto whole = places.empty() ? placesOf(step, piece) : places[&step - firstStep])
    return moveSpan(step, whole->src, whole->dst, in, out);
  const OpTraits &op = traits(step.op);
  for (uint32_t c = 0; c < step.count; ++c) {
    size_t offset = c * plan.pieceBytes();
    moveSpan(step, op.readsSrc ? plan.span(step.src, c, piece) : unused,
             op.writesDst ? plan.span(step.dst, c, piece) : unused, in ? in + offset : nullptr,
             out ? out + offset : nullptr);
  }
}

/// The shorter of the two spans is that of the data: scratch is padded.
void StepMover::moveSpan(const Step &step, const PreparedPlan::Span &src,
                         const PreparedPlan::Span &dst, const std::byte *in, std::byte *out) {
  size_t elements = std::min(src.count, dst.count);
  size_t bytes = elements * plan.elementSize();
  switch (step.op) {
  case OpKind::Send:
    return transfer(out, at(step.src, src), bytes);
  case OpKind::Recv:
    return store(step, at(step.dst, dst), in, bytes);
  case OpKind::Copy:
    return store(step, at(step.dst, dst), at(step.src, src), bytes);
  case OpKind::Reduce:
    return reduce(at(step.dst, dst), at(step.dst, dst), at(step.src, src), elements);
  case OpKind::RecvCopySend:
    transfer(at(step.dst, dst), in, bytes);
    return transfer(out, at(step.dst, dst), bytes);
  case OpKind::RecvReduceCopy:
    return reduce(at(step.dst, dst), at(step.src, src), in, elements);
  case OpKind::RecvReduceSend:
    return reduce(out, at(step.src, src), in, elements);
  case OpKind::RecvReduceCopySend:
    reduce(at(step.dst, dst), at(step.src, src), in, elements);
    return transfer(out, at(step.dst, dst), bytes);
  case OpKind::Nop:
    return;
  }
}
