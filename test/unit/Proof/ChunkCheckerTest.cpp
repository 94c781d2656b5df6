//===- ChunkCheckerTest.cpp - Diagnostics of incorrect chunk programs -----===//

#include "../../support/Lines.h"
#include "../../support/Text.h"

#include "cclc/Proof/ChunkChecker.h"
#include "cclc/Proof/InstrChecker.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

using namespace cclc;
using namespace cclc::test;

namespace {
std::string check(StringRef header, StringRef body) {
  auto program = parsed<ChunkProgram>(
      ("ccl.version 3\nchunk.program @p " + header + " {\n" + body + "\n}\n").str());
  DiagnosticEngine diags, parallel;
  bool ok = succeeded(checkProgram(program, diags));
  CHECK(ok != diags.hasErrors());
  CHECK(succeeded(checkProgram(program, parallel, /*jobs=*/2)) == ok);
  CHECK(messages(parallel) == messages(diags));
  return messages(diags);
}
std::string checkInstrs(StringRef header, StringRef body) {
  auto program = parsed<InstrProgram>(
      ("ccl.version 3\ninstr.program @p " + header + " {\n" + body + "\n}\n").str());
  DiagnosticEngine diags;
  bool ok = succeeded(checkProgram(program, diags));
  CHECK(ok != diags.hasErrors());
  return messages(diags);
}
const char allreduce3[] = "coll allreduce ranks 3 chunks 1 inplace";
} // namespace

TEST_CASE("a correct program has no diagnostics") {
  CHECK(check(allreduce3, "%0 = reduce r1:i[0] += r0:i[0]\n"
                          "%1 = reduce r2:i[0] += r1:i[0]\n"
                          "%2 = copy r0:i[0] <- r2:i[0]\n"
                          "%3 = copy r1:i[0] <- r2:i[0]") == "");
  // Reductions are compared as sets: any order and any tree is correct.
  CHECK(check(allreduce3, "%0 = reduce r2:i[0] += r1:i[0]\n"
                          "%1 = reduce r0:i[0] += r2:i[0]\n"
                          "%2 = copy r1:i[0] <- r0:i[0]\n"
                          "%3 = copy r2:o[0] <- r0:o[0]") == "");
}

TEST_CASE("a missing reduce") {
  CHECK(check(allreduce3, "%0 = reduce r2:i[0] += r1:i[0]\n"
                          "%1 = copy r0:i[0] <- r2:i[0]\n"
                          "%2 = copy r1:i[0] <- r2:i[0]") ==
        "t.ccl:4:1: error: wrong result: r0:o[0]: expected the reduction of chunk 0 over all 3 "
        "ranks, but r0:i[0] is missing (2 more wrong cells)\n"
        "t.ccl:3:1: note: the last operand was added here\n");
  // One rank has no operation at all.
  CHECK(check(allreduce3, "%0 = reduce r1:i[0] += r0:i[0]\n"
                          "%1 = reduce r2:i[0] += r1:i[0]\n"
                          "%2 = copy r0:i[0] <- r2:i[0]") ==
        "t.ccl:3:1: error: wrong result: r1:o[0]: expected the reduction of chunk 0 over all 3 "
        "ranks, but r2:i[0] is missing\n");
  CHECK(check("coll allreduce ranks 2 inplace", "") ==
        "tool: error: wrong result: r0:o[0]: expected the reduction of chunk 0 over all 2 ranks, "
        "but r1:i[0] is missing (1 more wrong cell)\n");
}

TEST_CASE("a contribution added twice") {
  CHECK(check(allreduce3, "%0 = reduce r1:i[0] += r0:i[0]\n"
                          "%1 = reduce r2:i[0] += r1:i[0]\n"
                          "%2 = reduce r2:i[0] += r0:i[0]\n"
                          "%3 = copy r0:i[0] <- r2:i[0]\n"
                          "%4 = copy r1:i[0] <- r2:i[0]") ==
        "t.ccl:6:1: error: wrong result: r0:o[0]: expected the reduction of chunk 0 over all 3 "
        "ranks, but r0:i[0] is contained more than once (2 more wrong cells)\n"
        "t.ccl:5:1: note: r0:i[0] was added here a second time\n");
  // One contribution twice and another one missing: the total number is correct.
  CHECK(check(allreduce3, "%0 = reduce r2:i[0] += r0:i[0]\n"
                          "%1 = reduce r2:i[0] += r0:i[0]\n"
                          "%2 = copy r0:i[0] <- r2:i[0]\n"
                          "%3 = copy r1:i[0] <- r2:i[0]") ==
        "t.ccl:5:1: error: wrong result: r0:o[0]: expected the reduction of chunk 0 over all 3 "
        "ranks, but r1:i[0] is missing, and r0:i[0] is contained more than once (2 more wrong "
        "cells)\n"
        "t.ccl:4:1: note: r0:i[0] was added here a second time\n");
}

