//===- Compile.h - From a declared program to a proved plan -----*- C++ -*-===//
//
// Stages 1 to 6 of the toolchain as one call: what cclc does between its command
// line and its output files.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DRIVER_COMPILE_H
#define CCL_DRIVER_COMPILE_H

#include "cclc/DSL/Declaration.h"
#include "cclc/Driver/ToolMain.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/IR/InstrProgram.h"
#include "cclc/Pass/PassManager.h"
#include "cclc/Placement/RankPlacement.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Semantics/PlanVerifier.h"
#include "cclc/Target/Loader.h"
#include "cclc/Transforms/Passes.h"

#include <functional>

namespace cclc {

struct CompileRequest {
  /// As the user wrote them: the program's parameters, and the implicit `buffers`
  /// and `mapper`.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::optional<uint32_t> ranks;
  std::optional<TargetRequest> target;
  /// Where ranks run, if the program does not care.
  RankPlacement placement = RankPlacement::Linear;
  /// Unset: one, or as many as -O3 finds best.
  std::optional<uint32_t> instances;
  InstanceLayout layout = InstanceLayout::Blocked;
  Protocol protocol = Protocol::Simple;
  /// Unset: those of the target, or 8.
  std::optional<Slots> slots;
  /// 0: as written, 1: dead copies go and instructions are fused, 2: ways to schedule are
  /// weighed against each other, 3: variants are timed on the target, which there has to be.
  unsigned optimisation = 2;
  /// Unset: balance, or what -O3 finds best.
  std::optional<ScheduleGoal> goal;
  /// At most, even where the target allows more.
  std::optional<uint32_t> maxChannels, maxThreadblocks;
  /// Connections of a rank in each direction on one channel.
  std::optional<uint32_t> maxPerChannel;
  /// Whether adjacent operations are joined even where the program does not ask for it.
  bool aggregate = false;
  /// Variants that -O3 tries at a time; the plan does not depend on it.
  unsigned jobs = 1;
  /// Unset: all, or what -O3 finds best.
  std::optional<FusionOptions> fusion;
  /// Whether receives that also reduce or send are taken apart in the end.
  bool lowerFused = false;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
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
/// Every pass of the toolchain.
void registerAllPasses(PassRegistry &registry);

} // namespace cclc

#endif // CCL_DRIVER_COMPILE_H
