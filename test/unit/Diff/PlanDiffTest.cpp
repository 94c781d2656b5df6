//===- PlanDiffTest.cpp - Differences between plans, and equivalent plans -===//

#include "../../support/Lines.h"

#include "../Plans.h"

#include "Folding.h"

#include "cclc/Diff/DiffResult.h"
#include "cclc/Sim/SweepResult.h"

using namespace cclc;
using namespace cclc::test;
using namespace cclc::diff;

/// Every difference as "aspect rN subject field: before -> after".
static std::vector<std::string> entries(const ExecPlan &before, const ExecPlan &after,
                                        bool xml = false) {
  std::vector<std::string> all;
  forEachDifference(comparePlans(before, after, {std::nullopt, xml}), false,
                    [&](const Difference &d) {
                      std::string text = aspectName(d.aspect).str();
                      if (d.rank)
                        text += " r" + std::to_string(d.rank->index());
                      text += " " + d.subject + (d.field.empty() ? "" : " " + d.field);
                      all.push_back(text + ": " + d.before + " -> " + d.after);
                    });
  return all;
}

/// The differences after \p from is replaced by \p to.
static std::vector<std::string> afterEdit(StringRef text, StringRef from, StringRef to) {
  return entries(readGood(text), readGood(with(text, from, to)));
}

using Texts = std::vector<std::string>;

TEST_CASE("every table of the header is compared entry by entry") {
  std::string text = textOf(Module(compiled({"hierarchical_sequence", {}, 4})));
  CHECK(afterEdit(text, "expect r1:o[4] = r0:i[2]", "expect r1:o[4] = r1:i[2]")[0] ==
        "attribute r1 expectation of o[4]: r0:i[2] -> r1:i[2]");
  CHECK(afterEdit(text, "communicator 0 \"", "communicator 0 \"x")[0].substr(0, 26) ==
        "attribute communicator 0: ");
  CHECK(afterEdit(text, "call 0 \"all_gather", "call 0 \"all")[0] ==
        "attribute call 0: all_gather, generation 1 -> all, generation 1");
  std::string ahbm =
      textOf(Module(compiled({"allreduce_hierarchical_3level", {}, {}, 1, {}, "ahbm"})));
  // The relation of neighbours is symmetric.
  std::string apart =
      with(with(ahbm, "  neighbour r0 N r120\n", ""), "  neighbour r120 S r0\n", "");
  CHECK(entries(readGood(ahbm), readGood(apart)) ==
        Texts{"attribute r0 neighbour N: r120 -> ", "attribute r120 neighbour S: r0 -> "});
}

TEST_CASE("targets are compared by name, settings and content") {
  std::string text = textOf(Module(compiled({"allreduce_ring", {}, 4})));
  auto on = [&](StringRef target) {
    return readGood(with(text, "  level ", ("  target " + target + "\n  level ").str()));
  };
  ExecPlan plan = on("\"a\" hash \"1\"");
  CHECK(entries(plan, on("\"a\" hash \"1\" machine \"{}\"")).empty());
  CHECK(entries(plan, on("\"a\"")).empty()); // a plan of version 2
  CHECK(entries(plan, on("\"a\" hash \"2\"")) == Texts{"attribute target content: 1 -> 2"});
  CHECK(entries(plan, on("\"b\" hash \"2\"")) == Texts{"attribute target: a -> b"});
  CHECK(entries(plan, on("\"a\" hash \"2\" set \"x=1\" set \"y=2\"")) ==
        Texts{"attribute target: a -> a with x=1, y=2"});
}

static const char *const twoChunks = R"(ccl.version 3
exec.program @t coll alltonext ranks 2 chunks 2 outofplace {
  rank 0 {
    tb 0 send r1 ch 0 {
      0: s i[0:2]
    }
  }
  rank 1 {
    tb 0 recv r0 ch 0 {
      0: r -> o[0:2]
    }
  }
}
)";