TEST_CASE("swapped indices") {
  CHECK(check("coll allreduce ranks 2 chunks 2 inplace", "%0 = reduce r1:i[0] += r0:i[1]\n"
                                                         "%1 = reduce r1:i[1] += r0:i[0]\n"
                                                         "%2 = copy r0:i[0:2] <- r1:i[0:2]") ==
        "t.ccl:5:1: error: wrong result: r0:o[0]: expected the reduction of chunk 0 over all 2 "
        "ranks, but r0:i[0] is missing, and r0:i[1] is contained but must not be (3 more wrong "
        "cells)\n"
        "t.ccl:3:1: note: r0:i[1] was added here\n");
  CHECK(check("coll allgather ranks 2 outofplace", "%0 = copy r0:o[1] <- r0:i[0]\n"
                                                   "%1 = copy r0:o[0] <- r1:i[0]\n"
                                                   "%2 = copy r1:o[0] <- r0:i[0]\n"
                                                   "%3 = copy r1:o[1] <- r1:i[0]") ==
        "t.ccl:4:1: error: wrong result: r0:o[0]: expected r0:i[0], but it holds r1:i[0] (1 more "
        "wrong cell)\n");
  CHECK(check("coll alltoall ranks 2 outofplace", "%0 = copy r0:o[0] <- r0:i[0]\n"
                                                  "%1 = copy r0:o[1] <- r1:i[1]\n"
                                                  "%2 = copy r1:o[0] <- r0:i[1]\n"
                                                  "%3 = copy r1:o[1] <- r1:i[1]") ==
        "t.ccl:4:1: error: wrong result: r0:o[1]: expected r1:i[0], but it holds r1:i[1]\n");
}

TEST_CASE("the operations that read and added a wrong chunk are named") {
  CHECK(check("coll allreduce ranks 3 chunks 2 inplace", "scratch \"t\" 1\n"
                                                         "%0 = copy r1:\"t\"[0] <- r0:i[1]\n"
                                                         "%1 = reduce r1:i[0] += r1:\"t\"[0]\n"
                                                         "%2 = reduce r2:i[0] += r1:i[0]\n"
                                                         "%3 = copy r0:i[0] <- r2:i[0]\n"
                                                         "%4 = copy r1:i[0] <- r2:i[0]") ==
        "t.ccl:7:1: error: wrong result: r0:o[0]: expected the reduction of chunk 0 over all 3 "
        "ranks, but r0:i[0] is missing, and r0:i[1] is contained but must not be (5 more wrong "
        "cells)\n"
        "t.ccl:5:1: note: r0:i[1] was added here\n"
        "t.ccl:6:1: note: the last operand was added here\n"
        "t.ccl:4:1: note: r0:i[1] was read from the input here\n");
  // Ranges of chunks.
  CHECK(check("coll broadcast ranks 3 chunks 2 root r0 inplace",
              "scratch \"t\" 3\n"
              "%0 = copy r1:\"t\"[0] <- r0:i[1]\n"
              "%1 = copy r1:\"t\"[1] <- r0:i[1]\n"
              "%2 = copy r1:i[0:2] <- r1:\"t\"[0:2]\n"
              "%3 = copy r2:i[0:2] <- r1:i[0:2]") ==
        "t.ccl:6:1: error: wrong result: r1:o[0]: expected r0:i[0], but it holds r0:i[1] (1 more "
        "wrong cell)\n"
        "t.ccl:4:1: note: r0:i[1] was read from the input here\n");
}

