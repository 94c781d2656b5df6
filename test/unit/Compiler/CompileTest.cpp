//===- CompileTest.cpp - Compilation from a request to a plan -------------===//
//
// Every class of failure has its exit code and message. The incorrect programs are
// declared in this file.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include "cclc/DSL/DSL.h"

using namespace cclc;
using namespace cclc::test;
using dsl::Declaration;
using dsl::Program;

namespace {

struct Outcome {
  std::optional<Failure> failure; ///< unset on success
  std::string messages;
  std::optional<ExecPlan> plan;
};

Outcome run(const Declaration &declaration, const CompileRequest &request = {}) {
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(declaration, request, diags);
  CHECK(diags.hasErrors() == failed(outcome));
  Outcome result{std::nullopt, textOf(diags), std::nullopt};
  if (failed(outcome))
    result.failure = diags.failure();
  else
    result.plan.emplace(std::move(outcome->plan));
  return result;
}

Outcome run(const Recipe &recipe) { return run(bundled(recipe.program), requestFor(recipe)); }

void checkFailure(const Outcome &outcome, Failure failure, const std::string &messages) {
  CHECK(outcome.failure == failure);
  CHECK(outcome.messages == messages);
}

/// A two-rank all-reduce without the copy of the result back to rank 0.
Declaration forgetful() {
  Declaration d("forgetful");
  d.collective(CollectiveKind::AllReduce).ranks(2, 2).body([](Program &p) {
    dsl::ChunkRef sum = p.chunk(1, dsl::Output, 0);
    sum.reduce(p.chunk(0, dsl::Output, 0));
  });
  return d;
}

/// A program of up to three ranks without a post-condition; body(p) may contain invalid operations.
Declaration custom(void (*body)(Program &)) {
  Declaration d("custom");
  d.collective(CollectiveKind::Custom)
      .buffers(dsl::Buffers::OutOfPlace, dsl::Buffers::OutOfPlace)
      .ranks(2, 3)
      .body(body);
  return d;
}
} // namespace

TEST_CASE("unknown parameters and parameter values are unusable", "[compile]") {
  checkFailure(run(Recipe{"allreduce_ring", {{"chanels", "2"}}}), Failure::Unusable,
               "tool: error: program 'allreduce_ring' has no parameter 'chanels' (did you mean "
               "'channels'?); it has channels, buffers, mapper\n");
  checkFailure(run(Recipe{"allreduce_ring", {{"xyz", "2"}}}), Failure::Unusable,
               "tool: error: program 'allreduce_ring' has no parameter 'xyz'; it has channels, "
               "buffers, mapper\n");
  for (const char *bad : {"0", "33", "two", "", "-1", "1.5", "99999999999", "1 "})
    checkFailure(run(Recipe{"allreduce_ring", {{"channels", bad}}}), Failure::Unusable,
                 "tool: error: parameter 'channels' takes integer 1..32, not '" + std::string(bad) +
                     "'\n");
  checkFailure(run(Recipe{"allreduce_ring", {{"buffers", "inplace"}}}), Failure::Unusable,
               "tool: error: parameter 'buffers' takes in_place, out_of_place or both, not "
               "'inplace'\n");
  checkFailure(run(Recipe{"allreduce_ring", {{"mapper", "some"}}}), Failure::Unusable,
               "tool: error: parameter 'mapper' takes leader_only, cube_leaders or all_pes, not "
               "'some'\n");
  // The last value of a parameter is used.
  CHECK(run(Recipe{"allreduce_ring", {{"channels", "2"}, {"channels", "3"}}, 4})
            .plan->info()
            .parameters == std::vector<std::pair<std::string, std::string>>{{"channels", "3"}});
}

TEST_CASE("invalid numbers of ranks are unusable", "[compile]") {
  checkFailure(run(Recipe{"allreduce_ring", {}, 65537}), Failure::Unusable,
               "tool: error: 65537 ranks exceed the limit of 65536\n");
  Declaration pair = forgetful();
  CompileRequest one;
  one.ranks = 1;
  checkFailure(run(pair, one), Failure::Unusable,
               "tool: error: program 'forgetful' needs at least 2 ranks, not 1\n");
  Recipe tooMany{"allreduce_ring", {}, 300};
  tooMany.target = "ahbm";
  checkFailure(
      run(tooMany), Failure::Unusable,
      "tool: error: 300 ranks are requested, but target ahbm has room for 256 (mapper all_pes)\n");
  tooMany = {"allreduce_ring", {{"mapper", "cube_leaders"}}, 33};
  tooMany.target = "ahbm";
  checkFailure(run(tooMany), Failure::Unusable,
               "tool: error: 33 ranks are requested, but target ahbm has room for 32 (mapper "
               "cube_leaders)\n");
  checkFailure(run(Recipe{"allreduce_hierarchical", {{"nodes", "2"}, {"ranks_per_node", "3"}}, 5}),
               Failure::Unusable,
               "tool: error: the parameters of 'allreduce_hierarchical' result in 6 ranks, but "
               "--ranks is 5\n");
  CHECK(
      run(Recipe{"allreduce_hierarchical", {{"nodes", "2"}, {"ranks_per_node", "3"}}, 6}).failure ==
      std::nullopt);
}

