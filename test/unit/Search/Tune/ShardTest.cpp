//===- ShardTest.cpp - Searches in parts, and from files ------------------===//
//
// Results are counted: a search that finds all of its results in files, such as those of all of its
// shards, simulates and compiles nothing.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Tuner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <catch2/catch.hpp>

using namespace cclc;

namespace {
struct Cell {
  const char *target;
  CollectiveKind collective;
  uint32_t ranks;
  std::vector<std::string> settings = {};
  std::vector<std::string> programs = {};
};

class Searches {
public:
  explicit Searches(const Cell &cell) {
    dsl::registerAllPrograms(programs);
    TuneRequest request;
    request.runtime = &simulatorRuntime();
    request.collective = cell.collective;
    request.target = {cell.target, CCLC_TARGET_DIR, {}, std::nullopt};
    REQUIRE(succeeded(parseOverrides(cell.settings, request.target.overrides, diags)));
    request.ranks = cell.ranks;
    request.sizes = {1 << 10, 1 << 19};
    problem = std::make_unique<TuneProblem>(*TuneProblem::create(request, diags));
    space = std::make_unique<CandidateSpace>(
        *CandidateSpace::create(*problem, programs, cell.programs, diags));
    llvm::SmallString<64> path;
    REQUIRE_FALSE(llvm::sys::fs::createUniqueDirectory("shards", path));
    root = std::string(path.str());
  }
  ~Searches() { llvm::sys::fs::remove_directories(root); }

  std::string folder(uint32_t number) const { return root + "/" + std::to_string(number); }

  TuneResult run(std::optional<std::string> own, std::vector<std::string> others,
                 uint32_t shard = 0, uint32_t shards = 1) {
    TuneOptions options;
    options.shard = shard;
    options.shards = shards;
    return run(std::move(own), std::move(others), options);
  }

  TuneResult run(std::optional<std::string> own, std::vector<std::string> others,
                 const TuneOptions &options) {
    FailureOr<MeasureStore> store = MeasureStore::open(std::move(own), std::move(others), diags);
    REQUIRE(succeeded(store));
    return *tune(*space, *store, options, diags);
  }

private:
  DiagnosticEngine diags;
  dsl::ProgramRegistry programs;
  std::unique_ptr<TuneProblem> problem;
  std::unique_ptr<CandidateSpace> space;
  std::string root;
};

/// The first of \p cells if sanitizers run, with which a search takes ten times as long.
std::vector<Cell> affordable(std::vector<Cell> cells) {
#ifdef CCLC_SANITIZED
  cells.resize(1);
#endif
  return cells;
}

const std::vector<Cell> cells = affordable(
    {{"torus2d", CollectiveKind::Broadcast, 4}, {"mesh2d", CollectiveKind::AllGather, 4}});
/// 222 candidates, simulations of 171 of which a whole search stops at a limit.
const Cell fewPlans = {"ndv4", CollectiveKind::AllGather, 4, {}, {"allgather_allpairs"}};

void checkEqual(const TuneResult &one, const TuneResult &other) {
  CHECK(one.messages == other.messages);
  REQUIRE(one.tried.size() == other.tried.size());
  for (size_t i = 0; i < one.tried.size(); ++i) {
    CHECK(one.tried[i].candidate.command() == other.tried[i].candidate.command());
    CHECK(one.tried[i].measure == other.tried[i].measure);
  }
}
} // namespace

TEST_CASE("a search with all results in files computes nothing", "[tune]") {
  for (const Cell &cell : cells) {
    INFO(cell.target);
    Searches searches(cell);
    TuneResult first = searches.run(searches.folder(0), {});
    CHECK(first.simulations > 0);
    TuneResult second = searches.run(searches.folder(0), {});
    CHECK(second.simulations == 0);
    CHECK(second.compilations == 0);
    CHECK(second.messages == first.messages);
  }
}

TEST_CASE("results of other searches do not change the outcome", "[tune]") {
  // An exhaustive search stops other plans than the usual one, at other times.
  Searches searches(fewPlans);
  TuneOptions exhaustive;
  exhaustive.exhaustive = true;
  for (const TuneOptions &first : {exhaustive, TuneOptions()}) {
    TuneOptions second;
    second.exhaustive = !first.exhaustive;
    const std::string folder = searches.folder(first.exhaustive ? 0 : 1);
    searches.run(folder, {}, first);
    checkEqual(searches.run(std::nullopt, {}, second),
               searches.run(std::nullopt, {folder}, second));
  }
}

TEST_CASE("an exhaustive search in parts has the outcome of a whole one", "[tune]") {
  Searches searches(fewPlans);
  TuneOptions options;
  options.exhaustive = true;
  const TuneResult single = searches.run(std::nullopt, {}, options);
  CHECK(llvm::any_of(single.tried, [](const Tried &each) { return !each.measure.longer.empty(); }));
  std::vector<std::string> folders;
  options.shards = 3;
  for (options.shard = 0; options.shard < 3; ++options.shard) {
    folders.push_back(searches.folder(options.shard));
    searches.run(folders.back(), {}, options);
  }
  options.shard = 0;
  options.shards = 1;
  const TuneResult merged = searches.run(searches.folder(3), folders, options);
  checkEqual(single, merged);
  CHECK(merged.compilations < single.compilations);
  // Interrupted and continued: nothing is computed twice.
  options.jobs = 2;
  folders.push_back(searches.folder(3));
  const TuneResult again = searches.run(std::nullopt, folders, options);
  checkEqual(single, again);
  CHECK(again.simulations == 0);
}

TEST_CASE("the results of all shards are those of a single search", "[tune]") {
  const std::vector<Cell> merged = affordable({
      {"mesh2d",
       CollectiveKind::AllReduce,
       4,
       {},
       {"allreduce_ring", "allreduce_allpairs", "allreduce_trees", "allreduce_recursive_doubling"}},
      {"ahbm", CollectiveKind::AllGather, 4, {}, {"allgather_ring", "allgather_allpairs"}},
      {"ndv4",
       CollectiveKind::ReduceScatter,
       4,
       {},
       {"reducescatter_ring", "reducescatter_direct", "reducescatter_trees"}},
  });
  uint64_t computed = 0;
  for (uint32_t i = 0; i < merged.size(); ++i) {
    const Cell &cell = merged[i];
    uint32_t shards = 2 + i % 2;
    INFO(cell.target << " in " << shards << " shards");
    Searches searches(cell);
    std::vector<std::string> folders;
    for (uint32_t shard = 0; shard < shards; ++shard) {
      folders.push_back(searches.folder(shard));
      searches.run(folders.back(), {}, shard, shards);
    }
    const TuneResult single = searches.run(std::nullopt, {});
    // The neighbours of the best plans are known when all shards are.
    folders.push_back(searches.folder(shards));
    const TuneResult all =
        searches.run(folders.back(), {folders.begin(), std::prev(folders.end())});
    checkEqual(single, all);
    CHECK(all.simulations < single.simulations);
    const TuneResult again = searches.run(std::nullopt, folders);
    checkEqual(single, again);
    CHECK(again.simulations == 0);
    CHECK(again.compilations == 0);
    // A shard that is missing is computed, unless all programs are scouts.
    folders.resize(shards - 1);
    const TuneResult part = searches.run(std::nullopt, folders);
    checkEqual(single, part);
    CHECK(part.simulations < single.simulations);
    computed += part.simulations;
  }
  CHECK(computed > 0);
}
