//===- DependencesTest.cpp - Dependences against their definition ---------===//
//
// The oracle lists all accesses, cell by cell, and applies the definition to every
// pair of them: O(n^2) and without any state per cell.
//
//===----------------------------------------------------------------------===//

#include "../../support/RandomProgram.h"
#include "../../support/Text.h"

#include "cclc/IR/Dependences.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include <algorithm>
#include <map>
#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {

struct Access {
  uint32_t node;
  RankId rank;
  Operand operand;
  uint32_t count;
  bool write;
};

/// A cell by rank, memory and offset, from the alias table of Collective.h.
using Cell = std::tuple<uint32_t, char, uint32_t>;
Cell cellOf(const Collective &collective, Placement placement, RankId rank, Operand operand,
            uint32_t c) {
  uint32_t r = rank.index(), index = operand.index() + c;
  char letter = bufferLetter(operand.buffer());
  if (letter == 's' || placement == Placement::OutOfPlace)
    return {r, letter, index};
  if (collective.kind() == CollectiveKind::AllGather && letter == 'i')
    return {r, 'u', r * collective.chunks() + index};
  if (collective.kind() == CollectiveKind::ReduceScatter && letter == 'o')
    return {r, 'u', r * collective.chunks() + index};
  return {r, 'u', index};
}

/// The sets that follow from a list of accesses.
struct Facts {
  std::map<std::pair<uint32_t, uint32_t>, unsigned> edges; ///< (from, to): kinds
  std::map<uint32_t, uint32_t> overwrites;                 ///< node: first overwriter
  std::set<uint32_t> liveOut;
};

Facts deduce(const Collective &collective, Placements placements, ArrayRef<Access> accesses) {
  Facts facts;
  struct Event {
    uint32_t node;
    bool write;
  };
  for (Placement placement : placements.list()) {
    std::map<Cell, std::vector<Event>> events;
    for (const Access &a : accesses)
      for (uint32_t c = 0; c < a.count; ++c)
        events[cellOf(collective, placement, a.rank, a.operand, c)].push_back({a.node, a.write});
    for (const auto &[cell, list] : events) {
      for (size_t to = 0; to < list.size(); ++to)
        for (size_t from = 0; from < to; ++from) {
          auto between = [&](bool write) {
            for (size_t k = from + 1; k < to; ++k)
              if (list[k].write == write)
                return true;
            return false;
          };
          if (list[from].node == list[to].node || between(/*write=*/true))
            continue;
          unsigned kinds = 0;
          if (list[from].write && !list[to].write)
            kinds = unsigned(DepKind::True);
          else if (!list[from].write && list[to].write)
            kinds = unsigned(DepKind::Anti);
          else if (list[from].write && list[to].write && !between(/*write=*/false))
            kinds = unsigned(DepKind::Output);
          if (kinds)
            facts.edges[{list[from].node, list[to].node}] |= kinds;
          if (list[to].write) {
            auto [it, inserted] = facts.overwrites.try_emplace(list[from].node, list[to].node);
            it->second = std::min(it->second, list[to].node);
          }
        }
    }
    for (uint32_t r = 0; r < collective.ranks(); ++r)
      for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
        auto it =
            events.find(cellOf(collective, placement, RankId(r), Operand(Buffer::Output, 0), c));
        if (it == events.end() ||
            collective.expected(RankId(r), c).kind == Expectation::Kind::Anything)
          continue;
        for (size_t k = it->second.size(); k-- > 0;)
          if (it->second[k].write) {
            facts.liveOut.insert(it->second[k].node);
            break;
          }
      }
  }
  return facts;
}

