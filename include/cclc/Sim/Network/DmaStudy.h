//===- DmaStudy.h - Simulation of single DMA requests -----------*- C++ -*-===//
//
// Reads from and writes to memories by PEs, on the same machines and networks as plans. A PE has a
// read and a write channel, each of which processes one request at a time: a read until the last
// byte has arrived, a write until the response of the memory.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_NETWORK_DMASTUDY_H
#define CCL_SIM_NETWORK_DMASTUDY_H

#include "cclc/Sim/Network/Network.h"

namespace cclc {

struct DmaRequest {
  EndpointId pe;
  EndpointId owner; ///< the endpoint that owns the memory
  bool write;
  /// Requests of a stage are issued when those of the earlier stages are complete.
  uint32_t stage = 0;
};

struct DmaResult {
  struct Times {
    SimTime issued, done;
  };
  std::vector<Times> requests;
  SimTime lastDone;
  /// The time until the processors of all cubes are notified.
  SimTime makespan;
  /// All bytes over the makespan, in bytes per second.
  uint64_t aggregateRate = 0;
  std::vector<LinkUse> links;
};

/// Parses requests such as "sip0.cube0.pe0 <- sip0.cube15.pe7, pe1 -> pe0", whose stages are
/// separated by ';'. A PE is named by the levels of the machine; omitted levels are 0, and *
/// denotes all members of a level.
FailureOr<std::vector<DmaRequest>> parseDmaRequests(StringRef text, const Machine &machine,
                                                    DiagnosticEngine &diags);

/// Simulates requests of equal size. Fails if the machine has no memories, if there is no path to
/// one, or if the network model does not exist.
FailureOr<DmaResult> simulateDma(const Machine &machine, StringRef network,
                                 ArrayRef<DmaRequest> requests, Bytes size,
                                 DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SIM_NETWORK_DMASTUDY_H
