//===- MultipathRouting.h - Choosing among the shortest paths ---*- C++ -*-===//

#ifndef CCL_LIB_TARGET_MULTIPATHROUTING_H
#define CCL_LIB_TARGET_MULTIPATHROUTING_H

#include "EqualPaths.h"

namespace cclc {

/// The rules `up-down`, `ecmp`, `spray` and `adaptive`.
class MultipathRouting : public Routing {
public:
  /// The largest number of paths between which the messages of a connection choose.
  static constexpr uint32_t maxAlternatives = 16;

  /// \p portNumbers: see MachineBuilder.
  MultipathRouting(RoutingRule rule, uint32_t seed, std::vector<uint32_t> portNumbers)
      : paths(rule == RoutingRule::UpDown), rule(rule), seed(seed),
        portNumbers(std::move(portNumbers)) {}

  void route(const Machine &machine, EndpointId src, EndpointId dst,
             SmallVectorImpl<LinkId> &links) const override {
    routeOnChannel(machine, src, dst, ChannelId(0), links);
  }
  void routeOnChannel(const Machine &machine, EndpointId src, EndpointId dst, ChannelId channel,
                      SmallVectorImpl<LinkId> &links) const override;
  std::vector<Path> alternatives(const Machine &machine, EndpointId src, EndpointId dst,
                                 ChannelId channel) const override;
  uint64_t addUsedLinks(const Machine &machine, ArrayRef<EndpointId> sources, EndpointId dst,
                        llvm::BitVector &used) const override;

private:
  uint64_t hash(EndpointId src, EndpointId dst, ChannelId channel, uint32_t node) const;

  EqualPaths paths;
  RoutingRule rule;
  uint32_t seed;
  std::vector<uint32_t> portNumbers;
};

} // namespace cclc

#endif // CCL_LIB_TARGET_MULTIPATHROUTING_H
