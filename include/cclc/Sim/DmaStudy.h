//===- DmaStudy.h - Requests of DMA engines, without a plan -----*- C++ -*-===//
//
// PEs that read from and write to memories, on the machines and networks that
// plans run on. A PE has a read and a write channel; each takes one request at a
// time and holds it for its whole way: a read until the last byte is there, a
// write until the memory has answered.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_DMASTUDY_H
#define CCL_SIM_DMASTUDY_H

#include "cclc/Network/Network.h"

namespace cclc {

struct DmaRequest {
  uint32_t pe;    ///< endpoint
  uint32_t owner; ///< endpoint whose memory it is
  bool write;
  /// Requests of a later stage are issued when those of the earlier ones are done.
  uint32_t stage = 0;
};

struct DmaResult {
  struct Times {
    SimTime issued, done;
  };
  std::vector<Times> requests;
  SimTime lastDone;
  /// Until the processors of all cubes know.
  SimTime makespan;
  /// All bytes over the makespan, in bytes per second.
  uint64_t aggregateRate = 0;
  std::vector<LinkUse> links;
};

/// What a text such as "sip0.cube0.pe0 <- sip0.cube15.pe7, pe1 -> pe0" asks for, in
/// stages that are separated by ';'. A PE is named by the levels of the machine; levels
/// that are left out are 0, and * stands for every member of a level.
FailureOr<std::vector<DmaRequest>> parseDmaRequests(StringRef text, const Machine &machine,
                                                    DiagnosticEngine &diags);
/// The name of an endpoint: "sip0.cube15.pe7".
std::string endpointName(const Machine &machine, uint32_t endpoint);

/// All requests have the same size. Fails on machines without memories, where there
/// is no way to one, and for a network that does not exist.
FailureOr<DmaResult> simulateDma(const Machine &machine, StringRef network,
                                 ArrayRef<DmaRequest> requests, Bytes size,
                                 DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SIM_DMASTUDY_H