TEST_CASE("a layout other than the program's is rejected, by name", "[compile]") {
  Recipe recipe{"allreduce_lrab", {{"mapper", "all_pes"}}};
  recipe.target = "ahbm";
  checkFailure(run(recipe), Failure::Unusable,
               "tool: error: program 'allreduce_lrab' needs layout one_pe_per_cube, one tile in "
               "every cube, on its first PE (mapper=cube_leaders); mapper=all_pes is layout "
               "multi_pe_sip_local, one tile on every PE\n");
  recipe.parameters = {{"mapper", "leader_only"}};
  checkFailure(run(recipe), Failure::Unusable,
               "tool: error: program 'allreduce_lrab' needs layout one_pe_per_cube, one tile in "
               "every cube, on its first PE (mapper=cube_leaders); mapper=leader_only is layout "
               "one_pe_per_sip, one tile in every SIP, on the first PE of its first cube\n");
  recipe.parameters = {{"mapper", "everybody"}};
  checkFailure(run(recipe), Failure::Unusable,
               "tool: error: parameter 'mapper' takes cube_leaders, not 'everybody'\n");
  recipe.parameters = {{"mapper", "cube_leaders"}};
  CHECK(!run(recipe).failure);
  recipe.ranks = 32;
  CHECK(!run(recipe).failure);
  recipe.ranks = 31;
  checkFailure(
      run(recipe), Failure::Unusable,
      "tool: error: program 'allreduce_lrab' needs layout one_pe_per_cube, one tile in "
      "every cube, on its first PE: 32 tiles on target ahbm, but 31 ranks are requested\n");
}

TEST_CASE("a program that rejects its arguments is unusable, and so is an unknown target",
          "[compile]") {
  Outcome refused = run(Recipe{"allreduce_lrab"});
  CHECK(refused.failure == Failure::Unusable);
  CHECK(StringRef(refused.messages)
            .ends_with("allreduce_lrab needs a machine with SIPs and a mesh of cubes: try --target "
                       "ahbm\n"));
  CHECK(StringRef(refused.messages).contains("allreduce_lrab.cpp:164: error: "));
  CompileRequest nowhere;
  nowhere.target = TargetRequest{"nowhere", CCLC_TARGET_DIR, {}, std::nullopt};
  Outcome missing = run(bundled("allreduce_ring"), nowhere);
  CHECK(missing.failure == Failure::Unusable);
  CHECK(
      StringRef(missing.messages).starts_with("tool: error: unknown target 'nowhere'; there are"));
  CompileRequest badValue;
  badValue.target = targetRequest("ring", {"queue.slots=0"});
  CHECK(run(bundled("allreduce_ring"), badValue).failure == Failure::Unusable);
}

TEST_CASE("an algorithm that computes another result is wrong", "[compile]") {
  Outcome outcome = run(forgetful());
  CHECK(outcome.failure == Failure::Wrong);
  CHECK_FALSE(outcome.messages.empty());
  // Without the proof it compiles.
  CompileRequest trusting;
  trusting.verify = false;
  CHECK(run(forgetful(), trusting).failure == std::nullopt);
}

TEST_CASE("a program that violates the rules of the language is wrong", "[compile]") {
  // A chunk index out of range, a read of an unwritten chunk, and a stale reference.
  CHECK(run(custom([](Program &p) {
          p.custom(1, 1);
          p.chunk(0, dsl::Input, 1).copy(1, dsl::Output, 0);
        })).failure == Failure::Wrong);
  CHECK(run(custom([](Program &p) {
          p.custom(1, 1);
          p.chunk(0, dsl::Output, 0).copy(1, dsl::Output, 0);
        })).failure == Failure::Wrong);
  CHECK(run(custom([](Program &p) {
          p.custom(1, 1);
          dsl::ChunkRef out = p.chunk(0, dsl::Input, 0).copy(1, dsl::Output, 0);
          p.chunk(1, dsl::Input, 0).copy(1, dsl::Output, 0);
          out.copy(0, dsl::Output, 0);
        })).failure == Failure::Wrong);
  std::string messages = run(custom([](Program &p) {
                           p.custom(1, 1);
                           throw std::runtime_error("oops");
                         })).messages;
  CHECK(StringRef(messages).ends_with(
      ": error: program 'custom' ended with an exception after this call of the DSL: oops\n"));
}

