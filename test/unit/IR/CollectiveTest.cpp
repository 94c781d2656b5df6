//===- CollectiveTest.cpp - The tables of the collectives, by hand --------===//
//
// The tables below are written out for three ranks, F = 2 and root 1 instead of
// being computed, so that they share no code with Collective.cpp.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/CellSpace.h"

#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <sstream>
#include <tuple>

using namespace cclc;

namespace {
using enum CollectiveKind;

struct Row {
  CollectiveKind kind;
  const char *name;
  uint32_t inputs, outputs, perLoop;
  bool rooted;
  const char *hasInput; ///< by rank
  /// By rank, what each output cell must hold: "*c" the sum of chunk c over all ranks, "*q.c" over
  /// those up to q, "q.c" chunk c of rank q, "-" anything.
  const char *expected[3];
  /// In place, by rank: the offset of the input, the offset of the output, the size of user memory.
  uint32_t inPlace[3][3];
};

const Row rows[] = {
    {AllReduce,
     "allreduce",
     2,
     2,
     2,
     false,
     "yyy",
     {"*0 *1", "*0 *1", "*0 *1"},
     {{0, 0, 2}, {0, 0, 2}, {0, 0, 2}}},
    {AllGather,
     "allgather",
     2,
     6,
     6,
     false,
     "yyy",
     {"0.0 0.1 1.0 1.1 2.0 2.1", "0.0 0.1 1.0 1.1 2.0 2.1", "0.0 0.1 1.0 1.1 2.0 2.1"},
     {{0, 0, 6}, {2, 0, 6}, {4, 0, 6}}},
    {ReduceScatter,
     "reducescatter",
     6,
     2,
     6,
     false,
     "yyy",
     {"*0 *1", "*2 *3", "*4 *5"},
     {{0, 0, 6}, {0, 2, 6}, {0, 4, 6}}},
    {AllToAll,
     "alltoall",
     6,
     6,
     6,
     false,
     "yyy",
     {"0.0 0.1 1.0 1.1 2.0 2.1", "0.2 0.3 1.2 1.3 2.2 2.3", "0.4 0.5 1.4 1.5 2.4 2.5"},
     {{0, 0, 6}, {0, 0, 6}, {0, 0, 6}}},
    {AllToNext,
     "alltonext",
     2,
     2,
     2,
     false,
     "yyy",
     {"- -", "0.0 0.1", "1.0 1.1"},
     {{0, 0, 2}, {0, 0, 2}, {0, 0, 2}}},
    {Broadcast,
     "broadcast",
     2,
     2,
     2,
     true,
     "nyn",
     {"1.0 1.1", "1.0 1.1", "1.0 1.1"},
     {{0, 0, 2}, {0, 0, 2}, {0, 0, 2}}},
    {Reduce,
     "reduce",
     2,
     2,
     2,
     true,
     "yyy",
     {"- -", "*0 *1", "- -"},
     {{0, 0, 2}, {0, 0, 2}, {0, 0, 2}}},
    {Gather,
     "gather",
     2,
     6,
     6,
     true,
     "yyy",
     {"- - - - - -", "0.0 0.1 1.0 1.1 2.0 2.1", "- - - - - -"},
     {{0, 2, 8}, {2, 0, 6}, {0, 2, 8}}},
    {Scatter,
     "scatter",
     6,
     2,
     6,
     true,
     "nyn",
     {"1.0 1.1", "1.2 1.3", "1.4 1.5"},
     {{0, 6, 8}, {0, 2, 6}, {0, 6, 8}}},
    {SendRecv,
     "sendrecv",
     2,
     2,
     2,
     false,
     "yyy",
     {"2.0 2.1", "0.0 0.1", "1.0 1.1"},
     {{0, 0, 2}, {0, 0, 2}, {0, 0, 2}}},
    {Scan,
     "scan",
     2,
     2,
     2,
     false,
     "yyy",
     {"0.0 0.1", "*1.0 *1.1", "*0 *1"},
     {{0, 0, 2}, {0, 0, 2}, {0, 0, 2}}},
    {Exscan,
     "exscan",
     2,
     2,
     2,
     false,
     "yyy",
     {"- -", "0.0 0.1", "*1.0 *1.1"},
     {{0, 0, 2}, {0, 0, 2}, {0, 0, 2}}},
};

Collective make(const Row &row) { return Collective(row.kind, 3, 2, RankId(1)); }

std::string describe(const Expectation &e) {
  switch (e.kind) {
  case Expectation::Kind::Anything:
    return "-";
  case Expectation::Kind::Chunk:
    return std::to_string(e.rank.index()) + "." + std::to_string(e.index);
  case Expectation::Kind::Sum:
    return (e.rank.index() == 2 ? "*" : "*" + std::to_string(e.rank.index()) + ".") +
           std::to_string(e.index);
  case Expectation::Kind::SumList:
    break;
  }
  std::string text = "list";
  for (Contribution c : e.list)
    text += ":" + std::to_string(c.rank.index()) + "." + std::to_string(c.index);
  return text;
}
} // namespace

