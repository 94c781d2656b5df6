//===- RankPlacement.h - Which PE runs which rank ---------------*- C++ -*-===//
//
// The ranks of a program that never asks for the geometry may run anywhere. Three
// policies say where:
//
//   linear  rank i on the i-th place
//   snake   along a path through the places on which neighbours are adjacent, and
//           which is a cycle wherever the machine has one
//   auto    what an estimate for this program says is best: of linear, of snake and
//           of what exchanging pairs of ranks makes of the better one
//
// Two places are adjacent when, at the outermost level at which they differ, their
// members are neighbours in the grid of that level; the members of a flat level all
// are. For PEs, cubes and SIPs: in one cube, in adjacent cubes of a SIP, or in
// neighbouring SIPs. docs/Targets.md shows it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PLACEMENT_RANKPLACEMENT_H
#define CCL_PLACEMENT_RANKPLACEMENT_H

#include "cclc/IR/InstrProgram.h"
#include "cclc/Target/Machine.h"

#include <memory>

namespace cclc {

class Pass;
class PassRegistry;

enum class RankPlacement : uint8_t { Linear, Snake, Auto };
/// "linear", "snake", "auto".
StringRef rankPlacementName(RankPlacement how);
std::optional<RankPlacement> parseRankPlacement(StringRef name);

/// The places of \p geometry along the snake, by their numbers. A level that is a ring,
/// a torus or a mesh with an even number of members and two at least on each side is
/// gone through as a Hamiltonian cycle, which begins at member 0 and ends beside it in
/// the first row; any other mesh row by row, there and back.
std::vector<uint32_t> snakeOrder(const Geometry &geometry);

/// Estimates what a placement costs a program. The program is taken as rounds, one
/// for each depth of its DAG, that wait for each other. A round takes as long as its
/// longest route, for an empty message, and its busiest link, for the messages on it.
class PlacementCost {
public:
  PlacementCost(const InstrProgram &program, const Machine &machine);
  ~PlacementCost();

  struct Value {
    SimTime time;
    /// Of all routes together, to tell placements of the same time apart.
    SimTime routes;
    friend auto operator<=>(const Value &, const Value &) = default;
  };
  /// \p endpoints has the endpoint of each rank.
  Value operator()(ArrayRef<uint32_t> endpoints) const;

  /// Links that one evaluation looks at, at most.
  uint64_t work() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// The endpoint of each rank of \p program, out of \p endpoints, which are those of
/// \p geometry in the order of its places. Deterministic.
std::vector<uint32_t> placeRanks(RankPlacement how, const InstrProgram &program,
                                 const Machine &machine, const Geometry &geometry,
                                 ArrayRef<uint32_t> endpoints);

/// Places the ranks of a program. \p machine must outlive the pass; without one it fails.
std::unique_ptr<Pass> placePass(RankPlacement how, const Machine *machine, Geometry geometry,
                                std::vector<uint32_t> endpoints);

/// The pass `place`, for \p machine, which may be null.
void registerPlacement(PassRegistry &registry, const Machine *machine);

} // namespace cclc

#endif // CCL_PLACEMENT_RANKPLACEMENT_H