TEST_CASE("contradictory directives have no plan", "[compile]") {
  // One threadblock of r0 cannot send to two ranks.
  Outcome outcome = run(custom([](Program &p) {
    p.custom(1, 1);
    p.chunk(0, dsl::Input, 0).copy(1, dsl::Output, 0, {.channel = 0, .sendTb = 0});
    p.chunk(0, dsl::Input, 0).copy(2, dsl::Output, 0, {.channel = 0, .sendTb = 0});
  }));
  CHECK(outcome.failure == Failure::Unfit);
  CHECK(StringRef(outcome.messages).contains("CompileTest.cpp:"));
  CHECK(StringRef(outcome.messages).count("CompileTest.cpp:") >= 2); // both operations are reported
}

TEST_CASE("a plan that exceeds the limits of the target is unfit", "[compile]") {
  CompileRequest request;
  request.ranks = 4;
  request.target = targetRequest("ring", {"limits.steps_per_threadblock=2", "limits.channels=2"});
  checkFailure(run(bundled("allreduce_ring"), request), Failure::Unfit,
               "tool: error: illegal for target ring: 7 steps in one threadblock on r0, the limit "
               "is 2; spread the work over more channels (cclc --max-channels)\n");
}

TEST_CASE("a plan is cut to the target's limit of steps", "[compile]") {
  CompileRequest request;
  request.ranks = 4;
  request.target = targetRequest("ring", {"limits.steps_per_threadblock=3"});
  Outcome cut = run(bundled("allreduce_ring"), request);
  REQUIRE(cut.plan);
  for (const Threadblock &tb : cut.plan->threadblocks())
    CHECK(tb.numSteps <= 3);
  // A plan within the limit is unchanged.
  auto bodyOf = [&](std::vector<std::string> changes) {
    request.target = targetRequest("ring", std::move(changes));
    std::string text = textOf(Module(*run(bundled("allreduce_ring"), request).plan));
    return text.substr(text.find("rank 0 {"));
  };
  CHECK(bodyOf({"limits.steps_per_threadblock=7"}) == bodyOf({}));
}

TEST_CASE("every program has the implicit parameters", "[compile]") {
  auto names = [](const Declaration &d) {
    std::vector<std::string> result;
    for (const dsl::ParamSpec &spec : allParameters(d))
      result.push_back(spec.name + "=" + spec.value + ": " + spec.domain());
    return result;
  };
  CHECK(names(bundled("allreduce_ring")) ==
        std::vector<std::string>{"channels=1: integer 1..32",
                                 "buffers=in_place: in_place, out_of_place or both",
                                 "mapper=all_pes: leader_only, cube_leaders or all_pes"});
  // A program that fixes the mapper or supports one placement only has no other values.
  std::vector<std::string> lrab = names(bundled("allreduce_lrab"));
  CHECK(lrab.size() == 4);
  CHECK(lrab.back() == "mapper=cube_leaders: cube_leaders");
  CHECK(names(custom([](Program &) {})) ==
        std::vector<std::string>{"buffers=out_of_place: out_of_place",
                                 "mapper=all_pes: leader_only, cube_leaders or all_pes"});
  CHECK(run(Recipe{"allreduce_ring", {{"buffers", "both"}}, 3}).plan->info().placements ==
        Placements::both());
  CHECK(run(Recipe{"alltoall_direct", {}, 3}).plan->info().placements == Placements::outOfPlace());
}

TEST_CASE("the number of ranks is that of the request, the target or the program, in this "
          "order",
          "[compile]") {
  CHECK(run(Recipe{"allreduce_ring"}).plan->ranks() == 8); // the program's default
  CHECK(run(Recipe{"allreduce_ring", {}, 5}).plan->ranks() == 5);
  Recipe onAhbm{"allreduce_recursive_doubling", {{"mapper", "leader_only"}}};
  onAhbm.target = "ahbm-6sip-ring";
  CHECK(run(onAhbm).plan->ranks() == 6); // the target's
  onAhbm.ranks = 4;
  CHECK(run(onAhbm).plan->ranks() == 4);
}

