//===- ShardTest.cpp - Searches in parts, and from files ------------------===//
//
// Results are counted: a search that finds all of its results in files simulates and compiles
// nothing.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tune/Tuner.h"

#include "llvm/Support/FileSystem.h"

#include <catch2/catch.hpp>

using namespace cclc;

namespace {
struct Cell {
  const char *target;
  CollectiveKind collective;
  uint32_t ranks;
  std::vector<std::string> settings = {};
};

class Searches {
public:
  explicit Searches(const Cell &cell) {
    dsl::registerAllPrograms(programs);
    TuneRequest request;
    request.collective = cell.collective;
    request.target = {cell.target, CCLC_TARGET_DIR, {}, std::nullopt};
    REQUIRE(succeeded(parseOverrides(cell.settings, request.target.overrides, diags)));
    request.ranks = cell.ranks;
    request.sizes = {1 << 10, 1 << 13, 1 << 16, 1 << 19, 1 << 22};
    problem = std::make_unique<TuneProblem>(*TuneProblem::create(request, diags));
    space =
        std::make_unique<CandidateSpace>(*CandidateSpace::create(*problem, programs, {}, diags));
    llvm::SmallString<64> path;
    REQUIRE_FALSE(llvm::sys::fs::createUniqueDirectory("shards", path));
    root = std::string(path.str());
  }
  ~Searches() { llvm::sys::fs::remove_directories(root); }

  std::string folder(uint32_t number) const { return root + "/" + std::to_string(number); }

  TuneResult run(std::optional<std::string> own, std::vector<std::string> others,
                 uint32_t shard = 0, uint32_t shards = 1) {
    FailureOr<MeasureStore> store = MeasureStore::open(std::move(own), std::move(others), diags);
    REQUIRE(succeeded(store));
    TuneOptions options;
    options.shard = shard;
    options.shards = shards;
    return *tune(*space, *store, options, diags);
  }

private:
  DiagnosticEngine diags;
  dsl::ProgramRegistry programs;
  std::unique_ptr<TuneProblem> problem;
  std::unique_ptr<CandidateSpace> space;
  std::string root;
};

const std::vector<Cell> cells = {{"mesh2d", CollectiveKind::AllGather, 4},
                                 {"torus2d", CollectiveKind::Broadcast, 4}};
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

TEST_CASE("a search with the results of shards computes only what they lack", "[tune]") {
  Searches searches({"ndv4", CollectiveKind::ReduceScatter, 8});
  std::vector<std::string> folders;
  for (uint32_t shard = 0; shard < 3; ++shard) {
    folders.push_back(searches.folder(shard));
    searches.run(folders.back(), {}, shard, 3);
  }
  TuneResult single = searches.run(std::nullopt, {});
  TuneResult merged = searches.run(searches.folder(3), folders);
  CHECK(merged.simulations < single.simulations);
  CHECK(merged.messages == single.messages);
  // With what it added, the results are complete.
  folders.push_back(searches.folder(3));
  TuneResult again = searches.run(std::nullopt, folders);
  CHECK(again.simulations == 0);
  CHECK(again.compilations == 0);
  CHECK(again.messages == single.messages);
}
