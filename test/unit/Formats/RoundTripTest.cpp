//===- RoundTripTest.cpp - Every form of a plan, written and read back ----===//
//
// The plan read back is compared with the original field by field, and writing it
// again must give the same bytes.
//
//===----------------------------------------------------------------------===//

#include "../../support/Lines.h"
#include "../../support/RandomPlan.h"

#include "Plans.h"

#include "cclc/Formats/Msccl/Xml.h"
#include "cclc/IR/PlanAttributes.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Transforms/Pass/Pass.h"

using namespace cclc;
using namespace cclc::test;

namespace {

constexpr uint64_t numRandomPlans = 2000;

std::string xmlOf(const ExecPlan &plan, const MscclDialect &dialect) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeMscclXml(plan, dialect, os);
  return os.str();
}

/// The first difference of two plans in the attributes that a form preserves; empty: none.
struct Keeps {
  bool header;    ///< parameters, geometry, target, instances, slots, phases
  bool locations; ///< of every step
};

std::string difference(const ExecPlan &a, const ExecPlan &b, Keeps keeps) {
  const ProgramInfo &x = a.info(), &y = b.info();
#define SAME(WHAT)                                                                                 \
  if (!(x.WHAT == y.WHAT))                                                                         \
    return #WHAT;
  SAME(name)
  SAME(placements)
  SAME(protocol)
  SAME(minBytes)
  SAME(maxBytes)
  SAME(collective)
  if (keeps.header) {
    SAME(instances)
    SAME(parameters)
    SAME(options)
    SAME(geometry)
    SAME(target)
    SAME(placementOnTarget)
    SAME(phases)
    SAME(neighbours)
    SAME(communicators)
    if (x.calls.size() != y.calls.size())
      return "calls";
    for (size_t c = 0; c < x.calls.size(); ++c)
      if (x.calls[c].collective != y.calls[c].collective ||
          x.calls[c].generation != y.calls[c].generation ||
          (keeps.locations && x.locate(x.calls[c].loc) != y.locate(y.calls[c].loc)))
        return "call " + std::to_string(c);
    if (a.slots() != b.slots())
      return "slots";
  }
#undef SAME
  if (a.ranks() != b.ranks() || a.channels() != b.channels())
    return "ranks or channels";
  if (keeps.header && a.scratchChunks() != b.scratchChunks())
    return "scratch";
  if (a.threadblocks().size() != b.threadblocks().size() || a.steps().size() != b.steps().size())
    return "number of threadblocks or steps";
  for (size_t t = 0; t < a.threadblocks().size(); ++t) {
    const Threadblock &p = a.threadblocks()[t], &q = b.threadblocks()[t];
    bool same = p.rank == q.rank && p.sendPeer == q.sendPeer && p.recvPeer == q.recvPeer &&
                p.channel == q.channel && p.firstStep == q.firstStep && p.numSteps == q.numSteps;
    if (!same)
      return "threadblock " + std::to_string(t);
  }
  for (size_t s = 0; s < a.steps().size(); ++s) {
    const Step &p = a.steps()[s], &q = b.steps()[s];
    bool same = p.op == q.op && p.src == q.src && p.dst == q.dst && p.count == q.count &&
                p.wait() == q.wait() && p.publishes == q.publishes &&
                (!keeps.header || p.phase == q.phase);
    if (keeps.locations)
      same &= x.locate(p.loc) == y.locate(q.loc) && x.locate(p.sendLoc) == y.locate(q.sendLoc);
    if (!same)
      return "step " + std::to_string(s);
  }
  return "";
}

void checkJson(const ExecPlan &plan) {
  std::string text = jsonOf(plan);
  ExecPlan again = readGood(text);
  CHECK(difference(plan, again, {true, true}) == "");
  CHECK(jsonOf(again) == text);
}

/// The complete form, which preserves all attributes.
void checkBinary(const ExecPlan &plan) {
  std::string bytes = binaryOf(plan);
  ExecPlan again = readGood(bytes);
  CHECK(difference(plan, again, {true, true}) == "");
  CHECK(binaryOf(again) == bytes);
  CHECK(jsonOf(again) == jsonOf(plan));
  CHECK(binaryOf(readGood(jsonOf(plan))) == bytes);
}