TEST_CASE("the number of slots is that of the request, of the target, or 8", "[compile]") {
  auto slots = [](Recipe recipe) { return run(recipe).plan->slots(); };
  Recipe recipe{"allreduce_ring", {}, 4};
  CHECK(slots(recipe) == Slots(8));
  recipe.target = "ahbm";
  CHECK(slots(recipe) == Slots(4));
  recipe.slots = Slots(2);
  CHECK(slots(recipe) == Slots(2));
  recipe.slots = Slots::unlimited();
  CHECK(slots(recipe) == Slots::unlimited());
}

TEST_CASE("ranks are placed by the mapper", "[compile]") {
  Recipe recipe{"allreduce_recursive_doubling", {{"mapper", "cube_leaders"}}};
  recipe.target = "ahbm";
  ExecPlan cubes = *run(recipe).plan;
  REQUIRE(cubes.ranks() == 32);
  CHECK(cubes.info().target.name == "ahbm");
  for (uint32_t r = 0; r < 32; ++r)
    CHECK(cubes.info().placementOnTarget[r] == 8 * r);
  CHECK(cubes.info().geometry.levels ==
        std::vector<GridLevel>{{"sip", GridKind::Ring1D, 2, 1},
                               {"cube", GridKind::Mesh2DNoWrap, 4, 4},
                               {"pe", GridKind::Flat, 1, 1}});
  // With fewer ranks than endpoints the layout is flat.
  recipe.ranks = 5;
  ExecPlan five = *run(recipe).plan;
  CHECK(five.info().placementOnTarget == std::vector<uint32_t>{0, 8, 16, 24, 32});
  CHECK(five.info().geometry.levels == std::vector<GridLevel>{{"rank", GridKind::Flat, 5, 1}});
  ExecPlan free = *run(Recipe{"allreduce_ring", {}, 5}).plan;
  CHECK(free.info().target.empty());
  CHECK(free.info().placementOnTarget.empty());
  CHECK(free.info().geometry.levels == std::vector<GridLevel>{{"rank", GridKind::Flat, 5, 1}});
}

TEST_CASE("a plan contains the settings of the request", "[compile]") {
  CompileRequest request;
  request.ranks = 3;
  request.protocol = Protocol::LL;
  request.instances = 2;
  request.minBytes = 100;
  request.maxBytes = 1000;
  std::vector<std::string> stages;
  request.onStage = [&](StringRef stage) { stages.push_back(stage.str()); };
  Outcome outcome = run(bundled("allreduce_ring"), request);
  REQUIRE(outcome.plan);
  CHECK(outcome.plan->info().protocol == Protocol::LL);
  CHECK(outcome.plan->info().instances == 2);
  CHECK(outcome.plan->info().minBytes == 100);
  CHECK(outcome.plan->info().maxBytes == 1000u);
  CHECK(outcome.plan->info().collective.chunks() == 6);
  CHECK(stages ==
        std::vector<std::string>{"trace", "check", "lower and fuse", "schedule", "verify", "fit"});
}

TEST_CASE("fusion forms the requested kinds of fused steps", "[compile]") {
  auto kinds = [](FusionOptions fusion) {
    CompileRequest request;
    request.ranks = 4;
    request.fusion = fusion;
    std::map<OpKind, int> count;
    ExecPlan plan = *run(bundled("allreduce_ring"), request).plan;
    for (const Step &step : plan.steps())
      ++count[step.op];
    return count;
  };
  // Each of 4 chunks takes 2 * 3 hops.
  CHECK(kinds({false, false, false}) == std::map<OpKind, int>{{OpKind::Send, 24},
                                                              {OpKind::Recv, 12},
                                                              {OpKind::RecvReduceCopy, 12}});
  std::map<OpKind, int> all = kinds({true, true, true});
  CHECK(all[OpKind::Send] == 4);
  CHECK(all[OpKind::Recv] == 4);
  CHECK(all[OpKind::RecvCopySend] == 8);
  CHECK(all[OpKind::RecvReduceSend] == 8);
  CHECK(all[OpKind::RecvReduceCopySend] == 4);
  std::map<OpKind, int> noRrs = kinds({true, true, false});
  CHECK(noRrs[OpKind::RecvReduceSend] == 0);
  CHECK(noRrs[OpKind::RecvReduceCopySend] == 12);
}

TEST_CASE("two compilations produce the same bytes", "[compile]") {
  for (const Recipe &recipe : allRecipes())
    CHECK(jsonOf(compiled(recipe)) == jsonOf(compiled(recipe)));
}
