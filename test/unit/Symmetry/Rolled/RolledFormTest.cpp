//===- RolledFormTest.cpp - Symmetric plans among plans of all ranks ------===//
//
// The oracle of a form that is found is its unrolled plan, whose steps must be those of the plan;
// that of one that is not found is a plan of which one step was changed.
//
//===----------------------------------------------------------------------===//

#include "cclc/Symmetry/Rolled/RolledForm.h"

#include "Plans.h"

#include "cclc/IR/Verifier.h"

#include <random>
#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {
/// \p plan with the threadblocks of each rank in the order of \p form.
ExecPlan sorted(const ExecPlan &plan, const RolledForm &form) {
  ExecPlanBuilder builder(plan.info());
  uint32_t size = form.plan.threadblocks.size();
  for (uint32_t r = 0; r < plan.ranks(); ++r) {
    builder.setScratch(RankId(r), plan.scratchChunks()[r]);
    ArrayRef numbers = ArrayRef(form.threadblocks).slice(r * size, size);
    for (uint32_t f = 0; f < size; ++f) {
      const Threadblock &tb = plan.threadblocks(
          RankId(r))[std::find(numbers.begin(), numbers.end(), f) - numbers.begin()];
      builder.beginThreadblock(RankId(r), tb.sendPeer, tb.recvPeer, tb.channel);
      for (Step step : plan.steps(tb)) {
        if (std::optional<Wait> wait = step.wait())
          step.setWait(Wait{ThreadblockId(numbers[wait->tb.index()]), wait->step});
        builder.addStep(step);
      }
    }
  }
  DiagnosticEngine diags;
  FailureOr<ExecPlan> result = std::move(builder).finish(diags);
  REQUIRE(succeeded(result));
  return std::move(*result);
}

bool sameSteps(const ExecPlan &a, const ExecPlan &b) {
  return a.threadblocks().size() == b.threadblocks().size() &&
         std::equal(a.threadblocks().begin(), a.threadblocks().end(), b.threadblocks().begin(),
                    [](const Threadblock &x, const Threadblock &y) {
                      return x.rank == y.rank && x.sendPeer == y.sendPeer &&
                             x.recvPeer == y.recvPeer && x.channel == y.channel &&
                             x.numSteps == y.numSteps;
                    }) &&
         std::equal(a.steps().begin(), a.steps().end(), b.steps().begin(), b.steps().end(),
                    [](const Step &x, const Step &y) {
                      bool sameWait = x.waits() == y.waits() &&
                                      (!x.waits() || (x.wait()->tb == y.wait()->tb &&
                                                      x.wait()->step == y.wait()->step));
                      return sameWait && x.op == y.op && x.src == y.src && x.dst == y.dst &&
                             x.count == y.count && x.phase == y.phase && x.publishes == y.publishes;
                    });
}

/// \p plan with another chunk in step \p changed.
ExecPlan withChange(const ExecPlan &plan, size_t changed) {
  ExecPlanBuilder builder(plan.info());
  size_t number = 0;
  for (const Threadblock &tb : plan.threadblocks()) {
    builder.setScratch(tb.rank, plan.scratchChunks()[tb.rank.index()]);
    builder.beginThreadblock(tb.rank, tb.sendPeer, tb.recvPeer, tb.channel);
    for (Step step : plan.steps(tb)) {
      if (number++ == changed) {
        Operand &operand = step.src.isNone() ? step.dst : step.src;
        operand = Operand(operand.buffer(), operand.index() ? operand.index() - 1 : 1);
      }
      builder.addStep(step);
    }
  }
  DiagnosticEngine diags;
  FailureOr<ExecPlan> result = std::move(builder).finish(diags);
  if (failed(result))
    FAIL(textOf(diags));
  return std::move(*result);
}
} // namespace

TEST_CASE("the rolled form of a plan is found, and unrolled to the plan") {
  std::set<std::string> found;
  for (const dsl::Declaration &program : bundledPrograms().all())
    for (uint32_t ranks : {2, 6, 8, 16}) {
      DiagnosticEngine diags;
      CompileRequest request;
      request.ranks = ranks;
      FailureOr<Compiled> outcome = compile(program, request, diags);
      if (failed(outcome))
        continue; // the program has not this number of ranks
      INFO(program.name() << " of " << ranks << " ranks");
      std::optional<RolledForm> form = findRolledForm(outcome->plan);
      if (!form)
        continue;
      found.insert(program.name());
      FailureOr<ExecPlan> all = unroll(form->plan, diags);
      REQUIRE(succeeded(all));
      CHECK(sameSteps(*all, sorted(outcome->plan, *form)));
    }
  for (const char *name :
       {"allreduce_ring", "allgather_ring", "reducescatter_ring", "allreduce_bidirectional_ring",
        "alltoall_direct", "allgather_grid", "allreduce_halving_doubling"})
    CHECK(found.count(name) == 1);
}

TEST_CASE("a plan with one different step is not symmetric") {
  std::mt19937 random(41);
  for (const char *name : {"allreduce_ring", "allgather_ring", "allreduce_bidirectional_ring"}) {
    const ExecPlan plan = compiled({name, {}, 6});
    REQUIRE(findRolledForm(plan));
    for (unsigned i = 0; i < 40; ++i) {
      size_t changed = random() % plan.steps().size();
      INFO(name << ", step " << changed);
      CHECK_FALSE(findRolledForm(withChange(plan, changed)));
    }
  }
}

TEST_CASE("the form of an unrolled plan is the rolled plan") {
  const ExecPlan plan = compiled({"allreduce_bidirectional_ring", {}, 5});
  std::optional<RolledForm> form = findRolledForm(plan);
  REQUIRE(form);
  DiagnosticEngine diags;
  FailureOr<ExecPlan> all = unroll(form->plan, diags);
  REQUIRE(succeeded(all));
  CHECK(sameSteps(*all, sorted(*all, formOfUnrolled(form->plan))));
}
