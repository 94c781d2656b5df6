//===- FuseTest.cpp - Instructions that are fused or must not be ----------===//
//
// The cases of the soundness rules, one by one; then random programs, whose results
// must be unchanged and whose fused instructions are checked against the rules by
// versions of cells.
//
//===----------------------------------------------------------------------===//

#include "../../support/Interpreters.h"
#include "../../support/Lines.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// The lines of a program between header and closing brace, without scratch.
std::string lines(const InstrProgram &program) {
  std::string text = printed(program);
  size_t start = text.find("{\n") + 2;
  text = text.substr(start, text.rfind('}') - start);
  while (StringRef(text).starts_with("  scratch"))
    text.erase(0, text.find('\n') + 1);
  return text;
}

/// Fuses the instructions \p body of a program with \p header.
std::string fused(StringRef header, StringRef body, FusionOptions options = {}) {
  auto program = parsed<InstrProgram>(
      ("ccl.version 3\ninstr.program @p coll " + header + " {\n" + body + "}\n").str());
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<InstrProgram> result = fuse(std::move(program), options, context);
  REQUIRE(succeeded(result));
  return lines(*result);
}

const char broadcast[] = "broadcast ranks 3 chunks 4 inplace";
const char allreduce[] = "allreduce ranks 3 chunks 4 inplace";
/// No cell is live-out on ranks 1 and 2.
const char toRoot[] = "reduce ranks 3 chunks 4 inplace";
} // namespace

TEST_CASE("a receive and the send that forwards it become an rcs") {
  CHECK(fused(broadcast, R"(
    %0 = s r0 i[0:2] to %1
    %1 = r r1 -> i[0:2] from %0
    %2 = s r1 i[0:2] to %3
    %3 = r r2 -> i[0:2] from %2
    )"_lines) ==
        R"(
          %0 = s r0 i[0:2] to %1
          %1 = rcs r1 -> i[0:2] from %0 to %2 at 1:2
          %2 = r r2 -> i[0:2] from %1 at 3
        )"_lines);
  // The cells are compared, not their names.
  CHECK(fused(broadcast, R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> i[0] from %0
    %2 = s r1 o[0] to %3
    %3 = r r2 -> i[0] from %2
    )"_lines) ==
        R"(
          %0 = s r0 i[0] to %1
          %1 = rcs r1 -> i[0] from %0 to %2 at 1:2
          %2 = r r2 -> i[0] from %1 at 3
        )"_lines);
  const std::string apart = R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> o[0] from %0
    %2 = s r1 i[0] to %3
    %3 = r r2 -> o[0] from %2
    )"_lines;
  CHECK_THAT(fused("allreduce ranks 3 inplace", apart), Catch::Contains("rcs"));
  CHECK_THAT(fused("allreduce ranks 3 outofplace", apart), !Catch::Contains("rcs"));
  CHECK_THAT(fused("allreduce ranks 3 inplace outofplace", apart), !Catch::Contains("rcs"));
}

TEST_CASE("of several sends the one on the longest path is fused") {
  // The second send starts a longer path: on to r0.
  CHECK(fused("broadcast ranks 4 chunks 4 inplace", R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> i[0] from %0
    %2 = s r1 i[0] to %3
    %3 = r r2 -> i[0] from %2
    %4 = s r1 i[0] to %5
    %5 = r r3 -> i[0] from %4
    %6 = s r3 i[0] to %7
    %7 = r r2 -> i[1] from %6
    )"_lines) ==
        R"(
          %0 = s r0 i[0] to %1
          %1 = rcs r1 -> i[0] from %0 to %4 at 1:4
          %2 = s r1 i[0] to %3
          %3 = r r2 -> i[0] from %2
          %4 = rcs r3 -> i[0] from %1 to %5 at 5:6
          %5 = r r2 -> i[1] from %4 at 7
        )"_lines);
  // Equal paths: the first send.
  CHECK(fused("broadcast ranks 4 chunks 4 inplace", R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> i[0] from %0
    %2 = s r1 i[0] to %3
    %3 = r r2 -> i[0] from %2
    %4 = s r1 i[0] to %5
    %5 = r r3 -> i[0] from %4
    )"_lines) ==
        R"(
          %0 = s r0 i[0] to %1
          %1 = rcs r1 -> i[0] from %0 to %2 at 1:2
          %2 = r r2 -> i[0] from %1 at 3
          %3 = s r1 i[0] to %4 at 4
          %4 = r r3 -> i[0] from %3 at 5
        )"_lines);
}