TEST_CASE("messages of several chunks are the same transfers as single ones") {
  std::string apart = with(with(twoChunks, "0: s i[0:2]", "0: s i[0]\n      1: s i[1]"),
                           "0: r -> o[0:2]", "0: r -> o[0]\n      1: r -> o[1]");
  PlanDiff diff = comparePlans(readGood(twoChunks), readGood(apart));
  CHECK(diff.transfers.empty());
  CHECK(diff.reductions.empty());
  CHECK(diff.steps.size() == 4); // two removed or changed transfers, and the new ones
  // One of two chunks has another destination: only this one is reported.
  std::string crossed = with(with(apart, "1: s i[1]", "1: s i[0]"), "alltonext", "custom");
  crossed = with(with(crossed, " chunks 2", ""), "  rank 0 {", "  input 2\n  output 2\n  rank 0 {");
  ExecPlan other = readGood(crossed);
  PlanDiff changed = comparePlans(readGood(twoChunks), other);
  REQUIRE(changed.transfers.size() == 2);
  CHECK((!changed.transfers[0].isNew && changed.transfers[0].first == 1 &&
         changed.transfers[0].count == 1));
  CHECK(changed.transfers[1].isNew);
}

TEST_CASE("fusion changes steps but no transfers") {
  for (const Recipe &recipe : allRecipes()) {
    if (!recipe.target.empty())
      continue;
    INFO(nameOf(recipe));
    CompileRequest request = requestFor(recipe);
    request.fusion = FusionOptions::none();
    DiagnosticEngine diags;
    FailureOr<Compiled> unfused = compile(bundled(recipe.program), request, diags);
    REQUIRE(succeeded(unfused));
    ExecPlan fused = compiled(recipe);
    PlanDiff diff = comparePlans(fused, unfused->plan);
    CHECK(diff.reductions.empty());
    // A fused step that stores no sum sends it from the program's location, which is the location
    // of the unfused plan except for copies in scratch.
    if (llvm::all_of(unfused->plan.scratchChunks(), [](uint32_t n) { return n == 0; }) &&
        fused.info().placements == Placements::inPlace())
      CHECK(diff.transfers.empty());
  }
}

TEST_CASE("attributes that XML cannot express are not compared") {
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    Module text = ExecPlan(plan);
    // Remove all attributes that XML omits.
    ExecPlan other = compiled(recipe);
    CHECK(entries(plan, other, /*xml=*/true).empty());
  }
  ExecPlan plan = readGood(twoChunks);
  CHECK(entries(plan, readGood(with(twoChunks, "outofplace", "outofplace instances 2")), true)
            .empty());
  CHECK(entries(plan, readGood(with(twoChunks, "outofplace", "outofplace proto LL")), true) ==
        Texts{"attribute protocol: Simple -> LL"});
  CHECK(entries(plan, readGood(with(twoChunks, "outofplace", "outofplace min 1024")), true) ==
        Texts{"attribute min_bytes: 0 -> 1024"});
}

TEST_CASE("a plan without a number of slots is compared with the slots of the other one") {
  // The wait of the second connection implies that all ten messages of the first one have been
  // sent.
  std::string sends, receives;
  for (int n = 0; n < 10; ++n) {
    sends += "      " + std::to_string(n) + ": s i[" + std::to_string(n) + "]" +
             (n == 9 ? " pub\n" : "\n");
    receives += "      " + std::to_string(n) + ": r -> o[" + std::to_string(n) + "]" +
                (n == 0 ? " dep tb1:0\n" : "\n");
  }
  std::string text = R"(
    ccl.version 3
    exec.program @t coll custom ranks 2 outofplace slots inf {
      input 10
      output 10
      rank 0 {
        tb 0 send r1 ch 0 {
    )"_lines + sends +
                     R"(
              }
              tb 1 send r1 ch 1 {
                0: s i[0] dep tb0:9
              }
            }
            rank 1 scratch 1 {
              tb 0 recv r0 ch 0 {
          )"_lines + receives +
                     R"(
              }
              tb 1 recv r0 ch 1 {
                0: r -> s[0] pub
              }
            }
          }
          )"_lines;
  ExecPlan unlimited = readGood(text), silent = readGood(with(text, " slots inf", ""));
  PlanDiff diff = comparePlans(unlimited, silent, {std::nullopt, /*xml=*/true});
  CHECK(diff.figuresAfter.proof.slotsNeeded == 10);
  CHECK(diff.equivalent());
  // With 8 slots neither plan completes, which is not a difference either.
  PlanDiff eight = comparePlans(unlimited, silent, {Slots(8), /*xml=*/true});
  CHECK(eight.figuresBefore.proof.verdict == Verdict::Deadlock);
  CHECK(eight.equivalent());
}

