//===- ThreadGroupTest.cpp - Tests of execution by threads ----------------===//
//
// Real executions are compared with the definition of the collective and, for random data, bit by
// bit with the data of the simulator, which shares only the arithmetic of elements.
//
//===----------------------------------------------------------------------===//

#include "Interpreted.h"

#include <set>

using namespace cclc;
using namespace cclc::test;
using namespace cclc::run;

namespace {
const std::vector<Recipe> &recipes() {
  static const std::vector<Recipe> all = {
      {"allreduce_ring", {{"buffers", "both"}}, 5},
      {"allreduce_recursive_doubling", {{"chunks", "4"}, {"buffers", "both"}}, 6},
      {"allgather_ring", {{"buffers", "both"}}, 4},
      {"reducescatter_ring", {{"buffers", "both"}}, 3},
      {"alltoall_direct", {}, 4},
      {"broadcast_binomial", {}, 7},
      {"allreduce_hierarchical", {{"nodes", "2"}, {"ranks_per_node", "3"}}},
  };
  return all;
}
} // namespace

TEST_CASE("real executions equal the definition of the collective", "[run]") {
  for (const Recipe &recipe : recipes()) {
    ExecPlan plan = compiled(recipe);
    for (DataType type : {DataType::F32, DataType::I8, DataType::F16})
      for (uint64_t elements : {1, 97, 4099}) {
        RunSettings settings{type, ReduceOp::Sum, 8, 256};
        PreparedPlan run(plan, elements, settings);
        INFO(recipe.program << ", " << elements << " elements, " << run.pieces() << " pieces");
        for (Placement placement : plan.info().placements.list())
          checkDefinition(run, placement);
      }
  }
}

TEST_CASE("random data equal the simulator's bit by bit", "[run]") {
  for (const Recipe &recipe : recipes()) {
    ExecPlan plan = compiled(recipe);
    for (DataType type : {DataType::F32, DataType::BF16, DataType::F64})
      for (ReduceOp op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max}) {
        INFO(recipe.program);
        Interpreted(plan, Slots(8)).check(PreparedPlan(plan, 1021, {type, op, 8, 128}), 1021);
      }
  }
}

TEST_CASE("delays do not change the result", "[run]") {
  for (const Recipe &recipe : recipes()) {
    ExecPlan plan = compiled(recipe);
    PreparedPlan run(plan, 259, {DataType::F32, ReduceOp::Sum, plan.slots()->limit(), 64});
    INFO(recipe.program);
    for (uint64_t seed = 0; seed < 10; ++seed)
      for (Placement placement : plan.info().placements.list()) {
        RunOptions options;
        options.jitter = seed;
        checkDefinition(run, placement, options);
      }
  }
}

TEST_CASE("a thread for each threadblock gives the same result", "[run]") {
  for (const Recipe &recipe : recipes()) {
    ExecPlan plan = compiled(recipe);
    PreparedPlan run(plan, 1021, {DataType::F32, ReduceOp::Avg, plan.slots()->limit(), 64});
    INFO(recipe.program);
    RunOptions options;
    options.jitter = 1;
    for (Placement placement : plan.info().placements.list())
      checkDefinition(run, placement, options, {.byThreadblock = true});
  }
}

TEST_CASE("inputs that are written before each execution keep their values", "[run]") {
  RunOptions options;
  options.freshInputs = true;
  for (const Recipe &recipe : recipes()) {
    ExecPlan plan = compiled(recipe);
    if (!plan.info().placements.allowsOutOfPlace())
      continue;
    INFO(recipe.program);
    for (uint64_t elements : {1, 1021})
      for (ThreadChoice threads : {ThreadChoice{.number = 2}, ThreadChoice{.byThreadblock = true}})
        checkDefinition(PreparedPlan(plan, elements, {DataType::F32, ReduceOp::Sum, 8, 64}),
                        Placement::OutOfPlace, options, threads, 4);
  }
}

