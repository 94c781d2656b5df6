//===- ApiTest.cpp - The interface for other programs ---------------------===//
//
// This file includes no header of the libraries but those that other programs may include. Sums are
// computed here; times and bounds are compared with each other and with closed forms.
//
//===----------------------------------------------------------------------===//

#include "ApiSupport.h"

#include "cclc/DSL/DSL.h"

#include <atomic>
#include <chrono>
#include <future>
#include <numeric>
#include <thread>

using namespace cclc::api;
using namespace cclc::test;

namespace {
/// One rank sends its input to the next one.
void passOn(cclc::dsl::Program &p) {
  p.chunks(1);
  for (int r = 0; r + 1 < p.ranks(); ++r)
    p.chunk(r, cclc::dsl::Input, 0).copy(r + 1, cclc::dsl::Output, 0);
}
} // namespace

TEST_CASE("The header has the version of the library") {
  CHECK(version() == std::to_string(CCLC_VERSION_MAJOR) + "." + std::to_string(CCLC_VERSION_MINOR) +
                         "." + std::to_string(CCLC_VERSION_PATCH));
  CHECK(CCLC_VERSION_AT_LEAST(0, 0, 9));
  CHECK_FALSE(CCLC_VERSION_AT_LEAST(CCLC_VERSION_MAJOR, CCLC_VERSION_MINOR + 1, 0));
  CHECK_FALSE(CCLC_VERSION_AT_LEAST(CCLC_VERSION_MAJOR + 1, 0, 0));
}

TEST_CASE("A bundled program is compiled to a proved plan") {
  Plan plan = ringOf(5);
  CHECK(plan.name() == "allreduce_ring");
  CHECK(plan.collective() == "allreduce");
  CHECK(plan.protocol() == "Simple");
  CHECK(plan.target().empty());
  CHECK(plan.ranks() == 5);
  CHECK(plan.channels() == 1);
  // A chunk passes 2 (R - 1) connections; all but the first and the last step of it are fused.
  CHECK(plan.steps() == 5 * (2 * 4 + 1));
  Proof proof = plan.verify();
  CHECK(proof.ok());
  CHECK(proof.slotsNeeded == 2u); // a fused step has a full slot while it waits for a free one
  CHECK(proof.reductionHash.has_value());
}

TEST_CASE("The provenance of a cell outlives its plan") {
  Result<Provenance> why = ringOf(3).why("1:o:2");
  INFO(why.text());
  REQUIRE(why);
  CHECK(why->verdict == "ok");
  CHECK(why->messages.empty());
  REQUIRE(why->values.size() == 1);
  const CellValue &value = why->values.front();
  CHECK(value.placement == "in_place");
  CHECK(value.initialChunks == 3);
  CHECK(value.reductions == 2);
  for (const char *rank : {"r0:i[2]", "r1:i[2]", "r2:i[2]"})
    CHECK(value.value.find(rank) != std::string::npos);
  CHECK(why->report.text().find(value.value) != std::string::npos);
  CHECK(why->report.json().find("\"ccl-provenance\"") != std::string::npos);
  for (const char *cell : {"3:o:0", "0:o:9", "0:x:0", ""})
    CHECK(ringOf(3).why(cell).failure() == Failure::Unusable);
}

TEST_CASE("A program of the caller is compiled") {
  cclc::dsl::Declaration program("pass_on");
  program.collective(cclc::CollectiveKind::AllToNext)
      .buffers(cclc::dsl::Buffers::OutOfPlace, cclc::dsl::Buffers::OutOfPlace)
      .body(passOn);
  Result<Plan> plan = toolchain().compile(program, {.ranks = 3});
  INFO(plan.text());
  REQUIRE(plan);
  CHECK(plan->collective() == "alltonext");
  CHECK(plan->steps() == 4);
}

TEST_CASE("A program of the caller is tuned beside bundled ones") {
  cclc::dsl::Declaration program("pass_on");
  std::atomic<int> traces = 0;
  program.collective(cclc::CollectiveKind::AllToNext)
      .buffers(cclc::dsl::Buffers::OutOfPlace, cclc::dsl::Buffers::OutOfPlace)
      .body([&](cclc::dsl::Program &p) {
        ++traces;
        passOn(p);
      });
  TuneOptions options{.collective = "alltonext", .ranks = 4, .bytes = {1 << 10}};
  options.declarations = {&program};
  options.programs = {"pass_on", "alltonext"};
  Result<Portfolio> both = toolchain().tune({"ring"}, options);
  INFO(both.text());
  REQUIRE(both);
  CHECK(traces > 0);
  options.programs = {"pass_on"};
  options.guard = false;
  Result<Portfolio> alone = toolchain().tune({"ring"}, options);
  INFO(alone.text());
  REQUIRE(alone);
  CHECK(alone->choices[0].command.starts_with("pass_on"));
  CHECK(both->best("alltonext", 4, 1 << 10)->at(1 << 10)->picoseconds <=
        alone->best("alltonext", 4, 1 << 10)->at(1 << 10)->picoseconds);
}

