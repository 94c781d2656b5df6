//===- TextFuzz.cpp - Arbitrary bytes, read as text IR --------------------===//
//
// Every level is printed to a text that reads back the same. Programs are lowered,
// fused and scheduled: the plan of a correct program must be correct.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/IR/Text/Parser.h"
#include "cclc/IR/Text/Printer.h"
#include "cclc/Proof/ChunkChecker.h"
#include "cclc/Proof/Gates.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Transforms/Pass/PassRegistry.h"

using namespace cclc;
using namespace cclc::fuzz;

namespace {
std::string textOf(const Module &module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, module);
  return os.str();
}

FailureOr<Module> runPasses(StringRef pipeline, Module &&module, DiagnosticEngine &diags) {
  static const PassRegistry registry = [] {
    PassRegistry all;
    registerAllPasses(all);
    return all;
  }();
  FailureOr<std::vector<std::unique_ptr<Pass>>> passes = registry.parsePipeline(pipeline, diags);
  if (failed(passes))
    defect("the pipeline is not known", pipeline, diags);
  PassManager manager;
  manager.add(std::move(*passes));
  PassContext context(diags);
  return manager.run(std::move(module), context);
}

void checkPlan(StringRef input, const Module &module, Slots slots, bool mayBeWrong) {
  DiagnosticEngine diags;
  PlanProof report = verifyPlan(std::get<ExecPlan>(module), slots, diags);
  if (report.verdict == Verdict::Ok || (mayBeWrong && report.verdict == Verdict::WrongResult))
    return;
  defect("the plan of a correct program is wrong: " + verdictName(report.verdict).str(), input,
         diags);
}

/// Limits operations and cells, so that scheduling and proving are fast.
bool isSmallProgram(const ChunkProgram &program) {
  uint64_t size = 0;
  for (const ScratchBuffer &buffer : program.scratch())
    for (uint32_t chunks : buffer.chunks)
      size += chunks;
  for (const ChunkOp &op : program.ops())
    size += op.count;
  return isSmallCollective(program.info().collective) && size <= 1 << 12;
}

void compileChunks(StringRef input, const ChunkProgram &program) {
  if (!isSmallProgram(program))
    return;
  DiagnosticEngine diags;
  // A program that returns to an earlier generation is rejected before it is lowered.
  if (failed(checkGates(program, diags)))
    return;
  // A program may be incorrect in two further ways: it reads an unwritten cell, in which case
  // nothing else is checked, or its result is not that of its collective.
  bool isCorrect = succeeded(checkProgram(program, diags));
  struct Variant {
    const char *pipeline;
    Slots slots;
  };
  for (Variant variant :
       {Variant{"lower-to-instr,remove-dead-copies,fuse-receive-reduce,fuse,schedule{slots=8}",
                Slots(8)},
        Variant{"lower-to-instr,schedule{slots=1}", Slots(1)},
        Variant{"lower-to-instr,fuse,schedule{slots=1}", Slots(1)}}) {
    DiagnosticEngine found;
    FailureOr<Module> plan = runPasses(variant.pipeline, Module(program), found);
    if (succeeded(plan))
      checkPlan(input, *plan, variant.slots, !isCorrect);
    else if (!found.hasErrors())
      defect("a pass failed without an error", input, found);
  }
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  DiagnosticEngine diags;
  FailureOr<Module> module = parseModule(text, "fuzz", diags);
  if (failed(module)) {
    if (!diags.hasErrors())
      defect("refused without an error", text, diags);
    return -1;
  }
  std::string once = textOf(*module);
  DiagnosticEngine second;
  FailureOr<Module> again = parseModule(once, "again", second);
  if (failed(again))
    defect("text that was printed is not read", once, second);
  if (textOf(*again) != once)
    defect("text differs when it is printed again", once, second);

  if (const auto *program = std::get_if<ChunkProgram>(&*module))
    compileChunks(text, *program);
  else if (const auto *instrs = std::get_if<InstrProgram>(&*module)) {
    if (!isSmallCollective(instrs->info().collective))
      return 0;
    uint64_t work = 0;
    for (uint32_t chunks : instrs->scratchChunks())
      work += chunks;
    for (const Instr &instr : instrs->instrs())
      work += instr.count;
    if (work > 1 << 12)
      return 0;
    DiagnosticEngine found;
    if (failed(checkGates(*instrs, found)))
      return 0;
    FailureOr<Module> plan = runPasses("fuse,schedule{slots=2}", std::move(*module), found);
    if (failed(plan) && !found.hasErrors())
      defect("a pass failed without an error", text, found);
    if (succeeded(plan))
      checkPlan(text, *plan, Slots(2), /*mayBeWrong=*/true);
  }
  return 0;
}
