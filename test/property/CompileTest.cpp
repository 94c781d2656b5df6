//===- CompileTest.cpp - Random programs, compiled and executed -----------===//
//
// For any program, the plan must be verified and compute the result of the program.
//
//===----------------------------------------------------------------------===//

#include "../support/Interpreters.h"
#include "../support/RandomProgram.h"

#include "cclc/IR/Text/Printer.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace cclc;
using namespace cclc::test;

namespace {

/// The number of programs to test; CCLC_PROPERTY_PROGRAMS overrides it.
uint32_t numPrograms() {
  const char *text = std::getenv("CCLC_PROPERTY_PROGRAMS");
  return text ? std::atoi(text) : 5000;
}

struct Variant {
  bool fused;
  uint32_t slots;
};

std::string describe(uint64_t seed, Variant variant, const ChunkProgram &program,
                     const DiagnosticEngine &diags) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "seed " << seed << (variant.fused ? ", fused" : ", unfused") << ", slots " << variant.slots
     << '\n';
  print(os, program);
  diags.print(os, "error");
  return text;
}

FailureOr<ExecPlan> compile(ChunkProgram program, Variant variant, DiagnosticEngine &diags) {
  PassContext context(diags);
  FailureOr<ChunkProgram> formed = formSwitchOperations(std::move(program), {}, context);
  if (failed(formed))
    return failure();
  program = std::move(*formed);
  // In half of the variants adjacent operations are aggregated.
  if (variant.slots < 8) {
    FailureOr<ChunkProgram> joined = aggregate(std::move(program), {/*all=*/true}, context);
    if (failed(joined))
      return failure();
    program = std::move(*joined);
  }
  FailureOr<InstrProgram> instrs = lowerToInstr(std::move(program), context);
  if (succeeded(instrs) && variant.fused) {
    instrs = removeDeadCopies(std::move(*instrs), context);
    if (succeeded(instrs))
      instrs = fuseReceiveReduce(std::move(*instrs), context);
    if (succeeded(instrs))
      instrs = fuse(std::move(*instrs), {}, context);
  }
  if (failed(instrs))
    return failure();
  ScheduleOptions options;
  options.slots = Slots(variant.slots);
  return scheduleProgram(std::move(*instrs), options, context);
}

/// The plan without fused receives, with the same proof.
ExecPlan withoutFused(const ExecPlan &plan, Slots slots, const PlanProof &proof) {
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<ExecPlan> lowered = lowerFused(ExecPlan(plan), context);
  REQUIRE(succeeded(lowered));
  PlanProof again = verifyPlan(*lowered, slots, diags);
  CHECK(again.verdict == proof.verdict);
  CHECK(again.reductionHash == proof.reductionHash);
  return std::move(*lowered);
}

/// Returns the number of plans that use switches.
uint32_t check(uint64_t seed, const RandomProgramOptions &options) {
  uint32_t switched = 0;
  ChunkProgram program = randomProgram(seed, options);
  for (Variant variant : {Variant{true, 8}, Variant{false, 8}, Variant{true, 1}, Variant{false, 1},
                          Variant{true, 2}}) {
    DiagnosticEngine diags;
    FailureOr<ExecPlan> plan = compile(program, variant, diags);
    if (failed(plan))
      FAIL(describe(seed, variant, program, diags));
    // The program does not compute the collective that it declares, so its result is not checked.
    PlanProof report = verifyPlan(*plan, Slots(variant.slots), diags);
    if (report.verdict != Verdict::Ok && report.verdict != Verdict::WrongResult)
      FAIL(describe(seed, variant, program, diags));
    switched += plan->usesSwitches();
    ExecPlan lowered = withoutFused(*plan, Slots(variant.slots), report);
    for (Placement placement : program.info().placements.list())
      for (uint64_t run = 0; run < 2; ++run) {
        const ExecPlan &executed = run ? lowered : *plan;
        std::optional<Outputs> outputs =
            executePlan(executed, placement, Slots(variant.slots), seed * 31 + run);
        if (!outputs || *outputs != executeDirectly(program, placement)) {
          std::string text = describe(seed, variant, program, diags);
          llvm::raw_string_ostream os(text);
          print(os, executed);
          FAIL((outputs ? "wrong data: " : "deadlock: ") << text);
        }
      }
  }
  return switched;
}
} // namespace

TEST_CASE("random programs compile to plans that compute the same", "[property]") {
  for (uint32_t seed = 0; seed < numPrograms(); ++seed)
    check(seed, {});
}

TEST_CASE("random programs with directives compile to plans that compute the same", "[property]") {
  for (uint32_t seed = 0; seed < numPrograms(); ++seed)
    check(seed + 1000000, {.directives = true});
}

// The verdict includes that no threadblock returns through a gate and no message changes its
// generation.
TEST_CASE("random calls compile to plans with ascending generations", "[property]") {
  for (uint32_t seed = 0; seed < numPrograms(); ++seed)
    check(seed + 2000000, {.directives = seed % 2 == 1, .calls = true});
}

// Operations that a switch performs are one step, or several if their connections have other
// orders.
TEST_CASE("random operations of switches compile to plans that compute the same", "[property]") {
  uint32_t switched = 0;
  for (uint32_t seed = 0; seed < numPrograms() / 2; ++seed)
    switched += check(seed + 3000000,
                      {.directives = seed % 4 == 3, .switches = true, .calls = seed % 8 == 5});
  CHECK(switched > numPrograms());
}
