//===- TextPlanTest.cpp - Invalid and truncated text IR -------------------===//
//
// Text IR that the reader rejects before it allocates memory for it, and truncated
// plans.
//
//===----------------------------------------------------------------------===//

#include "../../support/Lines.h"

#include "Plans.h"

#include "cclc/IR/Text/Parser.h"

using namespace cclc;
using namespace cclc::test;

namespace {
std::string parseBad(const std::string &body) {
  DiagnosticEngine diags;
  if (succeeded(parseModule("ccl.version 3\n" + body, "f.ccl", diags)))
    FAIL("the parser accepts\n" << body);
  return textOf(diags);
}
} // namespace

TEST_CASE("a truncated text plan is an error at a line and column", "[text]") {
  std::string text = textOf(compiled({"allreduce_recursive_doubling", {{"chunks", "2"}}, 3}), true);
  size_t end = StringRef(text).rtrim().size();
  for (size_t size = 4; size < end; ++size) { // the prefix "ccl." identifies text IR
    DiagnosticEngine diags;
    FailureOr<ExecPlan> plan = readPlan(StringRef(text).take_front(size), "plan", diags);
    INFO("first " << size << " bytes");
    REQUIRE(failed(plan));
    REQUIRE(diags.all().size() == 1);
    CHECK(diags.all()[0].loc.line > 0);
    CHECK(diags.all()[0].loc.column > 0);
  }
}

TEST_CASE("a program may have any name", "[text]") {
  for (std::string name :
       {"plain_1", "_underscore", "1digit", "", "with space", "a.b", "\xc3\xa4"}) {
    std::string quoted = "ccl.version 3\nexec.program @\"" + name +
                         R"(
          " coll allreduce ranks 1 chunks 1 inplace {
            rank 0 {
            }
          }
          )"_lines;
    ExecPlan plan = readGood(quoted);
    CHECK(plan.info().name == name);
    CHECK(readGood(textOf(plan)).info().name == name);
  }
}

TEST_CASE("the number of cells is limited at every level", "[text]") {
  CHECK(parseBad(R"(
    chunk.program @p coll allgather ranks 65536 chunks 1 inplace {
      %0 = copy r0:o[0] <- r0:i[0]
    }
    )"_lines) ==
        "f.ccl:3:3: error: the program has 4295032832 cells, more than the limit of 268435456\n");
  CHECK(parseBad(R"(
    instr.program @p coll allgather ranks 65536 chunks 1 inplace {
      %0 = cpy r0 i[0] -> o[0]
    }
    )"_lines) ==
        "f.ccl:3:3: error: the program has 4295032832 cells, more than the limit of 268435456\n");
  // Scratch is included, and the sum over many buffers does not overflow.
  std::string scratch;
  for (int i = 0; i < 40; ++i)
    scratch += "  scratch \"s" + std::to_string(i) + "\" 134217728\n";
  CHECK(StringRef(parseBad("chunk.program @p coll allreduce ranks 1 chunks 1 inplace {\n" +
                           scratch + "}\n"))
            .ends_with("cells, more than the limit of 268435456\n"));
}

TEST_CASE("positions are limited and unique", "[text]") {
  CHECK(parseBad(R"(
    instr.program @p coll allreduce ranks 1 chunks 1 outofplace {
      %0 = cpy r0 i[0] -> o[0] at 2147483648
    }
    )"_lines) == "f.ccl:3:31: error: a position 2147483648 exceeds the limit of 134217728\n");
  CHECK(parseBad(R"(
    instr.program @p coll custom ranks 3 outofplace {
      input 1
      output 2
      %0 = s r0 i[0] to %2 at 0
      %1 = s r0 i[0] to %3 at 1
      %2 = rcs r1 -> o[0] from %0 to %4 at 2:5
      %3 = rcs r1 -> o[1] from %1 to %5 at 3:5
      %4 = r r2 -> o[0] from %2 at 6
      %5 = r r2 -> o[1] from %3 at 7
    }
    )"_lines) == "f.ccl:8:3: error: %3 rcs: the sending half has the position of that of %2\n");
}

TEST_CASE("invalid names and numbers are rejected", "[text]") {
  std::string head = "exec.program @p coll allreduce ranks 1 chunks 1 outofplace {\n";
  std::string tail = R"(
      rank 0 {
        tb 0 ch 0 {
          0: cpy i[0] -> o[0]
        }
      }
    }
    )"_lines;
  CHECK(parseBad(head + "  param \"a\" = \"1\"\n  param \"a\" = \"2\"\n" + tail) ==
        "f.ccl:4:9: error: duplicate parameter 'a'\n");
  CHECK(parseBad(head + R"(
      rank 0 {
        tb 0 ch 0 {
          0: cpy i[0] -> o[0] dep tb4294967295:0
        }
      }
    }
    )"_lines) == "f.ccl:5:31: error: expected a threadblock, found 'tb4294967295'\n");
  CHECK(parseBad(head + R"(
      rank 0 {
        tb 0 ch 0 {
          0: nop i[0]
        }
      }
    }
    )"_lines) == "f.ccl:5:7: error: r0 tb0 step 0 (nop): takes no source operand\n");
}