void checkText(const ExecPlan &plan) {
  for (bool locations : {false, true}) {
    std::string text = textOf(plan, locations);
    ExecPlan again = readGood(text);
    CHECK(difference(plan, again, {true, locations}) == "");
    CHECK(textOf(again, locations) == text);
  }
  // Conversions between the complete forms lose nothing either.
  std::string json = jsonOf(plan);
  CHECK(textOf(readGood(json), true) == textOf(plan, true));
}

/// The plan as the runtime executes it: in one placement if it supports only one, and without fused
/// steps if it does not support them.
ExecPlan forDialect(const ExecPlan &plan, const MscclDialect &dialect) {
  ProgramInfo info = plan.info();
  if (!dialect.hasOutOfPlace && info.placements == Placements::both())
    info.placements = Placements::inPlace();
  ExecPlanBuilder builder(info);
  builder.setSlots(plan.slots());
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    builder.setScratch(RankId(r), plan.scratchChunks()[r]);
  for (const Threadblock &tb : plan.threadblocks()) {
    builder.beginThreadblock(tb.rank, tb.sendPeer, tb.recvPeer, tb.channel);
    for (const Step &step : plan.steps(tb))
      builder.addStep(step);
  }
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<ExecPlan> result = std::move(builder).finish(diags);
  if (succeeded(result) && !dialect.fusedOps)
    result = lowerFused(std::move(*result), context);
  if (failed(result))
    FAIL(textOf(diags));
  return std::move(*result);
}

/// MSCCL-IR omits attributes but must preserve the semantics. Returns the number of dialects that
/// can write the plan.
unsigned checkXml(const ExecPlan &original) {
  unsigned written = 0;
  for (const MscclDialect &dialect : mscclDialects()) {
    INFO(dialect.name);
    ExecPlan plan = forDialect(original, dialect);
    DiagnosticEngine limits;
    if (failed(checkMscclLimits(plan, dialect, limits)))
      continue;
    ++written;
    std::string text = xmlOf(plan, dialect);
    ExecPlan again = readGood(text);
    CHECK(xmlOf(again, dialect) == text);
    // A reduction may be followed by a wait so that the next one is not merged; some collectives
    // have no name.
    std::string lost = difference(plan, again, {false, false});
    bool unnamed = StringRef(text).contains("coll=\"custom\"");
    CHECK((lost == "" || (unnamed && lost == "collective") ||
           StringRef(text).contains("type=\"re\"")));
    DiagnosticEngine before, after;
    for (Slots slots : {Slots(1), plan.slots().value_or(Slots(8))}) {
      PlanProof a = verifyPlan(plan, slots, before), b = verifyPlan(again, slots, after);
      CHECK(a.verdict == b.verdict);
      CHECK(a.slotsNeeded == b.slotsNeeded);
      CHECK(a.reductionHash == b.reductionHash);
    }
  }
  return written;
}
} // namespace

TEST_CASE("plans of bundled programs survive every form", "[roundtrip]") {
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    checkJson(plan);
    checkBinary(plan);
    checkText(plan);
    // The hierarchical algorithms on machines with hundreds of ranks are too large for these
    // runtimes, and none of them has scans.
    const bool isRefused = plan.ranks() > 64 || isScan(plan.info().collective.kind());
    CHECK((checkXml(plan) >= 1 || isRefused));
  }
}

TEST_CASE("plans that use switches survive every form but XML", "[roundtrip]") {
  auto check = [](const ExecPlan &plan) {
    checkJson(plan);
    checkBinary(plan);
    checkText(plan);
  };
  for (const Recipe &recipe : switchRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    REQUIRE(plan.usesSwitches());
    check(plan);
  }
  RandomProgramOptions options;
  options.switches = true;
  for (uint64_t seed = 0; seed < numRandomPlans / 4; ++seed) {
    INFO("seed " << seed);
    check(randomPlan(seed, Slots(8), seed % 2, options));
  }
}