TEST_CASE("an unwritten output") {
  CHECK(check("coll broadcast ranks 3 root r1 outofplace", "%0 = copy r0:o[0] <- r1:i[0]\n"
                                                           "%1 = copy r1:o[0] <- r1:i[0]") ==
        "t.ccl:4:1: error: wrong result: r2:o[0]: expected r1:i[0], but it is undefined\n");
  // Cells outside the post-condition may have any contents.
  CHECK(check("coll reduce ranks 3 root r1 inplace", "%0 = reduce r0:i[0] += r2:i[0]\n"
                                                     "%1 = reduce r1:i[0] += r0:i[0]") == "");
}

TEST_CASE("a sum in place of a chunk") {
  CHECK(check("coll broadcast ranks 2 inplace", "scratch \"t\" 1\n"
                                                "%0 = copy r1:\"t\"[0] <- r0:i[0]\n"
                                                "%1 = reduce r1:\"t\"[0] += r0:i[0]\n"
                                                "%2 = copy r1:i[0] <- r1:\"t\"[0]") ==
        R"(
    t.ccl:6:1: error: wrong result: r1:o[0]: expected r0:i[0], but r0:i[0] is contained more than once
    t.ccl:5:1: note: r0:i[0] was added here a second time
    )"_lines);
}

TEST_CASE("reads of unwritten cells") {
  CHECK(check("coll allreduce ranks 2 outofplace", "%0 = copy r0:o[0] <- r0:i[0]\n"
                                                   "%1 = reduce r1:o[0] += r0:o[0]") ==
        "t.ccl:4:1: error: uninitialised read: r1:o[0] has not been written\n");
  CHECK(check("coll allreduce ranks 2 chunks 2 inplace",
              "scratch \"a b\" 4\n"
              "%0 = copy r1:\"a b\"[0] <- r0:i[0]\n"
              "%1 = copy r0:i[0:2] <- r1:\"a b\"[0:2]") ==
        "t.ccl:5:1: error: uninitialised read: r1:a b[1] has not been written\n");
  CHECK(check("coll scatter ranks 2 root r1 inplace", "%0 = copy r1:i[0] <- r0:i[0]") ==
        "t.ccl:3:1: error: uninitialised read: r0:i[0] has not been written\n");
}

TEST_CASE("both placements are checked, each with its own aliases") {
  // Correct in place, where o[1] of r1 is its input; out of place it is unwritten.
  const char body[] = "%0 = copy r0:o[1] <- r1:i[0]\n%1 = copy r1:o[0] <- r0:i[0]";
  CHECK(check("coll allgather ranks 2 inplace", body) == "");
  CHECK(check("coll allgather ranks 2 inplace outofplace", body) ==
        "t.ccl:4:1: error: wrong result: r0:o[0]: expected r0:i[0], but it is undefined (1 more "
        "wrong cell)\n");
  // Correct out of place; in place the first copy overwrites the source of the second one.
  const char swap[] = "%0 = copy r0:o[0] <- r0:i[0]\n%1 = copy r0:o[1] <- r1:i[0]\n"
                      "%2 = copy r1:o[0] <- r0:i[1]\n%3 = copy r1:o[1] <- r1:i[1]";
  CHECK(check("coll alltoall ranks 2 outofplace", swap) == "");
  CHECK(check("coll alltoall ranks 2 inplace", swap) ==
        "t.ccl:5:1: error: wrong result: r1:o[0]: expected r0:i[1], but it holds r1:i[0]\n"
        "t.ccl:5:1: note: out of place the result is right: declare the program with "
        "d.buffers(Buffers::OutOfPlace, Buffers::OutOfPlace)\n"
        "t.ccl:4:1: note: r1:i[0] was read from the input here\n");
  // Copies of the input to the same cell are not traced in place.
  const char traced[] = "%0 = copy r0:o[1] <- r1:i[0]\n%1 = copy r1:o[0] <- r0:i[1]";
  CHECK(StringRef(check("coll alltoall ranks 2 inplace", traced)).contains("note: out of place"));
  // Out of place this is wrong as well, or writes the input.
  const char half[] = "%0 = copy r0:o[1] <- r1:i[0]";
  CHECK(!StringRef(check("coll alltoall ranks 2 inplace", half)).contains("note: out of place"));
  const char inInput[] = "%0 = copy r0:i[1] <- r1:i[0]\n%1 = copy r1:o[0] <- r0:i[1]";
  CHECK(!StringRef(check("coll alltoall ranks 2 inplace", inInput)).contains("note: out of place"));
}

