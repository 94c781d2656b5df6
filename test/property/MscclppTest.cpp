//===- MscclppTest.cpp - Proofs of MSCCL++ plans against executions -------===//
//
// Plans that are proved run right in the machine of the tests under random schedules, and so do
// random mutants of them that are still proved, whose lifted forms are proved as well. Changes
// without effect do not change a proof.
// CCLC_MSCCLPP_MUTANTS is the number of mutants, CCLC_CORPUS a folder with further plans.
//
//===----------------------------------------------------------------------===//

#include "../support/MscclppMachine.h"
#include "../support/MscclppPlans.h"
#include "../support/Pick.h"
#include "../unit/Mscclpp/Files.h"

#include "cclc/Compiler/LiftFromMscclpp.h"
#include "cclc/Mscclpp/Emit/Compact.h"
#include "cclc/Mscclpp/Emit/Lower.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <numeric>

using namespace cclc;
using namespace cclc::test;

namespace {
std::string lowered(const Recipe &recipe, Protocol protocol) {
  DiagnosticEngine diags;
  CompileRequest request = requestFor(recipe);
  request.protocol = protocol;
  FailureOr<Compiled> outcome = compile(bundled(recipe.program), request, diags);
  REQUIRE(succeeded(outcome));
  for (auto emit : {mscclpp::emitPackets, mscclpp::emitDirect})
    if (std::optional<mscclpp::Plan> compact = emit(outcome->plan, {}))
      return textOf(*compact);
  FailureOr<mscclpp::Plan> plan = mscclpp::lower(outcome->plan, diags);
  REQUIRE(succeeded(plan));
  return textOf(*plan);
}

/// Texts of plans that are proved.
std::vector<std::string> provedPlans() {
  std::vector<std::string> texts = {gatherByPut,  reduceByPackets, reduceByReading, relay,
                                    gatherByPort, reduceBySwitch,  pipelinedRelay,  sharedRelay};
  for (Protocol protocol : {Protocol::Simple, Protocol::LL})
    for (const Recipe &recipe :
         {Recipe{"allreduce_ring", {}, 3}, Recipe{"allreduce_allpairs", {}, 4},
          Recipe{"allreduce_allpairs", {}, 12}, Recipe{"alltoall_direct", {}, 3}})
      texts.push_back(lowered(recipe, protocol));
  if (const char *corpus = std::getenv("CCLC_CORPUS")) {
    std::error_code error;
    std::string folder = std::string(corpus) + "/mscclpp";
    std::vector<std::string> files;
    for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
         it.increment(error))
      files.push_back(it->path());
    std::sort(files.begin(), files.end());
    for (const std::string &file : files)
      if (StringRef(file).ends_with(".json"))
        if (auto buffer = llvm::MemoryBuffer::getFile(file))
          if (judge((*buffer)->getBuffer()) == "ok")
            texts.push_back(textOf(readGoodMscclpp((*buffer)->getBuffer())));
  }
  return texts;
}

/// What an execution with a random schedule and size finds: "" if it is right.
std::string execute(const mscclpp::Plan &plan, Generator &random) {
  MachineOptions options;
  options.seed = random();
  options.granules = 1 + pick(random, 4);
  options.bytesOfPieces = 0;
  for (const mscclpp::Operation &op : plan.ops())
    options.bytesOfPieces = std::gcd(options.bytesOfPieces, op.pieces.bytes);
  options.granulesOfPieces = 1 + pick(random, 3);
  return runMscclpp(plan, options);
}

