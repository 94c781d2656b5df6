//===- RolledFileTest.cpp - Rolled plans in files -------------------------===//
//
// Every complete format writes a rolled plan and reads the same one; malformed files are refused
// with a message.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"

using namespace cclc;
using namespace cclc::test;

namespace {
ExecPlan ringOf(const char *name, uint32_t ranks, DiagnosticEngine &diags) {
  CompileRequest request;
  request.ranks = ranks;
  FailureOr<CompiledRolled> outcome = compileRolled(bundled(name), request, diags);
  REQUIRE(succeeded(outcome));
  FailureOr<ExecPlan> plan = listed(outcome->plan, diags);
  REQUIRE(succeeded(plan));
  return std::move(*plan);
}

std::string written(const PlanFormat &format, const ExecPlan &plan) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  format.exec.write(plan, {nullptr, /*locations=*/true}, os);
  return os.str();
}

/// \p text with the only occurrence of \p from replaced.
std::string edited(std::string text, StringRef from, StringRef to) {
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string refused(const std::string &text) {
  DiagnosticEngine diags;
  CHECK(failed(readAnyPlan(text, "plan", diags)));
  return textOf(diags);
}
} // namespace

TEST_CASE("files of rolled plans are read as they were written") {
  for (const char *name : {"allreduce_ring", "allgather_ring", "reducescatter_ring",
                           "allreduce_bidirectional_ring", "allgather_allpairs"})
    for (uint32_t ranks : {1u, 2u, 5u, 16u})
      for (const PlanFormat &format : planFormats()) {
        if (!format.isComplete || !format.exec.write)
          continue;
        INFO(name << ' ' << ranks << ' ' << format.name);
        DiagnosticEngine diags;
        std::string bytes = written(format, ringOf(name, ranks, diags));
        FailureOr<AnyPlan> plan = readAnyPlan(bytes, "plan", diags);
        REQUIRE(succeeded(plan));
        const RolledPlan &rolled = std::get<RolledPlan>(*plan);
        CHECK(written(format, *listed(rolled, diags)) == bytes);
        // The ordinary reader has the plan of all ranks.
        FailureOr<ExecPlan> all = readPlan(bytes, "plan", diags);
        REQUIRE(succeeded(all));
        CHECK(all->ranks() == ranks);
        CHECK(written(format, *all) == written(format, *unroll(rolled, diags)));
        CHECK(textOf(diags) == "");
      }
}

TEST_CASE("a rolled plan has the cells of one rank") {
  DiagnosticEngine diags;
  for (const PlanFormat &format : planFormats())
    if (format.isComplete && format.exec.write) {
      std::string bytes = written(format, ringOf("allreduce_ring", 16384, diags));
      CHECK(bytes.size() < 4'000'000);
      CHECK(succeeded(readAnyPlan(bytes, "plan", diags)));
      DiagnosticEngine found;
      CHECK(failed(readPlan(bytes, "plan", found)));
      CHECK(textOf(found) == "tool: error: the rolled plan has 536854528 steps on its 16384 ranks, "
                             "and at most 268435456 are unrolled\n");
    }
  CHECK(textOf(diags) == "");
}

TEST_CASE("malformed rolled plans are refused") {
  DiagnosticEngine diags;
  ExecPlan plan = ringOf("allgather_ring", 4, diags);
  const std::string text = written(*findPlanFormat("text"), plan),
                    json = written(*findPlanFormat("json"), plan);
  StringRef rotation = "rotation 4 stride 1 i 0 o 1";
  CHECK(
      refused(edited(text, rotation, "rotation 3 stride 1 i 0 o 1")) ==
      "plan: error: the rolled plan is not symmetric: a rotation of 3 ranks with stride 1 does not "
      "fit 4 ranks\n");
  CHECK(
      refused(edited(text, rotation, "rotation 2 stride 1 i 0 o 1")) ==
      "plan: error: the rolled plan is not symmetric: the rotations of the orbits do not map every "
      "rank to every other one\n");
  CHECK(
      refused(edited(text, rotation, "rotation 4 stride 1 i 0 o 0")) ==
      "plan: error: the rolled plan is not symmetric: the rotations of ranks and chunks do not fit "
      "the collective\n");
  CHECK(refused(edited(text, rotation, "rotation 0 stride 1 i 0 o 1")) ==
        "plan: error: the rolled plan is not symmetric: the number of ranks and the stride of a "
        "rotation must be at least 1\n");
  CHECK(refused(edited(text, rotation, "rotation 4 step 1")) ==
        "plan:2:73: error: expected 'stride', found 'step'\n");
  // A second rank, and a message without a receive.
  CHECK(refused(edited(text, "  }\n}\n", "  }\n  rank 1 {\n  }\n}\n")).find("expected '}'") !=
        std::string::npos);
  CHECK(
      refused(edited(text, "recv r3", "recv r2"))
          .find("on channel 0 is never received\nplan: note: a rolled plan is checked on the "
                "smallest group of ranks with the same neighbourhood of a rank, whose numbers this "
                "names\n") != std::string::npos);
  CHECK(refused(edited(json, "\"ranks\": 4, \"stride\"", "\"stride\"")) ==
        "plan:6:37: error: 'ranks' is missing\n");
  CHECK(refused(edited(json, "]}]}]\n}", "]}]},{\"rank\": 1}]}"))
            .find("error: a rolled plan lists rank 0 only\n") != std::string::npos);
}
