//===- RuntimesTest.cpp - Every program for every runtime -----------------===//
//
// Plans are cut to the limits of their runtime without options of the user: a
// rejected plan is a collective that the runtime does not support, or exceeds a
// limit that does not depend on threadblocks and channels. Written files are read
// back and proved again with the runtime's slots, at every size that the file is
// used for.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "cclc/Compiler/SafeSizes.h"

#include "cclc/Formats/Msccl/Xml.h"
#include "cclc/Proof/PlanVerifier.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::test;
using dsl::Declaration;

namespace {

/// A sequence of calls is not a collective, and no runtime supports buffers of different sizes, or
/// scans.
bool hasNoRuntime(const Declaration &program) {
  return program.name() == "hierarchical_sequence" || isScan(program.collective());
}

/// True for errors that do not depend on the schedule.
bool isBeyondSchedules(StringRef text) {
  return text.contains("is not a collective of") ||
         text.contains("an all-to-all is always used out of place") ||
         text.contains("but nchunksperloop is") || text.contains("XML elements, the limit is");
}

/// Compiled as `cclc --emit=xml --xml-dialect=...` does.
CompileRequest requestFor(const Case &which, uint32_t instances, const MscclDialect &dialect) {
  CompileRequest request;
  request.parameters = which.parameters;
  request.ranks = which.ranks;
  request.instances = instances;
  request.dialect = &dialect;
  request.slots = Slots(dialect.transmissionsOf(Protocol::Simple).slots);
  request.lowerFused = !dialect.fusedOps;
  return request;
}

/// Checks that the file is equivalent to the plan, and that the runtime completes it at every size.
void checkFile(const ExecPlan &plan, const PlanProof &proof, const MscclDialect &dialect) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeMscclXml(plan, dialect, os);
  ExecPlan read = readGood(text, "plan.xml");
  DiagnosticEngine diags;
  Slots slots(dialect.transmissionsOf(Protocol::Simple).slots);
  PlanProof again = verifyPlan(read, slots, diags);
  if (again.verdict != Verdict::Ok || failed(checkMscclLimits(read, dialect, diags)))
    FAIL(textOf(diags));
  CHECK(again.reductionHash == proof.reductionHash);
  std::optional<uint64_t> safe =
      largestSafe(read, transmissionsOf(dialect, read.info()), again.slotsNeeded);
  if (safe)
    CHECK(read.info().maxBytes.value_or(~uint64_t(0)) <= *safe);
}

/// True if a file was written.
bool check(const Declaration &program, const Case &which, uint32_t instances,
           const MscclDialect &dialect) {
  std::string name = program.name() + " " + which.label() +
                     " instances=" + std::to_string(instances) + " " + dialect.name;
  INFO(name);
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(program, requestFor(which, instances, dialect), diags);
  if (failed(outcome)) {
    if (!isBeyondSchedules(textOf(diags)))
      FAIL(textOf(diags));
    return false;
  }
  checkFile(outcome->plan, *outcome->report, dialect);
  return true;
}

/// Of the cases with this number of ranks, the one in the middle.
std::optional<Case> middleCase(const Declaration &program, uint32_t ranks) {
  std::vector<Case> cases = casesFor(program, ranks);
  if (cases.empty())
    return std::nullopt;
  return cases[cases.size() / 2];
}

std::vector<uint32_t> runtimeRanks() { return {2, 7, 12, 16, 24, 32}; }
} // namespace

TEST_CASE("every program is cut to the limits of every runtime", "[library][runtimes]") {
  dsl::ProgramRegistry registry;
  dsl::registerAllPrograms(registry);
  for (const Declaration &program : registry.all()) {
    if (hasNoRuntime(program))
      continue;
    DYNAMIC_SECTION(program.name()) {
      uint32_t files = 0, cases = 0;
      for (uint32_t ranks : runtimeRanks())
        if (std::optional<Case> which = middleCase(program, ranks))
          for (uint32_t instances : {1, 2, 4})
            for (const MscclDialect &dialect : mscclDialects()) {
              files += check(program, *which, instances, dialect);
              ++cases;
            }
      // At least one runtime supports the collective.
      CHECK(3 * files >= cases);
    }
  }
}

// Limits that are met anyway do not change the plan. Local reductions are arranged for the
// runtimes, which merge them.
TEST_CASE("a plan within the limits of a runtime equals the one without limits",
          "[library][runtimes]") {
  dsl::ProgramRegistry registry;
  dsl::registerAllPrograms(registry);
  uint32_t same = 0;
  for (const Declaration &program : registry.all())
    for (uint32_t ranks : {5, 12})
      if (std::optional<Case> which = middleCase(program, ranks))
        for (const MscclDialect &dialect : mscclDialects()) {
          INFO(program.name() << " " << which->label() << " " << dialect.name);
          CompileRequest request = requestFor(*which, 2, dialect);
          DiagnosticEngine diags;
          FailureOr<Compiled> within = compile(program, request, diags);
          request.dialect = nullptr;
          FailureOr<Compiled> without = compile(program, request, diags);
          REQUIRE(succeeded(without));
          if (failed(checkMscclLimits(without->plan, dialect, diags)))
            continue;
          REQUIRE(succeeded(within));
          auto reduces = [](const Step &step) { return step.op == OpKind::Reduce; };
          if (llvm::any_of(within->plan.steps(), reduces))
            continue;
          CHECK(jsonOf(within->plan) == jsonOf(without->plan));
          ++same;
        }
  CHECK(same > 100);
}

// Cases that exceed one limit each: steps, channels, threadblocks, numbers of those waited for.
TEST_CASE("large plans are cut to the limits of the runtimes", "[library][runtimes]") {
  struct Large {
    const char *program;
    Case which;
    uint32_t instances = 1;
  };
  const Large all[] = {{"allreduce_ring", {{}, 200, {}}},
                       {"alltoall_direct", {{{"buffers", "out_of_place"}}, 64, {}}, 4},
                       {"broadcast_pipeline", {{{"chunks", "1000"}}, 3, {}}},
                       {"allreduce_onestep", {{{"chunks", "8"}}, 32, {}}, 4},
                       {"broadcast_binomial", {{{"chunks", "4"}}, 2, {}}, 40},
                       {"allreduce_centralized", {{{"chunks", "4"}}, 32, {}}, 4}};
  for (const Large &large : all)
    for (const MscclDialect &dialect : mscclDialects())
      CHECK(check(bundled(large.program), large.which, large.instances, dialect));
}
