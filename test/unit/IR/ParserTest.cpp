//===- ParserTest.cpp - Errors of the parser of text IR -------------------===//

#include "../../support/Lines.h"
#include "../../support/RandomProgram.h"
#include "../../support/Text.h"

#include "cclc/IR/PlanAttributes.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// The error in a chunk program that ends with \p rest; \p rest begins in line 2 after
/// "chunk.program @p ".
std::string chunkError(StringRef rest) {
  return parseError(("ccl.version 3\nchunk.program @p " + rest).str());
}
/// The same after the header of a program of 2 ranks and 4 chunks: line 3.
std::string bodyError(StringRef body) {
  return chunkError(("coll allreduce ranks 2 chunks 4 inplace {\n" + body + "\n}\n").str());
}
std::string instrError(StringRef body) {
  return parseError(("ccl.version 3\ninstr.program @p coll allreduce ranks 2 chunks 4 inplace {\n" +
                     body + "\n}\n")
                        .str());
}
std::string execError(StringRef body) {
  return parseError(("ccl.version 3\nexec.program @p coll allreduce ranks 2 chunks 4 inplace {\n" +
                     body + "\n}\n")
                        .str());
}
} // namespace

TEST_CASE("the header of a file") {
  CHECK(parseError("") == "t.ccl:1:1: error: expected 'ccl.version', found the end of the file\n");
  CHECK(parseError("// nothing\n  x") == "t.ccl:2:3: error: expected 'ccl.version', found 'x'\n");
  for (unsigned version : {0u, planVersion + 1})
    CHECK(parseError("ccl.version " + std::to_string(version) + " x") ==
          "t.ccl:1:13: error: version " + std::to_string(version) +
              " is not supported: this tool reads up to " + std::to_string(planVersion) + "\n");
  CHECK(parseError("ccl.version 3 exe") ==
        "t.ccl:1:15: error: expected 'chunk.program', 'instr.program' or 'exec.program', found "
        "'exe'\n");
  CHECK(parseError("ccl.version 99999999999999999999") ==
        "t.ccl:1:13: error: number is too large\n");
}

TEST_CASE("the header of a program") {
  CHECK(chunkError("coll allredux ranks 2") ==
        "t.ccl:2:23: error: expected a collective, found 'allredux'\n");
  CHECK(chunkError("coll allreduce ranks 0 inplace {}") ==
        "t.ccl:2:39: error: a program has at least one rank\n");
  CHECK(chunkError("coll allreduce ranks 65537 inplace {}") ==
        "t.ccl:2:39: error: the number of ranks 65537 exceeds the limit of 65536\n");
  CHECK(chunkError("coll allreduce ranks 2 chunks 0 inplace {}") ==
        "t.ccl:2:48: error: a collective has at least one chunk\n");
  CHECK(chunkError("coll allreduce ranks 2 {}") ==
        "t.ccl:2:42: error: the program is neither inplace nor outofplace\n");
  CHECK(chunkError("coll broadcast ranks 2 root r2 inplace {}") ==
        "t.ccl:2:46: error: rank 2 is out of range: the program has 2 ranks\n");
  CHECK(chunkError("coll allreduce ranks 2 proto LL64 inplace {}") ==
        "t.ccl:2:47: error: expected a protocol, found 'LL64'\n");
  CHECK(chunkError("coll allreduce ranks 2 slots 4 inplace {}") ==
        "t.ccl:2:41: error: expected an attribute or '{', found 'slots'\n");
  CHECK(chunkError("coll custom ranks 2 inplace { input 1 output 1 expect r0:o[1] = r0:i[0] }") ==
        "t.ccl:2:65: error: expect names one output chunk\n");
  CHECK(chunkError("coll custom ranks 2 inplace { input 1 output 1 expect r1:o[0] = r0:i[0] "
                   "expect r0:o[0] = r0:i[0] }") ==
        "t.ccl:2:90: error: expect lines must ascend by rank and index\n");
  CHECK(chunkError("coll custom ranks 2 inplace { input 1 output 1 expect r1:o[0] = r0:i[1] }") ==
        "t.ccl:2:90: error: an expected contribution lies beyond the input\n");
  CHECK(chunkError("coll allreduce ranks 1 inplace { } x") ==
        "t.ccl:2:53: error: expected the end of the file, found 'x'\n");
}

