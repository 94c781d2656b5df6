//===- TraceTest.cpp - The recorded operations of programs ----------------===//

#include "../../support/Lines.h"
#include "../../support/Text.h"

#include "cclc/DSL/DSL.h"
#include "cclc/DSL/Trace.h"
#include "cclc/Proof/ChunkChecker.h"

#include <source_location>
#include <stdexcept>

using namespace cclc;
using namespace cclc::test;
using namespace cclc::dsl;
using cclc::test::messages;
using cclc::test::printed;

namespace {
struct Setting {
  CollectiveKind kind = AllReduce;
  Placements placements = Placements::inPlace();
  uint32_t ranks = 2;
};

ChunkProgram traced(void (*body)(Program &), Setting setting = {}) {
  Declaration declaration("p");
  declaration.collective(setting.kind).body(body);
  TraceOptions options;
  options.ranks = setting.ranks;
  options.placements = setting.placements;
  DiagnosticEngine diags;
  TraceResult result = trace(declaration, options, diags);
  if (!result.program)
    FAIL(messages(diags));
  CHECK(messages(diags) == "");
  return std::move(*result.program);
}

/// The lines of the body, without the header and the closing brace.
std::string body(const ChunkProgram &program) {
  std::string text = printed(program);
  size_t start = text.find("{\n") + 2;
  return text.substr(start, text.rfind('}') - start);
}
} // namespace

TEST_CASE("operations are recorded in the order of the calls") {
  CHECK(body(traced([](Program &p) {
          p.chunks(2);
          ChunkRef a = p.chunk(0, Input, 1);
          ChunkRef b = p.chunk(1, Input, 0, 2);
          ChunkRef c = b.split(2)[0].copy(0, Input, 0);
          c.reduce(a);
          a.copy(1);
          p.chunk(1, Input, 0, 2).copy(0);
        })) == R"(
            %0 = copy r0:i[0] <- r1:i[0]
            %1 = reduce r0:i[0] += r0:i[1]
            %2 = copy r1:i[1] <- r0:i[1]
            %3 = copy r0:i[0:2] <- r1:i[0:2]
          )"_lines);
}

TEST_CASE("operations record the line of their call") {
  static int first, second;
  ChunkProgram program = traced([](Program &p) {
    ChunkRef a = p.chunk(0, Input, 0);
    first = __LINE__ + 1;
    ChunkRef b = a.copy(1);
    second = __LINE__ + 1;
    b.reduce(a);
  });
  REQUIRE(program.ops().size() == 2);
  Location copy = program.info().locate(program.ops()[0].loc);
  CHECK(copy.file == std::source_location::current().file_name());
  CHECK(copy.line == unsigned(first));
  CHECK(copy.column == 0);
  CHECK(program.info().locate(program.ops()[1].loc).line == unsigned(second));
}

namespace {
/// A building block that passes on the place of its caller, as users' programs do.
void exchange(Program &p, std::source_location where = std::source_location::current()) {
  p.chunk(0, Input, 0, 1, where).copy(1, Output, 0, {}, where);
}
} // namespace

TEST_CASE("the place of an operation is that of a front end or of a building block's caller") {
  static int called;
  ChunkProgram program = traced([](Program &p) {
    const SourceLocation script("ring.py", 7);
    p.chunk(0, Input, 0, 1, script).copy(1, Input, 0, {}, script);
    called = __LINE__ + 1;
    exchange(p);
  });
  REQUIRE(program.ops().size() == 2);
  Location first = program.info().locate(program.ops()[0].loc);
  CHECK(first.file == "ring.py");
  CHECK(first.line == 7);
  CHECK(program.info().locate(program.ops()[1].loc).line == unsigned(called));
}

TEST_CASE("a session records calls from outside") {
  auto ring = [](Program &p) {
    p.chunks(p.ranks());
    for (int c = 0; c < p.ranks(); ++c) {
      ChunkRef sum = p.chunk(c, Input, c);
      for (int hop = 1; hop < p.ranks(); ++hop)
        sum = p.chunk((c + hop) % p.ranks(), Input, c).reduce(sum);
      p.beginParallel(2);
      sum.copy(c, Input, c);
      sum.copy((c + 1) % p.ranks(), Input, c);
      p.endParallel(2);
    }
  };
  Declaration declaration("ring");
  declaration.collective(AllReduce).body(ring);
  TraceOptions options;
  options.ranks = 3;
  DiagnosticEngine diags;
  TraceSession session(declaration, options, diags);
  ring(session.program());
  TraceResult outside = session.finish(), inside = trace(declaration, options, diags);
  CHECK(messages(diags) == "");
  REQUIRE((outside.program && inside.program));
  CHECK(printed(*outside.program) == printed(*inside.program));
}