std::map<std::pair<uint32_t, uint32_t>, unsigned> edgesOf(const DependenceGraph &graph) {
  std::map<std::pair<uint32_t, uint32_t>, unsigned> edges;
  for (uint32_t node = 0; node < graph.size(); ++node)
    for (DepEdge edge : graph.preds(node)) {
      unsigned kinds = 0;
      for (DepKind kind : {DepKind::True, DepKind::Anti, DepKind::Output})
        if (edge.is(kind))
          kinds |= unsigned(kind);
      bool isNew = edges.try_emplace({edge.node(), node}, kinds).second;
      REQUIRE(isNew); // a pair has at most one edge
    }
  return edges;
}

/// The accesses of an instruction program, by position; the sending half of a fused instruction
/// reads the cells that the instruction wrote.
std::vector<Access> accessesOf(const InstrProgram &program) {
  std::map<uint32_t, std::vector<Access>> byPos;
  for (uint32_t id = 0; id < program.size(); ++id) {
    const Instr &instr = program.instrs()[id];
    auto &here = byPos[instr.pos];
    if (!instr.src.isNone())
      here.push_back({id, instr.rank, instr.src, instr.count, false});
    if (instr.op == OpKind::Reduce)
      here.push_back({id, instr.rank, instr.dst, instr.count, false});
    if (!instr.dst.isNone())
      here.push_back({id, instr.rank, instr.dst, instr.count, true});
    if (instr.sendPos != instr.pos)
      byPos[instr.sendPos].push_back({id, instr.rank, instr.dst, instr.count, false});
  }
  std::vector<Access> all;
  for (auto &[pos, list] : byPos)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

void compare(const InstrProgram &program) {
  Facts facts = deduce(program.info().collective, program.info().placements, accessesOf(program));
  if (edgesOf(program.dependences()) != facts.edges)
    FAIL("edges of " << printed(program, {false, true}));
  for (uint32_t id = 0; id < program.size(); ++id) {
    if (program.isLiveOut(InstrId(id)) != (facts.liveOut.count(id) != 0))
      FAIL("live-out of %" << id << " of " << printed(program));
    OptionalId<InstrId> overwrite = program.firstOverwrite(InstrId(id));
    auto it = facts.overwrites.find(id);
    if (overwrite.has_value() != (it != facts.overwrites.end()) ||
        (overwrite && (*overwrite).index() != it->second))
      FAIL("overwrite of %" << id << " of " << printed(program));
  }
}
} // namespace

TEST_CASE("dependences of random accesses are those of the definition", "[property]") {
  using enum CollectiveKind;
  for (uint64_t seed = 0; seed < scaled(1000); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    constexpr CollectiveKind kinds[] = {AllReduce, AllGather, ReduceScatter, AllToAll};
    // Ranges of more than 64 cells and of more than 4,096, of which there are few.
    uint32_t longest = seed % 100 == 0 ? 4500 : seed % 4 == 0 ? 200 : 4;
    uint32_t chunks = longest > 4 ? longest : random.between(1, 3);
    Collective collective(kinds[random.below(4)], random.between(1, 3), chunks);
    Placements placements(random.chance(60), random.chance(60));
    if (placements.list().empty())
      placements = Placements::inPlace();
    std::vector<uint32_t> scratch(collective.ranks(), 3);
    std::vector<CellSpace> spaces;
    for (Placement placement : placements.list())
      spaces.emplace_back(collective, placement, scratch);

    uint32_t nodes = random.between(1, longest > 200 ? 12 : longest > 4 ? 25 : 60);
    std::vector<Access> accesses;
    DependenceBuilder builder(spaces, nodes);
    for (uint32_t node = 0; node < nodes; ++node) {
      if (random.chance(10))
        continue; // a node without accesses is not added
      builder.beginNode(node);
      auto access = [&](bool write) {
        Buffer buffer = Buffer(random.below(3));
        RankId rank(random.below(collective.ranks()));
        uint32_t size = bufferChunks(collective, scratch, rank, buffer);
        uint32_t count = random.between(1, std::min(size, longest));
        Operand operand(buffer, random.below(size - count + 1));
        accesses.push_back({node, rank, operand, count, write});
        write ? builder.write(rank, operand, count) : builder.read(rank, operand, count);
      };
      for (uint32_t n = random.below(3); n > 0; --n)
        access(false);
      if (random.chance(60))
        access(true);
    }
    Facts facts = deduce(collective, placements, accesses);
    Dependences found = std::move(builder).finish(collective);
    for (uint32_t node = 0; node < nodes; ++node) {
      REQUIRE(found.liveOut[node] == (facts.liveOut.count(node) != 0));
      auto it = facts.overwrites.find(node);
      REQUIRE(found.overwrites[node] ==
              (it == facts.overwrites.end() ? OptionalIndex() : OptionalIndex(it->second)));
    }
    const DependenceGraph &graph = found.graph;
    REQUIRE(graph.size() == nodes);
    REQUIRE(edgesOf(graph) == facts.edges);
    REQUIRE(graph.numEdges() == facts.edges.size());

    SuccessorGraph successors(graph);
    std::map<std::pair<uint32_t, uint32_t>, bool> turned;
    for (uint32_t node = 0; node < nodes; ++node)
      for (DepEdge edge : successors.succs(node))
        turned[{node, edge.node()}] = edge.isTrue();
    REQUIRE(turned.size() == facts.edges.size());
    for (auto [edge, kinds] : facts.edges) {
      auto it = turned.find(edge);
      REQUIRE(it != turned.end());
      REQUIRE(it->second == ((kinds & unsigned(DepKind::True)) != 0));
    }
  }
}

