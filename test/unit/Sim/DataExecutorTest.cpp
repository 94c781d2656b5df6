//===- DataExecutorTest.cpp - Real data in simulated plans ----------------===//
//
// The results of whole simulations are computed again from the inputs alone, in
// exact arithmetic, and compared element by element.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace cclc;
using namespace cclc::test;

namespace {

constexpr DataType allTypes[] = {DataType::F16, DataType::BF16, DataType::F32, DataType::F64,
                                 DataType::I8,  DataType::I32,  DataType::I64, DataType::U8};
constexpr ReduceOp allOps[] = {ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Min, ReduceOp::Max,
                               ReduceOp::Avg};

/// The number that an element represents; exact for all types but large i64.
long double valueOf(DataType type, const std::byte *place) {
  auto as = [&]<class T>(T value) {
    std::memcpy(&value, place, sizeof(T));
    return value;
  };
  switch (type) {
  case DataType::F16:
    return halfToFloat(as(uint16_t()));
  case DataType::BF16:
    return bfloatToFloat(as(uint16_t()));
  case DataType::F32:
    return as(float());
  case DataType::F64:
    return as(double());
  case DataType::I8:
    return as(int8_t());
  case DataType::I32:
    return as(int32_t());
  case DataType::I64:
    return as(int64_t());
  case DataType::U8:
    return as(uint8_t());
  }
  return 0;
}

bool isReal(DataType type) { return type <= DataType::F64; }

long double combine(ReduceOp op, const std::vector<long double> &values) {
  long double result = values.front();
  for (size_t i = 1; i < values.size(); ++i)
    switch (op) {
    case ReduceOp::Sum:
    case ReduceOp::Avg:
      result += values[i];
      break;
    case ReduceOp::Prod:
      result *= values[i];
      break;
    case ReduceOp::Min:
      result = std::min(result, values[i]);
      break;
    case ReduceOp::Max:
      result = std::max(result, values[i]);
      break;
    }
  return result;
}

/// \p quotient rounded as in \p type: to nearest for reals, towards zero otherwise.
long double stored(DataType type, long double value) {
  if (!isReal(type))
    return std::trunc(value);
  std::byte place[8];
  storeReal(type, place, double(value));
  return valueOf(type, place);
}

long double inputValue(const InputData &input, DataType type, uint32_t rank, uint64_t element) {
  std::byte place[8];
  input.store(place, RankId(rank), element);
  return valueOf(type, place);
}

/// The expected o[element] of \p rank, from the table of the collectives alone. F is the number of
/// elements of a chunk times the chunks of a rank's part.
long double expectedValue(const ExecPlan &plan, const InputData &input, DataType type, ReduceOp op,
                          uint32_t rank, uint64_t element, uint64_t part) {
  uint32_t ranks = plan.ranks();
  auto reducedTo = [&](uint32_t end, uint64_t at) {
    std::vector<long double> values;
    for (uint32_t q = 0; q < end; ++q)
      values.push_back(inputValue(input, type, q, at));
    long double result = combine(op, values);
    return op == ReduceOp::Avg ? stored(type, result / end) : result;
  };
  auto reduced = [&](uint64_t at) { return reducedTo(ranks, at); };
  switch (plan.info().collective.kind()) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::Reduce:
    return reduced(element);
  case CollectiveKind::ReduceScatter:
    return reduced(rank * part + element);
  case CollectiveKind::Scan:
    return reducedTo(rank + 1, element);
  case CollectiveKind::Exscan:
    return reducedTo(rank, element);
  case CollectiveKind::AllGather:
    return inputValue(input, type, element / part, element % part);
  case CollectiveKind::AllToAll:
    return inputValue(input, type, element / part, rank * part + element % part);
  case CollectiveKind::Broadcast:
    return inputValue(input, type, plan.info().collective.root().index(), element);
  default:
    FAIL("not in this table");
    return 0;
  }
}

void checkAll(const ExecPlan &plan, const Machine &m, uint64_t bytes, DataType type, ReduceOp op) {
  Simulation sim(plan, m, bytes, type);
  for (Placement placement : plan.info().placements.list()) {
    DataExecutor data(sim.placed, sim.sizing, op, placement, std::nullopt);
    sim.run(data);
    data.finish();
    CHECK_FALSE(data.check().has_value());
    const Collective &collective = plan.info().collective;
    uint64_t perChunk = sim.sizing.chunkElements;
    CHECK(data.chunkBytes() == perChunk * sizeOf(type));
    bool right = true;
    for (uint32_t r = 0; r < plan.ranks(); ++r) {
      if ((collective.kind() == CollectiveKind::Reduce && RankId(r) != collective.root()) ||
          (collective.kind() == CollectiveKind::Exscan && r == 0))
        continue; // any value is valid
      for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
        const std::byte *chunk = data.chunk(RankId(r), Operand(Buffer::Output, c));
        for (uint64_t e = 0; e < perChunk; ++e)
          right &= valueOf(type, chunk + e * sizeOf(type)) ==
                   expectedValue(plan, data.input(), type, op, r, c * perChunk + e,
                                 perChunk * collective.chunks());
      }
    }
    CHECK(right);
  }
}
} // namespace