TEST_CASE("a session ends after an error") {
  Declaration declaration("wrong");
  declaration.collective(AllReduce).body([](Program &) {});
  TraceOptions options;
  options.ranks = 2;
  DiagnosticEngine diags;
  TraceSession session(declaration, options, diags);
  const SourceLocation script("wrong.py", 3);
  CHECK_THROWS_WITH(session.program().chunk(7, Input, 0, 1, script),
                    "rank 7 is out of range: the program has 2 ranks");
  CHECK_FALSE(session.finish().program);
  CHECK(messages(diags) == "wrong.py:3: error: rank 7 is out of range: the program has 2 ranks\n");
}

TEST_CASE("references describe their chunks") {
  traced([](Program &p) {
    p.chunks(6);
    ChunkRef all = p.chunk(1, Input, 1, 4);
    CHECK(all.rank() == 1);
    CHECK(all.buffer() == Input);
    CHECK(all.index() == 1);
    CHECK(all.count() == 4);
    std::vector<ChunkRef> parts = all.split(2);
    REQUIRE(parts.size() == 2);
    CHECK(parts[1].index() == 3);
    CHECK(parts[1].count() == 2);
    ChunkRef joined = parts[0].group(parts[1]);
    CHECK(joined.index() == 1);
    CHECK(joined.count() == 4);
    ChunkRef copy = parts[1].copy(0, Input, 0);
    CHECK(copy.rank() == 0);
    CHECK(copy.index() == 0);
    CHECK(copy.count() == 2);
    ChunkRef there = copy.copy(1);
    CHECK(there.rank() == 1);
    CHECK(there.index() == 0);
  });
}

TEST_CASE("a group covers both parts and the chunks between them") {
  CHECK(body(traced([](Program &p) {
          p.chunks(6);
          ChunkRef first = p.chunk(0, Input, 0), last = p.chunk(0, Input, 3, 2);
          last.group(first).copy(1);
          ChunkRef whole = p.chunk(0, Input, 0, 6);
          whole.group(first).copy(1);
        })) == R"(
            %0 = copy r1:i[0:5] <- r0:i[0:5]
            %1 = copy r1:i[0:6] <- r0:i[0:6]
          )"_lines);
}

TEST_CASE("a group may consist of parts that were written separately") {
  CHECK(body(traced([](Program &p) {
          dsl::Buffer pieces = p.scratch("pieces");
          ChunkRef first = p.chunk(0, Input, 0).copy(1, pieces, 0);
          ChunkRef second = p.chunk(0, Input, 0).copy(1, pieces, 1);
          first.group(second).copy(0);
        })) == R"(
            scratch "pieces" 2
            %0 = copy r1:"pieces"[0] <- r0:i[0]
            %1 = copy r1:"pieces"[1] <- r0:i[0]
            %2 = copy r0:"pieces"[0:2] <- r1:"pieces"[0:2]
          )"_lines);
}

TEST_CASE("a copy without an index appends to that scratch buffer of that rank") {
  CHECK(body(traced([](Program &p) {
          p.chunks(2);
          dsl::Buffer pieces = p.scratch("pieces"), other = p.scratch("other");
          ChunkRef both = p.chunk(0, Input, 0, 2);
          both.copy(1, pieces);
          both.split(2)[1].copy(1, pieces, {.channel = 3});
          both.copy(0, pieces);
          both.copy(1, other);
          both.split(2)[0].copy(1, pieces, 5);
          CHECK(both.copy(1, pieces).index() == 6);
        })) == R"(
            scratch "pieces" 2 8
            scratch "other" 0 2
            %0 = copy r1:"pieces"[0:2] <- r0:i[0:2]
            %1 = copy r1:"pieces"[2] <- r0:i[1] ch 3
            %2 = copy r0:"pieces"[0:2] <- r0:i[0:2]
            %3 = copy r1:"other"[0:2] <- r0:i[0:2]
            %4 = copy r1:"pieces"[5] <- r0:i[0]
            %5 = copy r1:"pieces"[6:8] <- r0:i[0:2]
          )"_lines);
}

