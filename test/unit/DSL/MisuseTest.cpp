//===- MisuseTest.cpp - Errors in programs are located at the user's line -===//
//
// Every body records the line of the incorrect call, and of the call that a note
// must refer to, immediately before the calls.
//
//===----------------------------------------------------------------------===//

#include "../../support/Text.h"

#include "cclc/DSL/DSL.h"
#include "cclc/DSL/Trace.h"

#include <source_location>
#include <stdexcept>

using namespace cclc;
using namespace cclc::dsl;
using cclc::test::messages;

namespace {
int bad, note; ///< lines
const std::string file = std::source_location::current().file_name();

std::string at(int line) { return file + ":" + std::to_string(line) + ": "; }

struct Setting {
  CollectiveKind kind = AllReduce;
  Placements placements = Placements::inPlace();
  uint32_t ranks = 2;
};

/// The messages of a program that must be rejected.
std::string failure(void (*body)(Program &), Setting setting = {}, bool refused = false) {
  bad = note = 0;
  Declaration declaration("wrong");
  declaration.collective(setting.kind).body(body);
  TraceOptions options;
  options.ranks = setting.ranks;
  options.placements = setting.placements;
  DiagnosticEngine diags;
  TraceResult result = trace(declaration, options, diags);
  CHECK_FALSE(result.program.has_value());
  CHECK(diags.failure() == (refused ? Failure::Unusable : Failure::Wrong));
  return messages(diags);
}

// Functions instead of macros: inside a macro argument every call has the line of the macro.

void mustEndIn(void (*body)(Program &), const std::string &all, Setting setting = {}) {
  std::string got = failure(body, setting);
  CHECK(got == all);
}
/// Checks that \p text is the error at line `bad`.
void mustFail(void (*body)(Program &), const std::string &text, Setting setting = {},
              bool refused = false) {
  std::string got = failure(body, setting, refused);
  CHECK(got == at(bad) + "error: " + text + "\n");
}
/// The same with a note, at line `note` or else at that of the error.
void mustFailWithNote(void (*body)(Program &), const std::string &text, const std::string &noteText,
                      Setting setting = {}) {
  std::string got = failure(body, setting);
  CHECK(got ==
        at(bad) + "error: " + text + "\n" + at(note ? note : bad) + "note: " + noteText + "\n");
}
void mustBeStale(void (*body)(Program &), const std::string &range, Setting setting = {}) {
  std::string got = failure(body, setting);
  CHECK(got == at(bad) + "error: stale reference: " + range +
                   " was overwritten since the reference was taken\n" + at(note) +
                   "note: it was overwritten here\n");
}
} // namespace

TEST_CASE("ranges out of bounds", "[trace-1]") {
  const std::string noChunks = "p.chunks(F) sets the number of chunks F, which is 1 without it";
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(2, Input, 0);
      },
      "rank 2 is out of range: the program has 2 ranks");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(-1, Input, 0);
      },
      "rank -1 is out of range: the program has 2 ranks");
  mustFail(
      [](Program &p) {
        p.chunks(4);
        bad = __LINE__ + 1;
        p.chunk(1, Input, 4);
      },
      "r1:i[4] is out of range: the buffer has 4 chunks");
  mustFail(
      [](Program &p) {
        p.chunks(4);
        bad = __LINE__ + 1;
        p.chunk(1, Input, 2, 3);
      },
      "r1:i[2:5] is out of range: the buffer has 4 chunks");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(1, Input, -1);
      },
      "r1:i[-1] is out of range: the buffer has 1 chunk");
  mustFailWithNote(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(0, Input, 2147483647, 2147483647);
      },
      "r0:i[2147483647:4294967294] is out of range: the buffer has 1 chunk", noChunks);
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0, 0);
      },
      "a count of 0 chunks: it must be at least 1");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0, -5);
      },
      "a count of -5 chunks: it must be at least 1");
  mustFailWithNote(
      [](Program &p) {
        ChunkRef a = p.chunk(0, Input, 0);
        bad = __LINE__ + 1;
        a.copy(1, Output, 1);
      },
      "r1:o[1] is out of range: the buffer has 1 chunk", noChunks);
  mustFail(
      [](Program &p) {
        ChunkRef a = p.chunk(0, Input, 0);
        bad = __LINE__ + 1;
        a.copy(2);
      },
      "rank 2 is out of range: the program has 2 ranks");
  mustFail(
      [](Program &p) {
        ChunkRef a = p.chunk(0, Input, 0);
        bad = __LINE__ + 1;
        a.copy(1, p.scratch("t"), -1);
      },
      "r1:t[-1] is out of range: the buffer has 0 chunks");
  mustFail(
      [](Program &p) {
        ChunkRef a = p.chunk(0, Input, 0);
        bad = __LINE__ + 1;
        a.copy(1, p.scratch("t"), 2000000000);
      },
      "with r1:t[2000000000] the program has 2000000005 cells, more than the limit of 268435456; "
      "use "
      "fewer chunks or ranks");
}