TEST_CASE("plans of random programs survive every form", "[roundtrip]") {
  for (uint64_t seed = 0; seed < numRandomPlans; ++seed) {
    INFO("seed " << seed);
    ExecPlan plan = randomPlan(seed);
    checkJson(plan);
    checkBinary(plan);
    checkText(plan);
    CHECK(checkXml(plan) >= 2); // msccl does not support an all-to-all in place
  }
}

TEST_CASE("every attribute survives every form at its limits", "[roundtrip]") {
  ExecPlan ring = compiled({"allreduce_ring", {}, 2});
  auto check = [&](auto change) {
    ExecPlanBuilder builder(ring.info());
    for (const Threadblock &tb : ring.threadblocks()) {
      builder.beginThreadblock(tb.rank, tb.sendPeer, tb.recvPeer, tb.channel);
      for (const Step &step : ring.steps(tb))
        change(builder.info(), builder.addStep(step));
    }
    DiagnosticEngine diags;
    FailureOr<ExecPlan> plan = std::move(builder).finish(diags);
    REQUIRE(succeeded(plan));
    checkJson(*plan);
    checkBinary(*plan);
    checkText(*plan);
    return std::move(*plan);
  };
  for (const HeaderAttribute &attribute : headerAttributes)
    for (uint64_t value : {attribute.least, attribute.most}) {
      INFO(attribute.key << " " << value);
      ExecPlan plan = check([&](ProgramInfo &info, Step &) { attribute.set(info, value); });
      CHECK(attribute.get(readGood(jsonOf(plan)).info()) == value);
      CHECK(versionFor(plan) >= attribute.since);
    }
  for (const StepAttribute &attribute : stepAttributes) {
    INFO(attribute.key.str());
    uint32_t most = attribute.most(ring.info());
    ExecPlan plan = check([&](ProgramInfo &, Step &step) { attribute.set(step, most); });
    CHECK(attribute.get(readGood(jsonOf(plan)).steps().back()) == most);
    CHECK(versionFor(plan) >= attribute.since);
  }
}

