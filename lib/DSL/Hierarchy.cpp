//===- Hierarchy.cpp - Collectives over a tree of groups ------------------===//
//
// The tree is built by recursive division; `levels` has the groups of each depth. Gather and reduce
// go from the deepest level to the top, one gated phase for each level, and broadcast goes back.
// The all-to-all gathers rows to the leaders, packs one block for each pair of groups, exchanges
// the blocks and scatters them: g (g-1) messages between g groups instead of n (n-1) between n
// sites. With several leaders per group, each exchanges with its share of the other groups.
//
//===----------------------------------------------------------------------===//

#include "cclc/DSL/Hierarchy.h"

#include <algorithm>
#include <string>

namespace cclc::dsl {

std::vector<SiteRange> topLevelGroups(SiteRange sites, int arity) {
  int groups = std::min(arity, sites.size());
  int quotient = sites.size() / groups, remainder = sites.size() % groups;
  std::vector<SiteRange> result;
  for (int g = 0, begin = sites.begin; g < groups; ++g) {
    int end = begin + quotient + (g < remainder);
    result.push_back({begin, end});
    begin = end;
  }
  return result;
}

SiteClass classifySite(const std::vector<SiteRange> &groups, int site) {
  auto it =
      std::find_if(groups.begin(), groups.end(), [&](SiteRange group) { return site < group.end; });
  return {int(it - groups.begin()), site == it->begin};
}

HierarchicalCommunicator::HierarchicalCommunicator(Program &program, HierarchyOptions options,
                                                   Loc loc)
    : p(program), options(options), sites(program.ranks()), where(loc) {
  if (options.arity < 2)
    p.fail("a hierarchy needs an arity of at least 2, not " + std::to_string(options.arity), loc);
  if (options.leaders < 1)
    p.fail("a group needs at least one leader, not " + std::to_string(options.leaders), loc);
  if (sites < options.flatFallback) {
    levels.emplace_back();
    levels[0].groups.push_back(topLevelGroups({0, sites}, sites));
  } else {
    buildLevels({0, sites}, 0);
  }
  for (size_t depth = 0; depth < levels.size(); ++depth) {
    std::vector<std::vector<int>> ranks;
    for (const Group &group : levels[depth].groups) {
      ranks.emplace_back();
      for (SiteRange member : group)
        ranks.back().push_back(member.begin);
    }
    std::string name = isFlat()     ? "sites"
                       : depth == 0 ? "representatives"
                       : depth == 1 ? "groups"
                                    : "groups " + std::to_string(depth);
    levels[depth].communicator = p.communicator(name.c_str(), ranks, loc);
  }
  if (isFlat())
    return;
  leaders = levels[0].communicator;
  members = levels[1].communicator;
  if (options.leaders == 1)
    return;
  std::vector<std::vector<int>> exchanging(1), whole;
  for (SiteRange group : levels[0].groups.front()) {
    whole.emplace_back();
    for (int site = group.begin; site < group.end; ++site) {
      whole.back().push_back(site);
      if (site < group.begin + options.leaders)
        exchanging[0].push_back(site);
    }
  }
  leaders = p.communicator("leaders", exchanging, loc);
  members = p.communicator("whole groups", whole, loc);
}

/// The top level of a range, and below it the levels of each of its groups.
void HierarchicalCommunicator::buildLevels(SiteRange range, size_t depth) {
  if (levels.size() == depth)
    levels.emplace_back();
  Group group = topLevelGroups(range, options.arity);
  levels[depth].groups.push_back(group);
  if (range.size() <= options.arity)
    return;
  for (SiteRange member : group)
    buildLevels(member, depth + 1);
}

void HierarchicalCommunicator::beginCall(const char *collective, int generation, Loc loc) {
  where = loc;
  p.call(collective, generation, loc);
  for (const Call &before : calls)
    if (before.generation == generation)
      p.fail(std::string(collective) + " with generation " + std::to_string(generation) +
                 ", which " + before.collective +
                 " already has: generations of a communicator must be distinct",
             loc, "it was called here", before.loc);
  calls.push_back({collective, generation, loc});
}

void HierarchicalCommunicator::enterLevel(size_t level, int stage, const char *phase) {
  p.enter(levels[level].communicator, stage, phase, where);
}

template <class Fn> void HierarchicalCommunicator::forMembers(size_t level, Fn fn) const {
  for (const Group &group : levels[level].groups)
    for (SiteRange member : group)
      if (member.begin != group.front().begin)
        fn(group.front().begin, member);
}

static std::string chunksText(int count) {
  return std::to_string(count) + (count == 1 ? " chunk" : " chunks");
}

/// Ranks that send each other large messages at the same time need a threadblock for each
/// direction. If one threadblock did both, each rank would wait for slots that only the receive of
/// the other rank can free, which is queued behind its send.
static Via oneWay(int from, int to) { return {.channel = from < to ? 0 : 1}; }

/// In a flat communicator, in its only phase: part j of every site's contribution, or all of it if
/// there is only one, to site j. Data from site i become part i of the scratch buffer that is
/// returned. A scratch buffer is needed because in place, data that are still to be sent must not
/// be overwritten.
Buffer HierarchicalCommunicator::exchangeAll(Region from, int parts) {
  const int m = from.count / parts;
  enterLevel(0, 1, "exchange");
  Buffer arrived = p.scratch("arrived", where);
  for (int i = 0; i < sites; ++i)
    for (int j = 0; j < sites; ++j) {
      ChunkRef part = p.chunk(i, from.buffer, from.index + j % parts * m, m, where);
      part.copy(j, arrived, i * m, i == j ? Via() : oneWay(i, j), where);
    }
  return arrived;
}

void HierarchicalCommunicator::copyOut(Buffer scratch, Region to) {
  for (int site = 0; site < sites; ++site) {
    ChunkRef all = p.chunk(site, scratch, 0, to.count, where);
    all.copy(site, to.buffer, to.index, {}, where);
  }
}

// --- Two phases -------------------------------------------------------------------

void HierarchicalCommunicator::allGather(int generation, Region from, Region to, Loc loc) {
  beginCall("all_gather", generation, loc);
  if (to.count != sites * from.count)
    p.fail("all_gather of " + chunksText(from.count) + " over " + std::to_string(sites) +
               " sites has a result of " + chunksText(sites * from.count) + ", not " +
               chunksText(to.count),
           loc);
  if (isFlat()) {
    copyOut(exchangeAll(from, 1), to);
    return;
  }
  // The data that a member has gathered are contiguous, so they are one message.
  climb("gather", from, to, from.count, [&](int representative, SiteRange member) {
    ChunkRef gathered = p.chunk(member.begin, to.buffer, to.index + member.begin * from.count,
                                member.size() * from.count, where);
    gathered.copy(representative, {}, where);
  });
  broadcast(to);
}

/// Copies every site's own contribution to its place, site by site with \p stride, and forwards the
/// contributions from the deepest level up.
template <class Fn>
void HierarchicalCommunicator::climb(const char *phase, Region from, Region to, int stride,
                                     Fn handOn) {
  for (size_t level = levels.size(); level-- > 0;) {
    enterLevel(level, 1, phase);
    if (level + 1 == levels.size())
      for (int site = 0; site < sites; ++site) {
        ChunkRef own = p.chunk(site, from.buffer, from.index, from.count, where);
        own.copy(site, to.buffer, to.index + site * stride, {}, where);
      }
    forMembers(level, handOn);
  }
}

void HierarchicalCommunicator::allReduce(int generation, Region from, Region to, Loc loc) {
  beginCall("all_reduce", generation, loc);
  if (to.count != from.count)
    p.fail("all_reduce of " + chunksText(from.count) + " has a result of the same size, not " +
               chunksText(to.count),
           loc);
  if (!isFlat()) {
    climb("reduce", from, to, 0, [&](int representative, SiteRange member) {
      ChunkRef sum = p.chunk(representative, to.buffer, to.index, to.count, where);
      ChunkRef part = p.chunk(member.begin, to.buffer, to.index, to.count, where);
      sum.reduce(part, {}, where);
    });
    broadcast(to);
    return;
  }
  Buffer arrived = exchangeAll(from, 1);
  for (int site = 0; site < sites; ++site) {
    ChunkRef sum =
        p.chunk(site, arrived, 0, to.count, where).copy(site, to.buffer, to.index, {}, where);
    for (int other = 1; other < sites; ++other)
      sum.reduce(p.chunk(site, arrived, other * to.count, to.count, where), {}, where);
  }
}

void HierarchicalCommunicator::broadcast(Region region) {
  for (size_t level = 0; level < levels.size(); ++level) {
    enterLevel(level, 3, "broadcast");
    forMembers(level, [&](int representative, SiteRange member) {
      ChunkRef all = p.chunk(representative, region.buffer, region.index, region.count, where);
      all.copy(member.begin, {}, where);
    });
  }
}

// --- Three phases -----------------------------------------------------------------

/// One all-to-all between groups. A leader keeps three buffers:
///
///   rows    data from its group's sites for the groups that it exchanges with, by site;
///           later the received blocks
///   blocks  data to send, by group and receiving site; later the data for its group's
///           sites, by site
///   own     data exchanged inside the group
/// In padded blocks, the padding is filled with data that are never read.
class HierarchicalCommunicator::Exchange {
public:
  Exchange(HierarchicalCommunicator &world, Region from, Region to)
      : world(world), p(world.p), where(world.where), from(from), to(to),
        m(from.count / world.sites), groups(topLevelGroups({0, world.sites}, world.options.arity)),
        rows(p.scratch("rows", where)), blocks(p.scratch("blocks", where)),
        own(p.scratch("own", where)) {
    for (SiteRange group : groups)
      largest = std::max(largest, group.size());
  }

