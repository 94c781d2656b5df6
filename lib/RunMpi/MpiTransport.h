//===- MpiTransport.h - Slots as messages of MPI ----------------*- C++ -*-===//
//
// The receiving side of a connection has a posted receive for each slot, so that messages arrive in
// their slots; the sending side has a buffer for each slot. Tags are channels: with the two ranks
// they identify the connection, and MPI keeps the order of its messages.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUNMPI_MPITRANSPORT_H
#define CCL_RUNMPI_MPITRANSPORT_H

#include "cclc/Run/RunPlan.h"

#include <mpi.h>

#include <memory>

namespace cclc::run {

/// Channels have 16 bits, and MPI guarantees 32767 for tags; all libraries have more.
constexpr int creditTag(int channel) { return channel | 1 << 16; }

/// The connections of one rank.
class MpiTransport {
public:
  class Sender {
  public:
    std::byte *reserve() {
      if (withCredits && !hasCredit())
        return nullptr;
      size_t slot = sent % requests.size();
      int done = 1;
      if (requests[slot] != MPI_REQUEST_NULL)
        MPI_Test(&requests[slot], &done, MPI_STATUS_IGNORE);
      return done ? slots.get() + slot * slotBytes : nullptr;
    }
    void commit(size_t bytes) {
      size_t slot = sent++ % requests.size();
      MPI_Isend(slots.get() + slot * slotBytes, int(bytes), MPI_BYTE, peer, tag, comm,
                &requests[slot]);
    }

  private:
    friend class MpiTransport;
    bool hasCredit() {
      int here = 0;
      if (sent - credited >= requests.size())
        MPI_Iprobe(peer, creditTag(tag), comm, &here, MPI_STATUS_IGNORE);
      if (here)
        takeCredit();
      return sent - credited < requests.size();
    }
    void takeCredit() {
      MPI_Recv(nullptr, 0, MPI_BYTE, peer, creditTag(tag), comm, MPI_STATUS_IGNORE);
      ++credited;
    }

    std::unique_ptr<std::byte[]> slots;
    size_t slotBytes = 0;
    std::vector<MPI_Request> requests;
    bool withCredits = false;
    uint64_t sent = 0, credited = 0;
    int peer = 0, tag = 0;
    MPI_Comm comm = MPI_COMM_NULL;
  };

  class Receiver {
  public:
    const std::byte *peek() {
      size_t slot = received % requests.size();
      if (!arrived) {
        int done = 0;
        MPI_Test(&requests[slot], &done, MPI_STATUS_IGNORE);
        if (!done)
          return nullptr;
        arrived = true;
      }
      return slots.get() + slot * slotBytes;
    }
    void release() {
      post(received++ % requests.size());
      arrived = false;
      if (withCredits)
        MPI_Send(nullptr, 0, MPI_BYTE, peer, creditTag(tag), comm);
    }

  private:
    friend class MpiTransport;
    /// Posts a receive into \p slot, if there are further messages.
    void post(size_t slot) {
      if (posted++ < messages)
        MPI_Irecv(slots.get() + slot * slotBytes, int(slotBytes), MPI_BYTE, peer, tag, comm,
                  &requests[slot]);
    }
    std::unique_ptr<std::byte[]> slots;
    size_t slotBytes = 0;
    std::vector<MPI_Request> requests;
    uint64_t received = 0, posted = 0, messages = 0;
    bool arrived = false; ///< the oldest message
    bool withCredits = false;
    int peer = 0, tag = 0;
    MPI_Comm comm = MPI_COMM_NULL;
  };

  /// Allocates the slots of \p rank. Rank r of the plan is the process (r + \p shift) mod R of \p
  /// comm.
  MpiTransport(const RunPlan &plan, RankId rank, uint32_t shift, bool withCredits, MPI_Comm comm);
  MpiTransport(const MpiTransport &) = delete;

  /// Posts receives for \p executions executions of the plan. Other plans may be executed on the
  /// communicator only after end().
  void begin(uint32_t executions);
  /// Waits until all slots are free.
  void end();

  Sender &sender(ConnectionId connection) { return senders[connection.index()]; }
  Receiver &receiver(ConnectionId connection) { return receivers[connection.index()]; }

private:
  std::vector<Sender> senders; ///< by connection; those of other ranks are empty
  std::vector<Receiver> receivers;
  std::vector<uint64_t> messages; ///< by connection, for one execution; 0 for those of other ranks
};

} // namespace cclc::run

#endif // CCL_RUNMPI_MPITRANSPORT_H