TEST_CASE("JSON and text represent every field of a plan", "[roundtrip]") {
  ProgramInfo info(Collective(3, CustomSpec{2,
                                            3,
                                            {{RankId(0), 1, {{RankId(1), 0}}},
                                             {RankId(2), 2, {{RankId(0), 1}, {RankId(2), 0}}}}}));
  info.name = "odd \"name\"\\ with\ttab";
  info.placements = Placements::outOfPlace();
  info.protocol = Protocol::LL128;
  info.instances = 7;
  info.parameters = {{"a key", "a \"value\""}, {"empty", ""}};
  info.geometry.levels = {{"sip", GridKind::Ring1D, 3, 1}, {"pe", GridKind::Torus2D, 2, 2}};
  info.target = {"a target", {"nodes=2", "links.a->b=\"off\""}, "0123456789abcdef", "{\"x\": 1}"};
  info.placementOnTarget = {4, 0, 9};
  info.minBytes = 1;
  info.maxBytes = ~uint64_t(0);
  info.phases.push_back({"first"});
  info.neighbours = {{RankId(0), Direction::GlobalE, RankId(2)},
                     {RankId(0), Direction::Child, RankId(1)},
                     {RankId(1), Direction::Parent, RankId(0)},
                     {RankId(2), Direction::GlobalW, RankId(0)}};
  info.communicators = {{"top", {{RankId(0), RankId(2)}}},
                        {"groups", {{RankId(0)}, {RankId(1), RankId(2)}}}};
  LocId called = info.locs.intern("b.ccl", 2);
  LocId line = info.locs.intern("a file.cpp", 12);
  LocId column = info.locs.intern("b.ccl", 3, 4);
  info.calls = {{"all_gather", 1, called}, {"all_to_all", 4, LocTable::unknown()}};
  info.phases.push_back({"", Gate{0, 1, 2, 3}});
  info.phases.push_back({"last", Gate{1, 0, 1, 3221225472u}});
  ExecPlanBuilder builder(info);
  builder.setSlots(Slots(3));
  builder.setScratch(RankId(1), 5);
  auto step = [](OpKind op, Operand src, Operand dst, uint32_t count, LocId loc, LocId then) {
    return Step(op, src, dst, count, loc, then);
  };
  builder.beginThreadblock(RankId(0), RankId(1), {}, ChannelId(2));
  builder.addStep(step(OpKind::Send, Operand(Buffer::Input, 0), {}, 2, line, line));
  builder.beginThreadblock(RankId(1), RankId(2), RankId(0), ChannelId(2));
  Step &fused =
      builder.addStep(step(OpKind::RecvCopySend, {}, Operand(Buffer::Scratch, 1), 2, line, column));
  fused.publishes = true;
  fused.phase = 2;
  builder.beginThreadblock(RankId(1), {}, {}, ChannelId(0));
  Step &nop = builder.addStep(step(OpKind::Nop, {}, {}, 0, column, column));
  nop.setWait(Wait{ThreadblockId(0), StepIndex(0)});
  builder.addStep(step(OpKind::Copy, Operand(Buffer::Scratch, 2), Operand(Buffer::Output, 0), 1,
                       column, column));
  builder.beginThreadblock(RankId(2), {}, RankId(1), ChannelId(2));
  builder.addStep(step(OpKind::Recv, {}, Operand(Buffer::Output, 1), 2, line, line));
  builder.beginThreadblock(RankId(2), {}, {}, ChannelId(1)); // without steps
  DiagnosticEngine diags;
  FailureOr<ExecPlan> plan = std::move(builder).finish(diags);
  REQUIRE(succeeded(plan));
  checkJson(*plan);
  checkBinary(*plan);
  checkText(*plan);

  CHECK(jsonOf(*plan) == R"({
"format": "cclc-plan",
"version": 3,
"name": "odd \"name\"\\ with\ttab",
"collective": {"kind": "custom", "ranks": 3, "input": 2, "output": 3, "expect": [
[0,1,[[1,0]]],
[2,2,[[0,1],[2,0]]]]},
"placements": ["out_of_place"],
"protocol": "LL128",
"instances": 7,
"slots": 3,
"min_bytes": 1,
"max_bytes": 18446744073709551615,
"target": "a target",
"target_hash": "0123456789abcdef",
"target_settings": [
"nodes=2",
"links.a->b=\"off\""],
"target_machine": "{\"x\": 1}",
"parameters": {"a key": "a \"value\"", "empty": ""},
"geometry": [
{"level": "sip", "kind": "ring_1d", "width": 3, "height": 1},
{"level": "pe", "kind": "torus_2d", "width": 2, "height": 2}],
"endpoints": [4,0,9],
"neighbours": [
[0,"global_E",2],
[0,"child",1],
[1,"parent",0],
[2,"global_W",0]],
"communicators": [
{"communicator": "top", "groups": [[0,2]]},
{"communicator": "groups", "groups": [[0],[1,2]]}],
"calls": [
{"collective": "all_gather", "generation": 1, "loc": 0},
{"collective": "all_to_all", "generation": 4}],
"phases": [
"first",
{"phase": "", "call": 0, "communicator": 1, "stage": 2, "generation": 3},
{"phase": "last", "call": 1, "communicator": 0, "stage": 1, "generation": 3221225472}],
"files": [
"b.ccl",
"a file.cpp"],
"locations": [
[0,2],
[1,12],
[0,3,4]],
"ranks": [
{"rank": 0, "scratch": 0, "threadblocks": [
{"tb": 0, "send": 1, "channel": 2, "steps": [
{"op":"s","src":["i",0],"cnt":2,"loc":1}]}]},
{"rank": 1, "scratch": 5, "threadblocks": [
{"tb": 0, "send": 2, "recv": 0, "channel": 2, "steps": [
{"op":"rcs","dst":["s",1],"cnt":2,"pub":true,"phase":2,"loc":1,"then":2}]},
{"tb": 1, "channel": 0, "steps": [
{"op":"nop","wait":[0,0],"loc":2},
{"op":"cpy","src":["s",2],"dst":["o",0],"loc":2}]}]},
{"rank": 2, "scratch": 0, "threadblocks": [
{"tb": 0, "recv": 1, "channel": 2, "steps": [
{"op":"r","dst":["o",1],"cnt":2,"loc":1}]},
{"tb": 1, "channel": 1, "steps": []}]}]
}
)");
}