TEST_CASE("Without the guard, programs of several threads are traced at the same time") {
  std::atomic<int> bodies = 0, metOther = 0;
  cclc::dsl::Declaration program("meet");
  program.collective(cclc::CollectiveKind::AllToNext)
      .buffers(cclc::dsl::Buffers::OutOfPlace, cclc::dsl::Buffers::OutOfPlace)
      .body([&](cclc::dsl::Program &p) {
        ++bodies;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (bodies < 2 && std::chrono::steady_clock::now() < end)
          std::this_thread::yield();
        metOther += bodies == 2;
        passOn(p);
      });
  auto compile = [&] { return bool(toolchain().compile(program, {.ranks = 3, .guard = false})); };
  auto other = std::async(std::launch::async, compile);
  CHECK(compile());
  CHECK(other.get());
  CHECK(metOther == 2);
}

TEST_CASE("Searches are cancelled before they have ended") {
  Cancellation cancellation;
  auto cancelAt = [&](std::string_view end) {
    return [&cancellation, end](std::string_view stage) {
      if (stage.ends_with(end))
        cancellation.request();
    };
  };
  // Of one size, whose search takes seconds.
  Result<Bounds> bounds =
      toolchain().bound({"mesh2d"}, {.collective = "alltoall",
                                     .ranks = 1024,
                                     .onProgress = cancelAt("search for bounds"),
                                     .cancellation = cancellation});
  REQUIRE_FALSE(bounds);
  CHECK(bounds.failure() == Failure::Interrupted);
  cancellation = {};
  Result<Plan> plan = toolchain().compile("allreduce_ring", {.ranks = 8,
                                                             .target = Target{"ring"},
                                                             .optimisation = 3,
                                                             .onProgress = cancelAt(" to do"),
                                                             .cancellation = cancellation});
  REQUIRE_FALSE(plan);
  CHECK(plan.failure() == Failure::Interrupted);
}

TEST_CASE("Plans are written and read in all complete forms") {
  Plan plan = ringOf(4);
  for (const char *form : {"json", "text", "bin"}) {
    Result<std::string> text = plan.write(form);
    REQUIRE(text);
    Result<Plan> again = Plan::read(*text, form);
    REQUIRE(again);
    CHECK(diff(plan, *again).equivalent);
    CHECK(*again->write(form) == *text);
  }
  Result<std::string> xml = plan.write("xml");
  REQUIRE(xml);
  CHECK(xml->find("<algo name=\"allreduce_ring\"") != std::string::npos);
}

TEST_CASE("Errors have the words of the tools") {
  Result<Plan> unknown = toolchain().compile("allreduce_rign");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.failure() == Failure::Unusable);
  CHECK(unknown.text() ==
        "cclc: error: unknown program 'allreduce_rign' (did you mean 'allreduce_ring'?)\n");
  Result<Plan> syntax = Plan::read("{\"ccl\": 1, }", "my.json");
  REQUIRE_FALSE(syntax);
  REQUIRE(syntax.messages().size() == 1);
  CHECK(syntax.messages()[0].severity == Severity::Error);
  CHECK(syntax.messages()[0].place.file == "my.json");
  CHECK(toolchain().bound({"ring"}, {.collective = "allreduc"}).text() ==
        "cclc: error: unknown collective 'allreduc' (did you mean 'allreduce'?); it must be one of "
        "allreduce, allgather, reducescatter, alltoall, alltonext, broadcast, reduce, gather, "
        "scatter, sendrecv, scan, exscan\n");
  CHECK(
      toolchain().simulate(ringOf(4), {"ring"}, {.type = "f31"}).text() ==
      "cclc: error: unknown element type 'f31' (did you mean 'f32'?); it must be one of f16, bf16, "
      "f32, f64, i8, i32, i64, u8\n");
  CHECK(ringOf(4).write("jsn").text() ==
        "cclc: error: unknown form 'jsn' of plans (did you mean 'json'?)\n");
  CHECK(toolchain().compile("allreduce_ring", {.protocol = "LL256"}).text() ==
        "cclc: error: unknown protocol 'LL256'; it must be one of Simple, LL, LL128\n");
  CHECK(toolchain().compile("allreduce_ring", {.optimisation = 4}).text() ==
        "cclc: error: the levels of optimisation are 0 to 3, not 4\n");
  CHECK(run(ringOf(4), {}, 8, {.op = "mean"}).text() ==
        "cclc: error: unknown operator 'mean'; it must be one of sum, prod, min, max, avg\n");
}

