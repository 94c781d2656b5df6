//===- RingMessages.cpp - Messages in slots or in memory ------------------===//
//
// The chunks of a direct message are adjacent. Those of one piece are only if there is one chunk or
// one piece, so that each piece of a message begins the bytes of a piece after the one before.
//
//===----------------------------------------------------------------------===//

#include "RingMessages.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::run;

MessagePlaces::MessagePlaces(const PreparedPlan &plan, ConnectionId id,
                             const DirectMessages &direct, ArrayRef<RankBuffers> memory)
    : pieceBytes(plan.pieceBytes()), endOffset(plan.pieces() * plan.pieceBytes()) {
  const Connection &connection = plan.connections.connections()[id.index()];
  const RankId sender = plan.plan.threadblocks()[connection.senderTb].rank;
  forEachMessage(plan.plan, connection, [&](uint32_t send, uint32_t) {
    const Step &step = plan.plan.steps()[send];
    std::byte *&place = places.emplace_back(nullptr);
    if (!direct.of(StepId(send)))
      return;
    const Operand sent = *sentOperand(step);
    const RankBuffers &buffers = memory[sender.index()];
    if (buffers[size_t(sent.buffer())])
      place = plan.address(buffers, sent, *plan.adjacentSpan(sent, step.count, 0));
  });
  if (llvm::all_of(places, [](std::byte *place) { return !place; }))
    places.clear();
}