  void run() {
    bool tree = world.options.leaders == 1;
    if (tree) {
      gatherUp();
    } else {
      p.enter(world.members, 1, "gather", where);
      forLeaders([&](int k, int leader) { gatherTo(k, leader); });
    }
    p.enter(world.leaders, 2, "exchange", where);
    forLeaders([&](int k, int leader) { pack(k, leader); });
    for (int k = 0; k < count(); ++k)
      for (int d = 0; d < count(); ++d)
        if (d != k)
          exchange(k, d);
    p.enter(world.members, 3, "scatter", where);
    forLeaders([&](int k, int leader) { unpack(k, leader); });
    if (tree)
      scatterDown();
    else
      forLeaders([&](int k, int leader) { scatterFrom(k, leader); });
  }

private:
  int count() const { return groups.size(); }
  int leadersOf(int k) const { return std::min(world.options.leaders, groups[k].size()); }
  /// The leader of group \p k that exchanges with group \p d.
  int leaderFor(int k, int d) const { return groups[k].begin + d * leadersOf(k) / count(); }
  /// The groups that it exchanges with, which follow each other, as sites.
  SiteRange shareOf(int k, int leader) const {
    SiteRange share{world.sites, 0};
    for (int d = 0; d < count(); ++d)
      if (leaderFor(k, d) == leader)
        share = {std::min(share.begin, groups[d].begin), groups[d].end};
    return share;
  }
  template <class Fn> void forLeaders(Fn fn) const {
    for (int k = 0; k < count(); ++k)
      for (int l = 0; l < leadersOf(k); ++l)
        if (int leader = groups[k].begin + l; shareOf(k, leader).size() > 0)
          fn(k, leader);
  }
  bool padded() const { return world.options.layout == BlockLayout::Padded; }