TEST_CASE("every collective has the sizes and the post-condition of its definition") {
  for (const Row &row : rows) {
    INFO(row.name);
    Collective collective = make(row);
    CHECK(collective.inputChunks() == row.inputs);
    CHECK(collective.outputChunks() == row.outputs);
    CHECK(collective.chunksPerLoop() == row.perLoop);
    CHECK(collective.isRooted() == row.rooted);
    CHECK(collective.hasPostCondition());
    for (uint32_t r = 0; r < 3; ++r) {
      CHECK(collective.hasInput(RankId(r)) == (row.hasInput[r] == 'y'));
      std::istringstream cells(row.expected[r]);
      std::string cell;
      uint32_t index = 0;
      for (; cells >> cell; ++index)
        CHECK(describe(collective.expected(RankId(r), index)) == cell);
      CHECK(index == row.outputs);
    }
  }
}

TEST_CASE("in place, input and output share memory as defined") {
  for (const Row &row : rows) {
    INFO(row.name);
    Collective collective = make(row);
    for (uint32_t r = 0; r < 3; ++r) {
      RankId rank(r);
      CHECK(collective.inputOffset(rank, Placement::InPlace) == row.inPlace[r][0]);
      CHECK(collective.outputOffset(rank, Placement::InPlace) == row.inPlace[r][1]);
      CHECK(collective.userChunks(rank, Placement::InPlace) == row.inPlace[r][2]);
      CHECK(collective.inputOffset(rank, Placement::OutOfPlace) == 0);
      CHECK(collective.outputOffset(rank, Placement::OutOfPlace) == row.inputs);
      CHECK(collective.userChunks(rank, Placement::OutOfPlace) == row.inputs + row.outputs);
    }
  }
}

TEST_CASE("names of collectives") {
  for (const Row &row : rows) {
    CHECK(collectiveName(row.kind) == row.name);
    CHECK(parseCollective(row.name) == row.kind);
  }
  CHECK(collectiveName(Custom) == "custom");
  CHECK(parseCollective("custom") == Custom);
  CHECK(parseCollective("reduce_scatter") == ReduceScatter);
  CHECK_FALSE(parseCollective("AllReduce"));
  CHECK_FALSE(parseCollective(""));
}

TEST_CASE("a custom collective is defined by its data") {
  CustomSpec spec{
      2, 3, {{RankId(0), 2, {{RankId(1), 1}}}, {RankId(1), 0, {{RankId(0), 0}, {RankId(1), 0}}}}};
  Collective collective(2, spec);
  CHECK(collective.inputChunks() == 2);
  CHECK(collective.outputChunks() == 3);
  CHECK(collective.hasPostCondition());
  CHECK(describe(collective.expected(RankId(0), 0)) == "-");
  CHECK(describe(collective.expected(RankId(0), 2)) == "list:1.1");
  CHECK(describe(collective.expected(RankId(1), 0)) == "list:0.0:1.0");
  CHECK(describe(collective.expected(RankId(1), 2)) == "-");
  CHECK(collective.hasInput(RankId(1)));
  CHECK_FALSE(Collective(2, CustomSpec{2, 3, {}}).hasPostCondition());

  CHECK(collective == Collective(2, spec));
  CHECK_FALSE(collective == Collective(3, spec));
  spec.outputs[0].contributions[0].index = 0;
  CHECK_FALSE(collective == Collective(2, spec));
}

TEST_CASE("in place the buffers of a custom collective have offset 0") {
  for (auto [inputs, outputs] : {std::pair(2u, 3u), {3u, 2u}, {2u, 2u}, {0u, 2u}}) {
    INFO(inputs << " and " << outputs);
    Collective collective(2, CustomSpec{inputs, outputs, {}});
    const uint32_t scratch[] = {1, 0};
    CellSpace space(collective, Placement::InPlace, scratch);
    for (RankId rank : {RankId(0), RankId(1)}) {
      CHECK(collective.userChunks(rank, Placement::InPlace) == std::max(inputs, outputs));
      CHECK(collective.userChunks(rank, Placement::OutOfPlace) == inputs + outputs);
      for (uint32_t c = 0; c < std::min(inputs, outputs); ++c) {
        Operand in(Buffer::Input, c), out(Buffer::Output, c);
        CHECK(space.cell(rank, in) == space.cell(rank, out));
        CHECK(collective.canonical(rank, in, Placements::inPlace()) ==
              collective.canonical(rank, out, Placements::inPlace()));
        CHECK(collective.canonical(rank, in, Placements::both()) == in);
      }
    }
    CHECK(space.cell(RankId(0), Operand(Buffer::Scratch, 0)) == std::max(inputs, outputs));
    CHECK(space.size() == 2 * std::max(inputs, outputs) + 1);
  }
}

