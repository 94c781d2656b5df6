//===- TuneProblem.h - A collective on a machine to tune --------*- C++ -*-===//
//
// The fixed part of a search: the collective, the machine and the ranks on it, the element type,
// the network model and the buffer sizes. Every candidate is compiled and simulated for it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_TUNE_TUNEPROBLEM_H
#define CCL_SEARCH_TUNE_TUNEPROBLEM_H

#include "cclc/Bound/CollectiveBound.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/Sim/Data/DataType.h"
#include "cclc/Target/Loader.h"

#include <functional>
#include <memory>

namespace cclc {

struct Candidate;
struct MscclDialect;

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
  /// The destination of the plans, whose limits they keep: an MSCCL runtime, or MSCCL++, which
  /// also determines their times if it is the only one.
  const MscclDialect *dialect = nullptr;
  bool mscclpp = false, onlyMscclpp = false;
  /// Whether plans reduce all elements in one order (Proof/UniformOrder.h).
  bool invariant = false;
};

struct TuneProblem {
  CollectiveKind collective;
  TargetRequest target;
  std::vector<uint32_t> group; ///< the endpoints of the request
  Mapper mapper;
  std::string network;
  DataType type;
  std::vector<uint64_t> sizes;
  const MscclDialect *dialect;
  bool mscclpp, onlyMscclpp;
  /// Unset: the machine belongs to the caller.
  std::unique_ptr<const Machine> ownMachine;
  const Machine &machine;
  std::string resolvedTarget;      ///< the text of a target with every key
  std::vector<uint32_t> endpoints; ///< of the ranks, in the order of the mapper
  uint32_t nodes = 1;              ///< members of the outermost level that have ranks
  /// The bounds of any plan; as plans may choose slots, those of slots are not among them. Null for
  /// the search of one program.
  std::unique_ptr<const CollectiveBound> bounds;
  /// The slots of a connection; unset: those of the machine, by protocol.
  std::optional<Slots> slots = {};
  bool invariant = false; ///< that of the request
  /// Compiles a candidate without proving it; unset: as cclc does.
  std::function<FailureOr<ExecPlan>(const Candidate &, DiagnosticEngine &)> build = {};

  uint32_t ranks() const { return endpoints.size(); }
  uint32_t ranksPerNode() const { return ranks() / nodes; }
  /// All-to-all and its relatives run out of place, because their programs copy the input
  /// otherwise.
  bool isInPlace() const;
  Slots slotsOf(const ExecPlan &plan) const {
    return slots.value_or(machine.slotsFor(plan.info()));
  }
  SizeBound boundOf(uint64_t size) const { return bounds->at(Bytes(size)); }
  bool hasLinkBound() const { return bounds && network != "ideal"; }
  /// The least time of any algorithm over the links of the machine; zero if they do not limit it.
  SimTime linkBound(uint64_t size) const;
  /// All that a result depends on besides the candidate and the size.
  std::string context() const;

  /// Fails if the target or the ranks are unusable.
  static FailureOr<TuneProblem> create(const TuneRequest &request, DiagnosticEngine &diags);
};

} // namespace cclc

#endif // CCL_SEARCH_TUNE_TUNEPROBLEM_H