TEST_CASE("a send that does not read exactly the received cells is not fused") {
  auto stays = [](StringRef header, StringRef body) {
    std::string text = fused(header, body);
    CHECK_THAT(text, !Catch::Contains("rcs"));
    CHECK_THAT(text, !Catch::Contains("rrs"));
  };
  // Fewer chunks, more chunks, another range that overlaps.
  stays(broadcast, R"(
    %0 = s r0 i[0:2] to %1
    %1 = r r1 -> i[0:2] from %0
    %2 = s r1 i[0] to %3
    %3 = r r2 -> i[0] from %2
    )"_lines);
  stays(broadcast, R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> i[0] from %0
    %2 = s r1 i[0:2] to %3
    %3 = r r2 -> i[0:2] from %2
    )"_lines);
  stays(broadcast, R"(
    %0 = s r0 i[0:2] to %1
    %1 = r r1 -> i[0:2] from %0
    %2 = s r1 i[1:3] to %3
    %3 = r r2 -> i[1:3] from %2
    )"_lines);
  // Overwritten in between, entirely or in part.
  stays(broadcast, R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> i[0] from %0
    %2 = cpy r1 i[1] -> i[0]
    %3 = s r1 i[0] to %4
    %4 = r r2 -> i[0] from %3
    )"_lines);
  stays(broadcast, R"(
    %0 = s r0 i[0:2] to %1
    %1 = r r1 -> i[0:2] from %0
    %2 = cpy r1 i[3] -> i[1]
    %3 = s r1 i[0:2] to %4
    %4 = r r2 -> i[0:2] from %3
    )"_lines);
  // One send of the cells of two receives.
  stays(broadcast, R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> i[0] from %0
    %2 = s r0 i[1] to %3
    %3 = r r1 -> i[1] from %2
    %4 = s r1 i[0:2] to %5
    %5 = r r2 -> i[0:2] from %4
    )"_lines);
  // Through an intermediate copy.
  stays(broadcast, R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> i[0] from %0
    %2 = cpy r1 i[0] -> i[1]
    %3 = s r1 i[1] to %4
    %4 = r r2 -> i[1] from %3
    )"_lines);
  // A local reduce is not a receive.
  stays(broadcast, R"(
    %0 = re r1 i[0] -> i[1]
    %1 = s r1 i[1] to %2
    %2 = r r2 -> i[1] from %1
    )"_lines);
  // Instances never share a connection, and therefore no instruction.
  stays(broadcast, R"(
    %0 = s r0 i[0] to %1 inst 1
    %1 = r r1 -> i[0] from %0 inst 1
    %2 = s r1 i[0] to %3
    %3 = r r2 -> i[0] from %2
    )"_lines);
  // Different threadblocks for the receive and the send; or different channels.
  stays(broadcast, R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> i[0] from %0 recvtb 1
    %2 = s r1 i[0] to %3 sendtb 2
    %3 = r r2 -> i[0] from %2
    )"_lines);
  stays(broadcast, R"(
    %0 = s r0 i[0] to %1 ch 0
    %1 = r r1 -> i[0] from %0 ch 0
    %2 = s r1 i[0] to %3 ch 1
    %3 = r r2 -> i[0] from %2 ch 1
    )"_lines);
}

TEST_CASE("equal directives do not prevent fusion") {
  CHECK_THAT(fused(broadcast, R"(
    %0 = s r0 i[0] to %1 ch 1 inst 2
    %1 = r r1 -> i[0] from %0 ch 1 recvtb 4 inst 2
    %2 = s r1 i[0] to %3 ch 1 sendtb 4 inst 2
    %3 = r r2 -> i[0] from %2 ch 1 inst 2
    )"_lines),
             Catch::Contains("rcs"));
}

