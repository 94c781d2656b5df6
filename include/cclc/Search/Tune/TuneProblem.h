//===- TuneProblem.h - A collective on a machine to tune --------*- C++ -*-===//
//
// The fixed part of a search: the machine, the network model, the element type and the buffer
// sizes. Every candidate is compiled and simulated for it. That of the tuner is a collective on
// ranks.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_TUNE_TUNEPROBLEM_H
#define CCL_SEARCH_TUNE_TUNEPROBLEM_H

#include "cclc/Bound/CollectiveBound.h"
#include "cclc/Compiler/Placement/RankPlacement.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/Sim/Data/DataType.h"
#include "cclc/Target/Loader.h"

#include <map>
#include <memory>

namespace cclc {

struct Candidate;
struct CompiledPlans;

/// What every search needs: that for a collective, and that of cclc -O3 for one program.
struct SearchProblem {
  explicit SearchProblem(const Machine &machine) : machine(machine) {}

  const Machine &machine;
  std::string network;
  DataType type = DataType::F32;
  std::vector<uint64_t> sizes; ///< ascending
  /// Whether MSCCL++ executes the plans, so that its form of them determines the times.
  bool onlyMscclpp = false;
  /// Whether a plan is executed once for a buffer, so that its messages fit in its slots.
  bool inOnePiece = false;
  /// The slots of a connection; unset: those of the machine, by protocol.
  std::optional<Slots> slots;
  /// Whether plans reduce all elements in one order (Proof/UniformOrder.h).
  bool invariant = false;
  /// The ranks of a pipeline, which takes as many pieces to fill; 0: small slots are not tried.
  uint32_t pipelineRanks = 0;

  Slots slotsOf(const ExecPlan &plan) const {
    return slots.value_or(machine.slotsFor(plan.info()));
  }
  /// With \p prove, only right plans, unless the caller of the search proves its result.
  virtual CompiledPlans compile(const Candidate &candidate, bool prove,
                                DiagnosticEngine &diags) const = 0;
  /// The time of no plan with \p size is shorter.
  virtual SimTime leastTime(uint64_t /*size*/) const { return SimTime(); }
  /// A hash of all that a result depends on besides the candidate and the size; empty if results
  /// are not stored.
  std::string context = {};
};

/// The values of some parameters of programs, by name.
using GivenValues = std::map<std::string, std::vector<std::string>>;

struct TuneRequest {
  CollectiveKind collective = CollectiveKind::AllReduce;
  TargetRequest target;
  /// Unset: those that the target has, or that its mapper selects.
  std::optional<uint32_t> ranks;
  /// The endpoints of the ranks; empty: the first ones of \c mapper.
  std::vector<uint32_t> endpoints;
  /// Unset: the first of all PEs, cube leaders and leaders that selects exactly \c ranks endpoints,
  /// or else all PEs.
  std::optional<Mapper> mapper;
  /// Unset: that of the target.
  std::optional<std::string> network;
  DataType type = DataType::F32;
  std::vector<uint64_t> sizes; ///< ascending
  /// Whether the sizes are those of a sweep, which are rounded to those that the runtime divides.
  bool roundsSizes = false;
  /// What executes the plans, whose limits they keep; null: that of the target.
  const Runtime *runtime = nullptr;
  /// Whether plans reduce all elements in one order (Proof/UniformOrder.h).
  bool invariant = false;
  /// Parameters that take these values alone.
  GivenValues parameters;
  /// UserCodeOptions::isGuarded of programs.
  bool guardsPrograms = true;
};

struct TuneProblem final : SearchProblem {
  /// Fails if the target or the ranks are unusable.
  static FailureOr<TuneProblem> create(const TuneRequest &request, DiagnosticEngine &diags);

  std::unique_ptr<const Machine> ownMachine;
  CollectiveKind collective;
  TargetRequest target;
  std::vector<uint32_t> group; ///< the endpoints of the request
  Mapper mapper;
  GivenValues parameters;          ///< of the request
  bool guardsPrograms = true;      ///< of the request
  const Runtime *runtime;          ///< not null
  std::string resolvedTarget;      ///< the text of a target with every key
  std::vector<uint32_t> endpoints; ///< of the ranks, in the order of the mapper
  uint32_t nodes = 1;              ///< members of the outermost level that have ranks
  std::unique_ptr<PlacementMemo> placements = std::make_unique<PlacementMemo>();
  /// The bounds of any plan; as plans may choose slots, those of slots are not among them.
  std::unique_ptr<const CollectiveBound> bounds;
  /// Where plans place ranks, the bounds with the root on other endpoints, which may be smaller:
  /// one for each that no symmetry of the machine maps to another.
  std::vector<std::unique_ptr<const CollectiveBound>> boundsOfOtherRoots;
  /// The bound without links, where there are too many places: more than 64 kinds of roots or 256
  /// ranks, or orders of ranks that have neighbours.
  std::unique_ptr<const CollectiveBound> boundOfAllPlaces;

  uint32_t ranks() const { return endpoints.size(); }
  uint32_t ranksPerNode() const { return ranks() / nodes; }
  /// All-to-all and its relatives run out of place, because their programs copy the input
  /// otherwise.
  bool isInPlace() const;
  /// The sizes of calls of the runtime are multiples of these bytes.
  uint64_t sizeMultiple() const;
  /// Whether the sizes are not those of the request: multiples of executorMultiple() instead.
  bool hasRoundedSizes = false;
  /// The executor of MSCCL++ divides these bytes among the ranks.
  uint64_t executorMultiple() const;
  /// The least of any places of the ranks.
  SizeBound boundOf(uint64_t size) const;
  SimTime leastTime(uint64_t size) const override { return boundOf(size).time(); }
  bool hasLinkBound() const { return network != "ideal"; }
  /// The least time of any algorithm over the links of the machine; zero if they do not limit it.
  SimTime linkBound(uint64_t size) const;
  CompiledPlans compile(const Candidate &candidate, bool prove,
                        DiagnosticEngine &diags) const override;

private:
  void boundOtherPlaces(const BoundRequest &request);
  std::string findContext() const;
  explicit TuneProblem(std::unique_ptr<const Machine> machine)
      : SearchProblem(*machine), ownMachine(std::move(machine)) {}
};

} // namespace cclc

#endif // CCL_SEARCH_TUNE_TUNEPROBLEM_H
