//===- Verifier.h - Structure of a plan -------------------------*- C++ -*-===//
//
// Part 1 of the proof of a plan: peers, connection ownership, bounds, matched
// messages, waits that exist. Everything later (Semantics, Sim, Emit) relies on
// it. The other two levels verify their structure in their builders.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_VERIFIER_H
#define CCL_IR_VERIFIER_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// Reports what is malformed, at the position in the imported file where there
/// is one, else at the step's source location.
LogicalResult verifyStructure(const ExecPlan &plan, DiagnosticEngine &diags,
                              const PlanPositions *positions = nullptr);

/// The tables that all levels share: a neighbour table that is symmetric, groups that
/// are disjoint, gates of calls and communicators that exist.
LogicalResult verifyTables(const ProgramInfo &info, Location loc, DiagnosticEngine &diags);

/// Refuses a program or plan (\p what) that has more cells, or moves more chunks
/// altogether, than an analysis can keep tables of. Every level asks before it
/// makes such a table.
LogicalResult verifySize(StringRef what, uint64_t cells, uint64_t moved, Location loc,
                         DiagnosticEngine &diags);

/// Analyses keep tables over all cells of all ranks; a file that declares more
/// than this many is refused rather than believed.
inline constexpr uint64_t maxCells = uint64_t(1) << 27;
/// The same for the chunks that all steps of a plan move together.
inline constexpr uint64_t maxMovedChunks = uint64_t(1) << 32;
/// The same for the positions of an instruction program.
inline constexpr uint32_t maxPosition = uint32_t(1) << 27;
/// Of users; those that are allocated for them are up to three times as large.
inline constexpr uint32_t maxGeneration = uint32_t(1) << 30;
inline constexpr uint32_t maxRanks = 1u << 16;
inline constexpr uint32_t maxChannels = 1u << 16;

} // namespace cclc

#endif // CCL_IR_VERIFIER_H