TEST_CASE("a chain has one channel") {
  // The first hop has channel 0, the last one 1; the one between has none. It is fused with the
  // first, and the chain ends there.
  CHECK(fused("broadcast ranks 4 inplace", R"(
    %0 = s r0 i[0] to %1 ch 0
    %1 = r r1 -> i[0] from %0 ch 0
    %2 = s r1 i[0] to %3
    %3 = r r2 -> i[0] from %2
    %4 = s r2 i[0] to %5 ch 1
    %5 = r r3 -> i[0] from %4 ch 1
    )"_lines) ==
        R"(
          %0 = s r0 i[0] to %1 ch 0
          %1 = rcs r1 -> i[0] from %0 to %2 at 1:2 ch 0 then { }
          %2 = r r2 -> i[0] from %1 at 3
          %3 = s r2 i[0] to %4 at 4 ch 1
          %4 = r r3 -> i[0] from %3 at 5 ch 1
        )"_lines);
}

TEST_CASE("a sum with other readers becomes an rrcs") {
  // The reader is a second send, a copy, or a reduce.
  CHECK(fused(allreduce, R"(
    %0 = s r0 i[0] to %1
    %1 = rrc r1 i[0] -> i[0] from %0
    %2 = s r1 i[0] to %3
    %3 = r r2 -> i[0] from %2
    %4 = s r1 i[0] to %5
    %5 = r r0 -> i[0] from %4
    )"_lines) ==
        R"(
          %0 = s r0 i[0] to %1
          %1 = rrcs r1 i[0] -> i[0] from %0 to %2 at 1:2
          %2 = r r2 -> i[0] from %1 at 3
          %3 = s r1 i[0] to %4 at 4
          %4 = r r0 -> i[0] from %3 at 5
        )"_lines);
  for (const char *reader : {"cpy r1 i[0] -> i[1]", "re r1 i[0] -> i[1]"}) {
    std::string text = fused(toRoot, std::string("%0 = s r0 i[0] to %1\n"
                                                 "%1 = rrc r1 i[0] -> i[0] from %0\n"
                                                 "%2 = s r1 i[0] to %3\n"
                                                 "%3 = r r2 -> i[0] from %2\n"
                                                 "%4 = ") +
                                         reader + "\n");
    CHECK_THAT(text, Catch::Contains("%1 = rrcs r1 i[0] -> i[0] from %0 to %2"));
  }
}

TEST_CASE("a sum that only the send reads becomes an rrs") {
  const std::string body = R"(
    %0 = s r2 i[0] to %1
    %1 = rrc r1 i[0] -> i[0] from %0
    %2 = s r1 i[0] to %3
    %3 = rrc r0 i[0] -> i[0] from %2
    )"_lines;
  // Not the root: the post-condition does not include its cells.
  CHECK(fused(toRoot, body) == R"(
      %0 = s r2 i[0] to %1
      %1 = rrs r1 i[0] -> i[0] from %0 to %2 at 1:2
      %2 = rrc r0 i[0] -> i[0] from %1 at 3
    )"_lines);
  // The cell is in the post-condition.
  CHECK_THAT(fused(allreduce, body), Catch::Contains("%1 = rrcs r1 i[0] -> i[0]"));
  // Without post-condition all cells are live-out.
  CHECK_THAT(fused("custom ranks 3 inplace", std::string("input 4\noutput 4\n") + body),
             Catch::Contains("%1 = rrcs r1 i[0] -> i[0]"));
  // A later write of the whole range makes it dead nevertheless ...
  const std::string whole = R"(
    %0 = s r0 i[0:2] to %1
    %1 = rrc r1 i[0:2] -> i[0:2] from %0
    %2 = s r1 i[0:2] to %3
    %3 = rrcs r2 i[0:2] -> i[0:2] from %2 to %4
    %4 = r r1 -> i[0:2] from %3
    )"_lines;
  CHECK_THAT(fused(allreduce, whole), Catch::Contains("%1 = rrs r1 i[0:2] -> i[0:2]"));
  // ... but a write of a part does not.
  CHECK_THAT(fused(allreduce, R"(
    %0 = s r0 i[0:2] to %1
    %1 = rrc r1 i[0:2] -> i[0:2] from %0
    %2 = s r1 i[0:2] to %3
    %3 = r r2 -> i[0:2] from %2
    %4 = s r2 i[1] to %5
    %5 = r r1 -> i[1] from %4
    )"_lines),
             Catch::Contains("%1 = rrcs r1 i[0:2] -> i[0:2]"));
}