/// The text with a random change of one operation.
std::string mutated(StringRef text, Generator &random) {
  std::vector<OpLine> lines = opLines(text);
  const OpLine &line = lines[pick(random, lines.size())];
  std::string op = line.text.str();
  switch (pick(random, 5)) {
  case 0:
    return without(text, line);
  case 1: { // Exchange it with another one.
    const OpLine &other = lines[pick(random, lines.size())];
    if (&other == &line || other.text.contains(line.text) || line.text.contains(other.text))
      return without(text, line);
    const OpLine &first = line.begin < other.begin ? line : other;
    const OpLine &second = line.begin < other.begin ? other : line;
    return replaced(replaced(text, second, first.text), first, second.text);
  }
  case 2: {
    const std::pair<StringRef, StringRef> names[] = {
        {"\"signal\"", "\"rlxsignal\""}, {"\"wait\"", "\"rlxwait\""}, {"\"pwsf\"", "\"pws\""},
        {"\"pws\"", "\"put\""},          {"\"barrier\"", "\"nop\""},  {"\"nop\"", "\"flush\""}};
    for (const auto &[from, to] : names)
      if (line.text.contains(from))
        return replaced(text, line, with(op, from, to));
    return without(text, line);
  }
  default: { // Change a number.
    std::vector<size_t> digits;
    for (size_t i = 0; i < op.size(); ++i)
      if (isdigit(op[i]))
        digits.push_back(i);
    if (digits.empty())
      return without(text, line);
    op[digits[pick(random, digits.size())]] = '0' + pick(random, 4);
    return replaced(text, line, op);
  }
  }
}

size_t numberOfMutants() {
  const char *text = std::getenv("CCLC_MSCCLPP_MUTANTS");
  return text ? std::strtoull(text, nullptr, 10) : 600;
}
} // namespace

TEST_CASE("proved plans run right in every schedule", "[mscclpp]") {
  Generator random(1);
  for (const std::string &text : provedPlans()) {
    REQUIRE(judge(text) == "ok");
    mscclpp::Plan plan = readGoodMscclpp(text);
    for (int run = 0; run < 20; ++run) {
      std::string wrong = execute(plan, random);
      INFO(text);
      REQUIRE(wrong == "");
    }
  }
}

TEST_CASE("mutants that are proved run right", "[mscclpp]") {
  Generator random(2);
  std::vector<std::string> texts = provedPlans();
  size_t proved = 0, refused = 0, detected = 0;
  for (size_t i = 0; i < numberOfMutants(); ++i) {
    std::string text = mutated(texts[i % texts.size()], random);
    std::string judgement = judge(text);
    if (StringRef(judgement).starts_with("malformed"))
      continue;
    mscclpp::Plan plan = readGoodMscclpp(text);
    if (judgement == "ok") {
      ++proved;
      for (int run = 0; run < 30; ++run) {
        std::string wrong = execute(plan, random);
        INFO(text);
        REQUIRE(wrong == "");
      }
      DiagnosticEngine diags;
      FailureOr<ExecPlan> steps = liftFromMscclpp(plan, /*dialect=*/nullptr, diags);
      bool right =
          succeeded(steps) && verifyPlan(*steps, defaultSlots, diags).verdict == Verdict::Ok;
      INFO(text << textOf(diags));
      REQUIRE(right);
    } else if (!StringRef(judgement).starts_with("illegal")) {
      // Not every failure occurs in a few schedules.
      ++refused;
      bool wrong = false;
      for (int run = 0; run < 10 && !wrong; ++run)
        wrong = execute(plan, random) != "";
      detected += wrong;
    }
  }
  WARN(proved << " mutants proved, " << refused << " refused, of which " << detected
              << " failed in 10 executions");
  CHECK(detected * 2 > refused);
}

TEST_CASE("further nops and stronger signals are harmless", "[mscclpp]") {
  Generator random(3);
  std::vector<std::string> texts = provedPlans();
  for (size_t i = 0; i < numberOfMutants() / 4; ++i) {
    StringRef text = texts[i % texts.size()];
    std::vector<OpLine> lines = opLines(text);
    const OpLine &line = lines[pick(random, lines.size())];
    std::string changed = replaced(text, line, "{\"name\": \"nop\"},\n" + line.text.str());
    INFO(changed);
    // A full threadblock has no place for it.
    std::string judgement = judge(changed);
    CHECK((judgement == "ok" || StringRef(judgement).starts_with("illegal")));
  }
}