  ChunkRef at(int site, Buffer buffer, int index, int count) const {
    return p.chunk(site, buffer, index * m, count * m, where);
  }
  void copy(const ChunkRef &ref, int site, Buffer buffer, int index) const {
    ref.copy(site, buffer, index * m, {}, where);
  }
  ChunkRef contribution(int site, SiteRange share) const {
    return p.chunk(site, from.buffer, from.index + share.begin * m, share.size() * m, where);
  }
  void deliver(const ChunkRef &ref, int site, int source) const {
    ref.copy(site, to.buffer, to.index + source * m, {}, where);
  }

  // --- To the leaders and back

  /// Calls fn(parent, member, row) for the members of the groups of a level; row is where the
  /// member's part begins at the parent. A site that is alone below the top-level groups
  /// has no member to gather from: its representative handles it one level up.
  template <class Fn> void forRows(size_t level, Fn fn) const {
    for (const Group &group : world.levels[level].groups)
      if (group.size() > 1 || level == 1)
        for (SiteRange member : group)
          fn(group.front().begin, member, (member.begin - group.front().begin) * world.sites);
  }

  /// Gathers level by level; a member sends all its gathered data in one message.
  void gatherUp() {
    for (size_t level = world.levels.size(); --level > 0;) {
      world.enterLevel(level, 1, "gather");
      forRows(level, [&](int parent, SiteRange member, int row) {
        if (member.size() == 1)
          copy(contribution(member.begin, {0, world.sites}), parent, rows, row);
        else if (member.begin != parent)
          copy(at(member.begin, rows, 0, member.size() * world.sites), parent, rows, row);
      });
    }
  }

  void gatherTo(int k, int leader) {
    SiteRange share = shareOf(k, leader);
    for (int site = groups[k].begin; site < groups[k].end; ++site)
      copy(contribution(site, share), leader, rows, (site - groups[k].begin) * share.size());
  }