TEST_CASE("operations of a chunk program") {
  CHECK(bodyError("%1 = copy") == "t.ccl:3:2: error: expected '0', the next id, found '1'\n");
  CHECK(bodyError("%0 = cp") == "t.ccl:3:6: error: expected 'copy' or 'reduce', found 'cp'\n");
  CHECK(bodyError("%0 = copy r2:i[0] <- r0:i[0]") ==
        "t.ccl:3:11: error: rank 2 is out of range: the program has 2 ranks\n");
  CHECK(bodyError("%0 = copy r1:i[0] += r0:i[0]") ==
        "t.ccl:3:19: error: expected '<-', found '+='\n");
  CHECK(bodyError("%0 = copy r1:s[0] <- r0:i[0]") ==
        "t.ccl:3:14: error: expected a buffer, found 's'\n");
  CHECK(bodyError("%0 = copy r1:i[2:2] <- r0:i[0]") == "t.ccl:3:18: error: the range is empty\n");
  CHECK(bodyError("%0 = copy r1:i[0:2] <- r0:i[0]") ==
        "t.ccl:3:24: error: the operands have different counts: 2 and 1\n");
  CHECK(bodyError("%0 = copy r1:i[4] <- r0:i[0]") ==
        "t.ccl:3:1: error: r1:i[4:5] is out of range: the buffer has 4 chunks\n");
  CHECK(bodyError("%0 = copy r1:\"t\"[0] <- r0:i[0]") ==
        "t.ccl:3:1: error: r1:t[0:1] is out of range: the buffer has 0 chunks\n");
  CHECK(bodyError("%0 = copy r1:i[0:2] <- r1:i[1:3]") ==
        "t.ccl:3:1: error: copy of overlapping ranges on r1\n");
  CHECK(bodyError("%0 = reduce r1:o[0] += r1:i[0]") ==
        "t.ccl:3:1: error: reduce of overlapping ranges on r1\n");
  CHECK(bodyError("%0 = copy r1:o[0] <- r1:i[0]") == ""); // the identity in place
  CHECK(bodyError("%0 = copy r1:i[0] <- r0:i[0] phase 1") ==
        "t.ccl:3:36: error: phase 1 exceeds the limit of 0\n");
  CHECK(bodyError("%0 = copy r1:i[0] <- r0:i[0] colour 1") ==
        "t.ccl:3:30: error: expected '%', found 'colour'\n");
  CHECK(bodyError("phase 2 \"x\"") ==
        "t.ccl:3:7: error: phases must be numbered from 1 in order\n");
  CHECK(bodyError("scratch \"x\" 1 2 3") ==
        "t.ccl:4:1: error: expected one number of chunks, or one for each rank, found '}'\n");
  CHECK(bodyError("place 1") == "t.ccl:4:1: error: expected one endpoint a rank, found '}'\n");
  CHECK(bodyError("param \"x") == "t.ccl:3:7: error: unterminated string\n");
  CHECK(bodyError("$") == "t.ccl:3:1: error: unexpected character\n");
  CHECK(chunkError("coll allreduce ranks 2 outofplace {\n%0 = copy r1:i[0] <- r0:i[0]\n}") ==
        "t.ccl:3:1: error: writes the input of r1, which is read-only out of place\n");
}