TEST_CASE("scopes and priorities become directives") {
  CHECK(body(traced([](Program &p) {
          p.chunks(6);
          auto pass = [&](int index, Via via = {}) { p.chunk(0, Input, index).copy(1, via); };
          p.aggregate([&] { pass(0); });
          p.aggregate([&] {
            pass(1);
            p.parallelize(3, [&] { pass(2, {.channel = 4, .priority = 5}); });
          });
          pass(3, {.priority = 1});
          p.parallelize(2, [&] {
            p.parallelize(3, [&] { pass(4); });
            pass(5);
          });
        })) == R"(
            %0 = copy r1:i[0] <- r0:i[0] agg 1
            %1 = copy r1:i[1] <- r0:i[1] agg 2
            %2 = copy r1:i[2] <- r0:i[2] ch 4 prio 5 agg 2 par 3
            %3 = copy r1:i[3] <- r0:i[3] prio 1
            %4 = copy r1:i[4] <- r0:i[4] par 6
            %5 = copy r1:i[5] <- r0:i[5] par 2
          )"_lines);
}

TEST_CASE("a scope ends with its body, even by an exception") {
  CHECK(body(traced([](Program &p) {
          auto give = [&](auto scope) {
            try {
              scope([] { throw std::runtime_error("none of it"); });
            } catch (const std::runtime_error &) {
            }
            p.chunk(0, Input, 0).copy(1);
          };
          give([&](auto fn) { p.aggregate(fn); });
          give([&](auto fn) { p.parallelize(2, fn); });
        })) == R"(
            %0 = copy r1:i[0] <- r0:i[0]
            %1 = copy r1:i[0] <- r0:i[0]
          )"_lines);
}

TEST_CASE("rings as building blocks") {
  CHECK(body(traced(
            [](Program &p) {
              p.chunks(9);
              allReduceRing(p, {2, 0, 1}, Input, {4, 8, 6}, {.channel = 5});
            },
            {AllReduce, Placements::inPlace(), 3})) == R"(
                %0 = reduce r1:i[4] += r0:i[4] ch 5
                %1 = reduce r2:i[4] += r1:i[4] ch 5
                %2 = reduce r2:i[8] += r1:i[8] ch 5
                %3 = reduce r0:i[8] += r2:i[8] ch 5
                %4 = reduce r0:i[6] += r2:i[6] ch 5
                %5 = reduce r1:i[6] += r0:i[6] ch 5
                %6 = copy r0:i[4] <- r2:i[4] ch 5
                %7 = copy r1:i[4] <- r0:i[4] ch 5
                %8 = copy r1:i[8] <- r0:i[8] ch 5
                %9 = copy r2:i[8] <- r1:i[8] ch 5
                %10 = copy r2:i[6] <- r1:i[6] ch 5
                %11 = copy r0:i[6] <- r2:i[6] ch 5
              )"_lines);
  CHECK(body(traced([](Program &p) { allReduceRing(p, {1}, Input, {0}); })) == "");
}

TEST_CASE("a copy onto itself is not recorded if it is one under every placement") {
  auto self = [](Program &p) { p.chunk(1, Input, 0).copy(1, Output, 1); };
  CHECK(body(traced(self, {AllGather, Placements::inPlace()})) == "");
  CHECK(body(traced(self, {AllGather, Placements::outOfPlace()})) ==
        "  %0 = copy r1:o[1] <- r1:i[0]\n");
  CHECK(body(traced(self, {AllGather, Placements::both()})) == "  %0 = copy r1:o[1] <- r1:i[0]\n");
  // The same buffer on another rank is another cell.
  auto other = [](Program &p) { p.chunk(1, Input, 0).copy(1, Output, 0); };
  CHECK(body(traced(other, {AllGather, Placements::inPlace()})) ==
        "  %0 = copy r1:o[0] <- r1:i[0]\n");
  auto scratch = [](Program &p) {
    dsl::Buffer t = p.scratch("t"), u = p.scratch("u");
    ChunkRef a = p.chunk(0, Input, 0).copy(0, t, 1);
    a.copy(0, t, 1);
    a.copy(0, u, 1);
    a.copy(0, t, 0);
  };
  CHECK(body(traced(scratch)) == R"(
      scratch "t" 2 0
      scratch "u" 2 0
      %0 = copy r0:"t"[1] <- r0:i[0]
      %1 = copy r0:"u"[1] <- r0:"t"[1]
      %2 = copy r0:"t"[0] <- r0:"t"[1]
    )"_lines);
}

