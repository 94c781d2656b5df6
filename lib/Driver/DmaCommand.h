//===- DmaCommand.h - ccl-sim --dma -----------------------------*- C++ -*-===//

#ifndef CCL_LIB_DRIVER_DMACOMMAND_H
#define CCL_LIB_DRIVER_DMACOMMAND_H

#include "cclc/Sim/DmaStudy.h"

namespace cclc {

/// The requests and their times, on a machine and a network.
struct DmaReport {
  const Machine &machine;
  StringRef network;
  ArrayRef<DmaRequest> requests;
  Bytes size;
  DmaResult result;
};

/// For people: the first requests, then all together.
void printDma(const DmaReport &report, raw_ostream &os);
/// For programs; docs/CommandGuide/ccl-sim.md documents the keys.
void writeDmaJson(const DmaReport &report, raw_ostream &os);

} // namespace cclc

#endif // CCL_LIB_DRIVER_DMACOMMAND_H
