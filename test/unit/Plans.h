//===- Plans.h - Plans and machines for tests -------------------*- C++ -*-===//
//
// Common helpers of the tests of the upper libraries: plans of bundled programs, of
// random programs and of text, machines by name, and diagnostics as text.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TEST_UNIT_PLANS_H
#define CCL_TEST_UNIT_PLANS_H

#include "../support/RandomProgram.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/DSL/Registry.h"
#include "cclc/Formats/PlanBin.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanJson.h"
#include "cclc/IR/Text/Printer.h"
#include "cclc/Schedule/Schedule.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

namespace cclc::test {

/// All reported diagnostics, as the tools print them.
inline std::string textOf(const DiagnosticEngine &diags) {
  std::string text;
  llvm::raw_string_ostream os(text);
  diags.print(os, "tool");
  return os.str();
}

inline std::string textOf(const Module &module, bool locations = false) {
  std::string text;
  llvm::raw_string_ostream os(text);
  PrintOptions options;
  options.locations = locations;
  print(os, module, options);
  return os.str();
}

inline std::string jsonOf(const ExecPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePlanJson(plan, os);
  return os.str();
}

inline std::string binaryOf(const ExecPlan &plan) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  writePlanBin(plan, os);
  return bytes;
}

/// \p text with the first occurrence of \p from replaced.
inline std::string with(StringRef text, StringRef from, StringRef to) {
  INFO(from.str());
  REQUIRE(text.contains(from));
  auto [head, tail] = text.split(from);
  return (head + to + tail).str();
}

/// Reads a plan that must be well-formed.
inline ExecPlan readGood(StringRef text, StringRef name = "plan") {
  DiagnosticEngine diags;
  FailureOr<ExecPlan> plan = readPlan(text, name, diags);
  if (failed(plan))
    FAIL(textOf(diags) << "in\n" << text.str());
  return std::move(*plan);
}

/// Reads a plan that must be rejected, and returns the diagnostics.
inline std::string readBad(StringRef text, StringRef name = "plan") {
  DiagnosticEngine diags;
  if (succeeded(readPlan(text, name, diags)))
    FAIL("the reader accepts\n" << text.str());
  return textOf(diags);
}

inline const dsl::ProgramRegistry &bundledPrograms() {
  static const dsl::ProgramRegistry registry = [] {
    dsl::ProgramRegistry all;
    dsl::registerAllPrograms(all);
    return all;
  }();
  return registry;
}

inline const dsl::Declaration &bundled(StringRef name) {
  const dsl::Declaration *found = bundledPrograms().find(std::string_view(name));
  if (!found)
    FAIL("no bundled program " << name.str());
  return *found;
}

inline TargetRequest targetRequest(const std::string &nameOrFile,
                                   std::vector<std::string> overrides = {},
                                   std::optional<uint32_t> ranks = {}) {
  TargetRequest request{nameOrFile, CCLC_TARGET_DIR, {}, ranks};
  DiagnosticEngine diags;
  for (const std::string &text : overrides)
    request.overrides.push_back(*parseOverride(text, diags));
  return request;
}

inline Machine machine(const std::string &nameOrFile, std::vector<std::string> overrides = {},
                       std::optional<uint32_t> ranks = {}) {
  DiagnosticEngine diags;
  FailureOr<Machine> loaded =
      loadTarget(targetRequest(nameOrFile, std::move(overrides), ranks), diags);
  if (failed(loaded))
    FAIL(textOf(diags));
  return std::move(*loaded);
}

/// A target as a file with every key.
inline std::string resolvedTarget(const TargetRequest &request) {
  DiagnosticEngine diags;
  std::string resolved;
  if (failed(loadTarget(request, diags, &resolved)))
    FAIL(textOf(diags));
  return resolved;
}

/// A bundled program with parameters as on a command line.
struct Recipe {
  std::string program;
  std::vector<std::pair<std::string, std::string>> parameters = {};
  std::optional<uint32_t> ranks = {};
  uint32_t instances = 1;
  std::optional<Slots> slots = {};
  std::string target = {};
};

inline CompileRequest requestFor(const Recipe &recipe) {
  CompileRequest request;
  request.parameters = recipe.parameters;
  request.ranks = recipe.ranks;
  request.instances = recipe.instances;
  request.slots = recipe.slots;
  if (!recipe.target.empty())
    request.target = targetRequest(recipe.target);
  return request;
}

inline ExecPlan compiled(const Recipe &recipe) {
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(bundled(recipe.program), requestFor(recipe), diags);
  if (failed(outcome))
    FAIL(recipe.program << ": " << textOf(diags));
  return std::move(outcome->plan);
}