  void scatterDown() {
    for (size_t level = 1; level < world.levels.size(); ++level) {
      if (level > 1)
        world.enterLevel(level, 3, "scatter");
      forRows(level, [&](int parent, SiteRange member, int row) {
        if (member.size() == 1)
          deliver(at(parent, blocks, row, world.sites), member.begin, 0);
        else if (member.begin != parent)
          copy(at(parent, blocks, row, member.size() * world.sites), member.begin, blocks, 0);
      });
    }
  }

  void scatterFrom(int k, int leader) {
    SiteRange share = shareOf(k, leader);
    for (int site = groups[k].begin; site < groups[k].end; ++site)
      deliver(at(leader, blocks, (site - groups[k].begin) * share.size(), share.size()), site,
              share.begin);
  }

  // --- At the leaders

  /// Chunks of the block from group \p k to group \p d, and where it begins among those of
  /// its leader: the same on both sides, as seen from the one or the other group.
  int blockSize(int k, int d) const {
    return padded() ? largest * largest : groups[k].size() * groups[d].size();
  }
  int blockBegin(int k, int d) const {
    int begin = 0;
    for (int other = 0; other < d; ++other)
      if (other != k && leaderFor(k, other) == leaderFor(k, d))
        begin += blockSize(k, other);
    return begin;
  }
  /// Distance of two receiving sites in a block.
  int stride(int k) const { return padded() ? largest : groups[k].size(); }

  void pack(int k, int leader) {
    SiteRange share = shareOf(k, leader);
    SiteRange mine = groups[k];
    for (int d = 0; d < count(); ++d) {
      if (leaderFor(k, d) != leader)
        continue;
      Buffer packed = d == k ? own : blocks;
      int begin = d == k ? 0 : blockBegin(k, d), distance = d == k ? mine.size() : stride(k);
      for (int jj = 0; jj < groups[d].size(); ++jj)
        for (int i = 0; i < mine.size(); ++i) {
          int column = groups[d].begin + jj - share.begin;
          copy(at(leader, rows, i * share.size() + column, 1), leader, packed,
               begin + jj * distance + i);
        }
      if (d != k && padded())
        pad(k, d, leader);
    }
  }

  void pad(int k, int d, int leader) {
    int begin = blockBegin(k, d), used = groups[k].size();
    for (int jj = 0; jj < largest; ++jj) {
      int filled = jj < groups[d].size() ? used : 0;
      if (filled < largest)
        copy(at(leader, rows, 0, largest - filled), leader, blocks, begin + jj * largest + filled);
    }
  }

  void exchange(int k, int d) {
    ChunkRef block = at(leaderFor(k, d), blocks, blockBegin(k, d), blockSize(k, d));
    block.copy(leaderFor(d, k), rows, blockBegin(d, k) * m, oneWay(k, d), where);
  }

  /// Lays the received blocks and the group's own one out by receiving site.
  void unpack(int k, int leader) {
    SiteRange share = shareOf(k, leader);
    SiteRange mine = groups[k];
    for (int jj = 0; jj < mine.size(); ++jj)
      for (int d = 0; d < count(); ++d) {
        if (leaderFor(k, d) != leader)
          continue;
        ChunkRef run = d == k
                           ? at(leader, own, jj * mine.size(), mine.size())
                           : at(leader, rows, blockBegin(k, d) + jj * stride(d), groups[d].size());
        copy(run, leader, blocks, jj * share.size() + groups[d].begin - share.begin);
      }
  }

  HierarchicalCommunicator &world;
  Program &p;
  Loc where;
  Region from, to;
  int m;
  std::vector<SiteRange> groups;
  int largest = 0;
  Buffer rows, blocks, own;
};

void HierarchicalCommunicator::allToAll(int generation, Region from, Region to, Loc loc) {
  beginCall("all_to_all", generation, loc);
  if (from.count % sites != 0 || from.count == 0)
    p.fail("all_to_all over " + std::to_string(sites) + " sites needs contributions of " +
               std::to_string(sites) + " equal parts, not " + chunksText(from.count),
           loc);
  if (to.count != from.count)
    p.fail("all_to_all of " + chunksText(from.count) + " has a result of the same size, not " +
               chunksText(to.count),
           loc);
  if (isFlat())
    copyOut(exchangeAll(from, sites), to);
  else
    Exchange(*this, from, to).run();
}

} // namespace cclc::dsl
