//===- Compile.h - From a declared program to a proved plan -----*- C++ -*-===//
//
// Stages 1 to 6 of the toolchain as one call: what cclc does between its command
// line and its output files.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_COMPILER_COMPILE_H
#define CCL_COMPILER_COMPILE_H

#include "cclc/Compiler/Variant.h"
#include "cclc/DSL/Declaration.h"
#include "cclc/Frontend/UserProgram.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/IR/InstrProgram.h"
#include "cclc/Mscclpp/Plan.h"
#include "cclc/Pass/PassManager.h"
#include "cclc/Semantics/PlanVerifier.h"
#include "cclc/Support/ExitCode.h"
#include "cclc/Target/Loader.h"

#include <functional>

namespace cclc {

struct MscclDialect;

struct CompileRequest {
  /// As the user wrote them: the program's parameters, and the implicit `buffers`
  /// and `mapper`.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::optional<uint32_t> ranks;
  std::optional<TargetRequest> target;
  /// Where ranks run, if the program does not care; unset: linear, or what -O3 finds best.
  std::optional<RankPlacement> placement;
  /// Unset: one, or as many as -O3 finds best.
  std::optional<uint32_t> instances;
  InstanceLayout layout = InstanceLayout::Blocked;
  /// Unset: Simple, or what -O3 finds best.
  std::optional<Protocol> protocol;
  /// Unset: those of the target, or 8.
  std::optional<Slots> slots;
  /// 0: as written, 1: dead copies go and instructions are fused, 2: ways to schedule are
  /// weighed against each other, 3: variants are timed on the target, which there has to be.
  unsigned optimisation = 2;
  /// Unset: balance, or what -O3 finds best.
  std::optional<ScheduleGoal> goal;
  /// At most, even where the target allows more.
  std::optional<uint32_t> maxChannels, maxThreadblocks;
  /// The MSCCL runtime that the plan is for, whose limits it keeps or is refused; may be null.
  const MscclDialect *dialect = nullptr;
  /// Whether the plan is lowered to the form of MSCCL++ as well.
  bool mscclpp = false;
  /// Whether adjacent operations are joined even where the program does not ask for it.
  bool aggregate = false;
  /// Variants that -O3 tries at a time; the plan does not depend on it.
  unsigned jobs = 1;
  /// What chooses the variant with -O3 (Tune/Search.h).
  VariantSearch search;
  /// Unset: all, or what -O3 finds best.
  std::optional<FusionOptions> fusion;
  /// Whether fused receives are split in the final plan.
  bool lowerFused = false;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
  /// Operations that the program may make, and how its code runs.
  uint64_t traceLimit = 100'000'000;
  UserCodeOptions userCode;
  /// The file of a user's program, whose crashes are not ours.
  std::string userFile;
  bool verify = true;
  /// Where passes say what they did and did not; the plan's locations belong to it.
  Remarks *remarks = nullptr;
  /// printAfter may also be "trace".
  PassManagerOptions passes;
  /// Called with what has been traced, even if it turns out to be wrong, and with
  /// the instructions after the last optimisation.
  std::function<void(const ChunkProgram &)> onChunkProgram;
  std::function<void(const InstrProgram &)> onInstrProgram;
  /// Told the name of each stage as it begins.
  std::function<void(StringRef)> onStage;
};

struct Compiled {
  ExecPlan plan;
  /// Unset when the proof was left out.
  std::optional<PlanReport> report;
  /// If it was requested.
  std::optional<mscclpp::Plan> mscclpp;
  uint64_t chunkOps = 0;
  std::map<std::string, uint64_t> counters; ///< PassContext::statistics
  std::vector<PassManager::Timing> timings;
};

struct CompileOutcome {
  ExitCode code;
  std::optional<Compiled> compiled; ///< set on success
};

/// On failure the diagnostics say why; the exit code tells a wrong algorithm from
/// an unusable request and from a defect of the compiler.
CompileOutcome compile(const dsl::Declaration &declaration, const CompileRequest &request,
                       DiagnosticEngine &diags);

/// The program's parameters and those that every program has: `buffers` and
/// `mapper`, of which a program that fixes it takes one value only.
std::vector<dsl::ParamSpec> allParameters(const dsl::Declaration &declaration);

class PassRegistry;
/// Every pass of the toolchain; \p machine, which may be null, is for `place`.
void registerAllPasses(PassRegistry &registry, const Machine *machine = nullptr);

} // namespace cclc

#endif // CCL_COMPILER_COMPILE_H