TEST_CASE("collectives are equal if all of their data are") {
  Collective base(Broadcast, 4, 2, RankId(1));
  CHECK(base == Collective(Broadcast, 4, 2, RankId(1)));
  CHECK_FALSE(base == Collective(Broadcast, 4, 2, RankId(2)));
  CHECK_FALSE(base == Collective(Broadcast, 4, 3, RankId(1)));
  CHECK_FALSE(base == Collective(Broadcast, 5, 2, RankId(1)));
  CHECK_FALSE(base == Collective(Reduce, 4, 2, RankId(1)));
}

TEST_CASE("two buffer indices are one cell exactly if the alias map says so") {
  const uint32_t scratch[] = {3, 0, 2};
  for (const Row &row : rows)
    for (Placement placement : {Placement::InPlace, Placement::OutOfPlace}) {
      INFO(row.name << (placement == Placement::InPlace ? " in place" : " out of place"));
      Collective collective = make(row);
      CellSpace space(collective, placement, scratch);
      // The cell by the tables above: (rank, memory, offset).
      using Place = std::tuple<uint32_t, char, uint32_t>;
      std::map<Place, uint64_t> cellOf;
      std::set<uint64_t> cells;
      auto visit = [&](uint32_t r, Buffer buffer, uint32_t size, char memory, uint32_t offset) {
        for (uint32_t c = 0; c < size; ++c) {
          uint64_t cell = space.cell(RankId(r), Operand(buffer, c));
          CHECK(cell ==
                space.rankStart(RankId(r)) + space.offsetInRank(RankId(r), Operand(buffer, c)));
          auto [it, inserted] = cellOf.try_emplace({r, memory, offset + c}, cell);
          CHECK(it->second == cell);
          if (inserted)
            CHECK(cells.insert(cell).second);
        }
      };
      for (uint32_t r = 0; r < 3; ++r) {
        bool shared = placement == Placement::InPlace;
        uint32_t in = shared ? row.inPlace[r][0] : 0;
        uint32_t out = shared ? row.inPlace[r][1] : row.inputs;
        visit(r, Buffer::Input, row.inputs, 'u', in);
        visit(r, Buffer::Output, row.outputs, 'u', out);
        visit(r, Buffer::Scratch, scratch[r], 's', 0);
        CHECK(space.cellsOfRank(RankId(r)) ==
              (shared ? row.inPlace[r][2] : row.inputs + row.outputs) + scratch[r]);
      }
      // Cell numbers are dense over all ranks.
      CHECK(cells.size() == space.size());
      CHECK(*cells.begin() == 0);
      CHECK(*cells.rbegin() + 1 == space.size());
    }
}

TEST_CASE("the canonical name of a cell is in the buffer that contains the other one") {
  for (const Row &row : rows) {
    INFO(row.name);
    Collective collective = make(row);
    const uint32_t none[] = {0, 0, 0};
    CellSpace inPlace(collective, Placement::InPlace, none);
    for (uint32_t r = 0; r < 3; ++r) {
      RankId rank(r);
      bool shared = row.inPlace[r][2] < row.inputs + row.outputs;
      for (auto [buffer, size] :
           {std::pair(Buffer::Input, row.inputs), {Buffer::Output, row.outputs}})
        for (uint32_t c = 0; c < size; ++c) {
          Operand operand(buffer, c);
          // Cells of the same memory differ between the placements.
          CHECK(collective.canonical(rank, operand, Placements::outOfPlace()) == operand);
          CHECK(collective.canonical(rank, operand, Placements::both()) == operand);
          Operand name = collective.canonical(rank, operand, Placements::inPlace());
          CHECK(inPlace.cell(rank, name) == inPlace.cell(rank, operand));
          Buffer holder = row.inputs >= row.outputs ? Buffer::Input : Buffer::Output;
          CHECK(name.buffer() == (shared ? holder : buffer));
        }
      Operand scratch(Buffer::Scratch, 7);
      CHECK(collective.canonical(rank, scratch, Placements::inPlace()) == scratch);
    }
  }
}
