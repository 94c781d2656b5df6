//===- RankBound.h - Bounds by single ranks ---------------------*- C++ -*-===//
//
// Lower bounds from the parts of a PE rather than from links, for any plan of a collective:
//
// * latency: the route between the ranks that are farthest apart, or as many messages in sequence
//   as the number of peers of a rank requires, with the fixed costs of a message;
// * engine: reductions, DMA engine, and threadblocks that move the data;
// * memory: the stream of a PE, which receives message by message, the ports to its slots, and the
//   loads of inputs and stores of results.
//
// The bounds count what no plan avoids in docs/machine-model.md. They may not be added.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_RANKBOUND_H
#define CCL_BOUND_RANKBOUND_H

#include "cclc/Bound/StreamBound.h"

namespace cclc {

class RankBound {
public:
  /// \p protocol: of the plan; unset: the fastest. \p slotSize: without protocols. Messages between
  /// two ranks cross the links of \p graph.
  RankBound(const Machine &machine, ArrayRef<EndpointId> endpoints, const FlowGraph &graph,
            const Collective &collective, std::optional<Protocol> protocol, Bytes slotSize,
            const Deadline &deadline);

  /// The same for all sizes above 0.
  const NamedTime &latency() const { return theLatency; }
  NamedTime engine(Bytes buffer) const;
  NamedTime memory(Bytes buffer) const;
  /// The smallest number of messages in sequence.
  uint32_t rounds() const { return theRounds; }
  /// The largest payload per million bytes on the wire, and its protocol.
  uint32_t efficiency() const { return theEfficiency; }
  const std::string &efficientProtocol() const { return theProtocol; }

private:
  void measureDistances(const FlowGraph &graph, const Collective &collective);
  void findRounds(const Collective &collective);
  void findLatency();
  SimTime hopCost(const ProtocolModel *model) const;
  NamedTime engineUnder(const ProtocolModel *model, Bytes buffer) const;

  const Machine &machine;
  Bytes slotSize;                            ///< zero: a slot holds any message
  std::vector<const ProtocolModel *> models; ///< one of these; null: none
  RankWork work;
  uint32_t ranks;
  uint32_t theRounds = 1, theEfficiency = 1'000'000;
  std::string theProtocol, farthestPair;
  SimTime farthest;  ///< between two ranks that have to communicate
  SimTime nearest;   ///< between any two ranks
  SimTime loneliest; ///< from the nearest other rank, of the rank for which this is the largest
  SimTime memoryLatency;
  Bandwidth memoryRate;
  Bandwidth fastest; ///< of the links out of ranks; unlimited if the DMA engine is
  NamedTime theLatency;
  StreamBound streams;
};

} // namespace cclc

#endif // CCL_BOUND_RANKBOUND_H
