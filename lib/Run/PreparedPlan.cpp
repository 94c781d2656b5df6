//===- PreparedPlan.cpp - A plan prepared for execution -------------------===//
//
// The pieces of a chunk are of equal size, and a slot holds a piece of each chunk of a message.
//
//===----------------------------------------------------------------------===//

#include "cclc/Run/PreparedPlan.h"

#include "Pipelining.h"

#include "cclc/Support/Units.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::run;

uint32_t run::slotsToExecute(Slots slots, std::optional<uint32_t> needed) {
  return slots.isUnlimited() ? std::max(defaultSlots.limit(), needed.value_or(0)) : slots.limit();
}

std::optional<Operand> run::sentOperand(const Step &step) {
  switch (step.op) {
  case OpKind::Send:
    return step.src;
  case OpKind::RecvCopySend:
  case OpKind::RecvReduceCopySend:
    return step.dst;
  default:
    return std::nullopt;
  }
}

RunSettings run::settingsOfNodes(const ExecPlan &plan, uint64_t elements, RunSettings settings) {
  constexpr uint32_t mostPieces = (1 << 20) / threadSlotBytes;
  settings.slotBytes = threadSlotBytes;
  settings.sharesMemory = reduces(plan.info().collective.kind()) ||
                          PreparedPlan(plan, elements, settings).pieces() <= mostPieces;
  if (!settings.sharesMemory)
    settings.slotBytes = std::nullopt;
  return settings;
}

PreparedPlan::PreparedPlan(const ExecPlan &plan, uint64_t elements, const RunSettings &settings)
    : plan(plan), settings(settings), connections(plan), layout(plan.info().collective, elements),
      bytesPerElement(settings.others ? settings.others->size : sizeOf(settings.type)),
      maxCounts(connections.size()), publishers(findPublishers(plan)) {
  choosePieces();
}

/// Pieces are chosen such that an average message fills a slot: with less, the cost of messages
/// dominates, and with more, slots leave the caches and ranks overlap less. Processes choose the
/// slot by the plan.
void PreparedPlan::choosePieces() {
  uint64_t messages = 0, chunks = 0;
  for (uint32_t c = 0; c < connections.size(); ++c)
    forEachMessage(plan, connections.connections()[c], [&](uint32_t send, uint32_t) {
      uint32_t count = plan.steps()[send].count;
      maxCounts[c] = std::max(maxCounts[c], count);
      chunks += count;
      ++messages;
    });
  uint64_t average = messages ? ceilDiv(chunks, messages) : 1;
  uint64_t bytes = layout.chunkElements() * average * bytesPerElement;
  uint64_t slot = settings.slotBytes.value_or(
      std::min(ceilDiv(bytes, bestPieces(findPipelining(*this), bytes, processMessageCost)),
               processSlotLimit));
  uint64_t fits = std::max<uint64_t>(slot / bytesPerElement / average, 1);
  numPieces = std::max<uint64_t>(ceilDiv(layout.chunkElements(), fits), 1);
  // Equal pieces rather than a short last one.
  perPiece = std::max<uint64_t>(ceilDiv(layout.chunkElements(), numPieces), 1);
  numPieces = std::max<uint64_t>(ceilDiv(layout.chunkElements(), perPiece), 1);
}

uint64_t PreparedPlan::totalSlotBytes() const {
  uint64_t total = 0;
  for (uint32_t c = 0; c < connections.size(); ++c)
    total += settings.slots * slotBytes(ConnectionId(c));
  return total;
}

uint32_t PreparedPlan::satisfiedBy(RankId rank, Wait wait) const {
  return waitTarget(plan, publishers, rank, wait).index() -
         plan.threadblocks(rank)[wait.tb.index()].firstStep;
}

const Step *PreparedPlan::firstStep(RankId rank) const {
  ArrayRef<Threadblock> blocks = plan.threadblocks(rank);
  return plan.steps().data() + (blocks.empty() ? 0 : blocks.front().firstStep);
}

std::optional<PreparedPlan::Span> PreparedPlan::wholeSpan(Operand operand, uint32_t count) const {
  Span first = span(operand, 0, 0), last = span(operand, count - 1, 0);
  uint64_t before = (count - 1) * perPiece;
  if (numPieces > 1 || last.first != first.first + before)
    return std::nullopt;
  return Span{first.first, before + last.count};
}

Placement PreparedPlan::placementOf(const RankBuffers &buffers) const {
  Placements placements = plan.info().placements;
  if (placements != Placements::both())
    return placements.list().front();
  auto [input, output, scratch] = buffers;
  bool overlap = input < output + layout.elements(Buffer::Output) * bytesPerElement &&
                 output < input + layout.elements(Buffer::Input) * bytesPerElement;
  return overlap ? Placement::InPlace : Placement::OutOfPlace;
}

Placement PreparedPlan::placementOf(ArrayRef<RankBuffers> memory) const {
  bool inPlace = llvm::any_of(memory, [&](const RankBuffers &buffers) {
    return buffers != RankBuffers{} && placementOf(buffers) == Placement::InPlace;
  });
  return inPlace ? Placement::InPlace : Placement::OutOfPlace;
}