TEST_CASE("A wrong plan is refused with the reason") {
  std::string text = *ringOf(4).write("text");
  // The rank passes on what it received without adding its own contribution.
  const std::string right = "rrcs i[1] -> i[1]";
  REQUIRE(text.find(right) != std::string::npos);
  std::string wrong = text.replace(text.find(right), right.size(), "rcs -> i[1]");
  Result<Plan> plan = Plan::read(wrong, "wrong.ccl");
  INFO(plan.text());
  REQUIRE(plan);
  Proof proof = plan->verify();
  CHECK(proof.verdict == "wrong-result");
  REQUIRE_FALSE(proof.messages.empty());
  Result<Simulation> times = toolchain().simulate(*plan, {"ring"});
  REQUIRE_FALSE(times);
  CHECK(times.failure() == Failure::Wrong);
  Result<std::chrono::nanoseconds> executed = runTest(*plan, 1024);
  REQUIRE_FALSE(executed);
  CHECK(executed.failure() == Failure::Wrong);
}

TEST_CASE("Two plans are compared") {
  Plan simple = ringOf(4);
  Comparison same = diff(simple, simple);
  CHECK(same.comparable);
  CHECK(same.equivalent);
  CHECK(same.differences.empty());
  Result<Plan> other = toolchain().compile("allreduce_ring", {.ranks = 4, .protocol = "LL"});
  REQUIRE(other);
  Comparison changed = diff(simple, *other);
  CHECK_FALSE(changed.equivalent);
  REQUIRE(changed.differences.size() == 1);
  CHECK(changed.differences[0].aspect == "attribute");
  CHECK(changed.differences[0].subject == "protocol");
  CHECK(changed.differences[0].before == "Simple");
  CHECK(changed.differences[0].after == "LL");
  CHECK_FALSE(diff(simple, ringOf(5)).comparable);
}

TEST_CASE("A comparison on machines has times and gates") {
  Plan one = ringOf(8), two = ringOf(8, {{"channels", "2"}});
  Target slow{"ring", {"link.bandwidth=10e9"}};
  DiffOptions options{.targets = {{"ring"}, slow},
                      .bytes = {1 << 12, 1 << 20},
                      .types = {"f16", "f32"},
                      .gates = {"time:+1%", "channels:+0"}};
  std::vector<std::string> stages;
  options.onProgress = [&](std::string_view stage) { stages.emplace_back(stage); };
  Result<Comparison> comparison = toolchain().diff(one, two, options);
  INFO(comparison.text());
  REQUIRE(comparison);
  REQUIRE(comparison->times.size() == 8);
  for (const TimeChange &time : comparison->times) {
    const Target &machine = time.target == "ring" ? options.targets[0] : options.targets[1];
    SimulateOptions alone{.bytes = {time.bytes}, .type = time.type};
    CHECK(time.before == toolchain().simulate(one, machine, alone)->sizes[0].picoseconds);
    CHECK(time.after == toolchain().simulate(two, machine, alone)->sizes[0].picoseconds);
  }
  REQUIRE(comparison->gates.size() == 9); // that of channels once
  CHECK(comparison->gates.back().text == "gate channels:+0 tripped: channels 1 -> 2");
  CHECK_FALSE(comparison->passes);
  CHECK(comparison->summary.find("| ring | f16 | 4096 |") != std::string::npos);
  CHECK(stages.size() == 8);
  options.gates = {"time:+1%"};
  options.gatesOnly = true;
  CHECK(toolchain().diff(one, two, options)->passes);
  CHECK(toolchain().diff(one, two, {.gates = {"time:0%"}}).text() ==
        "cclc: error: gate time:0% requires a target to simulate the plans\n");
  Result<Comparison> unsafe = toolchain().diff(one, two, {.slots = 1, .targets = {{"ring"}}});
  CHECK(unsafe.failure() == Failure::Wrong);
}

