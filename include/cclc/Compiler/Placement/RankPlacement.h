//===- RankPlacement.h - Mapping ranks to PEs -------------------*- C++ -*-===//
//
// A program that does not read the geometry can run with any mapping of its ranks to places. There
// are three policies:
//
//   linear  rank i at place i
//   snake   along a path of adjacent places, which is a cycle if the machine has one
//   auto    the best by an estimate for the program: linear, snake, or the result of exchanging
//           pairs of ranks in the better of the two, and of moving ranks to free places
//
// Two places are adjacent if, at the outermost level at which they differ, their members are
// neighbours in the grid of that level; all members of a flat level are neighbours. For PEs, cubes
// and SIPs: in one cube, in adjacent cubes of a SIP, or in neighbouring SIPs. docs/Targets.md has
// examples.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_COMPILER_PLACEMENT_RANKPLACEMENT_H
#define CCL_COMPILER_PLACEMENT_RANKPLACEMENT_H

#include "cclc/IR/InstrProgram.h"
#include "cclc/Target/Machine.h"

#include <map>
#include <memory>
#include <mutex>

namespace cclc {

class Pass;
class PassRegistry;

enum class RankPlacement : uint8_t { Linear, Snake, Auto };
/// "linear", "snake", "auto".
StringRef rankPlacementName(RankPlacement how);
std::optional<RankPlacement> parseRankPlacement(StringRef name);

/// The buffer of a placement that is estimated with the largest messages.
inline constexpr uint64_t anyBuffer = ~uint64_t(0);

/// The numbers of the places of \p geometry along the snake. A level that is a ring, a torus, or a
/// mesh with an even number of members and both sides at least two, is traversed along a
/// Hamiltonian cycle, which begins at member 0 and ends beside it in the first row; any other mesh
/// is traversed row by row in alternating directions.
std::vector<uint32_t> snakeOrder(const Geometry &geometry);

/// Estimates the cost of a placement. The program is approximated by sequential rounds, one per
/// depth of its DAG. The time of a round is the latency of its longest route plus the time of its
/// busiest link. A placement for which ranks lack direction queues is worse than any other.
class PlacementCost {
public:
  /// \p buffer is the largest buffer of the estimate; unset: that of the program, or anyBuffer.
  PlacementCost(const InstrProgram &program, const Machine &machine,
                std::optional<uint64_t> buffer = {});
  ~PlacementCost();

  struct Value {
    /// The queues that all ranks lack together, with the fewest connections of the program.
    uint64_t lackingQueues = 0;
    SimTime time;
    /// The sum over all routes, as a tie-breaker.
    SimTime routes;
    friend auto operator<=>(const Value &, const Value &) = default;
  };
  /// The cost for the endpoint \p endpoints of each rank, which is the current placement then.
  Value operator()(ArrayRef<uint32_t> endpoints) const;
  /// The cost of the current placement after the exchange of the places \p a, which is a rank, and
  /// \p b, which may be free; \p endpoints has them exchanged.
  Value exchanged(ArrayRef<uint32_t> endpoints, uint32_t a, uint32_t b) const;
  /// The placement of the last exchange is the current one.
  void accept() const;

  /// The maximum number of links and peers that an evaluation visits.
  uint64_t work() const;

  /// The traffic of the program and \p places as text, a hash of 128 bits: equal ones have the same
  /// costs.
  std::string traffic(ArrayRef<uint32_t> places) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// The placements \c auto of programs on one machine, by their traffic: the
/// candidates of a search that differ in their schedules share them. Threads may use it together.
class PlacementMemo {
public:
  std::optional<std::vector<uint32_t>> find(const std::string &traffic) const;
  void keep(const std::string &traffic, std::vector<uint32_t> endpoints);

private:
  mutable std::mutex mutex;
  std::map<std::string, std::vector<uint32_t>> placements;
};

/// Chooses the endpoint of each rank of \p program from \p endpoints, which correspond to the
/// places of \p geometry; \p buffer is that of PlacementCost. Deterministic, with and without
/// \p memo, which may be null.
std::vector<uint32_t> placeRanks(RankPlacement how, const InstrProgram &program,
                                 const Machine &machine, const Geometry &geometry,
                                 ArrayRef<uint32_t> endpoints, std::optional<uint64_t> buffer = {},
                                 PlacementMemo *memo = nullptr);

/// A pass that places the ranks of a program. \p machine and \p memo, which may be null, must
/// outlive the pass; if \p machine is null, the pass fails.
std::unique_ptr<Pass> placePass(RankPlacement how, const Machine *machine, Geometry geometry,
                                std::vector<uint32_t> endpoints,
                                std::optional<uint64_t> buffer = {}, PlacementMemo *memo = nullptr);

/// Registers the pass `place` for \p machine, which may be null.
void registerPlacement(PassRegistry &registry, const Machine *machine);

} // namespace cclc

#endif // CCL_COMPILER_PLACEMENT_RANKPLACEMENT_H
