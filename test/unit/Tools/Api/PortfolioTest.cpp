//===- PortfolioTest.cpp - Portfolios of the interface --------------------===//
//
// The times of a portfolio are compared with those of its plans.
//
//===----------------------------------------------------------------------===//

#include "ApiSupport.h"

#include <algorithm>
#include <iterator>

using namespace cclc::api;
using namespace cclc::test;

static std::string contentsOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The paths of the files in \p folder, sorted.
static std::vector<std::string> filesOf(const std::string &folder) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.push_back(std::filesystem::relative(entry.path(), folder).string());
  std::sort(files.begin(), files.end());
  return files;
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

TEST_CASE("What was measured is read and saved") {
  Folder folder;
  const Plan ring = ringOf(4);
  Portfolio portfolio{"ring", {}, "cut-through", "f32", {}};
  Choice choice;
  choice.collective = "allreduce";
  choice.ranks = 4;
  choice.runtime = "run";
  choice.made = ring;
  choice.points = {{1024, 12345, 0.5, "link", 23456, 34567}, {2048, 22222, {}, "", {}, {}}};
  portfolio.choices = {choice};
  portfolio.gaps = {{"allreduce", "run", 4, 16, 1023, "slower", true},
                    {"broadcast", "run", 4, 16, 1023, "", false}};
  portfolio.isPartial = true;
  Result<std::string> path = portfolio.save(folder.path);
  INFO(path.text());
  REQUIRE(path);
  Result<Portfolio> read = Portfolio::load(*path);
  REQUIRE(read);
  const Choice::Point *point = read->choices.front().at(1024);
  REQUIRE(point);
  CHECK(point->measuredPicoseconds == 23456);
  CHECK(point->libraryPicoseconds == 34567);
  CHECK_FALSE(read->choices.front().at(2048)->measuredPicoseconds);
  CHECK_FALSE(read->choices.front().at(2048)->libraryPicoseconds);
  REQUIRE(read->gaps.size() == 2);
  CHECK(read->gaps[0].isOfLibrary);
  CHECK_FALSE(read->gaps[1].isOfLibrary);
  CHECK(read->isPartial);
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
  INFO(path.text());
  REQUIRE(path);
  CHECK(contentsOf(folders[0] + "/portfolio.json") == contentsOf(*path));
  std::vector<std::string> files = {"portfolio.json", "runtime/sim.env"};
  for (size_t i = 1; i <= tuned->choices.size(); ++i)
    files.push_back("runtime/sim/allreduce-" + std::to_string(i) + ".json");
  CHECK(filesOf(folders[0]) == files);
  CHECK(filesOf(folders[1]) == filesOf(folders[0]));

  File file("");
  CHECK(read->save(file.path).text() ==
        "cclc: error: cannot create folder '" + file.path + "': Not a directory\n");
  read->choices[0].collective = "alltoallv";
  CHECK(read->save(folders[1]).text() == "cclc: error: unknown collective 'alltoallv'\n");
}

TEST_CASE("A portfolio is for what a runtime executes, by default for the runtime of the target") {
  const Target machine{"mi300x"};
  Result<Portfolio> tuned = toolchain().tune(machine, {.collective = "allreduce",
                                                       .ranks = 8,
                                                       .bytes = {1 << 16},
                                                       .programs = {"allreduce_allpairs"}});
  INFO(tuned.text());
  REQUIRE(tuned);
  REQUIRE(tuned->choices.size() == 1);
  const Choice &choice = tuned->choices.front();
  CHECK(choice.runtime == "rccl");
  CHECK(choice.text.find("type=\"re\"") != std::string::npos);
  CHECK(choice.text.find("type=\"rrc\"") == std::string::npos);
  // The time is that of the file.
  Result<Plan> read = Plan::read(choice.text, "allreduce-1.xml");
  REQUIRE(read);
  Result<Simulation> time = toolchain().simulate(*read, machine, {.bytes = {1 << 16}});
  INFO(time.text());
  REQUIRE(time);
  CHECK(choice.at(1 << 16)->picoseconds == time->sizes.front().picoseconds);
  CHECK(choice.plan()->verify().reductionHash == read->verify().reductionHash);

  Folder folder;
  Result<std::string> path = tuned->save(folder.path);
  INFO(path.text());
  REQUIRE(path);
  CHECK(filesOf(folder.path) == std::vector<std::string>{"portfolio.json", "runtime/rccl.env",
                                                         "runtime/rccl/allreduce-1.xml"});
  CHECK(contentsOf(folder.path + "/runtime/rccl/allreduce-1.xml") == choice.text);
  CHECK(contentsOf(folder.path + "/runtime/rccl.env").find("MSCCL_ALGO_DIR=") != std::string::npos);
  Result<Portfolio> loaded = Portfolio::load(*path);
  REQUIRE(loaded);
  CHECK(loaded->choices.front().runtime == "rccl");
  CHECK(loaded->choices.front().plan()->steps() == read->steps());

  CHECK(toolchain()
            .tune(machine, {.collective = "allreduce", .bytes = {1024}, .runtime = "rcl"})
            .text() ==
        "cclc: error: unknown runtime 'rcl' (did you mean 'rccl'?); it must be one of ahbm, "
        "mscclpp, rccl, msccl, msccl-executor, nccl, ompi, mpich, run, sim\n");
}