TEST_CASE("a reduce that overwrites a sum reads it") {
  // The rrc %4 (the re %4) has the sum as its operand.
  CHECK_THAT(fused(toRoot, R"(
    %0 = s r2 i[0] to %1
    %1 = rrc r1 i[0] -> i[0] from %0
    %2 = s r1 i[0] to %3
    %3 = rrc r0 i[0] -> i[0] from %2
    %4 = s r2 i[0] to %5
    %5 = rrc r1 i[0] -> i[0] from %4
    )"_lines),
             Catch::Contains("%1 = rrcs"));
  CHECK_THAT(fused(toRoot, R"(
    %0 = s r2 i[0] to %1
    %1 = rrc r1 i[0] -> i[0] from %0
    %2 = s r1 i[0] to %3
    %3 = rrc r0 i[0] -> i[0] from %2
    %4 = re r1 i[1] -> i[0]
    )"_lines),
             Catch::Contains("%1 = rrcs"));
  // A plain write does not read it.
  CHECK_THAT(fused(toRoot, R"(
    %0 = s r2 i[0] to %1
    %1 = rrc r1 i[0] -> i[0] from %0
    %2 = s r1 i[0] to %3
    %3 = rrc r0 i[0] -> i[0] from %2
    %4 = cpy r1 i[1] -> i[0]
    )"_lines),
             Catch::Contains("%1 = rrs"));
}

TEST_CASE("live-out is decided under every placement that the plan supports") {
  // Rank 1 sums into its i[0]. In place that is no part of its output, which is i[1] there; out of
  // place the sum must be in o[0].
  const std::string intoInput = R"(
    %0 = s r0 i[0] to %1
    %1 = rrc r1 i[0] -> i[0] from %0
    %2 = s r1 i[0] to %3
    %3 = r r0 -> i[0] from %2
    )"_lines;
  CHECK_THAT(fused("reducescatter ranks 2 inplace", intoInput), Catch::Contains("%1 = rrs"));
  const std::string intoOwn = R"(
    %0 = s r0 i[1] to %1
    %1 = rrc r1 i[1] -> i[1] from %0
    %2 = s r1 i[1] to %3
    %3 = r r0 -> i[1] from %2
    )"_lines;
  CHECK_THAT(fused("reducescatter ranks 2 inplace", intoOwn), Catch::Contains("%1 = rrcs"));
  // Into the output, then overwritten through the input: the same cell only in place.
  const std::string both = R"(
    %0 = s r0 i[1] to %1
    %1 = rrc r1 i[1] -> o[0] from %0
    %2 = s r1 o[0] to %3
    %3 = r r0 -> o[0] from %2
    %4 = s r0 i[0] to %5
    %5 = r r1 -> i[1] from %4
    )"_lines;
  CHECK_THAT(fused("reducescatter ranks 2 inplace", both), Catch::Contains("%1 = rrs"));
  CHECK_THAT(fused("reducescatter ranks 2 inplace outofplace", both), Catch::Contains("%1 = rrcs"));
}

