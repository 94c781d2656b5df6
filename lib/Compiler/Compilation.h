//===- Compilation.h - One compilation --------------------------*- C++ -*-===//
//
// The stages are in Pipeline.cpp; what is different for a symmetric program, in
// SymmetricPrograms.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_COMPILER_COMPILATION_H
#define CCL_LIB_COMPILER_COMPILATION_H

#include "Resolve.h"
#include "cclc/Compiler/CompileRolled.h"
#include "cclc/UserPrograms/UserCode.h"

#include "cclc/Transforms/Pass/Pass.h"

namespace cclc {

/// One compilation; each step returns an exit code or reports its error.
class Compilation {
public:
  Compilation(const dsl::Declaration &declaration, const CompileRequest &request,
              DiagnosticEngine &diags)
      : declaration(declaration), request(request), diags(diags), context(diags) {
    context.remarks = request.remarks;
    code = {"program '" + declaration.name() + "'", request.userFile, request.userCode};
  }

  CompileOutcome run();
  RolledOutcome runRolled();

private:
  Variant firstVariant() const;
  dsl::TraceOptions traceOptions();
  std::string whyNotRolled() const;
  FailureOr<ExecPlan> compileFolded(const SymmetricProgram &program, const FoldedRanks &ranks,
                                    bool inLockstep);
  bool isWatched() const;
  bool mayFold() const;
  bool mayRoll() const;
  std::optional<CompileOutcome> trySymmetric();
  std::optional<SymmetricProgram> traceRepetition();
  std::optional<Compiled> tryFolded(const SymmetricProgram &program);
  std::optional<Compiled> runFolded(const SymmetricProgram &program);
  FailureOr<ExecPlan> tryVariant(const ChunkProgram &program, const Variant &variant) const;
  Variant loadingSwitches(const ChunkProgram &program, const Variant &variant) const;
  FailureOr<ChunkProgram> trace(bool &readsGeometry, CompileOutcome &failed);
  FailureOr<InstrProgram> optimise(ChunkProgram &&program, const Variant &variant,
                                   PassManager &manager, PassContext &context) const;
  /// Whether the program is checked before it is compiled, or proved with its plan only.
  enum class Check : uint8_t { First, WithPlan };
  CompileOutcome runOnAllRanks(Check when);
  std::optional<CompileOutcome> tryWithoutCheck();
  ExitCode fit(Compiled &compiled, const Variant &variant) const;
  const Machine *machine() const { return resolved.machine ? &*resolved.machine : nullptr; }
  SearchSpace openChoices(bool readsGeometry) const;
  Slots slotsOf(const Variant &variant) const {
    Slots usual = resolved.machine ? resolved.machine->slotsFor(variant.protocol) : defaultSlots;
    return request.slots.value_or(variant.slots ? Slots(*variant.slots) : usual);
  }

  void stage(StringRef name) const {
    if (request.onStage)
      request.onStage(name);
  }
  CompileOutcome fail(ExitCode code) const { return {code, std::nullopt}; }
  CompileOutcome failWrongProgram() const { return {ExitCode::Wrong, std::nullopt, true}; }

  const dsl::Declaration &declaration;
  const CompileRequest &request;
  DiagnosticEngine &diags;
  PassContext context;
  UserCode code;
  bool isTraced = false;
  Resolved resolved; ///< its options are consumed by tracing
  /// The whole program, if traceRepetition() has traced it.
  std::optional<dsl::TraceResult> traced;
};

} // namespace cclc

#endif // CCL_LIB_COMPILER_COMPILATION_H
