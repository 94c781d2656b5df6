//===- DmaCommand.h - ccl-sim --dma -----------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_DMACOMMAND_H
#define CCL_TOOLS_CCL_SIM_DMACOMMAND_H

#include "cclc/Sim/Network/DmaStudy.h"

namespace cclc {

/// Requests and their times on a machine and a network.
struct DmaRun {
  const Machine &machine;
  StringRef network;
  ArrayRef<DmaRequest> requests;
  Bytes size;
  DmaResult result;
};

/// Prints the first requests, then the totals.
void printDma(const DmaRun &report, raw_ostream &os);
/// Writes JSON; docs/CommandGuide/ccl-sim.md documents the keys.
void writeDmaJson(const DmaRun &report, raw_ostream &os);

struct DmaCommandRequest {
  const Machine &machine;
  std::string network;
  std::string requests; ///< in the notation of --dma
  Bytes size;
  std::optional<std::string> json; ///< path of the JSON file
  bool print;                      ///< whether to print text on standard output
};

/// Times requests to memories and reports them.
LogicalResult runDma(const DmaCommandRequest &request, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_DMACOMMAND_H
