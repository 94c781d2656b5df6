//===- Verifier.h - Structure of a plan -------------------------*- C++ -*-===//
//
// Part 1 of the proof of a plan: peers, connection ownership, bounds, operands that do not overlap,
// matched messages, waits that exist. The later analyses (Proof, Sim, Formats) rely on it. The
// other two levels verify their structure in their builders.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_VERIFIER_H
#define CCL_IR_VERIFIER_H

#include "cclc/IR/ExecPlan.h"

#include "llvm/ADT/DenseMap.h"

namespace cclc {

/// Reports structural errors at the position in the imported file, if there is one, else at the
/// step's source location.
LogicalResult verifyStructure(const ExecPlan &plan, DiagnosticEngine &diags,
                              const PlanPositions *positions = nullptr);

/// Whether phases may lack the generations that allocate-generations assigns, which is allowed at
/// the chunk level only.
enum class Generations : uint8_t { Allocated, MayBeUnset };

/// The tables that all levels share: a neighbour table that is symmetric, groups that
/// are disjoint, gates of calls and communicators that exist, generations.
LogicalResult verifyTables(const ProgramInfo &info, Generations generations, Location loc,
                           DiagnosticEngine &diags);

/// Finds the group of a communicator that a rank belongs to.
class MessageGroups {
public:
  explicit MessageGroups(const ProgramInfo &info);
  /// An error text if a message of phase \p phase between these ranks leaves their group, else "".
  std::string findStray(uint32_t phase, RankId from, RankId to) const {
    return info.phases[phase].gate ? findStrayOfGate(phase, from, to) : std::string();
  }

private:
  std::string findStrayOfGate(uint32_t phase, RankId from, RankId to) const;

  const ProgramInfo &info;
  llvm::DenseMap<uint64_t, uint32_t> groupOf; ///< by communicator and rank
};

/// "broadcast with user generation 1": the call of a phase with a gate.
std::string callText(const ProgramInfo &info, const Phase &phase);

/// An error text if source and destination overlap without being the same cells in one of
/// \p spaces, else "". The result of such a step would depend on the order of its chunks.
std::string findOverlapOfRanges(ArrayRef<CellSpace> spaces, RankId rank, Operand src, Operand dst,
                                uint32_t count);
/// The same for any count: single chunks cannot overlap partly, and most steps move one.
inline std::string findPartialOverlap(ArrayRef<CellSpace> spaces, RankId rank, Operand src,
                                      Operand dst, uint32_t count) {
  return count < 2 ? std::string() : findOverlapOfRanges(spaces, rank, src, dst, count);
}

/// Rejects a program or plan (\p what) that has more cells, or moves more chunks in total, than the
/// tables of the analyses can hold. Every level checks this before it allocates such a table.
LogicalResult verifySize(StringRef what, uint64_t cells, uint64_t moved, const Location &loc,
                         DiagnosticEngine &diags);

/// The largest number of cells of all ranks, since analyses have tables over all cells.
inline constexpr uint64_t maxCells = uint64_t(1) << 28;
/// The largest number of chunks of a collective. A rolled plan has the cells of one rank.
inline uint32_t mostChunks(CollectiveKind kind, uint32_t ranks, bool rolled) {
  return maxCells / (rolled && kind == CollectiveKind::AllReduce ? 1 : ranks);
}
/// The largest number of chunks that all steps of a plan move in total. Together with the cells,
/// they are numbered in 32 bits.
inline constexpr uint64_t maxMovedChunks = uint64_t(1) << 31;
/// The largest position of an instruction program.
inline constexpr uint32_t maxPosition = uint32_t(1) << 27;
/// The largest generation of calls and phases, both counted from 1.
inline constexpr uint32_t maxGeneration = uint32_t(1) << 30;
inline constexpr uint32_t maxPhaseGeneration = Gate::numStages * maxGeneration;
inline constexpr uint32_t maxRanks = 1u << 16;
inline constexpr uint32_t maxChannels = 1u << 16;

} // namespace cclc

#endif // CCL_IR_VERIFIER_H
