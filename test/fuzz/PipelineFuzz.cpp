//===- PipelineFuzz.cpp - Random pipelines of passes over text IR ---------===//
//
// The first line of an input may name a pipeline, "//passes: a,b{option=value}"; without one, a
// pipeline is chosen by a hash of the input. Each pass succeeds or reports an error, and what it
// makes is printed to a text that reads back the same. If a program computes its collective, so
// does the plan at the end.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "../support/RandomProgram.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/IR/Text/Parser.h"
#include "cclc/IR/Text/Printer.h"
#include "cclc/Proof/ChunkChecker.h"
#include "cclc/Proof/Gates.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Transforms/Pass/PassRegistry.h"

#include "llvm/Support/xxhash.h"

using namespace cclc;
using namespace cclc::fuzz;
using test::Random;

namespace {
const PassRegistry &allPasses() {
  static const PassRegistry registry = [] {
    PassRegistry all;
    registerAllPasses(all);
    return all;
  }();
  return registry;
}

/// Passes that fit each other, beginning at \p level; options have few and small values.
std::string randomPipeline(Level level, uint64_t seed) {
  Random random(seed);
  std::string text;
  for (uint32_t n = random.between(1, 8); n > 0; --n) {
    std::vector<const PassEntry *> fitting;
    for (const PassEntry &pass : allPasses().all())
      if (pass.input == level)
        fitting.push_back(&pass);
    const PassEntry &pass = *fitting[random.below(fitting.size())];
    text += (text.empty() ? "" : ",") + pass.name;
    if (pass.name == "replicate-instances")
      text += "{n=" + std::to_string(random.between(1, 4)) + "}";
    else if (pass.name == "split-counts" || pass.name == "aggregate")
      text += "{max=" + std::to_string(random.between(1, 5)) + "}";
    else if (pass.name == "schedule")
      text += "{slots=" + std::to_string(random.between(1, 8)) + "}";
    level = pass.output;
  }
  return text;
}

uint64_t workOf(const Module &module) {
  uint64_t work = 0;
  if (const auto *program = std::get_if<ChunkProgram>(&module)) {
    for (const ScratchBuffer &buffer : program->scratch())
      for (uint32_t chunks : buffer.chunks)
        work += chunks;
    for (const ChunkOp &op : program->ops())
      work += op.count;
  } else if (const auto *instrs = std::get_if<InstrProgram>(&module)) {
    for (uint32_t chunks : instrs->scratchChunks())
      work += chunks;
    for (const Instr &instr : instrs->instrs())
      work += instr.count;
  } else {
    return isSmall(std::get<ExecPlan>(module)) ? 0 : UINT64_MAX;
  }
  return work;
}

/// Whether the input computes its collective: then every plan that is made of it does.
bool isCorrect(const Module &module) {
  DiagnosticEngine diags;
  const auto *program = std::get_if<ChunkProgram>(&module);
  return program && succeeded(checkGates(*program, diags)) &&
         succeeded(checkProgram(*program, diags));
}

std::string textOf(const Module &module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, module);
  return os.str();
}

void checkResult(const Module &module, bool correct, const std::string &pipeline, StringRef input) {
  DiagnosticEngine diags;
  std::string once = textOf(module);
  FailureOr<Module> again = parseModule(once, "result", diags);
  if (failed(again) || textOf(*again) != once)
    defect("the result of " + pipeline + " is not read back:\n" + once, input, diags);
  const auto *plan = std::get_if<ExecPlan>(&module);
  if (!plan || !correct || !isSmall(*plan))
    return;
  PlanProof proof = verifyPlan(*plan, plan->slots().value_or(Slots(8)), diags);
  if (proof.verdict != Verdict::Ok)
    defect("the plan of a correct program is " + verdictName(proof.verdict).str() + " after " +
               pipeline,
           input, diags);
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const StringRef input(reinterpret_cast<const char *>(data), size);
  StringRef text = input, pipeline;
  if (text.consume_front("//passes: "))
    std::tie(pipeline, text) = text.split('\n');
  DiagnosticEngine diags;
  FailureOr<Module> module = parseModule(text, "fuzz", diags);
  // Tools unroll a plan of one rank and rotations before they run passes.
  if (failed(module) || !infoOf(*module).rotations.empty() ||
      !isSmallCollective(infoOf(*module).collective) || workOf(*module) > 1 << 10)
    return -1;
  std::string chosen =
      pipeline.empty() ? randomPipeline(levelOf(*module), llvm::xxh3_64bits(text)) : pipeline.str();
  FailureOr<std::vector<std::unique_ptr<Pass>>> passes = allPasses().parsePipeline(chosen, diags);
  if (failed(passes)) {
    if (!diags.hasErrors())
      defect("a pipeline is refused without an error", input, diags);
    return -1;
  }
  const bool correct = isCorrect(*module);
  PassManager manager;
  manager.add(std::move(*passes));
  PassContext context(diags);
  FailureOr<Module> result = manager.run(std::move(*module), context);
  if (succeeded(result))
    checkResult(*result, correct, chosen, input);
  else if (!diags.hasErrors())
    defect("a pass failed without an error: " + chosen, input, diags);
  return 0;
}
