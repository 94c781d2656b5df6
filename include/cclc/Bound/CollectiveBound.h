//===- CollectiveBound.h - The lower bounds of a collective -----*- C++ -*-===//
//
// All lower bounds on the time of a collective between endpoints of a machine, and the one that
// binds. They hold for every plan that ccl-sim executes, each for itself: their sum is no bound.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_COLLECTIVEBOUND_H
#define CCL_BOUND_COLLECTIVEBOUND_H

#include "cclc/Bound/LinkBound.h"
#include "cclc/Bound/RankBound.h"

namespace cclc {

enum class BoundKind : uint8_t { Throughput, Volume, Protocol, Memory, Engine, Latency };
/// "throughput", "volume", ...: the names of JSON.
StringRef boundName(BoundKind kind);

/// The bounds for one size.
struct SizeBound {
  /// By the tightest cut or the lengths of paths, and by the volume of all messages.
  SimTime throughput, volume;
  /// All-reduce: the time of reduce-scatter and all-gather in sequence, which is no bound.
  std::optional<SimTime> twoPhases;
  SimTime latency, engine, memory;
  /// The link bound with the payload of the most efficient protocol.
  SimTime protocol;
  BoundKind binds = BoundKind::Throughput;
  std::string witness; ///< of the one that binds

  /// The tightest cut, the rate of its links and the bytes that must cross it. The rate is unset if
  /// there is no path over the cut.
  std::string cut;
  std::optional<Bandwidth> capacity = Bandwidth();
  Bytes crossing;

  /// The larger of throughput and volume.
  SimTime link() const { return std::max(throughput, volume); }
  /// The largest of all.
  SimTime time() const { return std::max({throughput, volume, latency, engine, memory, protocol}); }
  /// The largest bound as a share of \p planTime: 1 for a plan that no algorithm beats. 0 without a
  /// bound.
  double shareOf(SimTime planTime) const;
  /// The name of the largest bound in text: "link" for throughput and volume.
  StringRef title() const;
};

struct BoundRequest {
  const Machine &machine;
  std::vector<EndpointId> endpoints; ///< by rank
  Collective collective;
  /// Under `ideal`, links limit nothing.
  std::string network;
  /// Of the plan; unset: any.
  std::optional<Protocol> protocol = {};
  /// Of the plan, without protocols; unset: that of the machine.
  std::optional<Bytes> slotSize = {};
  LinkBudget budget = {};
  uint64_t routeBudget = FlowGraph::defaultBudget;
  /// Whether only links limit plans, because their executor is not that of the steps of a plan.
  bool linksOnly = false;
};

class CollectiveBound {
public:
  explicit CollectiveBound(BoundRequest request);

  /// Without \p latency, for runs that overlap.
  SizeBound at(Bytes buffer, bool latency = true) const;
  const LinkBound &link() const { return theLink; }
  const FlowGraph &graph() const { return theGraph; }
  /// The tightest cut in words, and its links; empty if no link limits the collective.
  const std::string &cutText() const { return theCutText; }
  /// The paths in words; empty if their lengths do not limit the collective more than the cut.
  const std::string &pathText() const { return thePathText; }
  /// The links with a length in the bound of the paths, and these lengths; empty without such a
  /// bound.
  std::vector<std::pair<std::string, uint64_t>> pathLengths() const;
  std::vector<std::string> cutLinks() const;
  /// "no path from n3 to n0" if ranks that have to communicate cannot; else empty.
  std::string noPathText() const;
  /// The names of the endpoints without a rank that routes between ranks pass.
  std::vector<std::string> relays() const;
  /// Whether the links are those of routes, and all cuts were compared if the collective allows it.
  bool isExact() const { return theGraph.isRouted() && theLink.cut.exact; }
  /// Whether the deadline has passed, so that bounds may be weaker than without it, or missing.
  bool isPartial() const { return isOver; }
  uint32_t rounds() const { return rank.rounds(); }
  /// The largest payload per million bytes on the links, and its protocol; a million for plans of
  /// executors without protocols.
  uint32_t payload() const { return request.linksOnly ? 1'000'000 : rank.efficiency(); }
  const std::string &payloadProtocol() const { return rank.efficientProtocol(); }
  /// \p time, for which links are busy with their whole rate, if they carry that payload.
  SimTime withPayload(SimTime time) const;

private:
  BoundRequest request;
  FlowGraph theGraph;
  LinkBound theLink;
  RankBound rank;
  bool isOver = false;
  std::string theCutText, thePathText;
};

} // namespace cclc

#endif // CCL_BOUND_COLLECTIVEBOUND_H
