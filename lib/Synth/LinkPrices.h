//===- LinkPrices.h - Loads of links, and what more of them costs -*- C++ -*-===//
//
// The price of a link grows exponentially with its load, so that the cheapest transfer is the one
// whose busiest link is the least loaded, and the sum over all links decreases with the maximum.
// This is the potential of approximation algorithms for packing (Plotkin, Shmoys and Tardos, Fast
// approximation algorithms for fractional packing and covering problems, 1995).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SYNTH_LINKPRICES_H
#define CCL_SYNTH_LINKPRICES_H

#include "cclc/Synth/TransferGraph.h"

#include <algorithm>
#include <cmath>

namespace cclc::synth {

class LinkPrices {
public:
  /// \p expected is the load that the busiest link is expected to have at the end.
  LinkPrices(const TransferGraph &graph, double expected)
      : graph(graph), expected(expected), loads(graph.links().size()), prices(loads.size()) {
    for (uint32_t link = 0; link < loads.size(); ++link)
      reprice(link);
  }

  /// Adds the transfers of a tree to the loads, or removes them.
  void add(RankId from, RankId to) { change(from, to, 1); }
  void remove(RankId from, RankId to) { change(from, to, -1); }

  /// The price of one more transfer.
  double of(RankId from, RankId to) const {
    double sum = 0;
    for (const LinkUse &use : graph.uses(from, to))
      sum += prices[use.link] * use.share;
    return sum;
  }

  /// The largest load in seconds per byte, and the link that has it.
  double highest() const { return loads.empty() ? 0 : loads[busiest()]; }
  uint32_t busiest() const { return std::max_element(loads.begin(), loads.end()) - loads.begin(); }
  /// The potential, which a better packing lowers.
  double potential() const {
    double sum = 0;
    for (double load : loads)
      sum += weight(load);
    return sum;
  }

  const std::vector<double> &all() const { return loads; }
  void restore(const std::vector<double> &saved) {
    for (uint32_t link = 0; link < saved.size(); ++link)
      if (loads[link] != saved[link]) {
        loads[link] = saved[link];
        reprice(link);
      }
  }

private:
  /// How much the price grows from an idle link to one with the expected load, as an exponent of e.
  static constexpr double steepness = 8;

  double weight(double load) const { return std::exp(steepness * (load / expected - 1)); }
  void reprice(uint32_t link) {
    double one = graph.secondsPerByte()[link];
    prices[link] = expected / steepness * (weight(loads[link] + one) - weight(loads[link]));
  }
  void change(RankId from, RankId to, double times) {
    for (const LinkUse &use : graph.uses(from, to)) {
      loads[use.link] += times * use.share * graph.secondsPerByte()[use.link];
      reprice(use.link);
    }
  }

  const TransferGraph &graph;
  double expected;
  std::vector<double> loads;  ///< in seconds per byte of a tree
  std::vector<double> prices; ///< of one more transfer
};

} // namespace cclc::synth

#endif // CCL_SYNTH_LINKPRICES_H
