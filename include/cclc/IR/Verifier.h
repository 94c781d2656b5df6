//===- Verifier.h - Structure of a plan -------------------------*- C++ -*-===//
//
// Part 1 of the proof of a plan: peers, connection ownership, bounds, operands that
// do not overlap, matched messages, waits that exist. Everything later (Semantics, Sim, Formats)
// relies on it. The other two levels verify their structure in their builders.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_VERIFIER_H
#define CCL_IR_VERIFIER_H

#include "cclc/IR/ExecPlan.h"

#include "llvm/ADT/DenseMap.h"

namespace cclc {

/// Reports what is malformed, at the position in the imported file where there
/// is one, else at the step's source location.
LogicalResult verifyStructure(const ExecPlan &plan, DiagnosticEngine &diags,
                              const PlanPositions *positions = nullptr);

/// Whether phases may still be without the generations that allocate-generations gives
/// them: at the chunk level only.
enum class Generations : uint8_t { Allocated, MayBeUnset };

/// The tables that all levels share: a neighbour table that is symmetric, groups that
/// are disjoint, gates of calls and communicators that exist, generations.
LogicalResult verifyTables(const ProgramInfo &info, Generations generations, Location loc,
                           DiagnosticEngine &diags);

/// Which group of its communicator each rank is in.
class MessageGroups {
public:
  explicit MessageGroups(const ProgramInfo &info);
  /// What is wrong with a message of phase \p phase between these ranks: it leaves their
  /// group. Empty where nothing is.
  std::string findStray(uint32_t phase, RankId from, RankId to) const;

private:
  const ProgramInfo &info;
  llvm::DenseMap<uint64_t, uint32_t> groupOf; ///< by communicator and rank
};

/// "broadcast with user generation 1": the call of a phase with a gate.
std::string callText(const ProgramInfo &info, const Phase &phase);

/// What is wrong with the two operands of a step or instruction whose order of chunks
/// decides what it writes: its source and destination overlap and are not the same cells,
/// in one of \p spaces. Empty where nothing is.
std::string findPartialOverlap(ArrayRef<CellSpace> spaces, RankId rank, Operand src, Operand dst,
                               uint32_t count);

/// Refuses a program or plan (\p what) that has more cells, or moves more chunks
/// altogether, than an analysis can keep tables of. Every level asks before it
/// makes such a table.
LogicalResult verifySize(StringRef what, uint64_t cells, uint64_t moved, Location loc,
                         DiagnosticEngine &diags);

/// Analyses keep tables over all cells of all ranks; a file that declares more
/// than this many is refused rather than believed.
inline constexpr uint64_t maxCells = uint64_t(1) << 27;
/// The same for the chunks that all steps of a plan move together: with the cells, they are
/// numbered in 32 bits.
inline constexpr uint64_t maxMovedChunks = uint64_t(1) << 31;
/// The same for the positions of an instruction program.
inline constexpr uint32_t maxPosition = uint32_t(1) << 27;
/// Of users, and of phases. Both count from 1.
inline constexpr uint32_t maxGeneration = uint32_t(1) << 30;
inline constexpr uint32_t maxPhaseGeneration = Gate::numStages * maxGeneration;
inline constexpr uint32_t maxRanks = 1u << 16;
inline constexpr uint32_t maxChannels = 1u << 16;

} // namespace cclc

#endif // CCL_IR_VERIFIER_H
