//===- FormSwitchOperationsTest.cpp - Operations of switches --------------===//

#include "../../support/Lines.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// The operations of an all-reduce of 3 ranks and 2 chunks after the pass.
std::string formed(const std::string &text, const SwitchOperations &which = {}) {
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<ChunkProgram> result = formSwitchOperations(
      parsed<ChunkProgram>("ccl.version 6\nchunk.program @p coll allreduce ranks 3 chunks 2 "
                           "inplace {\n" +
                           text + "}\n"),
      which, context);
  if (failed(result))
    return messages(diags);
  std::string all = printed(*result);
  std::string ops;
  SmallVector<StringRef, 16> lines;
  StringRef(all).split(lines, '\n');
  for (StringRef line : lines)
    if (line.consume_front("  "))
      ops += line.str() + "\n";
  return ops;
}

const std::string sumAndCopies = R"(
  %0 = reduce r0:i[0] += r1:i[0] switch 1
  %1 = reduce r0:i[0] += r2:i[0] switch 1
  %2 = copy r1:i[0] <- r0:i[0] switch 2
  %3 = copy r2:i[0] <- r0:i[0] switch 2
)"_lines;
} // namespace

TEST_CASE("operations of one call on the chunks of a common rank have one number") {
  // The next call has the number 1 again, and each common rank its own instance.
  CHECK(formed(sumAndCopies + R"(
  %4 = reduce r1:i[1] += r0:i[1] switch 1
  %5 = reduce r1:i[1] += r2:i[1] switch 1
  )"_lines) == R"(
  %0 = reduce r0:i[0] += r1:i[0] switch 1 inst 1
  %1 = reduce r0:i[0] += r2:i[0] switch 1 inst 1
  %2 = copy r1:i[0] <- r0:i[0] switch 2 inst 1
  %3 = copy r2:i[0] <- r0:i[0] switch 2 inst 1
  %4 = reduce r1:i[1] += r0:i[1] switch 3 inst 2
  %5 = reduce r1:i[1] += r2:i[1] switch 3 inst 2
  )"_lines);
}

TEST_CASE("parts of an operation of a switch are operations of their own") {
  CHECK(formed(R"(
  %0 = copy r1:i[0] <- r0:i[0] switch 1
  %1 = copy r1:i[1] <- r0:i[1] switch 1 inst 1
  %2 = copy r2:i[0] <- r0:i[0] switch 1
  %3 = copy r2:i[1] <- r0:i[1] switch 1 inst 1
  )"_lines) == R"(
  %0 = copy r1:i[0] <- r0:i[0] switch 1 inst 2
  %1 = copy r1:i[1] <- r0:i[1] switch 2 inst 3
  %2 = copy r2:i[0] <- r0:i[0] switch 1 inst 2
  %3 = copy r2:i[1] <- r0:i[1] switch 2 inst 3
  )"_lines);
}

TEST_CASE("operations that no switch performs are not marked") {
  const std::string sums = R"(
  %0 = reduce r0:i[0] += r1:i[0]
  %1 = reduce r0:i[0] += r2:i[0]
  )"_lines;
  const std::string copies = R"(
  %2 = copy r1:i[0] <- r0:i[0]
  %3 = copy r2:i[0] <- r0:i[0]
  )"_lines;
  CHECK(formed(sumAndCopies, {false, false}) == sums + copies);
  CHECK(formed(sumAndCopies, {true, true, [](ArrayRef<RankId> members) {
                                CHECK(members.size() == 3);
                                return false;
                              }}) == sums + copies);
  CHECK(StringRef(formed(sumAndCopies, {true, false})).starts_with(sums));
  CHECK(StringRef(formed(sumAndCopies, {false, true})).ends_with(copies));
  // Two ranks, or one rank twice.
  CHECK(formed("%0 = copy r1:i[0] <- r0:i[0] switch 1\n") == "%0 = copy r1:i[0] <- r0:i[0]\n");
  CHECK(formed(R"(
  %0 = copy r1:i[0] <- r0:i[0] switch 1
  %1 = copy r1:i[1] <- r0:i[0] switch 1
  )"_lines) == R"(
  %0 = copy r1:i[0] <- r0:i[0]
  %1 = copy r1:i[1] <- r0:i[0]
  )"_lines);
}
