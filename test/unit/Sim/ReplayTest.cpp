//===- ReplayTest.cpp - Random data against the plan's own order ----------===//
//
// The result of the replay is compared with the reduction order that the verifier
// prints, evaluated here from its text; the simulation must match both.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Data/Replay.h"
#include "Plans.h"
#include "cclc/Sim/DataExecutor.h"

#include "cclc/Sim/Engine.h"

#include <cstring>

using namespace cclc;
using namespace cclc::test;

namespace {

/// Evaluates an expression of the verifier on floats: a contribution, or two operands with a plus
/// in parentheses.
class OrderEvaluator {
public:
  OrderEvaluator(StringRef text, const InputData &input, uint64_t chunkElements, uint64_t element)
      : rest(text), input(input), chunkElements(chunkElements), element(element) {}

  float evaluate() {
    float value = sum();
    REQUIRE(rest.empty());
    return value;
  }

private:
  float sum() {
    float left = term();
    while (rest.consume_front(" + "))
      left += term();
    return left;
  }
  float term() {
    if (rest.consume_front("(")) {
      float value = sum();
      REQUIRE(rest.consume_front(")"));
      return value;
    }
    uint32_t rank, index;
    REQUIRE((rest.consume_front("r") && !rest.consumeInteger(10, rank)));
    REQUIRE((rest.consume_front(":i[") && !rest.consumeInteger(10, index)));
    REQUIRE(rest.consume_front("]"));
    float value;
    input.store(&value, RankId(rank), index * chunkElements + element);
    return value;
  }

  StringRef rest;
  const InputData &input;
  uint64_t chunkElements, element;
};

void check(const Recipe &recipe, ReduceOp op) {
  INFO(nameOf(recipe) << ' ' << reduceOpName(op).str());
  ExecPlan plan = compiled(recipe);
  Machine m = machine("ideal", {}, plan.ranks());
  DiagnosticEngine diags;
  FailureOr<PlacedPlan> placed = PlacedPlan::create(plan, m, Slots(8), diags);
  REQUIRE(succeeded(placed));
  FailureOr<Sizing> sizing = Sizing::create(*placed, Bytes(200), DataType::F32, diags);
  REQUIRE(succeeded(sizing));
  const Collective &collective = plan.info().collective;
  for (Placement placement : plan.info().placements.list()) {
    DataExecutor data(*placed, *sizing, op, placement, 42);
    auto network = createNetwork("ideal", placed->routes);
    SimOptions options;
    options.listeners = {&data};
    Replay replay(plan, placed->connections, data.input(), DataType::F32, op, sizing->chunkElements,
                  placement);
    auto expected = [&](RankId r, uint32_t c, uint32_t run) { return replay.expected(r, c, run); };
    data.compareWith(expected);
    simulate(*placed, *sizing, *network, options);
    data.finish();
    CHECK_FALSE(data.check());
    // For any order of events, and in every run.
    options.repeat = 3;
    for (uint64_t seed = 0; seed < 5; ++seed) {
      DataExecutor again(*placed, *sizing, op, placement, 42);
      auto fresh = createNetwork("ideal", placed->routes);
      options.listeners = {&again};
      again.compareWith(expected);
      options.randomSchedule = seed;
      simulate(*placed, *sizing, *fresh, options);
      again.finish();
      CHECK_FALSE(again.check());
    }

    PlanControlFlow runner(plan, placed->connections);
    PlanExecution execution(plan, placed->connections, runner, placement);
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
        std::string order = execution.reductionOrder(RankId(r), c);
        for (uint64_t e = 0; e < sizing->chunkElements; ++e) {
          float want = OrderEvaluator(order, data.input(), sizing->chunkElements, e).evaluate();
          if (op == ReduceOp::Avg)
            want /= float(plan.ranks());
          float got, simulated;
          std::memcpy(&got, replay.expected(RankId(r), c, 0) + e * 4, 4);
          std::memcpy(&simulated, data.chunk(RankId(r), Operand(Buffer::Output, c)) + e * 4, 4);
          INFO(order);
          REQUIRE(got == want);
          REQUIRE(simulated == want);
        }
      }
  }
}
} // namespace

TEST_CASE("a replay evaluates the plan's own order on the data", "[replay][rule-34]") {
  for (ReduceOp op : {ReduceOp::Sum, ReduceOp::Avg}) {
    check({"allreduce_ring", {{"buffers", "both"}}, 7}, op);
    check({"allreduce_recursive_doubling", {{"chunks", "2"}}, 6}, op);
    check({"reducescatter_ring", {}, 5}, op);
    check({"allreduce_hierarchical", {{"nodes", "2"}, {"ranks_per_node", "3"}}}, op);
  }
}

TEST_CASE("the order of a sum of random floats matters", "[replay]") {
  // Otherwise these tests would be trivial: the ring and the tree add in different orders.
  auto firstChunk = [](const Recipe &recipe) {
    ExecPlan plan = compiled(recipe);
    Machine m = machine("ideal", {}, plan.ranks());
    DiagnosticEngine diags;
    FailureOr<PlacedPlan> placed = PlacedPlan::create(plan, m, Slots(8), diags);
    FailureOr<Sizing> sizing = Sizing::create(*placed, Bytes(4096), DataType::F32, diags);
    InputData input(plan.info().collective, DataType::F32, ReduceOp::Sum, 42);
    Replay replay(plan, placed->connections, input, DataType::F32, ReduceOp::Sum,
                  sizing->chunkElements, Placement::InPlace);
    std::vector<float> values(128);
    std::memcpy(values.data(), replay.expected(RankId(0), 0, 0), 4 * values.size());
    return values;
  };
  CHECK(firstChunk({"allreduce_ring", {}, 8}) !=
        firstChunk({"allreduce_recursive_doubling", {{"chunks", "8"}}, 8}));
}