TEST_CASE("a phase that was renamed or moved in the table is reported once") {
  std::string text =
      with(with(twoChunks, "  rank 0 {", "  phase 1 \"a\"\n  phase 2 \"b\"\n  rank 0 {"),
           "s i[0:2]", "s i[0:2] phase 2");
  CHECK(afterEdit(text, "phase 2 \"b\"", "phase 2 \"c\"") ==
        Texts{"attribute phase 2: 'b' -> 'c'"});
  std::string moved =
      with(with(with(text, "phase 1 \"a\"", "phase 1 \"b\""), "phase 2 \"b\"", "phase 2 \"a\""),
           "s i[0:2] phase 2", "s i[0:2] phase 1");
  CHECK(entries(readGood(text), readGood(moved)) ==
        Texts{"attribute phase 1: 'a' -> 'b'", "attribute phase 2: 'b' -> 'a'"});
}

TEST_CASE("identical threadblocks are assigned by channel") {
  // Two connections that transfer the same chunks, in another order of threadblocks on the
  // receiver.
  std::string text = R"(ccl.version 3
exec.program @t coll custom ranks 2 outofplace {
  input 1
  output 2
  rank 0 {
    tb 0 send r1 ch 0 {
      0: s i[0]
    }
    tb 1 send r1 ch 1 {
      0: s i[0]
    }
  }
  rank 1 {
    tb 0 recv r0 ch 0 {
      0: r -> o[0]
    }
    tb 1 recv r0 ch 1 {
      0: r -> o[0]
    }
  }
}
)";
  std::string other =
      with(with(text, "tb 0 recv r0 ch 0", "tb 0 recv r0 ch 1"),
           "tb 1 recv r0 ch 1 {\n      0: r -> o[0]", "tb 1 recv r0 ch 0 {\n      0: r -> o[0]");
  PlanDiff diff = comparePlans(readGood(text), readGood(other));
  CHECK(diff.equivalent());
}

TEST_CASE("a wait that is replaced by the order of a threadblock is reported as such") {
  std::string apart = R"(ccl.version 3
exec.program @t coll custom ranks 1 outofplace {
  input 1
  output 1
  rank 0 scratch 1 {
    tb 0 ch 0 {
      0: cpy s[0] -> o[0] dep tb1:0
    }
    tb 1 ch 0 {
      0: cpy i[0] -> s[0] pub
    }
  }
}
)";
  std::string together =
      with(with(apart, "cpy s[0] -> o[0] dep tb1:0\n    }\n    tb 1 ch 0 {\n      0: ", ""),
           "cpy i[0] -> s[0] pub", "cpy i[0] -> s[0]\n      1: cpy s[0] -> o[0]");
  Texts merged = entries(readGood(apart), readGood(together));
  CHECK(llvm::is_contained(merged, "dependence r0 tb0 step 1 (cpy) wait: tb1 step 0 (cpy i[0] -> "
                                   "s[0]) -> none, its target is earlier in the threadblock"));
  Texts split = entries(readGood(together), readGood(apart));
  CHECK(llvm::is_contained(split, "dependence r0 tb0 step 0 (cpy) wait: none, its target is "
                                  "earlier in the threadblock -> tb1 step 0 (cpy i[0] -> s[0])"));
  // Without this order the wait is not replaced.
  CHECK(afterEdit(apart, " dep tb1:0", "") ==
        Texts{"proof verdict: ok -> race (" +
                  comparePlans(readGood(apart), readGood(with(apart, " dep tb1:0", "")))
                      .figuresAfter.flaw +
                  ")",
              "dependence r0 tb0 step 0 (cpy) wait: tb1 step 0 (cpy i[0] -> s[0]) -> none"});
}

TEST_CASE("differences common to several ranks are reported once") {
  Fold fold;
  CHECK(fold.tail() == "");
  fold.count = 4;
  CHECK(fold.tail() == "; 3 more like this");
  fold.ranks = {2, 0, 1, 5};
  CHECK(fold.tail() == "; the same on ranks 0, 1, 5");
  fold.ranks = {3, 4, 5, 6};
  CHECK(fold.tail() == "; the same on ranks 4-6");
  fold.same = false;
  CHECK(fold.tail() == "; 3 more like this on ranks 3-6");
  fold.ranks.clear();
  for (uint32_t rank = 0; rank < 40; rank += 2)
    fold.ranks.push_back(rank);
  CHECK(fold.tail() == "; 3 more like this on ranks 0, 2, 4, 6, 8, 10, 12, 14, ...");
}