TEST_CASE("instructions") {
  CHECK(instrError("%0 = copy r0") == "t.ccl:3:6: error: expected an instruction, found 'copy'\n");
  CHECK(instrError("%0 = nop r0") ==
        "t.ccl:3:1: error: %0 nop: an instruction program has no nops: waits are dependences\n");
  CHECK(instrError("%0 = cpy r0 i[0] -> o[0:2]") ==
        "t.ccl:3:21: error: the operands have different counts: 1 and 2\n");
  CHECK(instrError("%0 = cpy r0 i[0]") ==
        "t.ccl:3:1: error: %0 cpy: needs a destination operand\n");
  CHECK(instrError("%0 = s r0 i[0] -> i[1] to %1") ==
        "t.ccl:3:1: error: %0 s: takes no destination operand\n");
  CHECK(instrError("%0 = cpy r0 i[3:5] -> o[0:2]") ==
        "t.ccl:3:1: error: %0 cpy: source operand ends at i[5], but the buffer has 4 chunks\n");
  CHECK(instrError("%0 = s r0 i[0]") == "t.ccl:3:1: error: %0 s: s has no peer\n");
  CHECK(instrError("%0 = s r0 i[0] to %1") ==
        "t.ccl:3:1: error: %0 s: sends to an instruction that does not exist\n");
  CHECK(instrError("%0 = s r0 i[0] to %2\n%1 = s r0 i[1] to %2\n%2 = r r1 -> i[0] from %1") ==
        "t.ccl:3:1: error: %0 s: sends to %2, which receives from elsewhere\n");
  CHECK(instrError("%0 = r r1 -> i[0] from %0") ==
        "t.ccl:3:1: error: %0 r: receives from %0, which sends elsewhere\n");
  CHECK(instrError("%0 = r r1 -> i[0] from %1") ==
        "t.ccl:3:1: error: %0 r: receives from an instruction that does not exist\n");
  CHECK(instrError("%0 = s r0 i[0] to %2\n%1 = r r1 -> i[1] from %0\n%2 = r r1 -> i[0] from %0") ==
        "t.ccl:4:1: error: %1 r: receives from %0, which sends elsewhere\n");
  CHECK(instrError("%0 = s r0 i[0] to %1\n%1 = r r0 -> i[0] from %0") ==
        "t.ccl:3:1: error: %0 s: sends to its own rank 0\n");
  CHECK(instrError("%0 = s r0 i[0] to %1\n%1 = r r1 -> i[0:2] from %0") ==
        "t.ccl:3:1: error: %0 s: sends 1 chunks to a receive of 2\n");
  CHECK(instrError("%0 = r r1 -> i[0] from %1\n%1 = s r0 i[0] to %0") ==
        "t.ccl:4:1: error: %1 s: is received before it is sent\n");
  CHECK(instrError("%0 = cpy r0 i[0] -> i[1] at 1\n%1 = cpy r0 i[0] -> i[1] at 1") ==
        "t.ccl:4:1: error: %1 cpy: positions must ascend\n");
  CHECK(instrError("%0 = s r0 i[0] to %1 at 0\n%1 = rcs r1 -> i[0] from %0 to %2 at 3:3\n"
                   "%2 = r r0 -> i[0] from %1 at 4") ==
        "t.ccl:4:1: error: %1 rcs: the sending half of a fused instruction must come after it\n");
}

TEST_CASE("plans") {
  CHECK(execError("rank 1 {}") == "t.ccl:3:6: error: expected '0', the next rank, found '1'\n");
  CHECK(execError("rank 0 {}") == "t.ccl:4:1: error: expected 'rank', found '}'\n");
  CHECK(execError("rank 0 { tb 1 ch 0 {} }") ==
        "t.ccl:3:13: error: expected '0', the next threadblock, found '1'\n");
  CHECK(execError("rank 0 { tb 0 ch 65536 {} }") ==
        "t.ccl:3:18: error: a channel 65536 exceeds the limit of 65535\n");
  CHECK(execError("rank 0 { tb 0 ch 0 { 1: nop } }") ==
        "t.ccl:3:22: error: expected '0', the next step, or '}', found '1'\n");
  CHECK(execError("rank 0 { tb 0 ch 0 { 0: nop dep 1:0 } }") ==
        "t.ccl:3:33: error: expected a threadblock, found '1'\n");
}

