#include "../../support/Lines.h"
#include "../../support/Text.h"

#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

using namespace cclc;
using namespace cclc::test;

namespace {
std::string cleaned(StringRef header, StringRef body) {
  auto program = parsed<InstrProgram>(("ccl.version 3\ninstr.program @p coll " + header +
                                       R"(
           {
            scratch r0 4
            scratch r1 4
          )"_lines + body + "}\n")
                                          .str());
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<InstrProgram> result = removeDeadCopies(std::move(program), context);
  REQUIRE(succeeded(result));
  std::string text = printed(*result);
  size_t start = text.rfind("scratch r1 4\n") + 13;
  return text.substr(start, text.rfind('}') - start);
}
const char apart[] = "allreduce ranks 2 chunks 4 outofplace";
const char inPlace[] = "allreduce ranks 2 chunks 4 inplace";
} // namespace

TEST_CASE("a reader of a copy reads the source, and the dead copy is removed") {
  CHECK(cleaned(apart, R"(
    %0 = cpy r1 i[0:3] -> s[0:3]
    %1 = s r0 i[0] to %2
    %2 = rrc r1 s[1] -> o[1] from %1
    )"_lines) ==
        R"(
          %0 = s r0 i[0] to %1 at 1
          %1 = rrc r1 i[1] -> o[1] from %0 at 2
        )"_lines);
  CHECK(cleaned(apart, R"(
    %0 = cpy r0 i[2] -> s[0]
    %1 = s r0 s[0] to %2
    %2 = r r1 -> o[0] from %1
    )"_lines) == R"(
            %0 = s r0 i[2] to %1 at 1
            %1 = r r1 -> o[0] from %0 at 2
          )"_lines);
  // Chains of copies.
  CHECK(cleaned(apart, R"(
    %0 = cpy r0 i[2] -> s[0]
    %1 = cpy r0 s[0] -> s[1]
    %2 = cpy r0 s[1] -> s[2]
    %3 = cpy r0 s[2] -> o[0]
    )"_lines) == "  %0 = cpy r0 i[2] -> o[0] at 3\n");
}

TEST_CASE("out of place, an all-reduce writes the output only with the sum") {
  CHECK(cleaned(apart, R"(
    %0 = cpy r1 i[0] -> o[0]
    %1 = s r0 i[0] to %2
    %2 = rrc r1 o[0] -> o[0] from %1
    )"_lines) ==
        R"(
          %0 = s r0 i[0] to %1 at 1
          %1 = rrc r1 i[0] -> o[0] from %0 at 2
        )"_lines);
}

TEST_CASE("copies with other uses are kept") {
  for (const std::string &body : std::initializer_list<std::string>{
           // Live-out.
           "%0 = cpy r1 i[0] -> o[0]\n",
           // The source is modified before the read.
           R"(
           %0 = cpy r1 s[0] -> s[1]
           %1 = re r1 i[0] -> s[0]
           %2 = re r1 s[1] -> o[0]
           %3 = re r1 s[0] -> o[1]
           )"_lines,
           // A reduce reads its destination, which is the copy.
           "%0 = cpy r1 i[0] -> o[0]\n%1 = re r1 i[1] -> o[0]\n",
           // More chunks than the copy.
           R"(
           %0 = cpy r1 i[0] -> s[0]
           %1 = s r1 s[0:2] to %2
           %2 = r r0 -> o[0:2] from %1
           )"_lines,
       }) {
    INFO(body);
    std::string text = cleaned(apart, body);
    std::string expected;
    SmallVector<StringRef, 8> lines;
    StringRef(body).split(lines, '\n', -1, false);
    for (StringRef line : lines)
      expected += ("  " + line + "\n").str();
    // Through another copy the value still depends on the copy.
    CHECK(text == expected);
  }
}

TEST_CASE("copies of a cell onto itself") {
  CHECK(cleaned(inPlace, "%0 = cpy r1 i[0:2] -> o[0:2]\n") == "");
  CHECK(cleaned("allreduce ranks 2 chunks 4 inplace outofplace",
                "%0 = cpy r1 i[0:2] -> o[0:2]\n") == "  %0 = cpy r1 i[0:2] -> o[0:2]\n");
}

TEST_CASE("a receive whose only reader is a copy writes the destination of the copy") {
  CHECK(cleaned(apart, R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> s[0] from %0
    %2 = cpy r1 s[0] -> o[2]
    )"_lines) == R"(
            %0 = s r0 i[0] to %1
            %1 = r r1 -> o[2] from %0 at 2
          )"_lines);
  // Not if it has another reader, or if its destination is an output.
  CHECK_THAT(cleaned(apart, R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> s[0] from %0
    %2 = cpy r1 s[0] -> o[2]
    %3 = cpy r1 s[0] -> o[3]
    )"_lines),
             Catch::Contains("r r1 -> s[0]"));
  CHECK_THAT(cleaned(apart, R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> o[0] from %0
    %2 = cpy r1 o[0] -> o[2]
    )"_lines),
             Catch::Contains("r r1 -> o[0]"));
  // Nor if the user assigned a threadblock to the copy.
  CHECK_THAT(cleaned(apart, R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> s[0] from %0
    %2 = cpy r1 s[0] -> o[2] sendtb 3
    )"_lines),
             Catch::Contains("cpy r1 s[0] -> o[2] sendtb 3"));
}

TEST_CASE("no instruction is made to read and write overlapping cells") {
  // The source of cpy s -> i would become i[0], which overlaps its destination.
  CHECK(cleaned(inPlace, R"(
    %0 = cpy r1 i[0:2] -> s[0:2]
    %1 = cpy r1 s[0:2] -> i[1:3]
    )"_lines) == R"(
            %0 = cpy r1 i[0:2] -> s[0:2]
            %1 = cpy r1 s[0:2] -> i[1:3]
          )"_lines);
}