TEST_CASE("an identity copy keeps other references valid") {
  CHECK(body(traced([](Program &p) {
          ChunkRef a = p.chunk(0, Input, 0);
          a.copy(0, Output, 0);
          a.copy(1);
        })) == "  %0 = copy r1:i[0] <- r0:i[0]\n");
}

TEST_CASE("scratch has the size of its written chunks, on each rank separately") {
  ChunkProgram program = traced([](Program &p) {
    dsl::Buffer t = p.scratch("t");
    p.chunks(3);
    p.chunk(0, Input, 0, 2).copy(1, t, 3);
    p.chunk(0, Input, 0).copy(1, t, 0);
    p.chunk(0, Input, 0).copy(0, p.scratch("u"), 0);
    CHECK(p.scratch("t") == t);
    p.chunk(1, t, 3, 2).copy(0, t, 0);
  });
  CHECK(body(program).substr(0, 42) == "  scratch \"t\" 2 5\n"
                                       "  scratch \"u\" 1 0\n"
                                       "  %0 =");
  // A buffer that follows the other one.
  CHECK(program.scratchChunks()[0] == 3);
  CHECK(program.scratchChunks()[1] == 5);
  CHECK(program.operand(RankId(0), ChunkBuffer::scratch(1), 0) ==
        Operand(cclc::Buffer::Scratch, 2));
  CHECK(program.operand(RankId(1), ChunkBuffer::scratch(1), 0) ==
        Operand(cclc::Buffer::Scratch, 5));
}

TEST_CASE("directives are recorded unchanged") {
  CHECK(body(traced([](Program &p) {
          ChunkRef a = p.chunk(0, Input, 0), b = p.chunk(1, Input, 0);
          b.reduce(a, Via{.channel = 3, .sendTb = 1, .recvTb = 2});
          b.copy(0, Via{.recvTb = 7});
          p.chunk(0, Input, 0).copy(1, Output, 0, Via{.channel = 3, .sendTb = 1, .recvTb = 2});
          p.chunk(0, Input, 0).copy(1);
        })) == R"(
            %0 = reduce r1:i[0] += r0:i[0] ch 3 sendtb 1 recvtb 2
            %1 = copy r0:i[0] <- r1:i[0] recvtb 7
            %2 = copy r1:o[0] <- r0:i[0] ch 3 sendtb 1 recvtb 2
            %3 = copy r1:i[0] <- r0:i[0]
          )"_lines);
}

TEST_CASE("phases label the operations that follow and keep their numbers") {
  CHECK(body(traced([](Program &p) {
          p.phase("before"); // the collective is not yet declared
          p.chunk(0, Input, 0).copy(1);
          p.phase("b");
          p.chunk(0, Input, 0).copy(1);
          p.phase("before");
          p.chunk(0, Input, 0).copy(1);
        })) == R"(
            phase 1 "before"
            phase 2 "b"
            %0 = copy r1:i[0] <- r0:i[0] phase 1
            %1 = copy r1:i[0] <- r0:i[0] phase 2
            %2 = copy r1:i[0] <- r0:i[0] phase 1
          )"_lines);
}