TEST_CASE("A proof on a machine has the largest safe size") {
  // In place, the only buffer of a rank has all of its memory.
  constexpr uint64_t capacity = 1 << 20;
  Target small{"ahbm", {"memory.hbm_capacity=" + std::to_string(capacity)}};
  Result<Plan> plan = toolchain().compile("allreduce_lrab", {.target = small});
  INFO(plan.text());
  REQUIRE(plan);
  Result<Proof> proof = toolchain().verify(*plan, small, {.bytes = {1 << 10, capacity}});
  INFO(proof.text());
  REQUIRE(proof);
  CHECK(proof->ok());
  CHECK(proof->safeUpTo == capacity);
  CHECK(proof->report.text().find("safe up to 1048576 bytes on ahbm") != std::string::npos);
  CHECK(toolchain().verify(*plan, small, {.bytes = {capacity + 4096}})->verdict == "illegal");
  CHECK_FALSE(toolchain().verify(ringOf(4), {"ring"})->safeUpTo);
}

TEST_CASE("Stages are reported, and a plan is bounded") {
  std::vector<std::string> stages;
  Progress collect = [&](std::string_view stage) { stages.emplace_back(stage); };
  Plan plan = *toolchain().compile("allreduce_ring", {.ranks = 4, .onProgress = collect});
  CHECK(std::count(stages.begin(), stages.end(), "verify") == 1);
  stages.clear();
  BoundOptions options;
  options.bytes = {1 << 10, 1 << 20};
  options.onProgress = collect;
  Result<Bounds> bounds = toolchain().bound(plan, {"ring"}, options);
  INFO(bounds.text());
  REQUIRE(bounds);
  CHECK(stages == std::vector<std::string>{"verify", "compare cuts", "simulate 1024 bytes",
                                           "simulate 1048576 bytes"});
  Result<Simulation> simulation =
      toolchain().simulate(plan, {"ring"}, {.bytes = options.bytes, .repeat = 1});
  for (size_t i = 0; i < 2; ++i) {
    const LowerBound &row = bounds->sizes[i];
    CHECK(row.planTime == simulation->sizes[i].picoseconds);
    CHECK(row.picoseconds <= *row.planTime);
    CHECK(row.picoseconds == std::max({row.throughput, row.volume, row.latency, row.engine,
                                       row.memory, row.protocol}));
  }
  CHECK(Report().text().empty());
}

TEST_CASE("A plan is executed on the memory of the caller") {
  constexpr uint32_t ranks = 4, elements = 8;
  Result<Plan> plan =
      toolchain().compile("allreduce_ring", {.parameters = {{"buffers", "both"}}, .ranks = ranks});
  REQUIRE(plan);
  std::vector<std::vector<float>> input(ranks), output(ranks, std::vector<float>(elements));
  std::vector<float> sums(elements);
  for (uint32_t r = 0; r < ranks; ++r)
    for (uint32_t e = 0; e < elements; ++e) {
      input[r].push_back(float(100 * r + e));
      sums[e] += input[r][e];
    }
  std::vector<RankMemory> memory;
  for (uint32_t r = 0; r < ranks; ++r)
    memory.push_back({input[r].data(), output[r].data()});

  SECTION("out of place") {
    std::vector<std::vector<float>> before = input;
    Result<std::chrono::nanoseconds> time = run(*plan, memory, elements);
    INFO(time.text());
    REQUIRE(time);
    for (const std::vector<float> &its : output)
      CHECK(its == sums);
    CHECK(input == before);
  }
  SECTION("in place") {
    for (RankMemory &each : memory)
      each.output = each.input;
    REQUIRE(run(*plan, memory, elements));
    for (const std::vector<float> &its : input)
      CHECK(its == sums);
  }
  SECTION("an average") {
    REQUIRE(run(*plan, memory, elements, {.op = "avg", .threads = 2}));
    for (uint32_t e = 0; e < elements; ++e)
      CHECK(output[2][e] == sums[e] / ranks);
  }
  SECTION("a plan for the other placement") {
    CHECK(run(ringOf(ranks), memory, elements).text() ==
          "cclc: error: plan 'allreduce_ring' supports only buffers in place\n");
  }
  SECTION("memory that is neither") {
    memory[1].output = input[1].data() + 1;
    CHECK(run(*plan, memory, elements).text() ==
          "cclc: error: input and output of rank 1 overlap, but not as allreduce in place "
          "requires\n");
    memory[1].output = input[1].data();
    CHECK(run(*plan, memory, elements).text() ==
          "cclc: error: rank 1 is in place, but ranks before it are not\n");
    memory[1].output = nullptr;
    CHECK(run(*plan, memory, elements).text() ==
          "cclc: error: rank 1 has no memory for its output\n");
    memory.pop_back();
    CHECK(run(*plan, memory, elements).text() ==
          "cclc: error: plan 'allreduce_ring' has 4 ranks, but there is memory for 3\n");
  }
}

