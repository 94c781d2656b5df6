//===- InvariantTest.cpp - Equal bits with every size ---------------------===//
//
// Plans are executed with random data, for which another order of summation has other bits. The
// oracle adds the inputs of the ranks in one sequence of pairs, without any plan.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include "cclc/Proof/UniformOrder.h"
#include "cclc/Search/Tune/Invariant.h"
#include "cclc/Sim/DataExecutor.h"
#include "cclc/Sim/Network/Network.h"

#include <cstring>
#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr uint64_t seed = 7;
using Elements = std::vector<std::vector<std::byte>>; ///< by rank

/// The first \p count elements of the result of all ranks.
Elements resultOf(const ExecPlan &plan, const Machine &machine, DataType type, uint64_t bytes,
                  uint64_t count) {
  DiagnosticEngine diags;
  PlacedPlan placed = *PlacedPlan::create(plan, machine, machine.slotsFor(plan.info()), diags);
  Sizing sizing = *Sizing::create(placed, Bytes(bytes), type, diags);
  DataExecutor data(placed, sizing, ReduceOp::Sum, plan.info().placements.list().front(), seed);
  SimOptions options;
  options.listeners = {&data};
  auto network = createNetwork(machine.network, placed.routes);
  REQUIRE(simulate(placed, sizing, *network, options).completed);
  data.finish();
  Elements all(plan.ranks());
  for (uint32_t r = 0; r < plan.ranks(); ++r) {
    for (uint32_t c = 0; c < plan.info().collective.outputChunks(); ++c) {
      const std::byte *chunk = data.chunk(RankId(r), Operand(Buffer::Output, c));
      all[r].insert(all[r].end(), chunk, chunk + data.chunkBytes());
    }
    all[r].resize(std::min<uint64_t>(all[r].size(), count * sizeOf(type)));
  }
  return all;
}

float floatOf(DataType type, const std::byte *place) {
  uint16_t half = 0;
  float real = 0;
  if (type == DataType::F16) {
    std::memcpy(&half, place, sizeof(half));
    return halfToFloat(half);
  }
  std::memcpy(&real, place, sizeof(real));
  return real;
}

/// Element \p element of the sum over \p ranks ranks, which are added in pairs at a distance of 1,
/// 2, 4 and so on, or at these distances in the opposite order. Rounded after each addition.
std::vector<std::byte> pairwise(const InputData &input, DataType type, uint32_t ranks,
                                uint64_t element, bool isFarFirst) {
  std::vector<float> sums(ranks);
  std::byte place[8];
  for (uint32_t r = 0; r < ranks; ++r) {
    input.store(place, RankId(r), element);
    sums[r] = floatOf(type, place);
  }
  for (uint32_t distance = isFarFirst ? ranks / 2 : 1; distance > 0 && distance < ranks;
       distance = isFarFirst ? distance / 2 : distance * 2) {
    std::vector<float> next(ranks);
    for (uint32_t r = 0; r < ranks; ++r) {
      float sum = sums[r] + sums[r ^ distance];
      next[r] = type == DataType::F16 ? halfToFloat(floatToHalf(sum)) : sum;
    }
    sums = next;
  }
  storeReal(type, place, sums[0]);
  return {place, place + sizeOf(type)};
}

struct Tuned {
  Tuned(CollectiveKind collective, DataType type, std::vector<uint64_t> sizes,
        std::vector<std::string> names) {
    dsl::registerAllPrograms(programs);
    TuneRequest request;
    request.runtime = &simulatorRuntime();
    request.collective = collective;
    request.target = {"ring", CCLC_TARGET_DIR, {}, std::nullopt};
    request.ranks = 8;
    request.type = type;
    request.sizes = std::move(sizes);
    request.invariant = true;
    problem = std::make_unique<TuneProblem>(*TuneProblem::create(request, diags));
    space =
        std::make_unique<CandidateSpace>(*CandidateSpace::create(*problem, programs, names, diags));
    result = *tuneInvariant(*space, MeasureStore(), {}, diags);
  }
  ExecPlan best(uint64_t size) {
    const Candidate &candidate = result.tried[result.ranking(size).front()].candidate;
    return compile(*candidate.program, candidate.request(*problem), diags)->plan;
  }

  DiagnosticEngine diags;
  dsl::ProgramRegistry programs;
  std::unique_ptr<TuneProblem> problem;
  std::unique_ptr<CandidateSpace> space;
  TuneResult result;
};
} // namespace

