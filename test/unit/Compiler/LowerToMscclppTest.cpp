//===- LowerToMscclppTest.cpp - Reduction orders of lowered plans ---------===//
//
// The hash of the file, as its readers prove it, is compared with that of the steps for all
// programs that reduce.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include "cclc/Compiler/LowerToMscclpp.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Proof/PlanExecution.h"

using namespace cclc;
using namespace cclc::test;

namespace {
uint64_t hashOfSteps(const ExecPlan &plan, bool inPlace) {
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  Placement placement = inPlace ? Placement::InPlace : Placement::OutOfPlace;
  return PlanExecution(plan, connections, runner, placement).reductionHash();
}

bool reduces(const dsl::Declaration &program) {
  CollectiveKind kind = program.collective();
  return kind == CollectiveKind::AllReduce || kind == CollectiveKind::Reduce ||
         kind == CollectiveKind::ReduceScatter;
}
} // namespace

TEST_CASE("a plan of MSCCL++ has the reduction order of the steps, or a warning", "[mscclpp]") {
  unsigned kept = 0, changed = 0;
  for (const dsl::Declaration &program : bundledPrograms().all())
    for (uint32_t ranks = 2; reduces(program) && ranks <= 8; ++ranks)
      for (Protocol protocol : {Protocol::Simple, Protocol::LL}) {
        INFO(program.name() << ", " << ranks << " ranks, " << protocolName(protocol).str());
        CompileRequest request;
        request.ranks = ranks;
        request.protocol = protocol;
        request.mscclpp = request.onlyMscclpp = true;
        DiagnosticEngine diags;
        FailureOr<Compiled> compiled = compile(program, request, diags);
        if (failed(compiled))
          continue; // no such number of ranks
        std::string text;
        llvm::raw_string_ostream os(text);
        findPlanFormat("mscclpp")->mscclpp.write(*compiled->mscclpp, {}, os);
        PlanProof proof = mscclpp::verifyFile(text, "plan.json", diags);
        REQUIRE(proof.verdict == Verdict::Ok);
        CHECK(proof.reductionHash == compiled->report->reductionHash);
        CHECK(proof.sameBits == compiled->report->sameBits);
        bool isKept =
            proof.reductionHash == hashOfSteps(compiled->plan, compiled->mscclpp->header().inPlace);
        CHECK(isKept == !compiled->otherOrder);
        CHECK((isKept || protocol == Protocol::LL));
        ++(isKept ? kept : changed);
      }
  CHECK(kept > 100);
  CHECK(changed > 0);
}
