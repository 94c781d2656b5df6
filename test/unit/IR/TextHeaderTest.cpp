//===- TextHeaderTest.cpp - The header of text IR -------------------------===//
//
// Any name survives printing and parsing; sizes beyond the limits of the analyses
// are rejected by the reader.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/Text/Parser.h"
#include "cclc/IR/Text/Printer.h"

#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

using namespace cclc;

TEST_CASE("a program of any name is printed so that it parses again") {
  for (const char *name : {"ring", "ring_2", "_ring", "2ring", "", "a b", "a.b", "\"", "\\", "\n",
                           "\x01", "\xc3\xa9", "coll"}) {
    ProgramInfo info(Collective(CollectiveKind::AllReduce, 2, 1));
    info.name = name;
    DiagnosticEngine diags;
    FailureOr<ChunkProgram> program = ChunkProgramBuilder(info).finish(diags);
    REQUIRE(succeeded(program));
    std::string text;
    llvm::raw_string_ostream os(text);
    print(os, *program);
    CAPTURE(text);
    FailureOr<Module> again = parseModule(text, "test.ccl", diags);
    REQUIRE(succeeded(again));
    CHECK(infoOf(*again).name == name);
  }
}

static std::string problemWith(const std::string &text) {
  DiagnosticEngine diags;
  CHECK(failed(parseModule("ccl.version 3\n" + text, "test.ccl", diags)));
  REQUIRE(diags.all().size() == 1);
  return diags.all().front().text;
}

TEST_CASE("a program has at least one instance") {
  CHECK(problemWith("chunk.program @x coll allreduce ranks 2 inplace instances 0 {}") ==
        "a program has at least one instance");
}

TEST_CASE("the number of cells is limited") {
  // 65536 ranks with an input and an output of 65536 chunks each.
  std::string expected = "the program has 8589934592 cells, more than the limit of 268435456";
  CHECK(problemWith("chunk.program @x coll alltoall ranks 65536 inplace {}") == expected);
  CHECK(problemWith("instr.program @x coll alltoall ranks 65536 inplace {}") == expected);
  // One rank, 2 chunks, and scratch buffers whose total overflows 32 bits.
  std::string scratch;
  for (int n = 0; n < 33; ++n)
    scratch += "scratch \"" + std::to_string(n) + "\" 134217728\n";
  CHECK(problemWith("chunk.program @x coll allreduce ranks 1 inplace {" + scratch + "}") ==
        "the program has " + std::to_string(33 * (uint64_t(1) << 27) + 2) +
            " cells, more than the limit of 268435456");
  CHECK(problemWith("instr.program @x coll allreduce ranks 2 inplace {"
                    "scratch r0 268435456 scratch r1 268435456}") ==
        "the program has 536870916 cells, more than the limit of 268435456");
}

TEST_CASE("the number of moved chunks is limited") {
  // 2^25 chunks per operation: 64 operations are exactly the limit, 65 exceed it.
  std::string copies;
  for (int n = 0; n < 65; ++n)
    copies += "%" + std::to_string(n) + " = copy r0:\"a\"[0:33554432] <- r0:i[0:33554432]\n";
  CHECK(problemWith("chunk.program @x coll allreduce ranks 1 chunks 33554432 inplace {"
                    "scratch \"a\" 33554432\n" +
                    copies + "}") ==
        "the program moves 2181038080 chunks, more than the limit of 2147483648");
}

TEST_CASE("an error is located at the invalid number") {
  auto positionOf = [](const std::string &text) {
    DiagnosticEngine diags;
    CHECK(failed(parseModule(text, "test.ccl", diags)));
    REQUIRE(diags.all().size() == 1);
    std::string position;
    llvm::raw_string_ostream(position) << diags.all().front().loc;
    return position;
  };
  std::string first = "ccl.version 3\nchunk.program @x coll allreduce ranks ";
  CHECK(positionOf("ccl.version 8\nchunk.program") == "test.ccl:1:13");
  CHECK(positionOf(first + "0 inplace {}") == "test.ccl:2:39");
  CHECK(positionOf(first + "2 chunks 0 inplace {}") == "test.ccl:2:48");
  CHECK(positionOf(first + "2 inplace instances 0 {}") == "test.ccl:2:59");
  CHECK(positionOf(first + "2 inplace {\n  phase 2 \"x\"}") == "test.ccl:3:9");
  CHECK(positionOf(first + "2 inplace {\n%0 = copy r0:o[3:2] <- r1:i[0]}") == "test.ccl:3:18");
}