TEST_CASE("reads of unwritten chunks", "[trace-2]") {
  Setting apart{AllReduce, Placements::outOfPlace()};
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(0, Output, 0);
      },
      "uninitialised read: r0:o[0] has not been written", apart);
  // In place, some collectives have the output as input entirely, others in part.
  mustFail(
      [](Program &p) {
        p.chunk(1, Output, 1);
        bad = __LINE__ + 1;
        p.chunk(1, Output, 0, 2);
      },
      "uninitialised read: r1:o[0:2] has not been written", {AllGather});
  mustFail(
      [](Program &p) {
        p.root(1);
        p.chunk(1, Input, 0);
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0);
      },
      "uninitialised read: r0:i[0] has not been written", {Broadcast});
  mustFail(
      [](Program &p) {
        dsl::Buffer t = p.scratch("t");
        p.chunk(0, Input, 0).copy(0, t, 1);
        p.chunk(0, t, 1);
        bad = __LINE__ + 1;
        p.chunk(0, t, 0, 2);
      },
      "uninitialised read: r0:t[0:2] has not been written");
  mustFail(
      [](Program &p) {
        dsl::Buffer t = p.scratch("t");
        p.chunk(0, Input, 0).copy(0, t, 0);
        bad = __LINE__ + 1;
        p.chunk(1, t, 0); // only r0's buffer was extended
      },
      "uninitialised read: r1:t[0] has not been written");
  // With both placements supported, a chunk written in one of them only counts as unwritten.
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(0, Output, 0);
      },
      "uninitialised read: r0:o[0] has not been written", {AllReduce, Placements::both()});
}

