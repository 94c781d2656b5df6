//===- TreePacking.h - Spanning trees that share links evenly ---*- C++ -*-===//
//
// Large collectives are limited by their busiest link. If the data of each rank are divided over
// several spanning trees, chosen so that the trees of all ranks together load the links evenly, an
// all-gather, reduce-scatter or broadcast takes little more than the bound over all cuts (Zhao et
// al., ForestColl, arXiv 2402.06787; Edmonds, Edge-disjoint branchings, 1973).
//
// ForestColl packs trees into a graph from which switches were removed by splitting their edges.
// The routes of these trees are its own. Here machines have routes, and a tree consists of whole
// transfers, so that trees are instead grown one after the other on the least loaded routes and
// replaced while that lowers the load (docs/Rationale.md).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_SYNTH_TREEPACKING_H
#define CCL_SEARCH_SYNTH_TREEPACKING_H

#include "cclc/Search/Synth/TransferGraph.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace cclc::synth {

/// The direction of the data in a tree.
enum class Flow : uint8_t {
  FromRoot, ///< a broadcast
  ToRoot,   ///< a reduction
};

/// An edge of a tree, between a rank and one that is farther from the root.
struct Branch {
  RankId parent, child;
  /// When its transfer begins if all trees with the same flow begin together; 0 before the trees
  /// are ordered.
  uint32_t turn = 0;
  /// Of an all-reduce, when its transfer begins in each of many rounds.
  uint32_t start = 0;
  std::pair<RankId, RankId> ends() const { return {parent, child}; }
  /// The times do not matter.
  friend auto operator<=>(const Branch &a, const Branch &b) { return a.ends() <=> b.ends(); }
  friend bool operator==(const Branch &a, const Branch &b) { return a.ends() == b.ends(); }
};

/// A spanning tree.
struct Tree {
  RankId root;
  Flow flow;
  std::vector<Branch> branches; ///< parents first
};

/// The largest number of branches between the root and a rank.
uint32_t depthOf(const Tree &tree, uint32_t ranks);

/// A requested tree.
struct TreeDemand {
  RankId root;
  Flow flow;
};

struct PackingOptions {
  /// The load below which no packing can be, for which the search stops; in seconds per byte of a
  /// tree.
  double leastLoad;
  /// The largest depth of a tree.
  uint32_t depth;
  /// The effort of the search: the largest number of transfers whose cost is computed.
  uint64_t effort = 3'000'000;
};

struct Packing {
  std::vector<Tree> trees; ///< in the order of the demands
  /// The time that a byte of every tree takes on the busiest link, in seconds.
  double load = 0;
};

/// By number of trees per root and depth; unset: there is none.
using Packings = std::map<std::pair<uint32_t, uint32_t>, std::optional<Packing>>;

/// Packs a tree for every demand. Unset if some rank cannot be reached within the depth.
std::optional<Packing> packTrees(const TransferGraph &graph, ArrayRef<TreeDemand> demands,
                                 const PackingOptions &options);

/// Orders the branches of every tree, parents first, such that contributions to a sum are added in
/// the order in which they can arrive if all trees begin at the same time. Sets the turns.
void orderBranches(const TransferGraph &graph, std::vector<Tree> &trees);

/// Sets the starts of an all-reduce, whose sums of \p toRoot are distributed along \p fromRoot,
/// such that rounds of it overlap. Returns the period: the time between the begins of two rounds.
uint32_t scheduleRounds(const TransferGraph &graph, std::vector<Tree> &toRoot,
                        std::vector<Tree> &fromRoot);

} // namespace cclc::synth

#endif // CCL_SEARCH_SYNTH_TREEPACKING_H
