//===- MpiConnection.cpp - One side of a connection -----------------------===//
//
// Messages are finished in their order. The sender of a message waits for memory of its receiver
// no longer than it would wait for a slot, except while the receiver has patience.
//
//===----------------------------------------------------------------------===//

#include "MpiConnection.h"

#include "MpiTransport.h"

using namespace cclc;
using namespace cclc::run;

/// Channels have 16 bits, and MPI guarantees 32767 for tags; all libraries have more.
static int creditTag(int channel) { return channel | 1 << 16; }

/// The number of polls without progress after which a message of this size arrives in a slot rather
/// than waits for its memory: longer than its sender needs to produce it from another message.
static uint32_t patience(size_t bytes) { return uint32_t(16 + bytes / 256); }

/// Above it, MPI libraries copy a message from the memory of its sender.
static constexpr size_t largeMessage = size_t(32) << 10;

/// A step whose messages have waited in vain so often in a row does not wait any more. Its memory
/// becomes free only after it, as in an exchange in place.
static constexpr uint32_t trials = 3;

void MpiSide::fail(int code, MPI_Request &request) {
  transport->fail(code);
  request = MPI_REQUEST_NULL;
}

std::byte *MpiSender::reserve(const Step &step, uint32_t piece) {
  if (transport->withCredits && !hasCredit())
    return nullptr;
  if (sent - finished == requests.size() && !finish(finished + 1))
    return nullptr;
  memory = transport->source(step, piece);
  return memory.data() ? memory.data() : slot(sendSlot);
}

void MpiSender::commit(size_t bytes) {
  const std::byte *from = memory.data();
  begins(PMPI_Isend(from ? from : slot(sendSlot), int(from ? memory.size() : bytes), MPI_BYTE, peer,
                    tag, transport->comm, &requests[sendSlot]),
         requests[sendSlot]);
  sendSlot = after(sendSlot);
  ++sent;
}

bool MpiSender::finish(uint64_t upTo) {
  for (; finished < upTo; ++finished) {
    if (!completes(requests[finishSlot]))
      return false;
    finishSlot = after(finishSlot);
  }
  return true;
}

bool MpiSender::ended() {
  while (transport->withCredits && credited < sent)
    if (!takeCredit())
      return false;
  return finish(sent);
}

bool MpiSender::hasCredit() { return sent - credited < requests.size() || takeCredit(); }

bool MpiSender::takeCredit() {
  int here = 0;
  PMPI_Iprobe(peer, creditTag(tag), transport->comm, &here, MPI_STATUS_IGNORE);
  if (!here)
    return false;
  PMPI_Recv(nullptr, 0, MPI_BYTE, peer, creditTag(tag), transport->comm, MPI_STATUS_IGNORE);
  ++credited;
  return true;
}

void MpiReceiver::begin() {
  received = posted = 0;
  receiveSlot = postSlot = 0;
  postPiece = postIndex = 0;
  post(0);
}

const std::byte *MpiReceiver::peek() {
  if (!arrived) {
    if (received == posted || !completes(requests[receiveSlot]))
      return nullptr;
    arrived = true;
  }
  return places[receiveSlot];
}

void MpiReceiver::postMore(uint32_t idle) {
  // A large message is copied while MPI is called: posting many of them has no use, and would take
  // slots out of the caches, but the proof of the plan counts on all slots.
  size_t ahead = slotBytes > largeMessage && idle < patience(slotBytes) ? 2 : requests.size();
  while (posted < messages && posted - received < std::min(ahead, requests.size())) {
    MutableArrayRef<std::byte> to;
    if (!chooseMemory(idle, to))
      return;
    places[postSlot] = to.data();
    begins(PMPI_Irecv(to.data(), int(to.size()), MPI_BYTE, peer, tag, transport->comm,
                      &requests[postSlot]),
           requests[postSlot]);
    postSlot = after(postSlot);
    ++posted;
    if (++postIndex == steps.size()) {
      postIndex = 0;
      ++postPiece;
    }
  }
}

/// Where the next message arrives. Returns false if it waits for its memory.
bool MpiReceiver::chooseMemory(uint32_t idle, MutableArrayRef<std::byte> &to) {
  uint32_t &failed = failures[postIndex];
  const Step &step = transport->stepAt(threadblock, steps[postIndex]);
  if (failed < trials) {
    to = transport->destination(step, postPiece);
    if (to.data()) {
      if (transport->mayArrive(threadblock, steps[postIndex], postPiece)) {
        failed = 0;
        return true;
      }
      if (idle < patience(to.size()))
        return false;
      ++failed;
    }
  }
  to = {freeSlots.back(), slotBytes};
  freeSlots.pop_back();
  return true;
}

void MpiReceiver::release() {
  std::byte *place = places[receiveSlot];
  receiveSlot = after(receiveSlot);
  ++received;
  if (place >= slots.get() && place < slots.get() + requests.size() * slotBytes)
    freeSlots.push_back(place);
  arrived = false;
  post(0);
  if (transport->withCredits)
    PMPI_Send(nullptr, 0, MPI_BYTE, peer, creditTag(tag), transport->comm);
}