TEST_CASE("numbers near the ends of their types are errors") {
  // 2^32 - 1 marks an absent id, and 2^32 overflows.
  for (const char *tb : {"4294967294", "4294967295", "4294967296", "99999999999999999999"}) {
    INFO(tb);
    std::string error =
        execError(("rank 0 { tb 0 ch 0 { 0: nop dep tb" + std::string(tb) + ":0 } }\nrank 1 {}"));
    CHECK_THAT(error, Catch::StartsWith("t.ccl:3:"));
  }
  CHECK_THAT(execError("rank 0 { tb 0 ch 0 { 0: cpy i[1073741823] -> i[1073741823] } }\nrank 1 {}"),
             Catch::EndsWith(
                 "source i[1073741823:1073741824] is out of range: the buffer has 4 chunks\n"));
  CHECK_THAT(
      bodyError("%0 = copy r1:i[1073741823:1073741824] <- r0:i[0]"),
      Catch::EndsWith("r1:i[1073741823:1073741824] is out of range: the buffer has 4 chunks\n"));
  CHECK_THAT(bodyError("%0 = copy r1:i[1073741824] <- r0:i[0]"),
             Catch::EndsWith("an index 1073741824 exceeds the limit of 1073741823\n"));
  CHECK_THAT(instrError("%0 = s r0 i[0] to %1073741824\n%1 = r r1 -> i[0] from %0"),
             Catch::EndsWith("sends to an instruction that does not exist\n"));
  CHECK_THAT(instrError("%0 = r r0 -> i[0] from %1073741824"), Catch::StartsWith("t.ccl:3:"));
}

TEST_CASE("small files that require much memory are rejected") {
  // The buffers have 2^32 chunks in total, though each rank has only 65536.
  std::string wide = " @p coll alltoall ranks 65536 inplace {\n";
  CHECK(parseError("ccl.version 3\nchunk.program" + wide + "}") ==
        "tool: error: the program has 8589934592 cells, more than the limit of 268435456\n");
  CHECK(parseError("ccl.version 3\ninstr.program" + wide + "}") ==
        "tool: error: the program has 8589934592 cells, more than the limit of 268435456\n");
  CHECK(instrError("scratch r0 268435456\n%0 = cpy r0 i[0] -> s[0]") ==
        "t.ccl:4:1: error: the program has 268435472 cells, more than the limit of 268435456\n");
  // Many buffers of valid size.
  std::string body;
  for (int n = 0; n < 20; ++n)
    body += "scratch \"t" + std::to_string(n) + "\" 67108864\n";
  CHECK(bodyError(body) ==
        "tool: error: the program has 2684354576 cells, more than the limit of 268435456\n");
  CHECK(instrError("%0 = cpy r0 i[0] -> i[1] at 2147483648") ==
        "t.ccl:3:29: error: a position 2147483648 exceeds the limit of 134217728\n");
}

TEST_CASE("each instruction and each sending half has its own position") {
  CHECK(instrError("%0 = s r0 i[0] to %1 at 0\n%1 = rcs r1 -> i[0] from %0 to %3 at 1:2\n"
                   "%2 = cpy r1 i[1] -> i[2] at 2\n%3 = r r0 -> i[0] from %1 at 3") ==
        "t.ccl:4:1: error: %1 rcs: the sending half has the position of %2\n");
  CHECK(instrError("%0 = s r0 i[0] to %2 at 0\n%1 = s r0 i[1] to %3 at 1\n"
                   "%2 = rcs r1 -> i[0] from %0 to %4 at 2:4\n"
                   "%3 = rcs r1 -> i[1] from %1 to %5 at 3:4\n"
                   "%4 = r r0 -> i[0] from %2 at 5\n%5 = r r0 -> i[1] from %3 at 6") ==
        "t.ccl:6:1: error: %3 rcs: the sending half has the position of that of %2\n");
}

TEST_CASE("sent cells are unchanged until the position of the sending half") {
  // %2 overwrites i[0] between %1 and the message that %3 receives.
  CHECK(instrError("%0 = s r0 i[0] to %1 at 0\n%1 = rcs r1 -> i[0] from %0 to %3 at 1:3\n"
                   "%2 = cpy r1 i[1] -> i[0] at 2\n%3 = r r0 -> i[0] from %1 at 4") ==
        "t.ccl:4:1: error: %1 rcs: its value is overwritten before its sending half\n");
  CHECK(instrError("%0 = s r0 i[0] to %1 at 0\n%1 = rcs r1 -> i[0] from %0 to %3 at 1:2\n"
                   "%2 = cpy r1 i[1] -> i[0] at 3\n%3 = r r0 -> i[0] from %1 at 4") == "");
}