TEST_CASE("stale references", "[trace-3]") {
  // Overwritten by a copy.
  mustBeStale(
      [](Program &p) {
        ChunkRef old = p.chunk(1, Input, 0);
        note = __LINE__ + 1;
        p.chunk(0, Input, 0).copy(1);
        bad = __LINE__ + 1;
        old.copy(0);
      },
      "r1:i[0]");
  // Overwritten by a reduce, then used as an operand.
  mustBeStale(
      [](Program &p) {
        ChunkRef old = p.chunk(1, Input, 0);
        note = __LINE__ + 1;
        p.chunk(1, Input, 0).reduce(p.chunk(0, Input, 0));
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0).reduce(old);
      },
      "r1:i[0]");
  // The destination of a reduce becomes stale.
  mustBeStale(
      [](Program &p) {
        ChunkRef old = p.chunk(1, Input, 0), other = p.chunk(0, Input, 0);
        note = __LINE__ + 1;
        other.copy(1);
        bad = __LINE__ + 1;
        old.reduce(other);
      },
      "r1:i[0]");
  // One of several chunks.
  mustBeStale(
      [](Program &p) {
        p.chunks(4);
        ChunkRef old = p.chunk(1, Input, 0, 3);
        p.chunk(0, Input, 3).copy(1);
        note = __LINE__ + 1;
        p.chunk(0, Input, 2).copy(1);
        bad = __LINE__ + 1;
        old.copy(0);
      },
      "r1:i[0:3]");
  // The write covers more chunks than the reference.
  mustBeStale(
      [](Program &p) {
        p.chunks(4);
        ChunkRef old = p.chunk(1, Input, 2);
        note = __LINE__ + 1;
        p.chunk(0, Input, 0, 4).copy(1);
        bad = __LINE__ + 1;
        old.copy(0);
      },
      "r1:i[2]");
  // The same cell under its other name in place: the rank's own part of the output.
  mustBeStale(
      [](Program &p) {
        ChunkRef old = p.chunk(1, Input, 0);
        note = __LINE__ + 1;
        p.chunk(0, Input, 0).copy(1, Output, 1);
        bad = __LINE__ + 1;
        old.copy(0, Output, 1);
      },
      "r1:i[0]", {AllGather});
  // The result of a reduce may be used in place of the reference to its destination.
  mustBeStale(
      [](Program &p) {
        ChunkRef sum = p.chunk(1, Input, 0);
        ChunkRef also = sum.reduce(p.chunk(0, Input, 0));
        note = __LINE__ + 1;
        sum.reduce(p.chunk(0, Input, 0));
        bad = __LINE__ + 1;
        also.copy(0);
      },
      "r1:i[0]");
  // Parts of a reference have its version; references are grouped only if they are valid.
  mustBeStale(
      [](Program &p) {
        p.chunks(4);
        std::vector<ChunkRef> halves = p.chunk(1, Input, 0, 4).split(2);
        note = __LINE__ + 1;
        p.chunk(0, Input, 1).copy(1);
        halves[1].copy(0);
        bad = __LINE__ + 1;
        halves[0].copy(0);
      },
      "r1:i[0:2]");
  mustBeStale(
      [](Program &p) {
        p.chunks(4);
        ChunkRef first = p.chunk(1, Input, 0);
        note = __LINE__ + 1;
        p.chunk(0, Input, 0).copy(1);
        ChunkRef second = p.chunk(1, Input, 1);
        bad = __LINE__ + 1;
        first.group(second);
      },
      "r1:i[0]");
  mustBeStale(
      [](Program &p) {
        p.chunks(2);
        ChunkRef second = p.chunk(1, Input, 1);
        note = __LINE__ + 1;
        p.chunk(0, Input, 1).copy(1);
        bad = __LINE__ + 1;
        p.chunk(1, Input, 0).group(second);
      },
      "r1:i[1]");
  // A group has the version of its creation: the chunks between its two parts may have been written
  // since.
  mustBeStale(
      [](Program &p) {
        p.chunks(3);
        ChunkRef all = p.chunk(1, Input, 0).group(p.chunk(1, Input, 2));
        note = __LINE__ + 1;
        p.chunk(0, Input, 1).copy(1);
        bad = __LINE__ + 1;
        all.copy(0);
      },
      "r1:i[0:3]");
}

TEST_CASE("an alias in place is a separate cell out of place") {
  Declaration declaration("right");
  declaration.collective(AllGather).body([](Program &p) {
    ChunkRef mine = p.chunk(1, Input, 0);
    p.chunk(0, Input, 0).copy(1, Output, 1);
    mine.copy(0, Output, 1);
  });
  TraceOptions options;
  options.ranks = 2;
  options.placements = Placements::outOfPlace();
  DiagnosticEngine diags;
  CHECK(trace(declaration, options, diags).program.has_value());
  CHECK(messages(diags) == "");
}