TEST_CASE("annotations are escaped as GitHub requires") {
  std::string text = with(twoChunks, "s i[0:2]", "s i[0:2] loc(\"a,b:c%d\":7)");
  ExecPlan before = readGood(text), after = readGood(with(text, "0: s i[0:2]", "0: s i[0:2] pub"));
  PlanDiff diff = comparePlans(before, after);
  std::string out;
  llvm::raw_string_ostream os(out);
  writeGithub({"old", "50%\n", diff, false, {}, {}, {}, {}}, /*gatesOnly=*/false, os);
  CHECK(out == "::warning title=ccl-diff 50%25%0A::old and 50%25%0A differ: same transfers, same "
               "reductions; dependences differ\n"
               "::warning file=a%2Cb%3Ac%25d,line=7,title=ccl-diff dependence::r0 tb0 step 0 (s) "
               "publishes: no -> yes\n");
}

static SizeResult timed(const ExecPlan &plan, const Machine &machine) {
  DiagnosticEngine diags;
  FailureOr<PlacedPlan> placed = PlacedPlan::create(plan, machine, Slots(8), diags);
  REQUIRE(succeeded(placed));
  FailureOr<Sizing> sizing = Sizing::create(*placed, Bytes(1 << 16), DataType::F32, diags);
  REQUIRE(succeeded(sizing));
  SimOptions options;
  options.criticalPath = true;
  std::unique_ptr<NetworkModel> network = createNetwork(machine.network, placed->routes);
  return makeSizeResult(*placed, *sizing, simulate(*placed, *sizing, *network, options), 1);
}

TEST_CASE("changes on the critical path add up to the change of the time") {
  Machine ring = machine("ring", {}, 8);
  std::vector<ExecPlan> plans;
  for (const char *chunks : {"1", "3", "4"})
    plans.push_back(compiled({"allreduce_tree", {{"chunks", chunks}}, 8}));
  for (const ExecPlan &before : plans)
    for (const ExecPlan &after : plans) {
      PlanDiff diff = comparePlans(before, after);
      TimeDiff time = compareTimes(timed(before, ring), timed(after, ring), diff);
      int64_t byLine = 0, byCause = 0;
      for (const PathChange &change : time.path)
        byLine += change.after.picoseconds() - change.before.picoseconds();
      for (unsigned c = 0; c < numCauses; ++c)
        byCause += time.causesAfter[c].picoseconds() - time.causesBefore[c].picoseconds();
      CHECK(byLine == time.after.picoseconds() - time.before.picoseconds());
      CHECK(byCause == byLine);
    }
}

TEST_CASE("moved source lines are reported as in the new plan") {
  std::string text = with(twoChunks, "s i[0:2]", "s i[0:2] loc(\"a.cpp\":7)");
  ExecPlan before = readGood(with(text, "r -> o[0:2]", "r -> o[0:2] loc(\"a.cpp\":9)"));
  ExecPlan after = readGood(with(with(text, "r -> o[0:2]", "r -> o[0:2] loc(\"a.cpp\":19)"),
                                 "\"a.cpp\":7", "\"a.cpp\":17"));
  PlanDiff diff = comparePlans(before, after);
  CHECK(diff.equivalent());
  Machine ring = machine("ring", {}, 2);
  CHECK(compareTimes(timed(before, ring), timed(after, ring), diff).path.empty());
}

TEST_CASE("lines of another file are not treated as moved") {
  std::string text = with(twoChunks, "s i[0:2]", "s i[0:2] loc(\"a.cpp\":7)");
  ExecPlan before = readGood(with(text, "r -> o[0:2]", "r -> o[0:2] loc(\"a.cpp\":9)"));
  ExecPlan after = readGood(with(with(text, "r -> o[0:2]", "r -> o[0:2] loc(\"b.cpp\":9)"),
                                 "\"a.cpp\":7", "\"b.cpp\":7"));
  PlanDiff diff = comparePlans(before, after);
  CHECK(diff.equivalent());
  CHECK(llvm::none_of(diff.newLocation, [](OptionalId<LocId> loc) { return loc.has_value(); }));
  Machine ring = machine("ring", {}, 2);
  CHECK(compareTimes(timed(before, ring), timed(after, ring), diff).path.size() == 2);
}
