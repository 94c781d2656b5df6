//===- MpiConnection.h - One side of a connection ---------------*- C++ -*-===//
//
// The receiving side of a connection posts a receive for each slot, so that messages arrive in
// their slots. Tags are channels: with the two ranks they identify the connection, and MPI keeps
// the order of its messages.
//
// Where the data of a step are adjacent, no slot is used: a message is sent from the buffer of the
// rank, and arrives in it if the memory is free when the receive is posted.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_MPICONNECTION_H
#define CCL_LIB_RUN_MPI_MPICONNECTION_H

#include "cclc/IR/ExecPlan.h"

#include <mpi.h>

#include <memory>

namespace cclc::run {

class MpiTransport;

/// A threadblock on one side of a connection.
struct MpiSide {
  MpiTransport *transport = nullptr;
  uint32_t threadblock = 0;    ///< of the rank
  std::vector<uint32_t> steps; ///< those that send (receive), in order
  std::unique_ptr<std::byte[]> slots;
  size_t slotBytes = 0;
  std::vector<MPI_Request> requests; ///< by slot
  int peer = 0, tag = 0;

  std::byte *slot(uint32_t number) const { return slots.get() + number * slotBytes; }
  uint32_t after(uint32_t slot) const { return slot + 1 == requests.size() ? 0 : slot + 1; }
  /// \p request was begun with \p code.
  void begins(int code, MPI_Request &request) {
    if (code != MPI_SUCCESS)
      fail(code, request);
  }
  /// Whether \p request is complete. One that fails is, so that the execution ends, and leaves no
  /// message that a later one would receive.
  bool completes(MPI_Request &request) {
    int done = 0;
    int code = PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS)
      return done;
    fail(code, request);
    return true;
  }
  void fail(int code, MPI_Request &request);
};

class MpiSender : MpiSide {
public:
  static constexpr bool receives = false;
  /// Where the message of a step is composed, which may be the data of the step itself.
  std::byte *reserve(const Step &step, uint32_t piece);
  void commit(size_t bytes);

private:
  friend MpiTransport;
  void begin() {
    sent = finished = credited = 0;
    sendSlot = finishSlot = 0;
  }
  /// Whether all messages are sent, and with credits, received.
  bool ended();
  /// Whether the first \p messages messages are sent.
  bool finish(uint64_t messages);
  bool hasCredit();
  bool takeCredit();

  MutableArrayRef<std::byte> memory; ///< of the reserved message; null if it is in its slot
  uint64_t sent = 0, finished = 0, credited = 0;
  uint32_t sendSlot = 0, finishSlot = 0; ///< of the next message
};

class MpiReceiver : MpiSide {
public:
  static constexpr bool receives = true;
  /// The oldest message, which may be in the destination of its step.
  const std::byte *peek();
  void release();

private:
  friend MpiTransport;
  void begin();
  /// Posts receives as far as there are slots. A message whose destination is not free yet arrives
  /// there later, or in a slot after \p idle polls without progress.
  void post(uint32_t idle) {
    if (posted < messages)
      postMore(idle);
  }
  void postMore(uint32_t idle);
  bool chooseMemory(uint32_t idle, MutableArrayRef<std::byte> &to);

  std::vector<std::byte *> places;    ///< by slot: of the posted message
  std::vector<std::byte *> freeSlots; ///< the last freed one, which is in the caches, last
  std::vector<uint32_t> failures;     ///< by `steps`: messages that waited in vain, in a row
  uint64_t received = 0, posted = 0, messages = 0;
  uint32_t receiveSlot = 0, postSlot = 0; ///< of the next message
  uint32_t postPiece = 0, postIndex = 0;  ///< of the next message to post, in `steps`
  bool arrived = false;                   ///< the oldest message
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_MPICONNECTION_H
