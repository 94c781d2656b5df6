//===- CandidateSpaceTest.cpp - The candidates of a search ----------------===//

#include "Trial.h"

#include "cclc/Search/Tune/CandidateSpace.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

#include <memory>
#include <set>

using namespace cclc;

namespace {
struct Space {
  Space(const char *target, CollectiveKind collective, const std::vector<std::string> &names,
        uint32_t ranks = 8, const Runtime *runtime = &simulatorRuntime()) {
    dsl::registerAllPrograms(programs);
    TuneRequest request;
    request.runtime = runtime;
    request.collective = collective;
    request.target = {target, CCLC_TARGET_DIR, {}, std::nullopt};
    request.ranks = ranks;
    request.sizes = {1 << 20};
    FailureOr<TuneProblem> made = TuneProblem::create(request, diags);
    REQUIRE(succeeded(made));
    problem = std::make_unique<TuneProblem>(std::move(*made));
    space =
        std::make_unique<CandidateSpace>(*CandidateSpace::create(*problem, programs, names, diags));
  }

  /// The root with this command, and its neighbours above.
  std::optional<std::vector<std::string>> above(StringRef command) const {
    for (const Candidate &root : space->roots())
      if (root.command() == command) {
        std::vector<std::string> commands;
        for (const CandidateSpace::Neighbour &each : space->above(root))
          commands.push_back(each.candidate.command());
        return commands;
      }
    return std::nullopt;
  }

  DiagnosticEngine diags;
  dsl::ProgramRegistry programs;
  std::unique_ptr<TuneProblem> problem;
  std::unique_ptr<CandidateSpace> space;
};
using Commands = std::vector<std::string>;

/// A problem without a collective, ranks or bounds.
struct OneProgram final : SearchProblem {
  using SearchProblem::SearchProblem;
  CompiledPlans compile(const Candidate &, bool, DiagnosticEngine &) const override { return {}; }
};
} // namespace

TEST_CASE("the variants of one program need a machine and the open choices alone", "[tune]") {
  Space all("ahbm", CollectiveKind::AllReduce, {"allreduce_ring"});
  OneProgram problem(all.problem->machine);
  SearchSpace open;
  open.sharing = open.fusion = open.placement = false;
  open.choosesSlots = true;
  const Candidate start{all.programs.find("allreduce_ring")};
  auto variants = [&](CandidateSpace::Axis axis) {
    Commands commands;
    CandidateSpace space = CandidateSpace::ofProgram(problem, start, open);
    for (const Candidate &each : space.variants(start, axis, 1))
      commands.push_back(each.command());
    return commands;
  };
  using Axis = CandidateSpace::Axis;
  CHECK(variants(Axis::Placement) == Commands{});
  CHECK(variants(Axis::Fusion) == Commands{});
  CHECK(variants(Axis::Aggregation) == Commands{"allreduce_ring --aggregate"});
  CHECK(variants(Axis::Slots).size() == 2);
  problem.slots = Slots(4);
  CHECK(variants(Axis::Slots) == Commands{});
  CHECK(problem.context.empty());
  // Nothing else is tried.
  CHECK(CandidateSpace::ofProgram(problem, start, open).hasVariants(uint64_t(1) << 40));
  CHECK_FALSE(all.space->hasVariants(uint64_t(1) << 40));
}

TEST_CASE("trees have one channel at first, and as many as the machine has", "[tune]") {
  // A dgx1 has 32 channels.
  Space gather("dgx1", CollectiveKind::AllGather, {"allgather_trees"});
  CHECK(gather.above("synth allgather --trees 4") ==
        Commands{"synth allgather --trees 4 -p channels=2",
                 "synth allgather --trees 4 --instances 2"});
  CHECK(gather.above("synth allgather --trees 4 -p channels=32") == Commands{});
  Space sum("dgx1", CollectiveKind::AllReduce, {"allreduce_trees"});
  CHECK(sum.above("synth allreduce --trees 4 -p channels=16") == Commands{});
  CHECK_FALSE(sum.above("synth allreduce --trees 4 -p channels=32"));
  // Those of a ring have no limit, which would be a reason to try many at once.
  Space ring("ring", CollectiveKind::AllGather, {"allgather_trees"});
  CHECK(ring.above("synth allgather --trees 4"));
  CHECK_FALSE(ring.above("synth allgather --trees 4 -p channels=32"));
}

TEST_CASE("several trees of a root are divided into chunks, too", "[tune]") {
  Space gather("dgx1", CollectiveKind::AllGather, {"allgather_trees"});
  CHECK(gather.above("synth allgather --trees 6"));
  CHECK(gather.above("synth allgather --trees 6 --chunks 2"));
}

