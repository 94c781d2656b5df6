//===- RoundTripTest.cpp - print(parse(print(x))) == print(x) -------------===//

#include "../../support/RandomProgram.h"
#include "../../support/Text.h"

#include "cclc/Schedule/Schedule.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// Reads \p text and checks that it is printed unchanged.
std::string again(const std::string &text, PrintOptions options) {
  DiagnosticEngine diags;
  FailureOr<Module> module = parseModule(text, "t.ccl", diags);
  if (failed(module))
    FAIL(messages(diags) << text);
  return printed(*module, options);
}

template <class Program> void checkRoundTrip(const Program &program) {
  for (bool locations : {false, true}) {
    PrintOptions options{locations, false};
    std::string text = printed(program, options);
    // Text without locations gets those of the file, so only text with locations is compared.
    REQUIRE(again(text, options.locations ? options : PrintOptions{}) == text);
  }
}

bool sameOp(const ChunkOp &a, const ChunkOp &b) {
  return a.srcRank == b.srcRank && a.dstRank == b.dstRank && a.srcIndex == b.srcIndex &&
         a.dstIndex == b.dstIndex && a.count == b.count && a.src == b.src && a.dst == b.dst &&
         a.phase == b.phase && a.kind == b.kind;
}

/// The attributes that the text must contain, compared field by field: an attribute that is missing
/// in both the printer and the parser is detected.
void checkSame(const ChunkProgram &a, const ChunkProgram &b) {
  REQUIRE(a.info().collective == b.info().collective);
  REQUIRE(a.info().placements == b.info().placements);
  REQUIRE(a.scratchChunks() == b.scratchChunks());
  REQUIRE(a.ops().size() == b.ops().size());
  for (size_t k = 0; k < a.ops().size(); ++k) {
    REQUIRE(sameOp(a.ops()[k], b.ops()[k]));
    REQUIRE(a.info().directives[a.ops()[k].directive] == b.info().directives[b.ops()[k].directive]);
    REQUIRE(a.info().locate(a.ops()[k].loc) == b.info().locate(b.ops()[k].loc));
  }
}

void checkSame(const InstrProgram &a, const InstrProgram &b) {
  REQUIRE(a.size() == b.size());
  REQUIRE(a.scratchChunks() == b.scratchChunks());
  for (size_t k = 0; k < a.size(); ++k) {
    const Instr &x = a.instrs()[k], &y = b.instrs()[k];
    REQUIRE((x.op == y.op && x.rank == y.rank && x.src == y.src && x.dst == y.dst));
    REQUIRE((x.count == y.count && x.to == y.to && x.from == y.from && x.phase == y.phase));
    REQUIRE((x.pos == y.pos && x.sendPos == y.sendPos));
    REQUIRE(a.info().directives[x.directive] == b.info().directives[y.directive]);
    REQUIRE(a.info().directives[x.sendDirective] == b.info().directives[y.sendDirective]);
    REQUIRE(a.info().locate(x.loc) == b.info().locate(y.loc));
    REQUIRE(a.info().locate(x.sendLoc) == b.info().locate(y.sendLoc));
  }
}

void checkSame(const ExecPlan &a, const ExecPlan &b) {
  REQUIRE(a.slots() == b.slots());
  REQUIRE(a.scratchChunks() == b.scratchChunks());
  REQUIRE(a.threadblocks().size() == b.threadblocks().size());
  for (size_t t = 0; t < a.threadblocks().size(); ++t) {
    const Threadblock &x = a.threadblocks()[t], &y = b.threadblocks()[t];
    REQUIRE((x.rank == y.rank && x.sendPeer == y.sendPeer && x.recvPeer == y.recvPeer));
    REQUIRE((x.channel == y.channel && x.firstStep == y.firstStep && x.numSteps == y.numSteps));
  }
  REQUIRE(a.steps().size() == b.steps().size());
  for (size_t s = 0; s < a.steps().size(); ++s) {
    const Step &x = a.steps()[s], &y = b.steps()[s];
    REQUIRE((x.op == y.op && x.src == y.src && x.dst == y.dst && x.count == y.count));
    REQUIRE((x.phase == y.phase && x.publishes == y.publishes && x.wait() == y.wait()));
    REQUIRE(a.info().locate(x.loc) == b.info().locate(y.loc));
    REQUIRE(a.info().locate(x.sendLoc) == b.info().locate(y.sendLoc));
  }
}

template <class Program> void checkFields(const Program &program) {
  checkSame(program, parsed<Program>(printed(program, {/*locations=*/true, false})));
}
} // namespace

TEST_CASE("random programs survive printing and parsing at every level", "[property]") {
  for (uint64_t seed = 0; seed < scaled(1000); ++seed) {
    INFO("seed " << seed);
    RandomProgramOptions options;
    options.directives = seed % 2;
    options.switches = seed % 3 == 2;
    ChunkProgram chunks = randomProgram(seed + 20000, options);
    checkRoundTrip(chunks);
    checkFields(chunks);
    DiagnosticEngine diags;
    PassContext context(diags);
    FailureOr<InstrProgram> instrs = lowerToInstr(std::move(chunks), context);
    REQUIRE(succeeded(instrs));
    checkRoundTrip(*instrs);
    instrs = removeDeadCopies(std::move(*instrs), context);
    REQUIRE(succeeded(instrs));
    instrs = fuse(std::move(*instrs), {}, context);
    REQUIRE(succeeded(instrs));
    checkRoundTrip(*instrs);
    checkFields(*instrs);
    ScheduleOptions how;
    how.slots = seed % 3 ? Slots(uint32_t(seed % 3)) : Slots::unlimited();
    FailureOr<ExecPlan> plan = scheduleProgram(std::move(*instrs), how, context);
    REQUIRE(succeeded(plan));
    checkRoundTrip(*plan);
    checkFields(*plan);
  }
}

