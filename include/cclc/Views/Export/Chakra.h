//===- Chakra.h - Exporting plans to ASTRA-sim ------------------*- C++ -*-===//
//
// Writes a plan for one size as execution traces in the schema of MLCommons Chakra, one file per
// rank, which ASTRA-sim executes as a custom collective: a graph of COMM_SEND, COMM_RECV and COMP
// nodes. Fused steps are separate nodes.
//
// The traces include every message of every piece with its bytes, the order of a threadblock,
// waits, the launch, and the costs of steps in whole microseconds. Slots, credits and the sharing
// of engines are omitted, and with a protocol a step is one message. A send ends in ASTRA-sim when
// its message has arrived, so that a connection has one message in transit.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_VIEWS_EXPORT_CHAKRA_H
#define CCL_VIEWS_EXPORT_CHAKRA_H

#include "cclc/Sim/PlacedPlan.h"

namespace cclc {

class ChakraTraces {
public:
  /// \p plan and \p sizing must outlive the object.
  ChakraTraces(const PlacedPlan &plan, const Sizing &sizing);

  /// Fails if the receivers of the machine fetch messages, or if two ranks exchange more messages
  /// than Chakra has tags.
  LogicalResult check(DiagnosticEngine &diags) const;
  /// Writes the trace of \p rank.
  void write(RankId rank, raw_ostream &os) const;

  /// "PREFIX.RANK.et", the name under which ASTRA-sim opens the trace of a rank.
  static std::string fileName(StringRef prefix, RankId rank);
  /// Checks and writes the traces of all ranks.
  LogicalResult writeFiles(StringRef prefix, DiagnosticEngine &diags) const;

private:
  class RankWriter;
  const PlacedPlan &placed;
  const Sizing &sizing;
  std::vector<uint64_t> firstTag; ///< by connection; tags are unique for a pair of ranks
  uint64_t mostTags = 0;
};

} // namespace cclc

#endif // CCL_VIEWS_EXPORT_CHAKRA_H