TEST_CASE("custom post-conditions count every contribution") {
  const char header[] = "coll custom ranks 2 outofplace";
  const std::string spec = R"(
    input 2
    output 1
    expect r0:o[0] = r0:i[0] + r1:i[0] + r1:i[1]
    )"_lines;
  CHECK(check(header, spec + "%0 = copy r0:o[0] <- r1:i[1]\n"
                             "%1 = reduce r0:o[0] += r0:i[0]\n"
                             "%2 = reduce r0:o[0] += r1:i[0]") == "");
  CHECK(check(header, spec + "%0 = copy r0:o[0] <- r1:i[1]\n"
                             "%1 = reduce r0:o[0] += r0:i[0]\n"
                             "%2 = reduce r0:o[0] += r0:i[1]") ==
        "t.ccl:8:1: error: wrong result: r0:o[0]: expected the reduction of r0:i[0], r1:i[0] and "
        "r1:i[1], but r1:i[0] is missing, and r0:i[1] is contained but must not be\n");
  CHECK(check(header, spec + "%0 = copy r0:o[0] <- r1:i[1]") ==
        "t.ccl:6:1: error: wrong result: r0:o[0]: expected the reduction of r0:i[0], r1:i[0] and "
        "r1:i[1], but r0:i[0] and r1:i[0] are missing\n");
}

TEST_CASE("instruction programs: values follow messages") {
  const char header[] = "coll allreduce ranks 2 chunks 1 inplace";
  CHECK(checkInstrs(header, "%0 = s r0 i[0] to %1\n"
                            "%1 = rrcs r1 i[0] -> i[0] from %0 to %2\n"
                            "%2 = r r0 -> i[0] from %1") == "");
  // An rrs writes no cell: r1 keeps its own value.
  CHECK(checkInstrs(header, "%0 = s r0 i[0] to %1\n"
                            "%1 = rrs r1 i[0] -> i[0] from %0 to %2\n"
                            "%2 = r r0 -> i[0] from %1") ==
        "tool: error: wrong result: r1:o[0]: expected the reduction of chunk 0 over all 2 ranks, "
        "but r0:i[0] is missing\n");
  // An rcs overwrites instead of adding.
  CHECK(checkInstrs(header, "%0 = s r0 i[0] to %1\n"
                            "%1 = rcs r1 -> i[0] from %0 to %2\n"
                            "%2 = rrc r0 i[0] -> i[0] from %1") ==
        "t.ccl:5:1: error: wrong result: r0:o[0]: expected the reduction of chunk 0 over all 2 "
        "ranks, but r1:i[0] is missing, and r0:i[0] is contained more than once (1 more wrong "
        "cell)\n");
  // The operand of a reducing receive is its src, not its dst.
  CHECK(checkInstrs("coll allreduce ranks 2 chunks 1 outofplace",
                    "%0 = s r0 i[0] to %1\n"
                    "%1 = rrcs r1 i[0] -> o[0] from %0 to %2\n"
                    "%2 = r r0 -> o[0] from %1") == "");
}

TEST_CASE("the chunk checker reports the same errors for lowered programs", "[property]") {
  const char right[] = "%0 = reduce r1:i[0:2] += r0:i[0:2]\n%1 = copy r0:i[0:2] <- r1:i[0:2]\n";
  const char wrong[] = "%0 = reduce r1:i[0:2] += r0:i[0:2]\n%1 = copy r0:i[0] <- r1:i[0]\n";
  for (const char *body : {right, wrong}) {
    auto program = parsed<ChunkProgram>(std::string(R"(
      ccl.version 3
      chunk.program @p coll allreduce ranks 2 chunks 2 inplace {
      )"_lines) + body + "}\n");
    DiagnosticEngine chunkDiags, instrDiags;
    bool chunkOk = succeeded(checkProgram(program, chunkDiags));
    PassContext context(instrDiags);
    auto instrs = lowerToInstr(std::move(program), context);
    REQUIRE(succeeded(instrs));
    CHECK(chunkOk == (body == right));
    CHECK(succeeded(checkProgram(*instrs, instrDiags)) == chunkOk);
    CHECK(messages(instrDiags) ==
          (chunkOk ? ""
                   : "tool: error: wrong result: r0:o[1]: expected the reduction of chunk 1 "
                     "over all 2 ranks, but r1:i[1] is missing\n"));
  }
}
