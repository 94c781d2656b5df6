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

  /// For \p executions executions of the plan.
  MpiTransport(const RunPlan &plan, RankId rank, uint32_t executions, bool withCredits,
               MPI_Comm comm);
  ~MpiTransport();
  MpiTransport(const MpiTransport &) = delete;

  Sender &sender(ConnectionId connection) { return senders[connection.index()]; }
  Receiver &receiver(ConnectionId connection) { return receivers[connection.index()]; }

private:
  std::vector<Sender> senders; ///< by connection; those of other ranks are empty
  std::vector<Receiver> receivers;
};

} // namespace cclc::run

#endif // CCL_RUNMPI_MPITRANSPORT_H