TEST_CASE("orders are compared without chunks", "[tune]") {
  auto order = [](const Recipe &recipe) { return findUniformOrder(compiled(recipe)); };
  // Each chunk of a ring begins with another rank.
  CHECK_FALSE(order({"allreduce_ring", {}, 4}));
  // With two ranks there is one order, because the operands may be exchanged.
  REQUIRE(order({"allreduce_ring", {}, 2}));
  CHECK(order({"allreduce_ring", {}, 2}) == order({"allreduce_recursive_doubling", {}, 2}));
  // Pairs at growing distances, whatever the number of chunks and instances.
  auto pairs = order({"allreduce_recursive_doubling", {}, 8});
  REQUIRE(pairs);
  CHECK(pairs == order({"allreduce_recursive_doubling", {{"chunks", "4"}}, 8, 2}));
  CHECK(pairs != order({"allreduce_recursive_doubling", {}, 4}));
  CHECK(order({"allgather_ring", {}, 4}) == 0);
  // Each rank of a scan has an order of its own.
  auto scan = order({"scan_chain", {{"chunks", "1"}}, 8});
  REQUIRE(scan);
  CHECK(scan == order({"scan_chain", {{"chunks", "4"}, {"buffers", "both"}}, 8, 2}));
  CHECK(scan != order({"scan_recursive_doubling", {}, 8}));
  CHECK(order({"exscan_recursive_doubling", {}, 8}));
}

TEST_CASE("invariant plans have the same bits with every size", "[tune]") {
  for (DataType type : {DataType::F16, DataType::F32}) {
    Tuned tuned(CollectiveKind::AllReduce, type, {1 << 10, 1 << 15, 1 << 20},
                {"allreduce_recursive_doubling", "allreduce_halving_doubling", "allreduce_ring",
                 "allreduce_allpairs"});
    std::set<std::string> commands;
    constexpr uint64_t common = 400;
    std::optional<Elements> first;
    for (uint64_t size : tuned.problem->sizes) {
      commands.insert(tuned.result.tried[tuned.result.ranking(size).front()].candidate.command());
      ExecPlan plan = tuned.best(size);
      for (uint64_t bytes : {size, size + 4 * 333, 2 * size}) {
        Elements found = resultOf(plan, tuned.problem->machine, type, bytes, common);
        for (uint32_t r = 0; r < 8; ++r) {
          first = first.value_or(found);
          size_t shared = std::min((*first)[0].size(), found[r].size());
          REQUIRE(shared > 200);
          CHECK(std::equal(found[r].begin(), found[r].begin() + shared, (*first)[0].begin()));
        }
      }
    }
    CHECK(commands.size() > 1);
    // The oracle.
    InputData input(tuned.best(1 << 10).info().collective, type, ReduceOp::Sum, seed);
    size_t equalNear = 0, equalFar = 0, width = sizeOf(type), count = (*first)[0].size() / width;
    for (uint64_t e = 0; e < count; ++e) {
      auto at = (*first)[0].begin() + e * width;
      equalNear += std::equal(at, at + width, pairwise(input, type, 8, e, false).begin());
      equalFar += std::equal(at, at + width, pairwise(input, type, 8, e, true).begin());
    }
    CHECK(std::max(equalNear, equalFar) == count);
    // Random data tell the orders apart.
    CHECK(std::min(equalNear, equalFar) < count);
  }
}

TEST_CASE("a ring has other bits with other sizes", "[tune]") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 8});
  DiagnosticEngine diags;
  Machine machine = *loadTarget({"ring", CCLC_TARGET_DIR, {}, 8}, diags);
  Elements small = resultOf(plan, machine, DataType::F16, 1024, 400),
           large = resultOf(plan, machine, DataType::F16, 1 << 20, 400);
  CHECK_FALSE(std::equal(small[0].begin(), small[0].end(), large[0].begin()));
}

TEST_CASE("the order of an invariant search has the least mean", "[tune]") {
  const std::vector<std::string> programs = {"allreduce_recursive_doubling",
                                             "allreduce_halving_doubling", "allreduce_onestep"};
  Tuned tuned(CollectiveKind::AllReduce, DataType::F32, {1 << 10, 1 << 20}, programs);
  std::set<uint64_t> orders;
  for (const Tried &tried : tuned.result.tried)
    if (tried.measure.isUsable())
      orders.insert(*tried.measure.order);
  CHECK(orders.size() == 1);
}
