//===- MpiTransport.cpp - Slots as messages of MPI ------------------------===//
//
// Receives are posted for one call at a time: a message of a later plan on the same communicator
// would otherwise arrive in a slot of this one.
//
//===----------------------------------------------------------------------===//

#include "MpiTransport.h"

using namespace cclc;
using namespace cclc::run;

MpiTransport::MpiTransport(const RunPlan &plan, RankId rank, uint32_t shift, bool withCredits,
                           MPI_Comm comm)
    : senders(plan.connections.size()), receivers(plan.connections.size()),
      messages(plan.connections.size()) {
  for (uint32_t c = 0; c < senders.size(); ++c) {
    const Connection &connection = plan.connections.connections()[c];
    const Threadblock &from = plan.plan.threadblocks()[connection.senderTb];
    const Threadblock &to = plan.plan.threadblocks()[connection.receiverTb];
    auto prepare = [&](auto &side, RankId peer) {
      side.slotBytes = plan.slotBytes(ConnectionId(c));
      side.slots.reset(new std::byte[side.slotBytes * plan.settings.slots]);
      side.requests.assign(plan.settings.slots, MPI_REQUEST_NULL);
      side.peer = int((peer.index() + shift) % plan.plan.ranks());
      side.tag = int(from.channel.index());
      side.comm = comm;
      side.withCredits = withCredits;
    };
    if (from.rank == rank)
      prepare(senders[c], to.rank);
    if (to.rank != rank)
      continue;
    prepare(receivers[c], from.rank);
    forEachMessage(plan.plan, connection, [&](uint32_t, uint32_t) { ++messages[c]; });
    messages[c] *= plan.pieces();
  }
}

void MpiTransport::begin(uint32_t executions) {
  for (uint32_t c = 0; c < receivers.size(); ++c) {
    Receiver &receiver = receivers[c];
    receiver.received = receiver.posted = 0;
    receiver.messages = messages[c] * executions;
    for (size_t slot = 0; slot < receiver.requests.size(); ++slot)
      receiver.post(slot);
  }
}

void MpiTransport::end() {
  for (Sender &sender : senders) {
    MPI_Waitall(int(sender.requests.size()), sender.requests.data(), MPI_STATUSES_IGNORE);
    while (sender.withCredits && sender.credited < sender.sent)
      sender.takeCredit();
  }
}