TEST_CASE("An all-gather in place has the input in the output") {
  Result<Plan> plan = toolchain().compile("allgather_ring", {.ranks = 3});
  REQUIRE(plan);
  std::vector<std::vector<int32_t>> output(3, std::vector<int32_t>(6));
  std::vector<RankMemory> memory;
  for (uint32_t r = 0; r < 3; ++r) {
    std::iota(output[r].begin() + 2 * r, output[r].begin() + 2 * r + 2, int32_t(2 * r));
    memory.push_back({output[r].data() + 2 * r, output[r].data()});
  }
  Result<std::chrono::nanoseconds> time = run(*plan, memory, 6, {.type = "i32"});
  INFO(time.text());
  REQUIRE(time);
  for (const std::vector<int32_t> &its : output)
    CHECK(its == std::vector<int32_t>{0, 1, 2, 3, 4, 5});
  CHECK(run(*plan, memory, 7, {.type = "i32"}).text() ==
        "cclc: error: 7 elements cannot be divided into 3 equal blocks\n");
}

TEST_CASE("The sizes of the memory of ranks are checked") {
  Result<Plan> plan = toolchain().compile("allgather_ring", {.ranks = 3});
  REQUIRE(plan);
  std::vector<int32_t> all(18);
  std::vector<RankBuffers> memory;
  for (int r = 0; r < 3; ++r) {
    auto output = std::as_writable_bytes(std::span(all).subspan(6 * r, 6));
    all[8 * r] = all[8 * r + 1] = r + 1;
    memory.push_back({output.subspan(8 * r, 8), output});
  }
  const RunOptions ints{.type = "i32"};
  Result<std::chrono::nanoseconds> time = run(*plan, memory, ints);
  INFO(time.text());
  REQUIRE(time);
  for (int r = 0; r < 3; ++r)
    for (int e = 0; e < 6; ++e)
      CHECK(all[6 * r + e] == e / 2 + 1);

  std::vector<RankBuffers> other = memory;
  other[2].input = other[2].input.first(4);
  CHECK(run(*plan, other, ints).text() ==
        "cclc: error: the input of rank 2 has 4 bytes, it must have 8\n");
  other = memory;
  other[1].output = {};
  CHECK(run(*plan, other, ints).text() == "cclc: error: rank 1 has no memory for its output\n");
  other = memory;
  other[1] = other[0];
  CHECK(run(*plan, other, ints).text() == "cclc: error: the memory of ranks 0 and 1 overlaps\n");
  for (RankBuffers &its : other)
    its.output = its.output.first(16);
  CHECK(run(*plan, other, ints).text() ==
        "cclc: error: 4 elements cannot be divided into 3 equal blocks\n");
  other.pop_back();
  CHECK(run(*plan, other, ints).text() ==
        "cclc: error: plan 'allgather_ring' has 3 ranks, but there is memory for 2\n");
}

