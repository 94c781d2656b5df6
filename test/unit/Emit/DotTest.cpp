//===- DotTest.cpp - Graphs that graphviz accepts -------------------------===//

#include "Plans.h"

#include "cclc/Emit/Dot.h"

#include "llvm/Support/Program.h"

#include <map>
#include <regex>

using namespace cclc;
using namespace cclc::test;

namespace {

template <class Program> std::string dotOf(const Program &program, DotFilter filter = {}) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeDot(program, os, filter);
  return os.str();
}

/// How often each node is defined: a line that begins with its name and attributes.
std::map<std::string, int> nodesOf(const std::string &dot) {
  std::map<std::string, int> nodes;
  static const std::regex pattern("^ *([a-z]+[0-9]+) \\[");
  SmallVector<StringRef, 64> lines;
  StringRef(dot).split(lines, '\n');
  for (StringRef line : lines) {
    std::cmatch match;
    if (std::regex_search(line.begin(), line.end(), match, pattern))
      ++nodes[match[1]];
  }
  return nodes;
}

size_t count(StringRef text, StringRef what) { return text.count(what); }

/// Whether graphviz draws it; true where there is no graphviz.
bool isDrawn(const std::string &dot) {
  auto program = llvm::sys::findProgramByName("dot");
  if (!program) {
    WARN("graphviz is not installed");
    return true;
  }
  TemporaryFile file(dot, "dot");
  std::string errors = file.name() + ".err";
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef("/dev/null"), StringRef(errors)};
  int code =
      llvm::sys::ExecuteAndWait(*program, {"dot", "-Tsvg", file.name()}, std::nullopt, redirects);
  uint64_t said = 0;
  bool quiet = !llvm::sys::fs::file_size(errors, said) && said == 0;
  llvm::sys::fs::remove(errors);
  return code == 0 && quiet;
}

struct Levels {
  std::optional<ChunkProgram> chunks;
  std::optional<InstrProgram> instrs;
  std::optional<ExecPlan> plan;
};

Levels levelsOf(const Recipe &recipe) {
  Levels levels;
  CompileRequest request = requestFor(recipe);
  request.onChunkProgram = [&](const ChunkProgram &program) { levels.chunks.emplace(program); };
  request.onInstrProgram = [&](const InstrProgram &program) { levels.instrs.emplace(program); };
  DiagnosticEngine diags;
  CompileOutcome outcome = compile(bundled(recipe.program), request, diags);
  REQUIRE(outcome.code == ExitCode::Success);
  levels.plan.emplace(std::move(outcome.compiled->plan));
  return levels;
}
} // namespace

TEST_CASE("every operation of every level is drawn once", "[dot]") {
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    Levels levels = levelsOf(recipe);
    std::map<std::string, int> chunks = nodesOf(dotOf(*levels.chunks));
    for (size_t i = 0; i < levels.chunks->ops().size(); ++i)
      CHECK(chunks["op" + std::to_string(i)] == 1);
    std::map<std::string, int> instrs = nodesOf(dotOf(*levels.instrs));
    CHECK(instrs.size() == levels.instrs->size());
    for (size_t i = 0; i < levels.instrs->size(); ++i)
      CHECK(instrs["n" + std::to_string(i)] == 1);
    std::map<std::string, int> steps = nodesOf(dotOf(*levels.plan));
    CHECK(steps.size() == levels.plan->steps().size());
    for (size_t i = 0; i < levels.plan->steps().size(); ++i)
      CHECK(steps["s" + std::to_string(i)] == 1);
  }
}

TEST_CASE("every message and every wait is an edge", "[dot]") {
  ExecPlan plan = compiled({"allreduce_recursive_doubling", {{"chunks", "2"}}, 5});
  size_t messages = 0, waits = 0;
  for (const Step &step : plan.steps()) {
    messages += traits(step.op).sends;
    waits += step.waits();
  }
  std::string dot = dotOf(plan);
  CHECK(count(dot, "color=\"#1f5fbf\"") == messages);
  CHECK(count(dot, "color=\"#bf3030\"") == waits);
  REQUIRE(waits > 0);
}

TEST_CASE("graphviz draws all three levels", "[dot]") {
  for (const Recipe &recipe :
       {Recipe{"allreduce_ring", {}, 3}, Recipe{"allreduce_recursive_doubling", {}, 5}}) {
    Levels levels = levelsOf(recipe);
    CHECK(isDrawn(dotOf(*levels.chunks)));
    CHECK(isDrawn(dotOf(*levels.instrs)));
    CHECK(isDrawn(dotOf(*levels.plan)));
  }
  CHECK(isDrawn(dotOf(randomProgram(3))));
}

TEST_CASE("names that graphviz must escape are drawn", "[dot]") {
  ExecPlan plan = readGood("ccl.version 2\n"
                           "exec.program @\"a\\\"b\\\\\" coll allreduce ranks 1 outofplace {\n"
                           "  rank 0 {\n    tb 0 ch 0 {\n"
                           "      0: cpy i[0] -> o[0] loc(\"c\\\"d\\\\e.cpp\":3)\n"
                           "    }\n  }\n}\n");
  std::string dot = dotOf(plan);
  CHECK(isDrawn(dot));
  CHECK(StringRef(dot).starts_with("digraph \"a\\\"b\\\\\" {\n"));
  CHECK(StringRef(dot).contains("tooltip=\"c\\\"d\\\\e.cpp:3\""));
}

TEST_CASE("a broken graph is noticed", "[dot]") {
  if (llvm::sys::findProgramByName("dot"))
    CHECK_FALSE(isDrawn("digraph { a -> }"));
}

TEST_CASE("filters leave what concerns a rank or a chunk", "[dot]") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  DotFilter rank1{RankId(1), {}};
  CHECK(nodesOf(dotOf(plan, rank1)).size() ==
        plan.threadblocks(RankId(1))[0].numSteps * plan.numThreadblocks(RankId(1)));
  CHECK(count(dotOf(plan, rank1), "subgraph \"cluster_r1\"") == 1);
  CHECK(count(dotOf(plan, rank1), "label=\"rank ") == 1);

  // Chunk 2 of an all-reduce over 4 ranks in place: each rank handles it 2 times, but for the one
  // where it begins to travel and the one where it ends, which have its first and last step alone.
  size_t ofChunk2 = 0;
  for (const Step &step : plan.steps())
    ofChunk2 += (step.dst.isNone() ? step.src : step.dst).index() == 2;
  CHECK(nodesOf(dotOf(plan, {{}, 2})).size() == ofChunk2);
  CHECK(ofChunk2 == 2 * (4 - 1) + 1);
  CHECK(nodesOf(dotOf(plan, {{}, 4})).empty());
  CHECK(isDrawn(dotOf(plan, {RankId(3), 1})));
}
