//===- FormsTest.cpp - Conversions, exports and plans of MSCCL++ ----------===//
//
// A plan in another form is compared with the original by its proof, its data and its times.
//
//===----------------------------------------------------------------------===//

#include "ApiSupport.h"

#include "cclc/DSL/DSL.h"

using namespace cclc::api;
using namespace cclc::test;

static const Target machine{"dgx-h100"};

static Plan onMachine(const std::string &program = "allreduce_onestep") {
  Result<Plan> plan = toolchain().compile(program, {.ranks = 4, .target = machine});
  INFO(plan.text());
  REQUIRE(plan);
  return *plan;
}

/// \p plan as an MSCCL++ file that was read.
static Plan operationsOf(const Plan &plan) {
  Result<std::string> text = plan.write("mscclpp");
  INFO(text.text());
  REQUIRE(text);
  Result<Plan> read = Plan::read(*text, "plan.mscclpp.json");
  INFO(read.text());
  REQUIRE(read);
  return *read;
}

TEST_CASE("A plan for a bundled target is written for MSCCL++ and read") {
  for (const char *program : {"allreduce_onestep", "allreduce_ring", "allgather_ring"}) {
    INFO(program);
    Plan plan = onMachine(program), other = operationsOf(plan);
    CHECK(other.ranks() == 4);
    CHECK(other.collective() == plan.collective());
    CHECK(other.steps() > 0);
    CHECK(other.verify().ok());
    CHECK_FALSE(other.verify().slotsNeeded);
    CHECK(*other.write("mscclpp") == *plan.write("mscclpp"));
    Result<Simulation> times =
        toolchain().simulate(other, machine, {.bytes = {1 << 16, 1 << 20}, .checkData = true});
    INFO(times.text());
    REQUIRE(times);
    CHECK(times->sizes[0].picoseconds < times->sizes[1].picoseconds);
    Result<Bounds> bounds = toolchain().bound(other, machine, {.bytes = {1 << 16, 1 << 20}});
    INFO(bounds.text());
    REQUIRE(bounds);
    for (size_t i = 0; i < 2; ++i) {
      CHECK(bounds->sizes[i].planTime == times->sizes[i].picoseconds);
      CHECK(bounds->sizes[i].picoseconds <= times->sizes[i].picoseconds);
    }
  }
}

TEST_CASE("A plan of MSCCL++ is lifted to steps and compared") {
  Plan plan = onMachine(), other = operationsOf(plan);
  Result<std::string> text = other.write("json");
  INFO(text.text());
  REQUIRE(text);
  Result<Plan> steps = Plan::read(*text, "steps.json");
  REQUIRE(steps);
  CHECK(steps->verify().ok());
  CHECK(diff(other, other).equivalent);
  Comparison mixed = diff(*steps, other);
  CHECK(mixed.equivalent);
  CHECK(mixed.report.json().find("\"converted\"") != std::string::npos);
  Result<Comparison> timed = toolchain().diff(other, operationsOf(onMachine("allreduce_ring")),
                                              {.targets = {machine}, .gates = {"time:+1%"}});
  INFO(timed.text());
  REQUIRE(timed);
  CHECK(timed->times.front().before ==
        toolchain().simulate(other, machine)->sizes.front().picoseconds);
}

TEST_CASE("What a plan of MSCCL++ does not have is refused") {
  Plan other = operationsOf(onMachine());
  auto refused = [](const std::string &what) {
    return "cclc: error: " + what +
           " applies to plans of steps, not to those of MSCCL++: convert the plan\n";
  };
  CHECK(toolchain().verify(other, machine).text() == refused("a proof on a machine"));
  CHECK(runTest(other, 1024).text() == refused("execution"));
  CHECK(toolchain().exportFiles(other, machine, {.format = "goal"}).text() == refused("an export"));
  CHECK(toolchain().simulate(other, machine, {.slots = 4}).text() ==
        "cclc: error: a number of slots does not apply to a plan of MSCCL++\n");
  CHECK(toolchain().simulate(other, machine, {.advise = true}).text() ==
        "cclc: error: advice does not apply to a plan of MSCCL++\n");
  CHECK(toolchain().simulate(other, machine, {.op = "max"}).text() ==
        "cclc: error: --op does not apply to a plan of MSCCL++, which always adds\n");
  CHECK(toolchain().diff(other, other, {.gates = {"slots:0"}}).text() ==
        "cclc: error: gate slots:0: plans of MSCCL++ have no slots\n");
  std::string text = *other.write("mscclpp");
  const std::string signal = "\"signal\"";
  REQUIRE(text.find(signal) != std::string::npos);
  Result<Plan> wrong = Plan::read(text.replace(text.find(signal), signal.size(), "\"nop\""), "w");
  INFO(wrong.text());
  CHECK((!wrong || !wrong->verify().ok()));
}