TEST_CASE("Test data are right under every placement") {
  Result<Plan> plan =
      toolchain().compile("alltoall_bruck", {.parameters = {{"buffers", "both"}}, .ranks = 5});
  REQUIRE(plan);
  Result<std::chrono::nanoseconds> time = runTest(*plan, 10'000, {.type = "f16"});
  INFO(time.text());
  CHECK(time);
}

TEST_CASE("Times are above the bound, and data are compared") {
  Plan plan = ringOf(4);
  std::vector<uint64_t> sizes = {1 << 10, 1 << 20};
  Result<Simulation> times =
      toolchain().simulate(plan, {"ring"}, {.bytes = sizes, .checkData = true});
  INFO(times.text());
  REQUIRE(times);
  Result<Bounds> bounds =
      toolchain().bound({"ring"}, {.collective = "allreduce", .ranks = 4, .bytes = sizes});
  INFO(bounds.text());
  REQUIRE(bounds);
  for (size_t i = 0; i < sizes.size(); ++i) {
    CHECK(times->sizes[i].bytes == sizes[i]);
    CHECK(times->sizes[i].picoseconds >= bounds->sizes[i].picoseconds);
    REQUIRE(times->sizes[i].boundShare);
    CHECK(*times->sizes[i].boundShare > 0);
    CHECK(*times->sizes[i].boundShare <= 1);
    CHECK_FALSE(bounds->sizes[i].witness.empty());
  }
  // Links of half the bandwidth: a megabyte takes between one and two times as long.
  Target slow{"ring", {"link.bandwidth=50e9"}};
  int64_t fast = times->sizes.back().picoseconds;
  int64_t time = toolchain().simulate(plan, slow, {.bytes = {1 << 20}})->sizes.front().picoseconds;
  CHECK(time > fast);
  CHECK(time <= 2 * fast);
  // Without a name the machine is the one of the plan, with its settings.
  Result<Plan> own = toolchain().compile("allreduce_ring", {.ranks = 4, .target = slow});
  REQUIRE(own);
  CHECK(toolchain().simulate(*own, {}, {.bytes = {1 << 20}})->sizes[0].picoseconds == time);
  CHECK(toolchain().bound(*own, Target{}, {.bytes = {1 << 20}})->sizes[0].planTime == time);
  Result<Simulation> none = toolchain().simulate(plan, {});
  REQUIRE_FALSE(none);
  CHECK(none.text().find("the plan has no target") != std::string::npos);
}

TEST_CASE("An advised change has the time of the run with it") {
  Plan plan = ringOf(4);
  const Target slow{"ring", {"links.n0->n1.bandwidth=1e9"}};
  Result<Simulation> run = toolchain().simulate(plan, slow, {.bytes = {1 << 20}, .advise = true});
  INFO(run.text());
  REQUIRE(run);
  REQUIRE_FALSE(run->advice.changes.empty());
  const AdvisedChange &first = run->advice.changes.front();
  CHECK(first.action == "Repair link n0->n1");
  CHECK(first.tool == "ccl-sim");
  CHECK(first.change == "--set 'links.n0->n1.bandwidth=100000000000'");
  CHECK(first.before == run->sizes[0].picoseconds);
  CHECK(first.after == toolchain().simulate(plan, {"ring"})->sizes[0].picoseconds);
  CHECK(run->report.text().find("advice for 1048576 bytes") != std::string::npos);
}

TEST_CASE("Threads compile and simulate at the same time") {
  std::string expected = *ringOf(6).write("text");
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (std::string &text : texts)
    threads.emplace_back([&text] {
      Result<Plan> plan = toolchain().compile("allreduce_ring", {.ranks = 6});
      if (plan && toolchain().simulate(*plan, {"ring"}))
        text = *plan->write("text");
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &text : texts)
    CHECK(text == expected);
}

TEST_CASE("A call that is cancelled is interrupted when the next stage begins") {
  Cancellation cancellation;
  unsigned stages = 0;
  Progress cancel = [&](std::string_view) {
    ++stages;
    cancellation.request();
  };
  auto isInterrupted = [&](const auto &result) {
    CHECK(stages == 1);
    stages = 0;
    return !result && result.failure() == Failure::Interrupted &&
           result.text() == "cclc: error: the call was cancelled\n";
  };
  const Plan ring = ringOf(8);
  const Target machine{"ring"};
  CHECK(isInterrupted(toolchain().compile(
      "allreduce_ring", {.ranks = 4, .onProgress = cancel, .cancellation = cancellation})));
  CHECK(isInterrupted(toolchain().convert(
      ring, {.form = "text", .onProgress = cancel, .cancellation = cancellation})));
  CHECK(isInterrupted(
      toolchain().simulate(ring, machine, {.onProgress = cancel, .cancellation = cancellation})));
  CHECK(isInterrupted(
      toolchain().bound(ring, machine, {.onProgress = cancel, .cancellation = cancellation})));
  DiffOptions onMachine;
  onMachine.targets = {machine};
  onMachine.onProgress = cancel;
  onMachine.cancellation = cancellation;
  CHECK(isInterrupted(toolchain().diff(ring, ring, onMachine)));
  TuneOptions search;
  search.collective = "allreduce";
  search.bytes = {1024};
  search.ranks = 4;
  search.onProgress = cancel;
  search.cancellation = cancellation;
  CHECK(isInterrupted(toolchain().tune(machine, search)));
}
