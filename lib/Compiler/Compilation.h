//===- Compilation.h - One compilation --------------------------*- C++ -*-===//
//
// The stages are in Pipeline.cpp; what is different for a symmetric program, in
// SymmetricPrograms.cpp. An attempt, whose failure is no error, has a context of its own.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_COMPILER_COMPILATION_H
#define CCL_LIB_COMPILER_COMPILATION_H

#include "Resolve.h"
#include "cclc/Compiler/Compile.h"
#include "cclc/UserPrograms/UserCode.h"

#include "cclc/Transforms/Pass/Pass.h"

namespace cclc {

class Compilation {
public:
  Compilation(const dsl::Declaration &declaration, const CompileRequest &request)
      : declaration(declaration), request(request) {
    code = {"program '" + declaration.name() + "'", request.userFile, request.userCode};
  }

  /// To be called once.
  FailureOr<std::variant<Compiled, CompiledRolled>> run(Rolling rolling, DiagnosticEngine &diags);

private:
  /// A traced program on all ranks.
  struct Traced {
    ChunkProgram program;
    bool readsGeometry;
  };
  /// Whether the program is checked before it is compiled, or proved with its plan only.
  enum class Check : uint8_t { First, WithPlan };

  std::vector<std::string> recordedOptions(const Variant &variant) const;
  FailureOr<Compiled> runOnAllRanks(dsl::TraceResult known, PassContext &context) const;
  Variant firstVariant() const;
  dsl::TraceOptions traceOptions() const;
  FailureOr<Traced> trace(dsl::TraceResult known, PassContext &context) const;
  bool mayOmitCheck() const;
  FailureOr<Compiled> compileTraced(Traced traced, Check when, PassContext &context) const;
  Variant chooseVariant(const Traced &traced) const;
  FailureOr<InstrProgram> optimise(ChunkProgram &&program, const Variant &variant,
                                   PassManager &manager, PassContext &context) const;
  FailureOr<ExecPlan> tryVariant(const ChunkProgram &program, const Variant &variant) const;
  Variant loadingSwitches(const ChunkProgram &program, const Variant &variant) const;
  SearchSpace openChoices(bool readsGeometry) const;
  LogicalResult fit(Compiled &compiled, const Variant &variant, DiagnosticEngine &diags) const;

  std::string whyNotRolled() const;
  bool isWatched() const;
  bool mayFold() const;
  bool mayRoll() const;
  static bool isLarge(const SymmetricProgram &program);
  FailureOr<CompiledRolled> runRolled(PassContext &context) const;
  dsl::TraceResult traceRepetition() const;
  FailureOr<CompiledRolled> compileRepetition(const SymmetricProgram &program,
                                              PassContext &context) const;
  FailureOr<ExecPlan> compileFolded(const SymmetricProgram &program, const FoldedRanks &ranks,
                                    bool inLockstep, PassContext &context) const;
  FailureOr<Compiled> compileUnrolled(const SymmetricProgram &program, PassContext &context) const;

  const Machine *machine() const { return resolved.machine ? &*resolved.machine : nullptr; }
  Slots slotsOf(const Variant &variant) const {
    Slots usual = resolved.machine ? resolved.machine->slotsFor(variant.protocol) : defaultSlots;
    return request.slots.value_or(variant.slots ? Slots(*variant.slots) : usual);
  }
  void stage(StringRef name) const {
    if (request.onStage)
      request.onStage(name);
  }

  const dsl::Declaration &declaration;
  const CompileRequest &request;
  UserCode code;
  Resolved resolved;
};

} // namespace cclc

#endif // CCL_LIB_COMPILER_COMPILATION_H