TEST_CASE("A conversion follows the rules of its destination") {
  Plan plan = onMachine();
  CHECK(*toolchain().convert(plan, {.form = "xml", .dialect = "rccl"}) ==
        *plan.write("xml", "rccl"));
  Result<Plan> loaded = Plan::read(*plan.write(), "loaded.json");
  REQUIRE(loaded);
  CHECK_FALSE(loaded->write("mscclpp"));
  CHECK(*toolchain().convert(*loaded, {.form = "mscclpp"}) == *plan.write("mscclpp"));
  Result<std::string> shared =
      toolchain().convert(plan, {.form = "mscclpp", .threadblockGroup = 2});
  INFO(shared.text());
  REQUIRE(shared);
  CHECK(*shared != *plan.write("mscclpp"));
  CHECK(toolchain().convert(plan, {.form = "xml", .dialect = "nccl"}).text() ==
        "cclc: error: unknown dialect 'nccl' of MSCCL XML\n");
  CHECK(toolchain().convert(plan, {.form = "json", .worldSize = 2}).text() ==
        "cclc: error: a world size applies to the form ahbm-module\n");
  CHECK(toolchain().convert(plan, {.form = "json", .threadblockGroup = 2}).text() ==
        "cclc: error: a group of threadblocks applies to the form mscclpp\n");
}

TEST_CASE("A plan is exported to other simulators") {
  Plan plan = ringOf(4);
  Result<std::vector<ExportedFile>> goal =
      toolchain().exportFiles(plan, {"ring"}, {.format = "goal", .bytes = 4096});
  INFO(goal.text());
  REQUIRE(goal);
  REQUIRE(goal->size() == 1);
  CHECK(goal->front().name == "allreduce_ring.goal");
  // A ring of four ranks passes each of four chunks of 1,024 bytes six times.
  size_t sends = 0;
  const std::string &text = goal->front().bytes;
  for (size_t at = 0; (at = text.find(" send 1024b to ", at)) != std::string::npos; ++at)
    ++sends;
  CHECK(sends == 4 * 6);
  Result<std::vector<ExportedFile>> traces =
      toolchain().exportFiles(plan, {"ring"}, {.format = "chakra"});
  REQUIRE(traces);
  REQUIRE(traces->size() == 4);
  CHECK(traces->back().name == "allreduce_ring.3.et");
  CHECK_FALSE(traces->back().bytes.empty());
  CHECK(toolchain().exportFiles(plan, {"ring"}, {.format = "gaol"}).text() ==
        "cclc: error: unknown format 'gaol' (did you mean 'goal'?); it must be one of goal, "
        "chakra\n");
}

TEST_CASE("A simulation has a trace of its last size") {
  for (const Plan &plan : {ringOf(4), operationsOf(onMachine())}) {
    Target where = plan.target().empty() && plan.verify().slotsNeeded ? Target{"ring"} : machine;
    SimulateOptions options{.bytes = {1024, 4096}, .trace = true};
    Result<Simulation> traced = toolchain().simulate(plan, where, options);
    INFO(traced.text());
    REQUIRE(traced);
    CHECK(traced->trace.find("\"traceEvents\"") != std::string::npos);
    options.trace = false;
    Result<Simulation> untraced = toolchain().simulate(plan, where, options);
    CHECK(untraced->trace.empty());
    CHECK(untraced->report.json() == traced->report.json());
    options = {.bytes = {4096}, .trace = true};
    CHECK(toolchain().simulate(plan, where, options)->trace == traced->trace);
  }
}

namespace {
/// Every rank adds the others' data to its own.
void addToOwn(cclc::dsl::Program &p) {
  p.chunks(1);
  for (int r = 0; r < p.ranks(); ++r)
    p.chunk(r, cclc::dsl::Input, 0).copy(r, cclc::dsl::Output, 0);
  for (int r = 0; r < p.ranks(); ++r)
    for (int other = 0; other < p.ranks(); ++other)
      if (other != r)
        p.chunk(r, cclc::dsl::Output, 0).reduce(p.chunk(other, cclc::dsl::Input, 0));
}
} // namespace

TEST_CASE("A proof says whether all ranks get the same bits") {
  CHECK(ringOf(4).verify().sameBits == true);
  CHECK_FALSE(toolchain().compile("allgather_ring", {.ranks = 4})->verify().sameBits.has_value());
  cclc::dsl::Declaration program("add_to_own");
  program.collective(cclc::CollectiveKind::AllReduce)
      .buffers(cclc::dsl::Buffers::OutOfPlace, cclc::dsl::Buffers::OutOfPlace)
      .body(addToOwn);
  Result<Plan> plan = toolchain().compile(program, {.ranks = 3});
  INFO(plan.text());
  REQUIRE(plan);
  CHECK(plan->verify().ok());
  CHECK(plan->verify().sameBits == false);
}
