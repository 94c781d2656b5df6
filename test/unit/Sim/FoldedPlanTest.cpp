//===- FoldedPlanTest.cpp - Results of all ranks from few -----------------===//
//
// The oracle is the simulation of all ranks.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/FoldedPlan.h"

#include "Simulation.h"

#include "cclc/Sim/Simulator.h"

#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {
void checkSameResult(const SimResult &all, const SimResult &few) {
  CHECK(few.completed == all.completed);
  CHECK(few.time == all.time);
  CHECK(few.firstRun == all.firstRun);
  CHECK(few.messages == all.messages);
  CHECK(few.steps == all.steps);
  CHECK(few.finished == all.finished);
  CHECK(few.causes == all.causes);
  CHECK(llvm::equal(few.criticalPath, all.criticalPath, [](const auto &a, const auto &b) {
    return a.cause == b.cause && a.begin == b.begin && a.end == b.end &&
           a.threadblock == b.threadblock && a.step == b.step && a.trip == b.trip;
  }));
  REQUIRE(few.links.size() == all.links.size());
  for (size_t l = 0; l < all.links.size(); ++l) {
    CHECK(few.links[l].bytes == all.links[l].bytes);
    CHECK(few.links[l].busy == all.links[l].busy);
    CHECK(few.links[l].longestWait == all.links[l].longestWait);
  }
}

/// Compares both simulations of \p plan. Returns whether few ranks had fewer events.
bool compare(const ExecPlan &plan, const Machine &machine, const std::string &network,
             Slots slots) {
  DiagnosticEngine diags;
  std::optional<RolledForm> form = findRolledForm(plan);
  if (!form)
    return false;
  FailureOr<PlacedPlan> placed = PlacedPlan::create(plan, machine, slots, diags);
  REQUIRE(succeeded(placed));
  PlanProof proof = verifyPlan(plan, placed->slots, diags);
  if (proof.verdict != Verdict::Ok)
    return false; // the plan needs more slots
  auto all = createSimulator(*placed, proof.slotsNeeded, {.network = network});
  auto few = createSimulator(*placed, proof.slotsNeeded, {.network = network}, &*form);
  bool isShorter = false;
  for (uint64_t size : {64, 5000, 100'000, 30'000'000})
    for (uint32_t repeat : {1, 3}) {
      FailureOr<Sizing> sizing = all->prove(Bytes(size), DataType::F32, diags);
      if (failed(sizing))
        continue;
      INFO(size << " bytes, " << repeat << " runs");
      SimOptions options;
      options.repeat = repeat;
      options.criticalPath = true;
      SimResult whole = all->simulate(*sizing, options), folded = few->simulate(*sizing, options);
      checkSameResult(whole, folded);
      isShorter |= folded.events < whole.events;
    }
  return isShorter;
}
} // namespace

TEST_CASE("few ranks have the results of all", "[sim]") {
  std::set<std::string> shorter;
  for (const dsl::Declaration &program : bundledPrograms().all())
    for (uint32_t ranks : {5, 8, 16})
      for (const char *target : {"ring", "fully-connected", "torus2d"}) {
        DiagnosticEngine diags;
        CompileRequest request;
        request.ranks = ranks;
        request.target = targetRequest(target);
        FailureOr<Compiled> outcome = compile(program, request, diags);
        if (failed(outcome))
          continue; // the program has not this number of ranks
        const Machine on = machine(target, {}, ranks);
        for (const char *network : {"cut-through", "fifo"})
          for (uint32_t slots : {1, 2, 8}) {
            INFO(program.name() << " of " << ranks << " ranks on " << target << ", " << network
                                << ", " << slots << " slots");
            if (compare(outcome->plan, on, network, Slots(slots)))
              shorter.insert(program.name() + " on " + target);
          }
      }
  for (const char *name : {"allreduce_ring on ring", "allgather_ring on ring",
                           "reducescatter_ring on ring", "allreduce_bidirectional_ring on ring"})
    CHECK(shorter.count(name) == 1);
}

TEST_CASE("runs that observe ranks are simulated on all of them", "[sim]") {
  DiagnosticEngine diags;
  const Machine on = machine("ring", {}, 8);
  const ExecPlan plan = compiled({"allreduce_ring", {}, 8});
  std::optional<RolledForm> form = findRolledForm(plan);
  REQUIRE(form);
  PlacedPlan placed = *PlacedPlan::create(plan, on, Slots(8), diags);
  auto few = createSimulator(placed, 1, {.network = "cut-through"}, &*form);
  auto all = createSimulator(placed, 1, {.network = "cut-through"});
  Sizing sizing = *all->prove(Bytes(1 << 16), DataType::F32, diags);
  SimOptions skewed;
  skewed.skew.resize(8);
  skewed.skew[3].start = SimTime(5'000'000);
  CHECK(few->simulate(sizing, skewed).time == all->simulate(sizing, skewed).time);
  CHECK(few->simulate(sizing, skewed).time > all->simulate(sizing, {}).time);
}

TEST_CASE("paths of messages without latency are those of all ranks", "[sim]") {
  const ExecPlan plan = compiled({"allreduce_bidirectional_ring", {}, 6});
  for (const char *free : {"link.propagation=0", "link.bandwidth=0"})
    CHECK(compare(plan, machine("ring", {free}, 6), "cut-through", Slots(2)) ==
          (StringRef(free) != "link.propagation=0"));
}

TEST_CASE("few ranks do not stand for all where links differ", "[sim]") {
  DiagnosticEngine diags;
  const Machine on = machine("ring", {"links.n3->n4.bandwidth=1e9"}, 8);
  const ExecPlan plan = compiled({"allreduce_ring", {}, 8});
  std::optional<RolledForm> form = findRolledForm(plan);
  REQUIRE(form);
  std::string fault;
  auto folded = FoldedPlan::create(form->plan, *fold(form->plan, foldedRanks(form->plan), diags),
                                   on, "cut-through", Slots(8), fault, diags);
  REQUIRE(succeeded(folded));
  CHECK(*folded == nullptr);
  CHECK(fault == "rank 3 of 8 has another route to its peer than rank 0");
}