TEST_CASE("operands of different sizes, kinds or programs", "[trace-4][trace-5][trace-6]") {
  mustFail(
      [](Program &p) {
        p.chunks(4);
        ChunkRef two = p.chunk(0, Input, 0, 2), one = p.chunk(1, Input, 3);
        bad = __LINE__ + 1;
        two.reduce(one);
      },
      "unequal counts: r0:i[0:2] += r1:i[3], of 2 chunks and 1 chunk");
  mustFail(
      [](Program &p) {
        p.chunks(4);
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0, 3).copy(0, Input, 1);
      },
      "copy of overlapping ranges on r0");
  mustFail(
      [](Program &p) {
        ChunkRef a = p.chunk(0, Input, 0);
        bad = __LINE__ + 1;
        a.reduce(p.chunk(0, Input, 0));
      },
      "reduce of overlapping ranges on r0");
  // The output of r1 overlaps its input in place.
  mustFail(
      [](Program &p) {
        p.chunks(2);
        bad = __LINE__ + 1;
        p.chunk(1, Input, 0, 2).copy(1, Output, 1);
      },
      "copy of overlapping ranges on r1", {AllGather});
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0).copy(1);
      },
      "writes the input of r1, which is read-only out of place",
      {AllReduce, Placements::outOfPlace()});
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(1, Input, 0).reduce(p.chunk(0, Input, 0));
      },
      "writes the input of r1, which is read-only out of place", {AllReduce, Placements::both()});
}

TEST_CASE("split and group") {
  mustFail(
      [](Program &p) {
        p.chunks(4);
        ChunkRef all = p.chunk(0, Input, 0, 4);
        bad = __LINE__ + 1;
        all.split(3);
      },
      "4 chunks do not split into 3 equal parts");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0).split(0);
      },
      "1 chunks do not split into 0 equal parts");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0).split(-1);
      },
      "1 chunks do not split into -1 equal parts");
  const std::string apart = "only ranges of one buffer of one rank can be grouped";
  mustFail(
      [](Program &p) {
        p.chunks(4);
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0).group(p.chunk(1, Input, 1));
      },
      apart);
  mustFail(
      [](Program &p) {
        p.chunks(4);
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0).group(p.chunk(0, Output, 1));
      },
      apart);
  mustFail(
      [](Program &p) {
        dsl::Buffer pieces = p.scratch("pieces");
        ChunkRef first = p.chunk(0, Input, 0).copy(1, pieces, 0);
        ChunkRef third = p.chunk(0, Input, 0).copy(1, pieces, 2);
        bad = __LINE__ + 1;
        third.group(first);
      },
      "uninitialised read: r1:pieces[0:3] has not been written");
}

TEST_CASE("only scratch can be extended") {
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0).copy(1, Output);
      },
      "a copy to the output needs an index: only scratch has an end to append to");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0).copy(1, Input, {.channel = 1});
      },
      "a copy to the input needs an index: only scratch has an end to append to");
  mustFail(
      [](Program &p) {
        dsl::Buffer pieces = p.scratch("pieces");
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0).copy(2, pieces);
      },
      "rank 2 is out of range: the program has 2 ranks");
}

TEST_CASE("groups of multicasts and reductions", "[trace-7]") {
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.multicast({0, 1, 1}, p.chunk(0, Input, 0), Output, 0);
      },
      "rank 1 is in the group twice");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.multicast({0, 2}, p.chunk(0, Input, 0), Output, 0);
      },
      "rank 2 is out of range: the program has 2 ranks");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.multicast({1}, p.chunk(0, Input, 0), Output, 0);
      },
      "rank 0, whose chunks these are, is not in the group");
  mustFail(
      [](Program &p) {
        ChunkRef own = p.chunk(0, Input, 0);
        bad = __LINE__ + 1;
        p.reduceFrom({1}, own, Input, 0);
      },
      "rank 0, whose chunks these are, is not in the group");
  // What they write makes references stale, as copies and reductions do.
  mustBeStale(
      [](Program &p) {
        ChunkRef other = p.chunk(1, Input, 0);
        note = __LINE__ + 1;
        p.multicast({0, 1}, p.chunk(0, Input, 0), Input, 0);
        bad = __LINE__ + 1;
        other.copy(0);
      },
      "r1:i[0]");
}