TEST_CASE("A runtime that chooses among its own algorithms gets one table") {
  TuneOptions options{.collective = "allreduce",
                      .ranks = 8,
                      .bytes = {1 << 10, 1 << 20},
                      .runtime = "nccl",
                      .programs = {"allreduce_ring"}};
  Result<Portfolio> tuned = toolchain().tune({"mi300x"}, options);
  INFO(tuned.text());
  REQUIRE(tuned);
  options.collective = "allgather";
  options.programs = {"allgather_ring"};
  Result<Portfolio> other = toolchain().tune({"mi300x"}, options);
  REQUIRE(other);
  CHECK(tuned->choices.front().plan()->collective() == "allreduce");
  tuned->choices.insert(tuned->choices.end(), other->choices.begin(), other->choices.end());
  Folder folder;
  const std::string first = folder.path + "/first", second = folder.path + "/second";
  Result<std::string> path = tuned->save(first);
  INFO(path.text());
  REQUIRE(path);
  const std::vector<std::string> files = {"portfolio.json", "runtime/nccl.env",
                                          "runtime/nccl/tuner.csv"};
  CHECK(filesOf(first) == files);
  const std::string table = contentsOf(first + "/runtime/nccl/tuner.csv");
  CHECK(table.find("\nallreduce,0,") != std::string::npos);
  CHECK(table.find("\nallgather,0,") != std::string::npos);

  Result<Portfolio> loaded = Portfolio::load(*path);
  REQUIRE(loaded);
  CHECK(loaded->choices.front().plan().text() ==
        first + "/runtime/nccl/tuner.csv: error: the file of runtime 'nccl' is not read as a plan; "
                "compile the program of the command\n");
  REQUIRE(loaded->save(second));
  CHECK(filesOf(second) == files);
  CHECK(contentsOf(second + "/runtime/nccl/tuner.csv") == table);
  CHECK(contentsOf(second + "/portfolio.json") == contentsOf(*path));
}

TEST_CASE("Sizes that no plan serves are gaps of a portfolio") {
  Result<Portfolio> tuned = toolchain().tune({"dgx-h100"}, {.collective = "allreduce",
                                                            .ranks = 2,
                                                            .bytes = {1000, 64000},
                                                            .programs = {"allreduce_ring"}});
  INFO(tuned.text());
  REQUIRE(tuned);
  CHECK(tuned->best("allreduce", 2, 1000) == nullptr);
  REQUIRE(tuned->best("allreduce", 2, 64000));
  CHECK(tuned->best("allreduce", 2, 64000)->runtime == "mscclpp");
  CHECK(64000 % tuned->best("allreduce", 2, 64000)->multiple == 0);
  Folder folder;
  Result<std::string> path = tuned->save(folder.path);
  REQUIRE(path);
  Result<Portfolio> loaded = Portfolio::load(*path);
  REQUIRE(loaded);
  for (const Portfolio *each : {&*tuned, &*loaded}) {
    REQUIRE(each->gaps.size() == 1);
    const Gap &gap = each->gaps.front();
    CHECK(gap.collective == "allreduce");
    CHECK(gap.runtime == "mscclpp");
    CHECK(gap.ranks == 2);
    CHECK(gap.minBytes == 1000);
    CHECK(gap.maxBytes == 63999);
    CHECK(gap.reason.find("1000 bytes are no multiple of 32") != std::string::npos);
  }
}
