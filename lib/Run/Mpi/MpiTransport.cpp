//===- MpiTransport.cpp - Slots as messages of MPI ------------------------===//
//
// Receives are posted for one call at a time: a message of a later plan on the same communicator
// would otherwise arrive in a slot of this one. As many are posted as the connection has slots,
// whether messages arrive in slots or not: the proof of the plan holds, since no message that would
// have a slot waits for its receiver to execute a step.
//
//===----------------------------------------------------------------------===//

#include "MpiTransport.h"

using namespace cclc;
using namespace cclc::run;

MpiTransport::MpiTransport(const PreparedPlan &plan, RankId rank, uint32_t shift, bool withCredits,
                           MPI_Comm comm, llvm::function_ref<bool(ConnectionId)> includes)
    : plan(plan), rank(rank), withCredits(withCredits), comm(comm), firstStep(plan.firstStep(rank)),
      senderOf(plan.connections.size()), receiverOf(plan.connections.size()) {
  for (const Threadblock &tb : plan.plan.threadblocks(rank)) {
    blocks.push_back({0, tb.numSteps, nullptr});
    for (const Step &step : plan.plan.steps(tb))
      if (plan.pieces() == 1) {
        sources.push_back(sourceSpan(step, 0));
        destinations.push_back(destinationSpan(step, 0));
      }
  }
  uint32_t first = plan.plan.firstThreadblock(rank);
  for (uint32_t c = 0; c < plan.connections.size(); ++c) {
    if (!includes(ConnectionId(c)))
      continue;
    const Connection &connection = plan.connections.connections()[c];
    RankId from = plan.plan.threadblocks()[connection.senderTb].rank;
    RankId to = plan.plan.threadblocks()[connection.receiverTb].rank;
    if (from == rank) {
      senderOf[c] = &senders.emplace_back();
      prepare(*senderOf[c], ConnectionId(c), connection.senderTb - first, to, shift);
      blocks[connection.senderTb - first].sender = senderOf[c];
    }
    if (to == rank) {
      receiverOf[c] = &receivers.emplace_back();
      prepare(*receiverOf[c], ConnectionId(c), connection.receiverTb - first, from, shift);
      receiverOf[c]->places.resize(plan.settings.slots);
      receiverOf[c]->failures.resize(receiverOf[c]->steps.size());
      for (uint32_t slot = plan.settings.slots; slot-- > 0;)
        receiverOf[c]->freeSlots.push_back(receiverOf[c]->slot(slot));
      receiverOf[c]->messages = receiverOf[c]->steps.size() * plan.pieces();
    }
  }
}

template <class Side>
void MpiTransport::prepare(Side &side, ConnectionId connection, uint32_t threadblock, RankId peer,
                           uint32_t shift) {
  const Threadblock &tb = plan.plan.threadblocks(rank)[threadblock];
  side.transport = this;
  side.threadblock = threadblock;
  ArrayRef<Step> steps = plan.plan.steps(tb);
  for (uint32_t s = 0; s < steps.size(); ++s)
    if (const OpTraits &op = traits(steps[s].op); Side::receives ? op.receives : op.sends)
      side.steps.push_back(s);
  side.slotBytes = plan.slotBytes(connection);
  side.slots.reset(new std::byte[side.slotBytes * plan.settings.slots]);
  side.requests.assign(plan.settings.slots, MPI_REQUEST_NULL);
  side.peer = int((peer.index() + shift) % plan.plan.ranks());
  side.tag = int(tb.channel.index());
}

void MpiTransport::begin(const RankBuffers &buffers) {
  memory = buffers;
  firstError = MPI_SUCCESS;
  Placement placement = plan.placementOf(memory);
  std::unique_ptr<MemoryConflicts> &table = tables[size_t(placement)];
  if (!table)
    table = std::make_unique<MemoryConflicts>(plan, rank, placement);
  conflicts = table.get();
  for (Block &block : blocks)
    block.executed = 0;
  for (Sender &sender : senders)
    sender.begin();
  for (Receiver &receiver : receivers)
    receiver.begin();
}

bool MpiTransport::ended() {
  for (Sender &sender : senders)
    if (!sender.ended())
      return false;
  return true;
}

void MpiTransport::poll(bool moved) {
  idle = moved ? 0 : idle + 1;
  for (Receiver &receiver : receivers)
    receiver.post(idle);
}

MpiTransport::MessageSpan MpiTransport::sourceSpan(const Step &step, uint32_t piece) const {
  std::optional<Operand> operand = sentOperand(step);
  if (withCredits || !operand)
    return std::nullopt;
  return plan.adjacentSpan(*operand, step.count, piece);
}

MpiTransport::MessageSpan MpiTransport::destinationSpan(const Step &step, uint32_t piece) const {
  if (withCredits || (step.op != OpKind::Recv && step.op != OpKind::RecvCopySend))
    return std::nullopt;
  MessageSpan span = plan.adjacentSpan(step.dst, step.count, piece);
  // The sender of a shorter chunk at the end of a block may send padding as well.
  return span && span->count == step.count * plan.pieceElements() ? span : std::nullopt;
}

MutableArrayRef<std::byte> MpiTransport::inMemory(Operand operand, const MessageSpan &span) const {
  if (!span)
    return {};
  return {plan.address(memory, operand, *span), span->count * plan.elementSize()};
}

MutableArrayRef<std::byte> MpiTransport::source(const Step &step, uint32_t piece) const {
  const MessageSpan &span = sources.empty() ? sourceSpan(step, piece) : sources[&step - firstStep];
  return span ? inMemory(*sentOperand(step), span) : MutableArrayRef<std::byte>();
}

MutableArrayRef<std::byte> MpiTransport::destination(const Step &step, uint32_t piece) const {
  return inMemory(step.dst, destinations.empty() ? destinationSpan(step, piece)
                                                 : destinations[&step - firstStep]);
}

bool MpiTransport::isSent(const MemoryConflicts::Prefix &prefix, uint32_t piece) {
  Sender *sender = blocks[prefix.threadblock].sender;
  if (!sender)
    return true;
  // To wait for a message that follows would be to wait for those sent since, which no receive of
  // the peer may be posted for.
  const uint64_t messages = piece * sender->steps.size() + prefix.sends;
  return sender->sent < messages || sender->finish(messages);
}

bool MpiTransport::mayArrive(uint32_t threadblock, uint32_t step, uint32_t piece) {
  for (const MemoryConflicts::Prefix &prefix : conflicts->beforeArrival(threadblock, step)) {
    const Block &block = blocks[prefix.threadblock];
    if (block.executed < uint64_t(piece) * block.steps + prefix.steps || !isSent(prefix, piece))
      return false;
  }
  return true;
}