TEST_CASE("invalid scopes and priorities") {
  mustFail(
      [](Program &p) {
        p.aggregate([&] {
          bad = __LINE__ + 1;
          p.aggregate([] {});
        });
      },
      "aggregate() inside aggregate(): an operation belongs to one scope");
  const std::string parts =
      " parts: an operation has at least 1 and, over all nested scopes, at most 1024";
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.parallelize(0, [] {});
      },
      "0" + parts);
  mustFail(
      [](Program &p) {
        p.parallelize(512, [&] {
          bad = __LINE__ + 1;
          p.parallelize(3, [] {});
        });
      },
      "3" + parts);
  mustFail(
      [](Program &p) {
        p.parallelize(2, [&] {
          bad = __LINE__ + 1;
          p.chunk(0, Input, 0).copy(1, {.recvTb = 0});
        });
      },
      "an operation in 2 parts cannot be put into a threadblock: each part needs its own");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0).copy(1, {.priority = -1});
      },
      "a priority of -1: it must be between 0 and 65535");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0).copy(1, {.priority = 65536});
      },
      "a priority of 65536: it must be between 0 and 65535");
}

TEST_CASE("a ring has one chunk per rank") {
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        reduceScatterRing(p, {0, 1}, Input, {0});
      },
      "a ring of 2 ranks needs 2 chunks, not 1");
}

TEST_CASE("declarations that must precede the first chunk") {
  mustFailWithNote(
      [](Program &p) {
        note = __LINE__ + 1;
        p.chunk(0, Input, 0);
        bad = __LINE__ + 1;
        p.chunks(2);
      },
      "chunks() must come before the first chunk()", "chunk() is called here");
  mustFailWithNote(
      [](Program &p) {
        note = __LINE__ + 1;
        p.chunk(0, Input, 0);
        bad = __LINE__ + 1;
        p.root(0);
      },
      "root() must come before the first chunk()", "chunk() is called here");
  mustFailWithNote(
      [](Program &p) {
        p.custom(1, 1);
        note = __LINE__ + 1;
        p.chunk(0, Input, 0);
        bad = __LINE__ + 1;
        p.custom(1, 1);
      },
      "custom() must come before the first chunk()", "chunk() is called here", {Custom});
  mustFailWithNote(
      [](Program &p) {
        p.custom(1, 1);
        note = __LINE__ + 1;
        p.chunk(0, Input, 0);
        bad = __LINE__ + 1;
        p.expect(0, 0, {{0, 0}});
      },
      "expect() must come before the first chunk()", "chunk() is called here", {Custom});
}

TEST_CASE("invalid collectives") {
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunks(0);
      },
      "0 chunks: the number must be between 1 and 134217728");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunks(134217729);
      },
      "134217729 chunks: the number must be between 1 and 134217728");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.root(2);
      },
      "rank 2 is out of range: the program has 2 ranks");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.custom(1, 1);
      },
      "the program is declared as allreduce, not as custom");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.custom(-1, 1);
      },
      "a custom collective cannot have -1 input and 1 output chunks", {Custom});
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.expect(0, 0, {{0, 0}});
      },
      "expect() needs custom() before it", {Custom});
  mustFail(
      [](Program &p) {
        p.custom(1, 2);
        p.expect(0, 1, {{0, 0}});
        bad = __LINE__ + 1;
        p.expect(0, 2, {{0, 0}});
      },
      "there is no output chunk r0:o[2]", {Custom});
  mustFail(
      [](Program &p) {
        p.custom(1, 1);
        bad = __LINE__ + 1;
        p.expect(0, 0, {{0, 0}, {2, 0}});
      },
      "there is no input chunk r2:i[0]", {Custom});
  mustFail(
      [](Program &p) {
        p.custom(1, 1);
        p.expect(1, 0, {{0, 0}});
        bad = __LINE__ + 1;
        p.expect(1, 0, {{1, 0}});
      },
      "r1:o[0] is expected twice", {Custom});
  mustFail(
      [](Program &p) {
        p.custom(1, 1);
        bad = __LINE__ + 1;
        p.expect(1, 0, {});
      },
      "r1:o[0] needs at least one contribution", {Custom});
}