TEST_CASE("every bundled program survives the XML of the runtimes that execute it", "[roundtrip]") {
  dsl::ProgramRegistry registry;
  dsl::registerAllPrograms(registry);
  std::vector<std::string> needMachine, nowhere;
  for (const dsl::Declaration &program : registry.all()) {
    INFO(program.name());
    DiagnosticEngine diags;
    FailureOr<Compiled> outcome = compile(program, {}, diags);
    if (failed(outcome))
      needMachine.push_back(program.name());
    else if (checkXml(outcome->plan) == 0)
      nowhere.push_back(program.name());
  }
  CHECK(needMachine == std::vector<std::string>{"allreduce_hierarchical_3level", "allreduce_lrab"});
  // Too many steps for two of the dialects and in place for the third; input and output of unequal
  // sizes; scans.
  CHECK(nowhere == std::vector<std::string>{"alltoall_hierarchical", "exscan_chain",
                                            "exscan_recursive_doubling", "hierarchical_sequence",
                                            "scan_chain", "scan_recursive_doubling"});
}

TEST_CASE("gathers and scatters are read back with their numbers of chunks", "[roundtrip]") {
  for (const char *program : {"gather_binomial", "scatter_binomial"})
    for (const char *buffers : {"in_place", "out_of_place"})
      for (uint32_t ranks : {2, 5}) {
        INFO(program << " " << buffers << " of " << ranks);
        CHECK(checkXml(compiled({program, {{"buffers", buffers}}, ranks})) == 2);
      }
}

TEST_CASE("names that need escapes in XML survive it", "[roundtrip]") {
  ExecPlan plan = readGood(R"(
    ccl.version 3
    exec.program @"a<b>&\"c'd" coll custom ranks 1 outofplace {
      input 1
      output 1
      rank 0 {
        tb 0 ch 0 {
          0: cpy i[0] -> o[0]
        }
      }
    }
    )"_lines);
  CHECK(readGood(xmlOf(plan, mscclDialects().front())).info().name == "a<b>&\"c'd");
}

TEST_CASE("control characters in a name survive XML", "[roundtrip]") {
  ExecPlan plan = readGood(R"(
    ccl.version 3
    exec.program @"a\nb\tc\x0Dd" coll custom ranks 1 outofplace {
      input 1
      output 1
      rank 0 {
        tb 0 ch 0 {
          0: cpy i[0] -> o[0]
        }
      }
    }
    )"_lines);
  REQUIRE(plan.info().name == "a\nb\tc\rd");
  CHECK(readGood(xmlOf(plan, mscclDialects().front())).info().name == plan.info().name);
}

TEST_CASE("a collective without a name in XML becomes a custom collective", "[roundtrip]") {
  // MSCCL-IR has no name for sendrecv; the plan remains executable.
  ExecPlan plan = readGood(R"(
    ccl.version 3
    exec.program @swap coll sendrecv ranks 2 outofplace slots 4 {
      rank 0 {
        tb 0 send r1 recv r1 ch 0 {
          0: s i[0]
          1: r -> o[0]
        }
      }
      rank 1 {
        tb 0 send r0 recv r0 ch 0 {
          0: s i[0]
          1: r -> o[0]
        }
      }
    }
    )"_lines);
  ExecPlan again = readGood(xmlOf(plan, mscclDialects().front()));
  CHECK(again.info().collective.kind() == CollectiveKind::Custom);
  CHECK_FALSE(again.info().collective.hasPostCondition());
  CHECK_FALSE(again.slots().has_value());
  DiagnosticEngine diags;
  PlanProof a = verifyPlan(plan, Slots(4), diags), b = verifyPlan(again, Slots(4), diags);
  CHECK(a.verdict == Verdict::Ok);
  CHECK(b.verdict == Verdict::Ok);
  CHECK(a.slotsNeeded == b.slotsNeeded);
  CHECK(a.reductionHash == b.reductionHash);
  CHECK(b.note == "the collective has no post-condition: the result was not checked");
}
