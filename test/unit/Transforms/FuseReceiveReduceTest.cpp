#include "../../support/Lines.h"
#include "../../support/Text.h"

#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

using namespace cclc;
using namespace cclc::test;

namespace {
std::string joined(StringRef header, StringRef body) {
  auto program = parsed<InstrProgram>(("ccl.version 3\ninstr.program @p coll " + header +
                                       R"(
           {
            scratch r0 4
            scratch r1 4
          )"_lines + body + "}\n")
                                          .str());
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<InstrProgram> result = fuseReceiveReduce(std::move(program), context);
  REQUIRE(succeeded(result));
  std::string text = printed(*result);
  size_t start = text.rfind("scratch r1 4\n") + 13;
  return text.substr(start, text.rfind('}') - start);
}
/// The instructions as read from text.
std::string same(StringRef body) {
  std::string text;
  SmallVector<StringRef, 8> lines;
  body.split(lines, '\n', -1, false);
  for (StringRef line : lines)
    text += ("  " + line + "\n").str();
  return text;
}
const char allreduce[] = "allreduce ranks 2 chunks 4 inplace";
} // namespace

TEST_CASE("a receive into scratch whose only reader is a reduce becomes an rrc") {
  // The operand is the cell of the reduce, independent of that of the sender.
  CHECK(joined(allreduce, R"(
    %0 = s r0 i[3] to %1
    %1 = r r1 -> s[0] from %0
    %2 = re r1 s[0] -> i[1]
    )"_lines) == R"(
            %0 = s r0 i[3] to %1
            %1 = rrc r1 i[1] -> i[1] from %0 at 2
          )"_lines);
  // An exchange: each rank receives before either reduces.
  CHECK(joined(allreduce, R"(
    %0 = s r0 i[0:2] to %1
    %1 = r r1 -> s[0:2] from %0
    %2 = s r1 i[0:2] to %3
    %3 = r r0 -> s[2:4] from %2
    %4 = re r1 s[0:2] -> i[0:2]
    %5 = re r0 s[2:4] -> i[0:2]
    )"_lines) ==
        R"(
          %0 = s r0 i[0:2] to %2
          %1 = s r1 i[0:2] to %3 at 2
          %2 = rrc r1 i[0:2] -> i[0:2] from %0 at 4
          %3 = rrc r0 i[0:2] -> i[0:2] from %1 at 5
        )"_lines);
}

TEST_CASE("not fused if the scratch is read again or written before") {
  for (const std::string &body : std::initializer_list<std::string>{
           // Read again: by a copy, by a second reduce, by a send, in part.
           R"(
           %0 = s r0 i[0] to %1
           %1 = r r1 -> s[0] from %0
           %2 = re r1 s[0] -> i[0]
           %3 = cpy r1 s[0] -> i[1]
           )"_lines,
           R"(
           %0 = s r0 i[0] to %1
           %1 = r r1 -> s[0] from %0
           %2 = re r1 s[0] -> i[0]
           %3 = re r1 s[0] -> i[1]
           )"_lines,
           R"(
           %0 = s r0 i[0] to %1
           %1 = r r1 -> s[0] from %0
           %2 = re r1 s[0] -> i[0]
           %3 = s r1 s[0] to %4
           %4 = r r0 -> i[0] from %3
           )"_lines,
           R"(
           %0 = s r0 i[0:2] to %1
           %1 = r r1 -> s[0:2] from %0
           %2 = re r1 s[0:2] -> i[0:2]
           %3 = cpy r1 s[1] -> i[3]
           )"_lines,
           // Read before the reduce.
           R"(
           %0 = s r0 i[0] to %1
           %1 = r r1 -> s[0] from %0
           %2 = cpy r1 s[0] -> i[1]
           %3 = re r1 s[0] -> i[0]
           )"_lines,
           // Overwritten before the reduce, wholly or in part.
           R"(
           %0 = s r0 i[0] to %1
           %1 = r r1 -> s[0] from %0
           %2 = cpy r1 i[1] -> s[0]
           %3 = re r1 s[0] -> i[0]
           )"_lines,
           R"(
           %0 = s r0 i[0:2] to %1
           %1 = r r1 -> s[0:2] from %0
           %2 = cpy r1 i[3] -> s[1]
           %3 = re r1 s[0:2] -> i[0:2]
           )"_lines,
           // Other ranges.
           R"(
           %0 = s r0 i[0:2] to %1
           %1 = r r1 -> s[0:2] from %0
           %2 = re r1 s[0] -> i[0]
           )"_lines,
           R"(
           %0 = s r0 i[0] to %1
           %1 = r r1 -> s[1] from %0
           %2 = re r1 s[1:3] -> i[0:2]
           )"_lines,
           R"(
           %0 = s r0 i[0:2] to %1
           %1 = r r1 -> s[0:2] from %0
           %2 = re r1 s[1:3] -> i[0:2]
           )"_lines,
           // Reduced into: the scratch contains the sum.
           R"(
           %0 = s r0 i[0] to %1
           %1 = r r1 -> s[0] from %0
           %2 = re r1 i[0] -> s[0]
           )"_lines,
           // The received value is live-out.
           R"(
           %0 = s r0 i[0] to %1
           %1 = r r1 -> i[0] from %0
           %2 = re r1 i[0] -> i[1]
           )"_lines,
           // Different threadblocks and instances.
           R"(
           %0 = s r0 i[0] to %1
           %1 = r r1 -> s[0] from %0 recvtb 1
           %2 = re r1 s[0] -> i[0] sendtb 2
           )"_lines,
           R"(
           %0 = s r0 i[0] to %1
           %1 = r r1 -> s[0] from %0
           %2 = re r1 s[0] -> i[0] sendtb 2
           )"_lines,
           R"(
           %0 = s r0 i[0] to %1
           %1 = r r1 -> s[0] from %0
           %2 = re r1 s[0] -> i[0] inst 1
           )"_lines,
       }) {
    INFO(body);
    CHECK(joined(allreduce, body) == same(body));
  }
}

TEST_CASE("the receive keeps its directives") {
  CHECK(joined(allreduce, R"(
    %0 = s r0 i[0] to %1 ch 2 recvtb 1
    %1 = r r1 -> s[0] from %0 ch 2 recvtb 1
    %2 = re r1 s[0] -> i[0] sendtb 1
    )"_lines) ==
        R"(
          %0 = s r0 i[0] to %1 ch 2 recvtb 1
          %1 = rrc r1 i[0] -> i[0] from %0 at 2 ch 2 recvtb 1
        )"_lines);
}

TEST_CASE("scratch may be reused for the next message") {
  CHECK(joined(allreduce, R"(
    %0 = s r0 i[0] to %1
    %1 = r r1 -> s[0] from %0
    %2 = re r1 s[0] -> i[0]
    %3 = s r0 i[1] to %4
    %4 = r r1 -> s[0] from %3
    %5 = re r1 s[0] -> i[1]
    )"_lines) ==
        R"(
          %0 = s r0 i[0] to %1
          %1 = rrc r1 i[0] -> i[0] from %0 at 2
          %2 = s r0 i[1] to %3 at 3
          %3 = rrc r1 i[1] -> i[1] from %2 at 5
        )"_lines);
}
