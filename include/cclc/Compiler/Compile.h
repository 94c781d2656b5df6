//===- Compile.h - Compiling a program to a verified plan -------*- C++ -*-===//
//
// Stages 1 to 6 of the toolchain as one call: the work of cclc between its command line and its
// output files.
//
// One repetition of the orbits of a symmetric program (Symmetry/SymmetricProgram.h) is compiled on
// folded ranks to a rolled plan, with the same passes and scheduler, in time independent of the
// number of ranks except by the length of the repetition.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_COMPILER_COMPILE_H
#define CCL_COMPILER_COMPILE_H

#include "cclc/Compiler/Variant.h"
#include "cclc/DSL/Declaration.h"
#include "cclc/Formats/AhbmModule.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/IR/InstrProgram.h"
#include "cclc/Limits/PlanMemory.h"
#include "cclc/Limits/PlanQueues.h"
#include "cclc/Mscclpp/Plan.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Symmetry/Rolled/RolledPlan.h"
#include "cclc/Target/Loader.h"
#include "cclc/Transforms/Pass/PassManager.h"
#include "cclc/UserPrograms/UserProgram.h"

#include <functional>
#include <variant>

namespace cclc {

struct MscclDialect;

struct CompileRequest {
  /// The parameters as given by the user, including the implicit `buffers` and `mapper`.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::optional<uint32_t> ranks;
  std::optional<TargetRequest> target;
  /// The endpoints of a group of the machine, one for each rank in order; empty: selected by the
  /// parameter `mapper`.
  std::vector<uint32_t> endpoints;
  /// The placement of ranks, if the program does not read the geometry; unset: linear, or chosen by
  /// -O3.
  std::optional<RankPlacement> placement;
  /// The buffer that `auto` estimates placements for, or anyBuffer; unset: maxBytes.
  std::optional<uint64_t> placementBytes;
  /// Known placements of the same ranks; may be null. Changes nothing but the time.
  PlacementMemo *placements = nullptr;
  /// Unset: chosen by -O3, or else 8 for large buffers on switches with MSCCL++, and otherwise one.
  std::optional<uint32_t> instances;
  /// The threadblocks of MSCCL++ that share the operations of one. Unset: one, or chosen by -O3.
  std::optional<uint32_t> sharing;
  InstanceLayout layout = InstanceLayout::Blocked;
  /// Unset: Simple, or chosen by -O3.
  std::optional<Protocol> protocol;
  /// Unset: that of the target, or 8.
  std::optional<Slots> slots;
  /// The bytes of a slot, if the target lets plans choose their slots; unset: those of the target.
  std::optional<Bytes> slotSize;
  /// 0: as written, 1: remove dead copies and fuse instructions, 2: evaluate alternative schedules,
  /// 3: time variants on the target, which must be set.
  unsigned optimisation = 2;
  /// Unset: balance, or chosen by -O3.
  std::optional<ScheduleGoal> goal;
  /// Limits in addition to those of the target.
  std::optional<uint32_t> maxChannels, maxThreadblocks;
  /// The MSCCL runtime of the plan, whose limits are enforced; may be null.
  const MscclDialect *dialect = nullptr;
  /// Whether the plan is also lowered to MSCCL++, and whether that is its only destination, for
  /// which the limits of the target and the placement of ranks are not those of the runtime.
  bool mscclpp = false, onlyMscclpp = false;
  /// Whether the plan is also lowered to an algorithm module of AHBM, and for which world size
  /// (Formats/AhbmModule.h).
  bool ahbmModule = false;
  std::optional<uint32_t> worldSize;
  /// Whether adjacent operations are merged even outside the program's scopes.
  bool aggregate = false;
  /// The number of threads: for variants with -O3, and in each compilation for ranks and parts of
  /// proofs. The plan does not depend on it.
  unsigned jobs = 1;
  /// The search for a variant with -O3 (Search/Tune/Search.h).
  VariantSearch search;
  /// Unset: all, or chosen by -O3.
  std::optional<FusionOptions> fusion;
  /// Whether fused receives are split in the final plan.
  bool lowerFused = false;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
  /// The maximum number of operations of the program, and the limits of its code.
  uint64_t traceLimit = 100'000'000;
  UserCodeOptions userCode;
  /// The file of a user's program, whose crashes are not internal errors.
  std::string userFile;
  bool verify = true;
  /// Whether the proof includes the reduction hash.
  ReductionHash reductionHash = ReductionHash::Compute;
  /// Receives the remarks of passes, whose locations are those of the plan.
  Remarks *remarks = nullptr;
  /// printAfter may also be "trace".
  PassManagerOptions passes;
  /// Called with the traced program, before it is checked, and with the instructions after the last
  /// optimisation.
  std::function<void(const ChunkProgram &)> onChunkProgram;
  std::function<void(const InstrProgram &)> onInstrProgram;
  /// Called with the name of each stage when it begins.
  std::function<void(StringRef)> onStage;
};

struct Compiled {
  ExecPlan plan;
  /// Unset if the proof was skipped. If the plan is for MSCCL++ alone, the reduction order is that
  /// of \c mscclpp.
  std::optional<PlanProof> report;
  /// Set if requested.
  std::optional<mscclpp::Plan> mscclpp;
  uint64_t chunkOps = 0;
  std::map<std::string, uint64_t> counters; ///< PassContext::statistics
  /// The slots of the rank that needs most, for each memory of the target.
  std::vector<MemoryNeed> memory = {};
  /// The queues of the rank that needs most, for each group of the target.
  std::vector<QueueNeed> queues = {};
  /// A warning, if messages take one of several equally short routes on the target.
  std::optional<std::string> equalRoutes = {};
  /// A warning, if the plan of MSCCL++ has another reduction order.
  std::optional<std::string> otherOrder = {};
  /// Set if requested.
  std::optional<kernbench::AlgorithmModule> ahbmModule = {};
};

/// A rolled plan. It has no target, and one instance, since chunks of several are divided.
struct CompiledRolled {
  RolledPlan plan;
  /// Unset if the proof was skipped.
  std::optional<PlanProof> report = {};
};

/// On failure the error is in the diagnostics, with its kind: Unusable, if the request is; Wrong,
/// if the program has an error or does not compute the collective; Unfit, if its directives or its
/// destination allow no plan.
FailureOr<Compiled> compile(const dsl::Declaration &declaration, const CompileRequest &request,
                            DiagnosticEngine &diags);
/// Fails as well if the program is not symmetric or the request has no rolled plan.
FailureOr<CompiledRolled> compileRolled(const dsl::Declaration &declaration,
                                        const CompileRequest &request, DiagnosticEngine &diags);

/// Which programs get a rolled plan.
enum class Rolling : uint8_t {
  None,
  Large, ///< symmetric ones of more than mostUnrolledOps operations, if the request has a rolled
         ///< plan
  All
};
inline constexpr uint64_t mostUnrolledOps = uint64_t(1) << 24;

FailureOr<std::variant<Compiled, CompiledRolled>> compileAny(const dsl::Declaration &declaration,
                                                             const CompileRequest &request,
                                                             Rolling rolling,
                                                             DiagnosticEngine &diags);

/// The program's parameters and the implicit ones, `buffers` and `mapper`, which have a single
/// value if the program fixes it.
std::vector<dsl::ParamSpec> allParameters(const dsl::Declaration &declaration);

class PassRegistry;
/// Registers all passes of the toolchain; \p machine, which may be null, is for `place`.
void registerAllPasses(PassRegistry &registry, const Machine *machine = nullptr);

} // namespace cclc

#endif // CCL_COMPILER_COMPILE_H