TEST_CASE("an rrs still reads its operand: later writes depend on it") {
  auto program = parsed<InstrProgram>(R"(ccl.version 3
instr.program @p coll reduce ranks 3 chunks 4 inplace {
  %0 = s r2 i[0] to %1
  %1 = rrc r1 i[2] -> i[0] from %0
  %2 = s r1 i[0] to %3
  %3 = rrc r0 i[0] -> i[0] from %2
  %4 = cpy r1 i[1] -> i[2]
  %5 = cpy r1 i[1] -> i[0]
}
)");
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<InstrProgram> result = fuse(std::move(program), {}, context);
  REQUIRE(succeeded(result));
  std::string text = printed(*result, {false, true});
  CHECK_THAT(text, Catch::Contains("%1 = rrs r1 i[2] -> i[0] from %0 to %2"));
  CHECK_THAT(text, Catch::Contains("i[1] -> i[2] at 4  // after %1/anti\n"));
  // The destination that it no longer writes remains ordered as well, so that the fusion can be
  // undone.
  CHECK_THAT(text, Catch::Contains("i[1] -> i[0] at 5  // after %1/anti\n"));
}

TEST_CASE("options disable kinds of fusion") {
  const std::string rcs = R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> i[0] from %0
    %2 = s r1 i[0] to %3
    %3 = r r2 -> i[0] from %2
    )"_lines;
  const std::string live = R"(
    %0 = s r0 i[0] to %1
    %1 = rrc r1 i[0] -> i[0] from %0
    %2 = s r1 i[0] to %3
    %3 = r r2 -> i[0] from %2
    )"_lines;
  auto kind = [](StringRef header, StringRef body, FusionOptions options) {
    std::string text = fused(header, body, options);
    size_t at = text.find("%1 = ") + 5;
    return text.substr(at, text.find(' ', at) - at);
  };
  CHECK(kind(broadcast, rcs, {}) == "rcs");
  CHECK(kind(broadcast, rcs, {false, true, true}) == "r");
  CHECK(kind(allreduce, live, {}) == "rrcs");
  CHECK(kind(allreduce, live, {false, true, false}) == "rrcs");
  CHECK(kind(allreduce, live, {true, false, true}) == "rrc");
  CHECK(kind(toRoot, live, {}) == "rrs");
  CHECK(kind(toRoot, live, {true, false, true}) == "rrs");
  CHECK(kind(toRoot, live, {true, true, false}) == "rrcs");
  CHECK(kind(toRoot, live, {true, false, false}) == "rrc");
}

TEST_CASE("statistics count the fused instructions") {
  DiagnosticEngine diags;
  PassContext context(diags);
  auto program = parsed<InstrProgram>(R"(ccl.version 3
instr.program @p coll reduce ranks 3 chunks 4 inplace {
  %0 = s r2 i[0] to %1
  %1 = rrc r1 i[0] -> i[0] from %0
  %2 = s r1 i[0] to %3
  %3 = rrc r0 i[0] -> i[0] from %2
  %4 = s r0 i[0] to %5
  %5 = r r1 -> i[0] from %4
  %6 = s r1 i[0] to %7
  %7 = r r2 -> i[0] from %6
}
)");
  REQUIRE(succeeded(fuse(std::move(program), {}, context)));
  CHECK(context.statistics() ==
        std::map<std::string, uint64_t>{{"fuse.rcs", 1}, {"fuse.rrcs", 1}, {"fuse.rrs", 1}});
}