namespace {
/// Checks that a text results in an error or in a program that can be printed and read again.
void checkRobust(const std::string &text) {
  DiagnosticEngine diags;
  FailureOr<Module> module = parseModule(text, "t.ccl", diags);
  if (succeeded(module) == diags.hasErrors())
    FAIL("neither a program nor an error: " << text);
  if (failed(module))
    return;
  std::string once = printed(*module);
  DiagnosticEngine again;
  FailureOr<Module> second = parseModule(once, "t.ccl", again);
  if (failed(second) || printed(*second) != once)
    FAIL("does not survive printing: " << messages(again) << text);
}

/// Valid text of all levels, with every construct of the grammar.
std::vector<std::string> validTexts() {
  std::vector<std::string> texts;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    RandomProgramOptions options;
    options.maxRanks = 3;
    options.maxOps = 8;
    options.directives = true;
    ChunkProgram chunks = randomProgram(seed + 31000, options);
    PrintOptions how{seed % 2 == 0, false};
    texts.push_back(printed(chunks, how));
    DiagnosticEngine diags;
    PassContext context(diags);
    auto instrs = lowerToInstr(std::move(chunks), context);
    instrs = fuse(std::move(*instrs), {}, context);
    texts.push_back(printed(*instrs, how));
    texts.push_back(printed(*scheduleProgram(std::move(*instrs), {}, context), how));
  }
  texts.push_back(R"(ccl.version 3
chunk.program @"a b" coll custom ranks 2 inplace outofplace proto LL instances 3 min 1 max 9 {
  input 2
  output 3
  expect r0:o[2] = r1:i[1]
  expect r1:o[0] = r0:i[0] + r1:i[0]
  param "k" = "v"
  level "pe" torus_2d 1 x 2
  target "box" hash "0f" set "a=1" set "b=\"x\"" machine "{}"
  place 1 0
  phase 1 "x"
  scratch "t" 3 1
  %0 = copy r1:o[0] <- r0:i[0] ch 1 inst 2 phase 1 loc("a":1:2)
}
)");
  return texts;
}
} // namespace

TEST_CASE("every prefix of a valid file is an error or a program", "[property]") {
  for (const std::string &text : validTexts())
    for (size_t length = 0; length <= text.size(); ++length)
      checkRobust(text.substr(0, length));
}

TEST_CASE("mutated files are an error or a program", "[property]") {
  std::vector<std::string> texts = validTexts();
  constexpr StringRef alphabet = "0123456789rios%@{}[]():=+-<>\"\\ \n\txtbdepch.,_\x01\xff";
  Random random(5);
  for (uint32_t i = 0; i < scaled(30000); ++i) {
    std::string text = texts[random.below(texts.size())];
    for (uint32_t n = random.between(1, 3); n > 0; --n) {
      uint32_t at = random.below(text.size());
      switch (random.below(5)) {
      case 0: // a byte
        text[at] = char(random.next());
        break;
      case 1: // a byte with a meaning in the grammar
        text[at] = alphabet[random.below(alphabet.size())];
        break;
      case 2: // a bit
        text[at] ^= 1 << random.below(8);
        break;
      case 3: // a section removed
        text.erase(at, random.between(1, 12));
        break;
      case 4: { // a section copied from elsewhere
        const std::string &other = texts[random.below(texts.size())];
        text.insert(at, other.substr(random.below(other.size()), random.between(1, 30)));
        break;
      }
      }
      if (text.empty())
        break;
    }
    checkRobust(text);
  }
}

