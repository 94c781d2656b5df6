//===- LinkPrices.h - Loads of links, and what more of them costs -*- C++ -*-===//
//
// A link is any resource of a transfer graph here, so that streams have loads and prices, too.
//
// The price of a link grows exponentially with its load, so that the cheapest transfer is the one
// whose busiest link is the least loaded, and the sum over all links decreases with the maximum.
// This is the potential of approximation algorithms for packing (Plotkin, Shmoys and Tardos, Fast
// approximation algorithms for fractional packing and covering problems, 1995).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SEARCH_SYNTH_LINKPRICES_H
#define CCL_LIB_SEARCH_SYNTH_LINKPRICES_H

#include "cclc/Search/Synth/TransferGraph.h"

#include <algorithm>
#include <cmath>

namespace cclc::synth {

class LinkPrices {
public:
  /// \p expected is the load that the busiest link is expected to have at the end.
  LinkPrices(const TransferGraph &graph, double expected)
      : graph(graph), expected(expected), loads(graph.numResources()), weights(loads.size()),
        prices(loads.size()) {
    for (uint32_t link = 0; link < loads.size(); ++link)
      reprice(link);
  }

  /// Adds the transfers of a tree to the loads, or removes them. \p reduces: the receiver adds the
  /// data to its own.
  void add(RankId from, RankId to, bool reduces = false) { change(from, to, reduces, 1); }
  void remove(RankId from, RankId to, bool reduces = false) { change(from, to, reduces, -1); }
  /// Adds or removes a further transfer of the same data from \p from.
  void addResend(RankId from) { changeResend(from, 1); }
  void removeResend(RankId from) { changeResend(from, -1); }

  /// The price of one more transfer.
  double of(RankId from, RankId to, bool reduces = false) const {
    double sum = 0;
    graph.forEachLoad(from, to, reduces,
                      [&](uint32_t link, double share) { sum += prices[link] * share; });
    return sum;
  }
  double ofResend(RankId from) const {
    if (!graph.hasStreams())
      return 0;
    uint32_t stream = graph.streamOf(from);
    return prices[stream] * graph.resendSeconds() / graph.secondsOn(stream);
  }

  /// The largest load in seconds per byte, and the link that has it.
  double highest() const { return loads.empty() ? 0 : loads[busiest()]; }
  uint32_t busiest() const { return std::max_element(loads.begin(), loads.end()) - loads.begin(); }
  /// The potential, which a better packing lowers.
  double potential() const {
    double sum = 0;
    for (double weight : weights)
      sum += weight;
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

  double weightOf(double load) const { return std::exp(steepness * (load / expected - 1)); }
  void reprice(uint32_t link) {
    double one = graph.secondsOn(link);
    weights[link] = weightOf(loads[link]);
    prices[link] = expected / steepness * (weightOf(loads[link] + one) - weights[link]);
  }
  void change(RankId from, RankId to, bool reduces, double times) {
    graph.forEachLoad(from, to, reduces, [&](uint32_t link, double share) {
      loads[link] += times * share * graph.secondsOn(link);
      reprice(link);
    });
  }
  void changeResend(RankId from, double times) {
    if (!graph.hasStreams())
      return;
    loads[graph.streamOf(from)] += times * graph.resendSeconds();
    reprice(graph.streamOf(from));
  }

  const TransferGraph &graph;
  double expected;
  std::vector<double> loads;   ///< in seconds per byte of a tree
  std::vector<double> weights; ///< the parts of the potential
  std::vector<double> prices;  ///< of one more transfer
};

} // namespace cclc::synth

#endif // CCL_LIB_SEARCH_SYNTH_LINKPRICES_H