namespace {
/// Checks fused instructions by the definition: the send reads exactly the versions that the
/// receive wrote; an rrs has no other reader and is not live-out.
void checkFusion(const InstrProgram &before, const InstrProgram &after) {
  // Instructions keep their positions, so that positions identify them.
  std::map<uint32_t, uint32_t> idAt;
  for (uint32_t id = 0; id < before.size(); ++id)
    idAt[before.instrs()[id].pos] = id;
  for (Placement placement : before.info().placements.list()) {
    CellSpace space(before.info().collective, placement, before.scratchChunks());
    // By cell: its writers and readers in order.
    struct Event {
      uint32_t id;
      bool write;
    };
    std::map<uint64_t, std::vector<Event>> events;
    for (uint32_t id = 0; id < before.size(); ++id) {
      const Instr &instr = before.instrs()[id];
      auto access = [&](Operand operand, bool write) {
        for (uint32_t c = 0; c < instr.count; ++c)
          events[space.cell(instr.rank, operand) + c].push_back({id, write});
      };
      if (!instr.src.isNone())
        access(instr.src, false);
      if (instr.op == OpKind::Reduce)
        access(instr.dst, false);
      if (!instr.dst.isNone())
        access(instr.dst, true);
    }
    for (const Instr &made : after.instrs()) {
      if (made.sendPos == made.pos)
        continue;
      uint32_t recv = idAt.at(made.pos), send = idAt.at(made.sendPos);
      REQUIRE(before.instrs()[recv].count == before.instrs()[send].count);
      for (uint32_t c = 0; c < made.count; ++c) {
        uint64_t cell = space.cell(made.rank, before.instrs()[recv].dst) + c;
        REQUIRE(space.cell(made.rank, before.instrs()[send].src) + c == cell);
        bool live = false, otherReader = false, sent = false, final = true;
        for (const Event &event : events[cell]) {
          if (event.id == recv && event.write) {
            live = true;
          } else if (event.write) {
            final &= !live;
            live = false;
          } else if (live && event.id == send) {
            sent = true;
          } else if (live) {
            otherReader = true;
          }
        }
        REQUIRE(sent);
        if (made.op != OpKind::RecvReduceSend)
          continue;
        REQUIRE_FALSE(otherReader);
        if (!final)
          continue;
        const Collective &collective = before.info().collective;
        for (uint32_t o = 0; o < collective.outputChunks(); ++o)
          if (space.cell(made.rank, Operand(Buffer::Output, o)) == cell)
            REQUIRE(collective.expected(made.rank, o).kind == Expectation::Kind::Anything);
      }
    }
  }
}
} // namespace

TEST_CASE("fused instructions of random programs obey the rules", "[property]") {
  uint32_t made[numOpKinds] = {};
  for (uint64_t seed = 0; seed < scaled(2500); ++seed) {
    INFO("seed " << seed);
    DiagnosticEngine diags;
    PassContext context(diags);
    RandomProgramOptions options;
    options.directives = seed % 4 == 0;
    FailureOr<InstrProgram> before = lowerToInstr(randomProgram(seed + 80000, options), context);
    REQUIRE(succeeded(before));
    FailureOr<InstrProgram> after = fuse(InstrProgram(*before), {}, context);
    REQUIRE(succeeded(after));
    checkFusion(*before, *after);
    for (const Instr &instr : after->instrs())
      ++made[unsigned(instr.op)];
  }
  CHECK(made[unsigned(OpKind::RecvCopySend)] > 100);
  CHECK(made[unsigned(OpKind::RecvReduceCopySend)] > 100);
  CHECK(made[unsigned(OpKind::RecvReduceSend)] > 100);
}

TEST_CASE("passes in any order preserve the result", "[property]") {
  for (uint64_t seed = 0; seed < scaled(600); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    DiagnosticEngine diags;
    PassContext context(diags);
    ChunkProgram program = randomProgram(seed + 90000);
    FailureOr<InstrProgram> instrs = lowerToInstr(ChunkProgram(program), context);
    std::string passes;
    for (uint32_t n = random.between(1, 6); n > 0 && succeeded(instrs); --n)
      switch (random.below(3)) {
      case 0:
        passes += " fuse";
        instrs = fuse(std::move(*instrs), {random.chance(60), random.chance(60), random.chance(60)},
                      context);
        break;
      case 1:
        passes += " remove-dead-copies";
        instrs = removeDeadCopies(std::move(*instrs), context);
        break;
      case 2:
        passes += " fuse-receive-reduce";
        instrs = fuseReceiveReduce(std::move(*instrs), context);
        break;
      }
    ScheduleOptions how;
    how.slots = Slots(1 + seed % 2);
    FailureOr<ExecPlan> plan = failure();
    if (succeeded(instrs))
      plan = scheduleProgram(std::move(*instrs), how, context);
    if (failed(plan))
      FAIL(passes << ": " << messages(diags) << printed(program));
    for (Placement placement : program.info().placements.list()) {
      std::optional<Outputs> outputs = executePlan(*plan, placement, how.slots, seed);
      if (!outputs || *outputs != executeDirectly(program, placement))
        FAIL(passes << ": " << printed(program) << printed(*plan));
    }
  }
}
