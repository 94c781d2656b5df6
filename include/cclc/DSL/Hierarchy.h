//===- Hierarchy.h - Hierarchical communicators -----------------*- C++ -*-===//
//
// Sites are divided into groups, recursively, until no group has more than `arity` members; the
// first site of a group represents it one level up. Collectives then send few large messages
// instead of many small ones: inside groups to the representatives, between representatives, and
// back (HPX discussion 7200).
//
//   HierarchicalCommunicator world(p, {.arity = 4});
//   world.allGather(1, {Input, 0, 1}, {Output, 0, p.ranks()});
//   world.allToAll(2, {Input, 1, p.ranks()}, {Output, p.ranks(), p.ranks()});
//
// Calls of a communicator have distinct user generations, from 1. They follow each other without a
// barrier; IR/Generations.h describes how they are kept apart. The generations of different
// communicators are independent. Standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DSL_HIERARCHY_H
#define CCL_DSL_HIERARCHY_H

#include "cclc/DSL/Program.h"

namespace cclc::dsl {

/// Sites begin ... end - 1; the first one is the representative.
struct SiteRange {
  int begin, end;
  int size() const { return end - begin; }
  friend bool operator==(const SiteRange &, const SiteRange &) = default;
};

/// The partition that the tree is built from. A range of more than \p arity sites is divided into
/// \p arity groups, of which the first size mod arity have one site more; a smaller range has one
/// group per site. \p arity is at least 2.
std::vector<SiteRange> topLevelGroups(SiteRange sites, int arity);

struct SiteClass {
  int group;
  bool isRepresentative;
  friend bool operator==(const SiteClass &, const SiteClass &) = default;
};
SiteClass classifySite(const std::vector<SiteRange> &groups, int site);

/// The layout of the blocks that representatives exchange: each of its own size, or all padded to
/// the size of the largest.
enum class BlockLayout { Ragged, Padded };

struct HierarchyOptions {
  int arity = 4;
  /// With fewer sites than this there is only one group, and sites exchange directly.
  int flatFallback = 16;
  BlockLayout layout = BlockLayout::Ragged;
  /// For all-to-all, the number of sites of a group that exchange on its behalf, each with its
  /// share of the other groups. If there are several, members send to each of them directly.
  int leaders = 1;
};

class HierarchicalCommunicator {
public:
  using Loc = SourceLocation;
  /// Chunks [index, index + count) of a buffer, the same on every site.
  struct Region {
    Buffer buffer;
    int index;
    int count;
  };

  /// A communicator over all ranks of \p program, which must outlive it.
  HierarchicalCommunicator(Program &program, HierarchyOptions options, Loc loc = Loc::current());

  bool isFlat() const { return levels.size() == 1; }

  /// \p to holds the contributions of all sites, by site. Two phases: gather to the first site,
  /// broadcast back. In a flat communicator each call is one phase, in which every site sends to
  /// every other site.
  void allGather(int generation, Region from, Region to, Loc loc = Loc::current());
  /// \p to becomes the sum of all sites' \p from. Two phases: reduce, broadcast back.
  void allReduce(int generation, Region from, Region to, Loc loc = Loc::current());
  /// \p from (\p to) has one equal part for (of) every site. Three phases: each top-level group
  /// gathers to its representative, representatives exchange blocks, each scatters the received
  /// blocks.
  void allToAll(int generation, Region from, Region to, Loc loc = Loc::current());

private:
  /// Siblings in the tree, of which the first is the representative.
  using Group = std::vector<SiteRange>;
  /// Groups of the same depth, each of at least one site. The first level is the top.
  struct Level {
    Communicator communicator{0};
    std::vector<Group> groups;
  };

  void buildLevels(SiteRange range, size_t depth);
  void beginCall(const char *collective, int generation, Loc loc);
  void enterLevel(size_t level, int stage, const char *phase);
  /// Calls fn(representative, member) for every other member of the groups of a level.
  template <class Fn> void forMembers(size_t level, Fn fn) const;

  template <class Fn> void climb(const char *phase, Region from, Region to, int stride, Fn handOn);
  void broadcast(Region region);
  Buffer exchangeAll(Region from, int parts);
  void copyOut(Buffer scratch, Region to);
  class Exchange;

  Program &p;
  HierarchyOptions options;
  int sites;
  std::vector<Level> levels;
  /// For all-to-all: the sites that exchange, and the top-level groups.
  Communicator leaders{0}, members{0};
  struct Call {
    std::string collective;
    int generation;
    Loc loc;
  };
  std::vector<Call> calls;
  Loc where; ///< of the current call
};

} // namespace cclc::dsl

#endif // CCL_DSL_HIERARCHY_H
