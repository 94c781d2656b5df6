//===- CompileTest.cpp - Options, graphs, syntheses and lints -------------===//
//
// What python/test compares with the tools byte by byte; here each part works without Python.
//
//===----------------------------------------------------------------------===//

#include "ApiSupport.h"

using namespace cclc::api;
using namespace cclc::test;

static std::string errorOf(const CompileOptions &options) {
  Result<Plan> plan = toolchain().compile("allreduce_ring", options);
  REQUIRE_FALSE(plan);
  CHECK(plan.failure() == Failure::Unusable);
  return plan.messages().at(0).text;
}

TEST_CASE("Options of a compilation change the plan") {
  const Plan plain = ringOf(8);
  Result<Plan> unfused =
      toolchain().compile("allreduce_ring", {.ranks = 8, .fuse = std::vector<std::string>()});
  REQUIRE(unfused);
  CHECK(unfused->steps() > plain.steps());
  Result<Plan> operations = toolchain().compile("allreduce_ring", {.ranks = 8, .form = "mscclpp"});
  INFO(operations.text());
  REQUIRE(operations);
  CHECK_FALSE(operations->verify().slotsNeeded);
  CHECK(operations->write("mscclpp"));
}

TEST_CASE("Options that have no effect are errors") {
  CHECK(errorOf({.optimisation = 1, .optimizeFor = "path"}).starts_with("a goal needs level 2"));
  CHECK(errorOf({.optimisation = 0, .fuse = std::vector<std::string>{"rcs"}})
            .starts_with("fusion needs level 1"));
  CHECK(errorOf({.instanceLayout = "batched"}).starts_with("a layout of instances needs"));
  CHECK(errorOf({.maxChannels = 0}) == "the limit of channels must be at least 1, not 0");
  CHECK(errorOf({.threadblockGroup = 2}).starts_with("a group of threadblocks applies"));
  CHECK(errorOf({.placement = "snak"}).find("did you mean 'snake'?") != std::string::npos);
}

TEST_CASE("A program is drawn at each stage") {
  for (const char *stage : {"chunk-dag", "inst-dag", "schedule"}) {
    INFO(stage);
    Result<std::string> graph =
        toolchain().graph("allreduce_ring", {.ranks = 4}, {.stage = stage, .rank = 1});
    INFO(graph.text());
    REQUIRE(graph);
    CHECK(graph->starts_with("digraph"));
  }
  CHECK_FALSE(toolchain().graph("allreduce_ring", {.ranks = 4}, {.rank = 4}));
  CHECK_FALSE(toolchain().graph("allreduce_rings"));
}

TEST_CASE("An algorithm is found for the links of a machine") {
  Result<Synthesis> found =
      toolchain().synthesise("allgather", {.target = Target{"dgx1"}}, {.trees = 1});
  INFO(found.text());
  REQUIRE(found);
  CHECK(found->plan.ranks() == 8);
  CHECK(found->summary.starts_with("allgather_trees: 8 ranks, 1 tree per root"));
  CHECK(found->source.find("CCLC_PROGRAM(allgather_trees)") != std::string::npos);
  Cancellation cancelled;
  cancelled.request();
  Result<Synthesis> ended = toolchain().synthesise(
      "allgather", {.target = Target{"dgx1"}, .cancellation = cancelled}, {.trees = 1});
  REQUIRE_FALSE(ended);
  CHECK(ended.failure() == Failure::Interrupted);
}

TEST_CASE("Files are checked as a runtime loads them") {
  Result<std::string> xml = ringOf(4).write("xml");
  REQUIRE(xml);
  const File file(*xml);
  Result<Lint> lint = cclc::api::lint({file.path}, "msccl");
  INFO(lint.text());
  REQUIRE(lint);
  CHECK(lint->right);
  CHECK(lint->report.text().starts_with("msccl"));
  lint = cclc::api::lint({file.path}, "rccl");
  REQUIRE(lint);
  CHECK_FALSE(lint->right);
  REQUIRE_FALSE(lint->findings.empty());
  CHECK(lint->findings[0].place.file == file.path);
  CHECK_FALSE(cclc::api::lint({"none.xml"}));
}