TEST_CASE("every type and operator gives the exact result", "[data]") {
  for (const Recipe &recipe :
       {Recipe{"allreduce_ring", {{"buffers", "both"}}, 6},
        Recipe{"allreduce_recursive_doubling", {{"chunks", "2"}}, 5},
        Recipe{"reducescatter_ring", {{"buffers", "both"}}, 4, 2},
        Recipe{"scan_recursive_doubling", {{"buffers", "both"}}, 6},
        Recipe{"exscan_chain", {{"buffers", "both"}, {"chunks", "2"}}, 5},
        Recipe{"allreduce_hierarchical", {{"nodes", "2"}, {"ranks_per_node", "3"}}}}) {
    ExecPlan plan = compiled(recipe);
    Machine m = machine("ring", {"queue.slot_size=64"}, plan.ranks());
    for (DataType type : allTypes)
      for (ReduceOp op : allOps) {
        INFO(nameOf(recipe) << ' ' << dataTypeName(type).str() << ' ' << reduceOpName(op).str());
        checkAll(plan, m, 777, type, op);
      }
  }
}

TEST_CASE("every bundled program moves the right data", "[data][rule-30]") {
  for (const Recipe &recipe : allRecipes()) {
    if (recipe.target == "ahbm")
      continue; // below
    ExecPlan plan = compiled(recipe);
    Machine m = machine("mesh2d", {"queue.slot_size=100"}, plan.ranks());
    for (uint64_t bytes : {1ull, 333ull, 4096ull}) {
      INFO(nameOf(recipe) << ", " << bytes << " bytes");
      checkAll(plan, m, bytes, DataType::F32, ReduceOp::Sum);
    }
  }
  for (const Recipe &recipe : switchRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    checkAll(plan, machine("dgx-h100", {"protocols=null", "queue.slot_size=100"}, plan.ranks()),
             333, DataType::F32, ReduceOp::Sum);
    checkAll(plan, machine("dgx-h100", {}, plan.ranks()), 4096, DataType::F16, ReduceOp::Max);
  }
  ExecPlan plan = compiled({"allreduce_lrab", {}, {}, 1, {}, "ahbm"});
  checkAll(plan, machine("ahbm"), 3001, DataType::F16, ReduceOp::Sum);
}

TEST_CASE("the default data are exact in any order of summation", "[data][rule-33]") {
  for (uint32_t ranks : {1u, 2u, 7u, 100u, 130u, 257u, 600u, 3000u}) {
    Collective collective(CollectiveKind::AllReduce, ranks, 1);
    for (DataType type : allTypes)
      for (ReduceOp op : allOps) {
        INFO(ranks << " ranks, " << dataTypeName(type).str() << ' ' << reduceOpName(op).str());
        InputData input(collective, type, op, std::nullopt);
        bool varies = false;
        Random random(ranks);
        for (uint64_t element = 0; element < (ranks > 500 ? 3u : 12u); ++element) {
          std::vector<std::vector<std::byte>> places;
          std::vector<long double> values;
          for (uint32_t r = 0; r < ranks; ++r) {
            places.emplace_back(8);
            input.store(places.back().data(), RankId(r), element);
            values.push_back(valueOf(type, places.back().data()));
            varies |= values.back() != values.front();
          }
          long double exact = combine(op, values);
          // A random tree: combine two of the remaining operands.
          while (places.size() > 1) {
            size_t a = random.below(places.size());
            std::swap(places[a], places.back());
            std::vector<std::byte> last = places.back();
            places.pop_back();
            size_t b = random.below(places.size());
            reduceFunction(type, op)(places[b].data(), places[b].data(), last.data(), 1);
          }
          REQUIRE(valueOf(type, places[0].data()) == exact);
        }
        CHECK((varies || ranks == 1)); // ranks with identical data would hide errors
      }
  }
}