// All threads answer before an execution is given up: a limit that is over at every look of the
// watch is as a machine that runs none of them for long.
TEST_CASE("an execution that goes on is not given up", "[run]") {
  ExecPlan plan = compiled({"allreduce_ring", {{"buffers", "in_place"}}, 3});
  PreparedPlan run(plan, 1 << 20, {DataType::F16, ReduceOp::Max, 2, 1 << 16});
  RunOptions options;
  options.timeoutSeconds = 1e-9;
  std::unique_ptr<Group> group = createThreadGroup({.number = 3});
  RunData data(run, Placement::InPlace, *group);
  data.fill(InputData(plan.info().collective, DataType::F16, ReduceOp::Max, 1), 0);
  DiagnosticEngine diags;
  FailureOr<RunResult> result = group->execute(run, data.buffers(), 20, options, diags);
  INFO(textOf(diags));
  REQUIRE(succeeded(result));
  CHECK(result->times.size() == 20);
}

// Both ranks send twice before they receive: with one slot each waits for the other.
TEST_CASE("a deadlock of the proof happens, with the same cycle", "[run]") {
  ExecPlan plan = readGood(R"(<algo name="both" proto="Simple" coll="allgather" ngpus="2"
    nchannels="1" nchunksperloop="4" inplace="0" outofplace="1" minBytes="0" maxBytes="0">
    <gpu id="0" i_chunks="2" o_chunks="4" s_chunks="0">
      <tb id="0" send="1" recv="1" chan="0">
        <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
        <step s="1" type="s" srcbuf="i" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
        <step s="2" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="2" cnt="1" depid="-1" deps="-1" hasdep="0"/>
        <step s="3" type="r" srcbuf="i" srcoff="1" dstbuf="o" dstoff="3" cnt="1" depid="-1" deps="-1" hasdep="0"/>
        <step s="4" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
      </tb>
    </gpu>
    <gpu id="1" i_chunks="2" o_chunks="4" s_chunks="0">
      <tb id="0" send="0" recv="0" chan="0">
        <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="2" cnt="1" depid="-1" deps="-1" hasdep="0"/>
        <step s="1" type="s" srcbuf="i" srcoff="1" dstbuf="o" dstoff="3" cnt="1" depid="-1" deps="-1" hasdep="0"/>
        <step s="2" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
        <step s="3" type="r" srcbuf="i" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
        <step s="4" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="2" cnt="2" depid="-1" deps="-1" hasdep="0"/>
      </tb>
    </gpu>
  </algo>)");
  auto execute = [&](uint32_t slots) {
    PreparedPlan run(plan, 64, {DataType::F32, ReduceOp::Sum, slots});
    std::unique_ptr<Group> group = createThreadGroup();
    RunData data(run, Placement::OutOfPlace, *group);
    DiagnosticEngine diags;
    RunOptions options;
    if (slots == 1)
      options.timeoutSeconds = 0.2;
    return succeeded(group->execute(run, data.buffers(), 1, options, diags)) ? "" : textOf(diags);
  };
  CHECK(execute(2).empty());
  std::string text = execute(1);
  CHECK(StringRef(text).contains(
      "deadlock with 1 slot (no progress for 0.20 s): cyclic wait of 2 threadblocks"));
  CHECK(StringRef(text).contains("r0 tb0 step 1 (s) waits for a free slot to r1 channel 0"));
  CHECK(StringRef(text).contains("r1 tb0 step 1 (s) waits for a free slot to r0 channel 0"));
}

TEST_CASE("unlimited slots are as many as a plan needs, and at least the default", "[run]") {
  CHECK(slotsToExecute(Slots(3), 2) == 3);
  CHECK(slotsToExecute(Slots::unlimited(), 2) == 8);
  CHECK(slotsToExecute(Slots::unlimited(), 20) == 20);
  CHECK(slotsToExecute(Slots::unlimited(), std::nullopt) == 8);
}

// A distance of a few bytes modulo pages makes copies of some processors slow.
TEST_CASE("each rank has pages of its own", "[run]") {
  ExecPlan plan = compiled({"allgather_ring", {}, 3});
  PreparedPlan run(plan, 100, {DataType::F32, ReduceOp::Sum, 2});
  for (Placement placement : plan.info().placements.list()) {
    RunData data(run, placement, *createThreadGroup());
    std::set<uintptr_t> pages;
    for (const RankBuffers &buffers : data.buffers()) {
      std::byte *begin = std::min(buffers[size_t(Buffer::Input)], buffers[size_t(Buffer::Output)]);
      const auto address = reinterpret_cast<uintptr_t>(begin);
      CHECK(address % 4096 == 0);
      pages.insert(address / 4096);
    }
    CHECK(pages.size() == 3);
  }
}
