//===- PortfolioTest.cpp - Portfolios of the interface --------------------===//
//
// The times of a portfolio are compared with those of its plans.
//
//===----------------------------------------------------------------------===//

#include "ApiSupport.h"

#include <iterator>

using namespace cclc::api;
using namespace cclc::test;

static std::string contentsOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("A portfolio has the best plan of every size") {
  TuneOptions options{.collective = "allreduce",
                      .ranks = 4,
                      .bytes = {1 << 10, 1 << 15, 1 << 20},
                      .programs = {"allreduce_ring", "allreduce_recursive_doubling"}};
  Result<Portfolio> portfolio = toolchain().tune({"ring"}, options);
  INFO(portfolio.text());
  REQUIRE(portfolio);
  CHECK(portfolio->best("allreduce", 4, 1023) == nullptr);
  CHECK(portfolio->best("allreduce", 5, 1024) == nullptr);
  CHECK(portfolio->best("allgather", 4, 1024) == nullptr);
  Plan ring = ringOf(4);
  for (uint64_t bytes : options.bytes) {
    const Choice *best = portfolio->best("allreduce", 4, bytes);
    REQUIRE(best);
    Result<Plan> plan = best->plan();
    REQUIRE(plan);
    CHECK(plan->verify().ok());
    Result<Simulation> time = toolchain().simulate(*plan, {"ring"}, {.bytes = {bytes}});
    REQUIRE(time);
    REQUIRE(best->at(bytes));
    CHECK(best->at(bytes)->picoseconds == time->sizes.front().picoseconds);
    CHECK(time->sizes.front().picoseconds <=
          toolchain().simulate(ring, {"ring"}, {.bytes = {bytes}})->sizes.front().picoseconds *
              1.01);
    CHECK(best->at(bytes + 1) == nullptr);
  }
}

TEST_CASE("A portfolio is read from a file") {
  File file(R"({"target": "ring", "settings": ["launch=0"], "network": "ideal", "dtype": "f16",
    "rows": [{"collective": "allgather", "ranks": 4, "min_bytes": 10, "max_bytes": 99,
              "plan": "a.json", "points": [{"bytes": 64, "time_ns": 12.345, "bound_share": 0.5}]},
             {"collective": "allgather", "ranks": 4, "min_bytes": 100, "max_bytes": null,
              "plan": "b.json", "command": "allgather_ring"}]})");
  Result<Portfolio> portfolio = Portfolio::load(file.path);
  INFO(portfolio.text());
  REQUIRE(portfolio);
  CHECK(portfolio->target == "ring");
  CHECK(portfolio->settings == std::vector<std::string>{"launch=0"});
  CHECK(portfolio->network == "ideal");
  CHECK(portfolio->type == "f16");
  CHECK(portfolio->best("allgather", 4, 9) == nullptr);
  const Choice *first = portfolio->best("allgather", 4, 99);
  REQUIRE(first);
  CHECK(first->at(64)->picoseconds == 12345);
  CHECK(first->at(64)->boundShare == 0.5);
  const Choice *last = portfolio->best("allgather", 4, uint64_t(1) << 40);
  REQUIRE(last);
  CHECK(last->command == "allgather_ring");
  CHECK_FALSE(last->plan()); // the file is missing

  File wrong(R"({"rows": [{"collective": "allgather", "ranks": -4, "min_bytes": 0, "plan": ""}]})");
  CHECK(Portfolio::load(wrong.path).text() ==
        wrong.path + ": error: rows[0]: 'ranks' must be a whole number from 0 to 4294967295\n");
  File cut("{\"rows\": [\n  {\"collective\": ");
  CHECK(Portfolio::load(cut.path).text() ==
        cut.path + ":2:17: error: syntax error while parsing value - "
                   "unexpected end of input; expected '[', '{', or a literal\n");
  File untyped(R"({"rows": [{"collective": "allgather", "ranks": 4, "min_bytes": 0, "plan": 3}]})");
  CHECK(Portfolio::load(untyped.path).text() ==
        untyped.path + ": error: rows[0]: type must be string, but is number\n");
  File next(R"({"version": 2, "rows": []})");
  CHECK(Portfolio::load(next.path).text() ==
        next.path + ": error: the portfolio has version 2; this cclc reads up to version 1\n");
  File order(R"({"rows": [{"collective": "allgather", "ranks": 4, "min_bytes": 0, "plan": "a",
                          "reduction_order": "last"}]})");
  CHECK(Portfolio::load(order.path).text() ==
        order.path + ": error: rows[0]: 'reduction_order' must be a hexadecimal number, not "
                     "'last'\n");
  File other("{}");
  CHECK(Portfolio::load(other.path).text() == other.path + ": error: key 'rows' not found\n");
}

TEST_CASE("A portfolio is saved and read again") {
  TuneOptions options{.collective = "allreduce",
                      .ranks = 4,
                      .bytes = {1 << 10, 1 << 20},
                      .programs = {"allreduce_ring", "allreduce_recursive_doubling"}};
  Result<Portfolio> tuned = toolchain().tune({"ring"}, options);
  REQUIRE(tuned);
  Folder folder;
  std::string folders[] = {folder.path + "/new/first", folder.path + "/second"};
  Result<std::string> path = tuned->save(folders[0]);
  INFO(path.text());
  REQUIRE(path);
  CHECK(*path == folders[0] + "/portfolio.json");
  Result<Portfolio> read = Portfolio::load(*path);
  INFO(read.text());
  REQUIRE(read);
  CHECK(read->target == "ring");
  CHECK(read->type == "f32");
  REQUIRE(read->choices.size() == tuned->choices.size());
  for (size_t i = 0; i < tuned->choices.size(); ++i) {
    const Choice &saved = tuned->choices[i], &loaded = read->choices[i];
    CHECK(loaded.ranksPerNode == saved.ranksPerNode);
    CHECK(loaded.inPlace == saved.inPlace);
    CHECK(loaded.maxBytes == saved.maxBytes);
    CHECK(loaded.protocol == saved.protocol);
    CHECK(loaded.command == saved.command);
    CHECK(loaded.threadblocks == saved.threadblocks);
    CHECK(loaded.channels == saved.channels);
    CHECK(loaded.reductionHash == saved.reductionHash);
    REQUIRE(loaded.points.size() == saved.points.size());
    CHECK(loaded.points.back().picoseconds == saved.points.back().picoseconds);
    CHECK(loaded.points.back().boundShare == saved.points.back().boundShare);
    CHECK(*loaded.plan()->write("text") == *saved.plan()->write("text"));
  }
  path = read->save(folders[1]);
  REQUIRE(path);
  CHECK(contentsOf(folders[0] + "/portfolio.json") == contentsOf(*path));

  File file("");
  CHECK(read->save(file.path).text() ==
        "cclc: error: cannot create folder '" + file.path + "': Not a directory\n");
  read->choices[0].collective = "alltoallv";
  CHECK(read->save(folders[1]).text() == "cclc: error: unknown collective 'alltoallv'\n");
}