TEST_CASE(
    "trees of an all-reduce are repeated in many rounds, the fewest that load links the least",
    "[tune]") {
  auto commands = [](const Space &space) {
    Commands found;
    for (const CandidateSpace::Saturating &each : space.space->saturating())
      found.push_back(each.candidate.command());
    return found;
  };
  Space sum("mesh2d", CollectiveKind::AllReduce, {"allreduce_trees"}, 16);
  CHECK(commands(sum) == Commands{"synth allreduce --trees 1 -p rounds=64"});
  const CandidateSpace::Saturating &found = sum.space->saturating().front();
  const double bound = sum.problem->bounds->link().time(Bytes(1 << 30)).picoseconds() * 1e-12;
  CHECK(found.secondsPerByte * (1 << 30) >= bound);
  CHECK(found.secondsPerByte * (1 << 30) < bound * 1.1);
  // Sums are distributed in no other collective, and LL is no protocol of large buffers.
  CHECK(commands({"mesh2d", CollectiveKind::AllGather, {"allgather_trees"}}).empty());
  CHECK(commands({"dgx1", CollectiveKind::AllReduce, {"allreduce_trees"}}).size() == 2);
}

TEST_CASE("programs for switches are left out where there are none", "[tune]") {
  Space without("dgx1", CollectiveKind::Broadcast, {}, 4);
  CHECK(without.space->omittedPrograms().vec() == Commands{"broadcast_nvls"});
  CHECK_FALSE(without.above("broadcast_nvls"));
  Space named("dgx1", CollectiveKind::Broadcast, {"broadcast_nvls"}, 4);
  CHECK(named.space->omittedPrograms().empty());
  CHECK(named.above("broadcast_nvls"));
  Space with("dgx-h100", CollectiveKind::Broadcast, {}, 4);
  CHECK(with.space->omittedPrograms().empty());
  CHECK(with.above("broadcast_nvls"));
}

TEST_CASE("an exhaustive search has all combinations of parameters", "[tune]") {
  Space tree("ring", CollectiveKind::AllReduce, {"allreduce_tree"});
  auto commandsOf = [&](bool exhaustive) {
    std::set<std::string> commands;
    for (const Candidate &root : tree.space->roots(exhaustive))
      if (root.variant.placement == RankPlacement::Linear)
        CHECK(commands.insert(root.command()).second);
    return commands;
  };
  // All numbers of children up to the number of ranks; all streams at once are 0, the default.
  std::set<std::string> all;
  for (int arity = 1; arity <= 8; ++arity)
    for (const char *streams : {"", " -p streams=1"})
      all.insert("allreduce_tree" + (arity == 2 ? "" : " -p arity=" + std::to_string(arity)) +
                 streams);
  CHECK(commandsOf(true) == all);
  // One at a time.
  CHECK(commandsOf(false) == std::set<std::string>{"allreduce_tree -p streams=1",
                                                   "allreduce_tree -p arity=3 -p streams=1",
                                                   "allreduce_tree -p arity=4 -p streams=1",
                                                   "allreduce_tree -p arity=8 -p streams=1"});
}

TEST_CASE("plans of a runtime with choices have no moves", "[tune]") {
  Space natives("ndv4", CollectiveKind::Broadcast, {}, 8, findRuntime("ompi"));
  const std::vector<Candidate> roots = natives.space->roots();
  REQUIRE(roots.size() > 1);
  for (const Candidate &root : roots)
    CHECK(natives.space->moves(root, 1).empty());
}

TEST_CASE("a move changes one property, and two moves are combined", "[tune]") {
  Space all("torus2d", CollectiveKind::AllReduce, {"allreduce_tree"}, 9);
  const Candidate start = all.space->roots().front();
  const std::vector<Candidate> moves = all.space->moves(start, 1);
  std::set<std::string> commands;
  for (const Candidate &move : moves) {
    INFO(move.command());
    CHECK(commands.insert(move.command()).second);
    const size_t parameters = llvm::count_if(start.program->params(), [&](const auto &spec) {
      return move.valueOf(spec) != start.valueOf(spec);
    });
    CHECK(parameters + (move.variant != start.variant) == 1);
  }
  for (const char *command :
       {"allreduce_tree -p chunks=2 -p streams=1", "allreduce_tree -p arity=8 -p streams=1",
        "allreduce_tree -p streams=2", "allreduce_tree -p streams=1 --instances 2",
        "allreduce_tree -p streams=1 --placement auto", "allreduce_tree -p streams=1 --no-fuse",
        "allreduce_tree -p streams=1 --aggregate", "allreduce_tree -p streams=1 -O1",
        "allreduce_tree -p streams=1 --optimize-for path"})
    CHECK(commands.count(command) == 1);
  auto with = [&](StringRef command) {
    return *llvm::find_if(moves, [&](const Candidate &move) { return move.command() == command; });
  };
  CHECK(CandidateSpace::combined(start, with("allreduce_tree -p streams=2"),
                                 with("allreduce_tree -p streams=1 --instances 2"))
            .command() == "allreduce_tree -p streams=2 --instances 2");
  CHECK(CandidateSpace::combined(start, with("allreduce_tree -p streams=1 --no-fuse"),
                                 with("allreduce_tree -p streams=1 --placement auto"))
            .command() == "allreduce_tree -p streams=1 --placement auto --no-fuse");
}