// Canonical texts with every header attribute and table: reading and printing must not change a
// byte.
TEST_CASE("every attribute of a chunk program") {
  std::string text = R"(ccl.version 3
chunk.program @"a b\"\\\n\x07" coll reducescatter ranks 4 chunks 2 inplace outofplace proto LL128 instances 3 min 1024 max 18446744073709551615 {
  param "k\t" = "v"
  param "l" = ""
  level "sip" mesh_2d_no_wrap 2 x 1
  level "pe" torus_2d 1 x 2
  target "box-1"
  place 3 1 0 2
  phase 1 "reduce"
  phase 2 ""
  scratch "t" 3
  scratch "i" 1 0 2 4294
  %0 = copy r1:"t"[0:2] <- r0:i[1:3] ch 1 sendtb 2 recvtb 0 nofuse prio 65535 agg 7 inst 4 phase 2 loc("dir/a \"b.cpp":12)
  %1 = reduce r1:"t"[1] += r2:i[7] prio 2 par 1024 inst 1 phase 1 loc("x":4294967295:7)
}
)";
  CHECK(again(text, {/*locations=*/true, false}) == text);
}

TEST_CASE("a custom collective as text") {
  std::string text = R"(ccl.version 3
chunk.program @c coll custom ranks 2 outofplace {
  input 2
  output 3
  expect r0:o[2] = r1:i[1]
  expect r1:o[0] = r0:i[0] + r1:i[0] + r0:i[1]
}
)";
  CHECK(again(text, {}) == text);
  auto program = parsed<ChunkProgram>(text);
  CHECK(program.info().collective.custom()->outputs[1].contributions.size() == 3);
}

TEST_CASE("every attribute of an instruction program") {
  std::string text = R"(ccl.version 3
instr.program @p coll broadcast ranks 3 chunks 2 root r2 inplace proto LL {
  scratch r1 1
  %0 = s r2 i[0:2] to %1 ch 3 sendtb 1 loc("a":1)
  %1 = rcs r1 -> i[0:2] from %0 to %3 at 2:5 ch 3 inst 0 then { ch 3 sendtb 9 prio 4 } loc("a":1) then("a":2)
  %2 = cpy r2 i[0] -> i[1] at 4 phase 0
  %3 = r r0 -> o[0:2] from %1 at 6
}
)";
  // Not canonical: default values are omitted by the printer.
  std::string canonical = text;
  auto drop = [&](StringRef what) { canonical.erase(canonical.find(what), what.size()); };
  drop(" inst 0");
  drop(" phase 0");
  std::string printedOnce = again(text, {/*locations=*/true, false});
  // The two without a location have that of the file.
  auto locate = [&](StringRef line, StringRef loc) {
    canonical.insert(canonical.find(line) + line.size(), (" loc(\"t.ccl\":" + loc + ")").str());
  };
  locate("-> i[1] at 4", "6:3");
  locate("from %1 at 6", "7:3");
  CHECK(printedOnce == canonical);
  CHECK(again(canonical, {/*locations=*/true, false}) == canonical);
}

TEST_CASE("every attribute of a plan") {
  std::string text = R"(ccl.version 3
exec.program @p coll allreduce ranks 2 chunks 2 inplace slots inf {
  phase 1 "a"
  rank 0 scratch 2 {
    tb 0 send r1 recv r1 ch 7 {
      0: s i[0] pub phase 1 loc("a":1)
      1: nop dep tb1:0 loc("a":2)
      2: rrcs i[1] -> s[0] dep tb1:1 pub loc("a":2) then("b":3)
    }
    tb 1 ch 0 {
      0: cpy i[0:2] -> s[0:2] pub loc("a":4)
      1: re s[0] -> i[1] pub loc("a":5)
    }
  }
  rank 1 {
    tb 0 send r0 recv r0 ch 7 {
      0: r -> i[0] loc("a":6)
      1: s i[0] loc("a":7)
      2: rrc i[1] -> i[1] loc("a":8)
    }
  }
}
)";
  CHECK(again(text, {/*locations=*/true, false}) == text);
}

TEST_CASE("names other than plain words are quoted") {
  for (StringRef name : {"a", "a_1", "A9", "_a", "9a", "", "a.b", "a b", "\x80\xff", "\"", "\\n"}) {
    INFO(name.str());
    ProgramInfo info(Collective(CollectiveKind::AllReduce, 1, 1));
    info.name = name.str();
    DiagnosticEngine diags;
    FailureOr<ChunkProgram> program = ChunkProgramBuilder(std::move(info)).finish(diags);
    REQUIRE(succeeded(program));
    CHECK(parsed<ChunkProgram>(printed(*program)).info().name == name);
  }
}