TEST_CASE("seeded data differ from rank to rank and from seed to seed", "[data]") {
  Collective collective(CollectiveKind::AllReduce, 4, 1);
  for (DataType type : allTypes) {
    InputData one(collective, type, ReduceOp::Sum, 1), again(collective, type, ReduceOp::Sum, 1),
        two(collective, type, ReduceOp::Sum, 2);
    int same = 0, ranksSame = 0;
    for (uint64_t e = 0; e < 200; ++e) {
      long double value = inputValue(one, type, 1, e);
      CHECK(value == inputValue(again, type, 1, e));
      same += value == inputValue(two, type, 1, e);
      ranksSame += value == inputValue(one, type, 2, e);
      CHECK(std::fabs(value) <= (isReal(type) ? 1 : 200));
    }
    CHECK(same < 20);
    CHECK(ranksSame < 20);
  }
}

TEST_CASE("the value of an element is independent of the number of elements", "[data]") {
  Collective reduces(CollectiveKind::AllReduce, 4, 1), copies(CollectiveKind::AllGather, 4, 1);
  for (const Collective &collective : {reduces, copies})
    for (DataType type : allTypes)
      for (ReduceOp op : allOps)
        for (std::optional<uint64_t> seed :
             {std::optional<uint64_t>(), std::optional<uint64_t>(3)}) {
          InputData input(collective, type, op, seed);
          constexpr uint64_t first = 100, count = 700;
          size_t size = sizeOf(type);
          std::vector<std::byte> all(count * size), one(size);
          input.store(all.data(), RankId(2), first, count);
          for (uint64_t e = 0; e < count; ++e) {
            input.store(one.data(), RankId(2), first + e);
            REQUIRE(std::memcmp(one.data(), all.data() + e * size, size) == 0);
          }
        }
}

TEST_CASE("an incorrect plan gives incorrect data", "[data]") {
  // r1 overwrites instead of adding, in the second chunk only.
  ExecPlan plan = readGood(R"(ccl.version 3
exec.program @broken coll allreduce ranks 2 chunks 2 inplace slots 2 {
  rank 0 {
    tb 0 send r1 recv r1 ch 0 {
      0: s i[0]
      1: s i[1]
      2: r -> i[0]
      3: r -> i[1]
    }
  }
  rank 1 {
    tb 0 send r0 recv r0 ch 0 {
      0: rrc i[0] -> i[0]
      1: r -> i[1]
      2: s i[0]
      3: s i[1]
    }
  }
}
)");
  Machine m = machine("ideal", {}, 2);
  Simulation sim(plan, m, 40); // 5 elements of i32 a chunk
  Simulation ints(plan, m, 40, DataType::I32);
  DataExecutor data(ints.placed, ints.sizing, ReduceOp::Sum, Placement::InPlace, std::nullopt);
  ints.run(data);
  data.finish();
  std::optional<DataMismatch> mismatch = data.check();
  REQUIRE(mismatch.has_value());
  CHECK(mismatch->rank == RankId(0));
  CHECK(mismatch->chunk == 1);
  // Both ranks have the value of rank 0 in place of the sum wherever the contribution of rank 1 is
  // not 0.
  std::vector<uint64_t> wrong;
  for (uint64_t e = 5; e < 10; ++e)
    if (inputValue(data.input(), DataType::I32, 1, e) != 0)
      wrong.push_back(e);
  REQUIRE_FALSE(wrong.empty());
  CHECK(mismatch->element == wrong.front());
  long double zero = inputValue(data.input(), DataType::I32, 0, wrong.front());
  long double one = inputValue(data.input(), DataType::I32, 1, wrong.front());
  CHECK(mismatch->expected == std::to_string(int(zero + one)));
  CHECK(mismatch->got == std::to_string(int(zero)));
  CHECK(mismatch->more == 2 * wrong.size() - 1);
}

TEST_CASE("the tail of the last chunk is padding", "[data][rule-6]") {
  // 10 elements in 4 chunks are 3 a chunk.
  ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  Machine m = machine("ideal", {}, 4);
  Simulation sim(plan, m, 40);
  CHECK(sim.sizing.chunkElements == 3);
  CHECK(sim.sizing.requested == Bytes(40));
  Simulation odd(plan, m, 41);
  CHECK(odd.sizing.chunkElements == 3); // 11 elements, the last of which is incomplete
  Simulation more(plan, m, 49);
  CHECK(more.sizing.chunkElements == 4);
  // The size of an all-gather is that of its output, which has a part of every rank.
  ExecPlan gather = compiled({"allgather_ring", {}, 4});
  CHECK(Simulation(gather, m, 40).sizing.chunkElements == 3);
  CHECK(Simulation(gather, m, 40).sizing.chunkElements * gather.info().collective.outputChunks() ==
        12);
}
