//===- NodeTransport.cpp - Messages inside nodes and between them ---------===//
//
// A message in a slot is complete when it is sent: its data have been copied or formed there, and
// remain after the execution of its sender has ended. One in a buffer has to remain until isRead().
//
// Where buffers are not shared, two copies, through a slot that stays in the caches, are faster
// than the one of the kernel that reads the memory of another process page by page
// (process_vm_readv), and much faster before a sum.
//
//===----------------------------------------------------------------------===//

#include "NodeTransport.h"

using namespace cclc;
using namespace cclc::run;

NodeTransport::NodeTransport(const PreparedPlan &plan, RankId rank, uint32_t shift,
                             bool withCredits, MPI_Comm comm, const SharedPlan &node)
    : comm(comm), messages(plan, rank, shift, withCredits, comm,
                           [&](ConnectionId id) { return !node.has(id); }),
      senderOf(plan.connections.size()), receiverOf(plan.connections.size()) {
  for (uint32_t c = 0; c < plan.connections.size(); ++c) {
    const ConnectionId id(c);
    const Connection &connection = plan.connections.connections()[c];
    const bool sends = plan.plan.threadblocks()[connection.senderTb].rank == rank;
    const bool receives = plan.plan.threadblocks()[connection.receiverTb].rank == rank;
    if (!sends && !receives)
      continue;
    if (!node.has(id)) {
      if (sends)
        senderOf[c] = &senders.emplace_back(messages.sender(id));
      if (receives)
        receiverOf[c] = &receivers.emplace_back(messages.receiver(id));
      continue;
    }
    const MessagePlaces places(plan, id, node.direct, node.buffers);
    if (sends)
      senderOf[c] = &senders.emplace_back(MessageSender(node.ring(id), places));
    if (receives)
      receiverOf[c] = &receivers.emplace_back(MessageReceiver(node.ring(id), places));
    hasRings = true;
  }
}

void NodeTransport::callLibrary(MPI_Comm comm) {
  int here;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &here, MPI_STATUS_IGNORE);
}