/// Every bundled program, with parameters that affect the plan.
inline std::vector<Recipe> allRecipes() {
  return {
      {"allgather_ring", {}, 5},
      {"allgather_ring", {{"channels", "2"}, {"buffers", "both"}}, 4},
      {"allgather_ring", {{"buffers", "out_of_place"}}, 1},
      {"allreduce_allpairs", {{"buffers", "both"}}, 5},
      {"allreduce_bidirectional_ring", {{"channels", "2"}}, 5},
      {"allreduce_centralized", {{"root", "2"}, {"chunks", "2"}}, 5},
      {"allreduce_double_binary_tree", {{"chunks", "3"}}, 7},
      {"allreduce_halving_doubling", {}, 6},
      {"allreduce_hierarchical", {{"nodes", "2"}, {"ranks_per_node", "3"}}},
      {"allreduce_hierarchical", {{"nodes", "3"}, {"ranks_per_node", "1"}}},
      {"allreduce_hierarchical_3level", {{"pipeline", "2"}}, {}, 1, {}, "ahbm"},
      {"allreduce_lrab", {}, {}, 1, {}, "ahbm"},
      {"allreduce_nvls", {{"buffers", "both"}}, 3},
      {"allreduce_onestep", {{"buffers", "both"}}, 4},
      {"allreduce_recursive_doubling", {{"chunks", "3"}}, 6},
      {"allreduce_recursive_doubling", {{"buffers", "both"}}, 4},
      {"allreduce_ring", {}, 8},
      {"allreduce_ring", {{"channels", "3"}, {"buffers", "out_of_place"}}, 6},
      {"allreduce_ring", {}, 4, 3},
      {"allreduce_ring", {}, 4, 1, Slots(1)},
      {"allreduce_ring", {}, 4, 1, Slots::unlimited()},
      {"allreduce_ring", {}, 16, 1, {}, "ndv4"},
      {"allreduce_tree", {{"arity", "3"}, {"streams", "2"}, {"chunks", "2"}}, 9},
      {"alltoall_direct", {}, 5},
      {"alltoall_direct", {{"buffers", "in_place"}}, 4},
      {"broadcast_binomial", {{"root", "2"}, {"chunks", "4"}}, 7},
      {"exscan_chain", {{"chunks", "3"}, {"buffers", "both"}}, 6},
      {"exscan_recursive_doubling", {{"chunks", "2"}, {"buffers", "both"}}, 9},
      {"reduce_binomial", {{"root", "2"}, {"buffers", "both"}}, 7},
      {"reducescatter_ring", {{"buffers", "both"}}, 5},
      {"reducescatter_ring", {{"channels", "4"}}, 8, 2},
      {"scan_chain", {{"chunks", "3"}, {"buffers", "both"}}, 6},
      {"scan_recursive_doubling", {{"buffers", "both"}}, 7},
  };
}

/// Programs whose plans let the switches of their target multicast and add.
inline std::vector<Recipe> switchRecipes() {
  return {
      {"allgather_nvls", {{"buffers", "both"}}, 5, 1, {}, "dgx-h100"},
      {"allreduce_nvls", {{"buffers", "both"}}, 4, 1, {}, "dgx-h100"},
      {"allreduce_nvls", {}, 8, 2, Slots(1), "dgx-h100"},
      {"broadcast_nvls", {{"root", "1"}, {"chunks", "3"}}, 6, 1, {}, "dgx-h100"},
  };
}

inline std::string nameOf(const Recipe &recipe) {
  std::string name = recipe.program;
  for (const auto &[key, value] : recipe.parameters)
    name += " " + key + "=" + value;
  if (recipe.ranks)
    name += " ranks " + std::to_string(*recipe.ranks);
  return name + " instances " + std::to_string(recipe.instances);
}

/// The plan of a random program; it computes no collective.
inline ExecPlan randomPlan(uint64_t seed) {
  RandomProgramOptions options;
  options.directives = seed % 2;
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<InstrProgram> instrs = lowerToInstr(randomProgram(seed, options), context);
  if (succeeded(instrs) && seed % 3)
    instrs = fuse(std::move(*instrs), {}, context);
  ScheduleOptions schedule;
  schedule.slots = seed % 5 ? Slots(1 + seed % 4) : Slots::unlimited();
  FailureOr<ExecPlan> plan = failure();
  if (succeeded(instrs))
    plan = scheduleProgram(std::move(*instrs), schedule, context);
  if (failed(plan))
    FAIL("seed " << seed << ": " << textOf(diags));
  return std::move(*plan);
}

/// A temporary file that is removed at the end of its scope.
class TemporaryFile {
public:
  explicit TemporaryFile(StringRef text, StringRef suffix = "json") {
    int fd;
    if (llvm::sys::fs::createTemporaryFile("cclc-test", suffix, fd, path))
      FAIL("cannot make a temporary file");
    llvm::raw_fd_ostream(fd, /*shouldClose=*/true) << text;
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
  std::string name() const { return std::string(path.begin(), path.end()); }

private:
  SmallVector<char, 128> path;
};

} // namespace cclc::test

#endif // CCL_TEST_UNIT_PLANS_H