TEST_CASE("mutated instruction programs are compiled or rejected", "[property]") {
  // Passes must not fail on a program that the parser accepts.
  Random random(6);
  std::vector<std::string> texts;
  for (const std::string &text : validTexts())
    if (text.find("instr.program") != std::string::npos)
      texts.push_back(text);
  uint32_t scheduled = 0;
  for (uint32_t i = 0; i < scaled(10000); ++i) {
    std::string text = texts[random.below(texts.size())];
    for (uint32_t n = random.between(1, 3); n > 0; --n) {
      // A digit replaced by another one leaves most programs readable.
      size_t at = text.find_first_of("0123456789", random.below(text.size()));
      if (at != std::string::npos && at > text.find('@'))
        text[at] = char('0' + random.below(10));
    }
    DiagnosticEngine diags;
    FailureOr<Module> module = parseModule(text, "t.ccl", diags);
    if (failed(module))
      continue;
    PassContext context(diags);
    auto instrs = fuse(std::get<InstrProgram>(std::move(*module)), {}, context);
    REQUIRE(succeeded(instrs));
    ScheduleOptions how;
    how.slots = Slots(1);
    FailureOr<ExecPlan> plan = scheduleProgram(std::move(*instrs), how, context);
    REQUIRE(succeeded(plan) != diags.hasErrors());
    scheduled += succeeded(plan);
  }
  CHECK(scheduled > 100);
}

TEST_CASE("neighbours, communicators and calls") {
  auto tables =
      [](StringRef body) {
        return chunkError((R"(
          coll custom ranks 3 outofplace {
          input 1
          output 1
          )"_lines + body + "\n}\n")
                              .str());
      };
  CHECK(tables("neighbour r0 NE r1") == "t.ccl:5:14: error: expected a direction, found 'NE'\n");
  CHECK(tables("neighbour r0 E r3") ==
        "t.ccl:5:16: error: rank 3 is out of range: the program has 3 ranks\n");
  CHECK(tables("neighbour r0 E r1") ==
        "tool: error: r1, the E neighbour of r0, does not have r0 as its W neighbour\n");
  CHECK(tables("neighbour r0 E r0") == "tool: error: r0, the E neighbour of r0, is r0 itself\n");
  CHECK(tables("neighbour r1 W r0\nneighbour r0 E r1") ==
        "tool: error: r1, the E neighbour of r0: the neighbour table must be in ascending order\n");
  CHECK(tables("neighbour r0 E r1\nneighbour r0 E r2\nneighbour r1 W r0\nneighbour r2 W r0") ==
        "tool: error: r2, the E neighbour of r0: so is r1 already, and a rank has only one\n");
  // Only children may have several entries.
  CHECK(tables("neighbour r0 child r1\nneighbour r0 child r2\nneighbour r1 parent r0\n"
               "neighbour r2 parent r0") == "");

  CHECK(tables("communicator 1 \"all\" [r0]") ==
        "t.ccl:5:14: error: communicators must be numbered from 0 in order\n");
  CHECK(tables("communicator 0 \"all\" [r0 r1] [r1]") ==
        "tool: error: communicator 'all': r1 is out of order or a duplicate\n");
  CHECK(tables("communicator 0 \"all\" []") ==
        "tool: error: communicator 'all' has an empty group\n");
  CHECK(tables("call 1 \"sum\" gen 1") ==
        "t.ccl:5:6: error: calls must be numbered from 0 in order\n");
  CHECK(tables("call 0 \"sum\" gen 0") == "t.ccl:5:18: error: generations count from 1\n");
  CHECK(tables("call 0 \"sum\" gen 1\nphase 1 \"up\" call 0 comm 0 stage 0") ==
        "tool: error: phase 1 uses communicator 0, but the number of communicators is 0\n");
  CHECK(tables("communicator 0 \"all\" [r0]\nphase 1 \"up\" call 0 comm 0 stage 0") ==
        "tool: error: phase 1 belongs to call 0, but the number of calls is 0\n");
  CHECK(tables("phase 1 \"up\" call 0 comm 0 stage 3") ==
        "t.ccl:5:34: error: stage 3 exceeds the limit of 2\n");
  // Generations: of users, of phases, and absent although they were to be allocated.
  const std::string on = "communicator 0 \"all\" [r0 r1]\ncall 0 \"sum\" gen 1\n"
                         "phase 1 \"up\" call 0 comm 0 stage 0";
  CHECK(tables("call 0 \"sum\" gen 1073741825") ==
        "t.ccl:5:18: error: generation 1073741825 exceeds the limit of 1073741824\n");
  CHECK(tables("call 0 \"sum\" gen 1073741824") == "");
  CHECK(tables(on) == "");
  CHECK(tables(on + " gen 3221225472") == "");
  CHECK(tables(on + " gen 0") == "t.ccl:7:40: error: generations count from 1\n");
  CHECK(tables(on + " gen 3221225473") ==
        "t.ccl:7:40: error: generation 3221225473 exceeds the limit of 3221225472\n");
  std::string header = R"(
     @p coll custom ranks 1 outofplace {
    input 1
    output 1
    communicator 0 "all" [r0]
    call 0 "sum" gen 1
    phase 1 "up" call 0 comm 0 stage 0
    )"_lines;
  for (std::string rest : {"instr.program" + header + "}\n", "exec.program" + header + R"(
         rank 0 {
         }
         }
         )"_lines})
    CHECK(parseError("ccl.version 2\n" + rest) ==
          "t.ccl:7:34: error: phase 'up' has no generation: expected 'gen'\n");
}