TEST_CASE("valid and invalid custom collectives") {
  auto swap = [](Program &p) {
    p.custom(1, 2);
    p.expect(1, 0, {{1, 0}, {0, 0}});
    p.expect(0, 1, {{1, 0}}); // in any order
    ChunkRef sum = p.chunk(0, Input, 0).copy(1, Output, 0);
    sum.reduce(p.chunk(1, Input, 0));
    p.chunk(1, Input, 0).copy(0, Output, 1);
  };
  ChunkProgram right = traced(swap, {Custom, Placements::outOfPlace()});
  CHECK(body(right) == R"(
      input 1
      output 2
      expect r0:o[1] = r1:i[0]
      expect r1:o[0] = r1:i[0] + r0:i[0]
      %0 = copy r1:o[0] <- r0:i[0]
      %1 = reduce r1:o[0] += r1:i[0]
      %2 = copy r0:o[1] <- r1:i[0]
    )"_lines);
  DiagnosticEngine diags;
  CHECK(succeeded(checkProgram(right, diags)));
  CHECK(messages(diags) == "");

  static int line;
  auto wrong = [](Program &p) {
    p.custom(1, 1);
    p.expect(1, 0, {{1, 0}, {0, 0}});
    line = __LINE__ + 1;
    p.chunk(0, Input, 0).copy(1, Output, 0);
  };
  CHECK(failed(checkProgram(traced(wrong, {Custom, Placements::outOfPlace()}), diags)));
  CHECK(messages(diags) == std::string(std::source_location::current().file_name()) + ":" +
                               std::to_string(line) +
                               ": error: wrong result: r1:o[0]: expected the reduction of r1:i[0] "
                               "and r0:i[0], but r1:i[0] is missing\n");
}

TEST_CASE("a program can read its parameters and settings") {
  static constexpr IntParam depth{.name = "depth", .help = "", .value = 1, .min = 1, .max = 9};
  static constexpr BoolParam fast{.name = "fast", .help = "", .value = true};
  static constexpr ChoiceParam where{
      .name = "where", .help = "", .value = "a", .choices = {"a", "b"}};
  Declaration declaration("p");
  declaration.collective(Broadcast).param(depth).param(fast).param(where).body([](Program &p) {
    CHECK(p.ranks() == 5);
    CHECK_FALSE(p.mayBeInPlace());
    CHECK(p.geometry().levels.size() == 1);
    CHECK(p.get(depth) == 7);
    CHECK_FALSE(p.get(fast));
    CHECK(p.get(where) == "b");
    p.chunks(3);
    p.root(4);
  });
  TraceOptions options;
  options.ranks = 5;
  options.placements = Placements::outOfPlace();
  options.geometry.levels.push_back({"pe", GridKind::Ring1D, 5, 1});
  options.parameters = ParamValues({{"depth", "7"}, {"fast", "no"}, {"where", "b"}});
  options.protocol = Protocol::LL;
  options.target.name = "box";
  options.placementOnTarget = {4, 3, 2, 1, 0};
  options.minBytes = 10;
  options.maxBytes = 20;
  DiagnosticEngine diags;
  TraceResult result = trace(declaration, options, diags);
  REQUIRE(result.program);
  CHECK(printed(*result.program) ==
        R"(
        ccl.version 3
        chunk.program @p coll broadcast ranks 5 chunks 3 root r4 outofplace proto LL min 10 max 20 {
          param "depth" = "7"
          param "fast" = "no"
          param "where" = "b"
          level "pe" ring_1d 5 x 1
          target "box"
          place 4 3 2 1 0
        }
        )"_lines);
}

TEST_CASE("valid values of parameters") {
  ParamSpec number(IntParam{.name = "n", .help = "", .value = 4, .min = -2, .max = 16});
  ParamSpec yes(BoolParam{.name = "y", .help = "", .value = true});
  ParamSpec choice(ChoiceParam{.name = "c", .help = "", .value = "b", .choices = {"a", "b", "cc"}});
  CHECK(number.value == "4");
  CHECK(yes.value == "yes");
  CHECK(choice.value == "b");
  CHECK(number.domain() == "integer -2..16");
  CHECK(yes.domain() == "yes or no");
  CHECK(choice.domain() == "a, b or cc");
  auto accepted = [](const ParamSpec &spec, std::string text) {
    return spec.accept(text) ? text : "no: " + text;
  };
  CHECK(accepted(number, "16") == "16");
  CHECK(accepted(number, "-2") == "-2");
  CHECK(accepted(number, "007") == "7");
  for (const char *text : {"17", "-3", "", "1x", "x", " 1", "99999999999"})
    CHECK(accepted(number, text) == "no: " + std::string(text));
  for (const char *text : {"yes", "true", "on", "1"})
    CHECK(accepted(yes, text) == "yes");
  for (const char *text : {"no", "false", "off", "0"})
    CHECK(accepted(yes, text) == "no");
  CHECK(accepted(yes, "Yes") == "no: Yes");
  CHECK(accepted(choice, "cc") == "cc");
  CHECK(accepted(choice, "c") == "no: c");
  CHECK(accepted(choice, "") == "no: ");
}
