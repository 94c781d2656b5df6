//===- TextNamesTest.cpp - Any name survives printing and parsing ----------===//

#include "cclc/IR/Parser.h"
#include "cclc/IR/Printer.h"

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

TEST_CASE("a program has at least one instance") {
  DiagnosticEngine diags;
  CHECK(failed(parseModule("ccl.version 1\n"
                           "chunk.program @x coll allreduce ranks 2 inplace instances 0 {}",
                           "test.ccl", diags)));
  REQUIRE(diags.all().size() == 1);
  CHECK(diags.all().front().text == "a program has at least one instance");
}