TEST_CASE("instruction programs have the dependences of the definition", "[property]") {
  for (uint64_t seed = 0; seed < scaled(1000); ++seed) {
    INFO("seed " << seed);
    DiagnosticEngine diags;
    PassContext context(diags);
    FailureOr<InstrProgram> program = lowerToInstr(randomProgram(seed + 7000), context);
    REQUIRE(succeeded(program));
    compare(*program);
    program = fuse(std::move(*program), {}, context);
    REQUIRE(succeeded(program));
    compare(*program);
  }
}

TEST_CASE("partly overlapping ranges depend on each other through the shared cells") {
  auto program = parsed<InstrProgram>(R"(ccl.version 3
instr.program @p coll alltoall ranks 2 chunks 3 outofplace {
  scratch r0 9
  %0 = cpy r0 i[0:3] -> s[0:3]
  %1 = cpy r0 i[3:6] -> s[3:6]
  %2 = cpy r0 s[2:4] -> o[0:2]
  %3 = cpy r0 i[0:2] -> s[3:5]
  %4 = cpy r0 s[4:6] -> o[2:4]
  %5 = cpy r0 i[0] -> s[0]
}
)");
  CHECK(printed(program, {false, true}) == R"(ccl.version 3
instr.program @p coll alltoall ranks 2 chunks 3 outofplace {
  scratch r0 9
  %0 = cpy r0 i[0:3] -> s[0:3]
  %1 = cpy r0 i[3:6] -> s[3:6]
  %2 = cpy r0 s[2:4] -> o[0:2]  // after %0/true %1/true
  %3 = cpy r0 i[0:2] -> s[3:5]  // after %1/output %2/anti
  %4 = cpy r0 s[4:6] -> o[2:4]  // after %1/true %3/true
  %5 = cpy r0 i[0] -> s[0]  // after %0/output
}
)");
}

TEST_CASE("dependences follow aliases in place but not out of place") {
  auto edges = [](StringRef placement) {
    auto program = parsed<InstrProgram>(("ccl.version 3\ninstr.program @p coll allgather ranks 2 "
                                         "chunks 2 " +
                                         placement + R"( {
  %0 = cpy r1 o[0] -> o[3]
  %1 = cpy r1 i[1] -> o[1]
}
)")
                                            .str());
    return edgesOf(program.dependences()).size();
  };
  CHECK(edges("inplace") == 1);
  CHECK(edges("outofplace") == 0);
  CHECK(edges("inplace outofplace") == 1);
}