TEST_CASE("a program whose buffers are too large is not traced") {
  mustEndIn([](Program &p) { p.chunk(0, Input, 0); },
            "tool: error: the program has 8589934592 cells, more than the limit of 268435456: each "
            "rank has 65536 input and 65536 output chunks; use fewer chunks or ranks\n",
            {AllToAll, Placements::inPlace(), 65536});
  mustEndIn([](Program &) {},
            "tool: error: the program has 8589934592 cells, more than the limit of 268435456: each "
            "rank has 65536 input and 65536 output chunks; use fewer chunks or ranks\n",
            {AllToAll, Placements::both(), 65536});
}

TEST_CASE("the limit of cells is that of all ranks together") {
  // A rank may have more than an equal part of the limit, which is 65536 cells.
  Declaration declaration("large");
  declaration.collective(AllReduce).body(
      [](Program &p) { p.chunk(0, Input, 0).copy(1, p.scratch("t"), 80000).copy(0, Output, 0); });
  TraceOptions options;
  options.ranks = 4096;
  DiagnosticEngine diags;
  TraceResult result = trace(declaration, options, diags);
  CHECK(messages(diags).empty());
  REQUIRE(result.program.has_value());
  CHECK(result.program->scratchChunks()[1] == 80001);
}

TEST_CASE("directives with invalid channels or threadblocks") {
  mustFail(
      [](Program &p) {
        ChunkRef a = p.chunk(0, Input, 0);
        bad = __LINE__ + 1;
        a.copy(1, Via{.channel = -1});
      },
      "channel -1 is out of range: it must be between 0 and 65535");
  mustFail(
      [](Program &p) {
        ChunkRef a = p.chunk(0, Input, 0), b = p.chunk(1, Input, 0);
        bad = __LINE__ + 1;
        b.reduce(a, Via{.channel = 0, .recvTb = 65536});
      },
      "recvTb 65536 is out of range: it must be between 0 and 65535");
}

TEST_CASE("a program rejects unsupported arguments") {
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.refuse("needs a power of two");
      },
      "needs a power of two", {}, /*refused=*/true);
}

TEST_CASE("undeclared parameters") {
  static constexpr IntParam depth{.name = "depth", .help = "", .value = 1, .min = 1, .max = 2};
  static constexpr BoolParam fast{.name = "fast", .help = "", .value = true};
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.get(depth);
      },
      "parameter 'depth' is not declared: add it to CCLC_PROGRAM with .param(...)");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.get(fast);
      },
      "parameter 'fast' is not declared: add it to CCLC_PROGRAM with .param(...)");
}

TEST_CASE("exceptions thrown by the program") {
  mustEndIn([](Program &) { throw std::runtime_error("out of luck"); },
            "tool: error: program 'wrong' ended with an exception before its first call of the "
            "DSL: out of luck\n");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0);
        throw 42;
      },
      "program 'wrong' ended with an exception after this call of the DSL");
}

TEST_CASE("more operations than the limit") {
  for (uint64_t limit : {6, 5}) {
    Declaration declaration("wrong");
    declaration.collective(AllReduce).body([](Program &p) {
      for (int i = 0; i < 6; ++i) {
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0).copy(1);
      }
    });
    TraceOptions options;
    options.ranks = 2;
    options.limit = limit;
    unsigned calls = 0;
    options.around = [&](llvm::function_ref<void()> body, const TraceCursor &reached) {
      CHECK(reached.get().line == 0);
      ++calls;
      try {
        body();
      } catch (...) {
        CHECK(int(reached.get().line) == bad);
        throw;
      }
    };
    DiagnosticEngine diags;
    CHECK(trace(declaration, options, diags).program.has_value() == (limit == 6));
    CHECK(calls == 1);
    CHECK(messages(diags) ==
          (limit == 6
               ? ""
               : at(bad) +
                     "error: program 'wrong' was stopped: it performed more than 5 operations; "
                     "check for an infinite loop, or raise the limit with --trace-limit OPS\n"));
  }
}