TEST_CASE("messages of a phase stay within a group of its communicator", "[structure-9]") {
  const std::string header = R"(
     @p coll custom ranks 3 outofplace {
    input 1
    output 1
    communicator 0 "two" [r0 r1] [r2]
    call 0 "sum" gen 1
    phase 1 "up" call 0 comm 0 stage 0 gen 1
    )"_lines;
  const std::string text =
      "phase 'up' of sum with user generation 1 sends from r0 to r2, which are "
      "not in one group of communicator 'two'\n";
  auto chunk = [&](int to) {
    return parseError("ccl.version 2\nchunk.program" + header + "%0 = copy r" + std::to_string(to) +
                      ":o[0] <- r0:i[0] phase 1\n}\n");
  };
  CHECK(chunk(1) == "");
  CHECK(chunk(2) == "t.ccl:8:1: error: " + text);
  auto instr = [&](int to) {
    return parseError("ccl.version 2\ninstr.program" + header +
                      "%0 = s r0 i[0] to %1 phase 1\n%1 = r r" + std::to_string(to) +
                      " -> o[0] from %0 phase 1\n}\n");
  };
  CHECK(instr(1) == "");
  CHECK(instr(2) == "t.ccl:8:1: error: %0 s: " + text);
}

TEST_CASE("operations follow the order of the gates") {
  std::string gates = R"(
    coll custom ranks 2 outofplace {
    input 1
    output 2
    communicator 0 "both" [r0 r1]
    call 0 "a" gen 1
    call 1 "b" gen 2
    phase 1 "x" call 0 comm 0 stage 0 gen 1
    phase 2 "y" call 1 comm 0 stage 0 gen 4
    )"_lines;
  CHECK(chunkError(gates + R"(
    %0 = copy r1:o[0] <- r0:i[0] phase 2
    %1 = copy r1:o[1] <- r0:i[0] phase 1
    }
    )"_lines) ==
        "t.ccl:11:1: error: an operation of phase 1 follows operations of a phase with a later "
        "gate\n");
  auto instrs = [&](StringRef body) {
    return parseError("ccl.version 3\ninstr.program @p " + gates + body.str() + "}\n");
  };
  CHECK(instrs("%0 = s r0 i[0] to %1 phase 1\n%1 = r r1 -> o[0] from %0 phase 2\n") ==
        "t.ccl:10:1: error: %0 s: is sent before a gate and received after it\n");
  CHECK(instrs("%0 = cpy r0 i[0] -> o[0] phase 2\n%1 = cpy r0 i[0] -> o[1] phase 1\n") ==
        "t.ccl:11:1: error: %1 cpy: follows a phase with a later gate\n");
}