TEST_CASE("an error is reported even if the program catches it") {
  mustFail(
      [](Program &p) {
        try {
          bad = __LINE__ + 1;
          p.chunk(9, Input, 0);
        } catch (...) {
        }
        p.chunk(0, Input, 0).copy(1);
      },
      "rank 9 is out of range: the program has 2 ranks");
  mustBeStale(
      [](Program &p) {
        ChunkRef old = p.chunk(1, Input, 0);
        note = __LINE__ + 1;
        p.chunk(0, Input, 0).copy(1);
        try {
          bad = __LINE__ + 1;
          old.copy(0);
        } catch (const std::exception &) {
        }
      },
      "r1:i[0]");
}

TEST_CASE("neighbours, communicators and calls") {
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.neighbour(0, Direction::E, 2);
      },
      "rank 2 is out of range: the program has 2 ranks");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.communicator("all", {{0, 1, 2}});
      },
      "rank 2 is out of range: the program has 2 ranks");
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.call("sum", 0);
      },
      "sum with generation 0: generations count from 1");
  mustFail(
      [](Program &p) {
        auto all = p.communicator("all", {{0, 1}});
        bad = __LINE__ + 1;
        p.enter(all, 1, "up");
      },
      "enter() needs call() before it");
  mustFail(
      [](Program &p) {
        auto all = p.communicator("all", {{0, 1}});
        p.call("sum", 1);
        bad = __LINE__ + 1;
        p.enter(all, 4, "up");
      },
      "a call has the stages 1 to 3, not 4");
  mustFail(
      [](Program &p) {
        p.call("sum", 1);
        bad = __LINE__ + 1;
        p.enter(dsl::Communicator(7), 1, "up");
      },
      "enter() needs a communicator of this program");
  mustFail(
      [](Program &p) {
        auto pairs = p.communicator("pairs", {{0, 1}, {2}});
        p.call("sum", 1);
        p.enter(pairs, 1, "up");
        p.chunk(0, Input, 0).copy(1);
        bad = __LINE__ + 1;
        p.chunk(0, Input, 0).copy(2);
        p.chunk(0, Input, 0).copy(1);
      },
      "phase 'up' of sum with user generation 1 sends from r0 to r2, which are not in one group of "
      "communicator 'pairs'",
      {.ranks = 3});
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.generationStride(4);
      },
      "the generations of a call can have stride 2 or 3, not 4");
  mustEndIn(
      [](Program &p) {
        p.neighbour(0, Direction::E, 1);
        p.neighbour(0, Direction::E, 2);
        p.chunk(0, Input, 0);
      },
      "tool: error: r2, the E neighbour of r0: so is r1 already, and a rank has only one\n",
      {.ranks = 3});
  mustFail(
      [](Program &p) {
        bad = __LINE__ + 1;
        p.neighbour(1, Direction::Child, 1);
      },
      "r1 cannot be its own neighbour");
}

TEST_CASE("a gate makes a phase of the same name a new one") {
  Declaration declaration("phases");
  declaration.collective(AllReduce).body([](Program &p) {
    auto all = p.communicator("all", {{0, 1}});
    p.phase("prepare");
    p.call("sum", 1);
    p.enter(all, 1, "up");
    p.phase("prepare");
    p.phase("prepare");
    p.enter(all, 3, "up");
  });
  TraceOptions options;
  options.ranks = 2;
  DiagnosticEngine diags;
  TraceResult result = trace(declaration, options, diags);
  REQUIRE(result.program);
  std::vector<std::string> names;
  for (const Phase &phase : result.program->info().phases)
    names.push_back(phase.name);
  CHECK(names == std::vector<std::string>{"", "prepare", "up", "prepare", "up"});
  CHECK(segmentsOf(result.program->info().phases) == std::vector<uint32_t>{0, 0, 1, 2, 3});
}
