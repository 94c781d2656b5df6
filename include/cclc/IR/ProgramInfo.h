//===- ProgramInfo.h - Information common to all levels ---------*- C++ -*-===//
//
// Name, collective, geometry, options and tables that travel unchanged from the
// traced program to the emitted plan.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_PROGRAMINFO_H
#define CCL_IR_PROGRAMINFO_H

#include "cclc/IR/Collective.h"
#include "cclc/IR/Direction.h"
#include "cclc/IR/Generations.h"
#include "cclc/IR/Geometry.h"
#include "cclc/IR/Slots.h"
#include "cclc/Support/Location.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cclc {

enum class Protocol : uint8_t { Simple, LL, LL128 };
inline constexpr unsigned numProtocols = 3;
StringRef protocolName(Protocol protocol);
std::optional<Protocol> parseProtocol(StringRef name);

/// The user's choices for one operation. The scheduler chooses values that are unset; values that
/// are set are obeyed (channels: unless a runtime's limits forbid them), or rejected with an error.
struct Directive {
  std::optional<uint32_t> channel;
  /// Threadblock of the sending half; also that of a local operation.
  std::optional<uint32_t> sendTb;
  /// Threadblock of the receiving half.
  std::optional<uint32_t> recvTb;
  /// Whether the sending half, or a local reduce, may become one step with a receive.
  bool fuse = true;
  /// Among steps that are ready, those of higher priority are scheduled first.
  uint32_t priority = 0;
  /// 0, or the number of a scope, whose adjacent operations may be merged. Successive operations
  /// with the same number form one scope.
  uint32_t aggregate = 0;
  /// 0, or the number of an operation of a switch, which performs several operations: the copies of
  /// the same chunks to several ranks are a multicast, the reductions of the chunks of several
  /// ranks into the same ones a reduction. As above, the number may recur; form-switch-operations
  /// makes it unique.
  uint32_t inSwitch = 0;
  /// The number of parts that the operation is split into, each on a separate connection.
  uint32_t parallel = 1;
  /// The parallel copy of the algorithm that the operation belongs to. Instances share no
  /// connection, unless a runtime has too few threadblocks.
  uint32_t instance = 0;
  friend auto operator<=>(const Directive &, const Directive &) = default;
};

inline constexpr uint32_t maxPriority = 0xffff;
/// Limits of Directive::parallel and Directive::aggregate.
inline constexpr uint32_t maxParallel = 1024, maxAggregate = 0xffff;
/// The largest number of different directives of a program: each transfer may have a priority of
/// its own.
inline constexpr uint32_t maxDirectives = 1 << 20;
/// Limit of Directive::inSwitch: there are no more different directives.
inline constexpr uint32_t maxInSwitch = maxDirectives - 1;

/// Index into ProgramInfo::directives; 0 is the empty directive.
using DirectiveIndex = uint32_t;

/// \p peer is the neighbour of \p rank in \p direction.
struct Neighbour {
  RankId rank;
  Direction direction;
  RankId peer;
  friend auto operator<=>(const Neighbour &, const Neighbour &) = default;
};

/// The machine that a plan was compiled for, identified by its content. A bundled target without
/// changes has no document: it is found by name, and the hash shows whether it has changed since.
struct TargetStamp {
  std::string name;
  /// The settings that replaced values of the target, each PATH=VALUE, in order.
  std::vector<std::string> settings;
  /// A hash of everything except name and description, 16 hexadecimal digits; empty if unknown.
  std::string hash;
  /// The text of a target file with its bases and the settings applied, without other defaults.
  std::string document;
  bool empty() const { return name.empty(); }
  /// "ndv4", or "ndv4 with nodes=2, launch=0".
  std::string title() const;
  friend bool operator==(const TargetStamp &, const TargetStamp &) = default;
};

/// Rotates one digit of ranks, (rank / rankStride) % size, and one of chunk indices, by the same
/// amount (Symmetry/RotationGroup.h).
struct RotationFactor {
  uint32_t size;
  uint32_t rankStride;
  /// By Buffer: the stride of the digit of chunk indices; 0 if they are not renumbered.
  uint32_t chunkStride[2] = {0, 0};
  friend bool operator==(const RotationFactor &, const RotationFactor &) = default;
};

struct ProgramInfo {
  std::string name;
  Collective collective;
  /// Of a rolled plan (Symmetry/Rolled/RolledPlan.h): its ExecPlan has the threadblocks of rank 0
  /// only.
  std::vector<RotationFactor> rotations;
  Placements placements = Placements::inPlace();
  Protocol protocol = Protocol::Simple;
  uint32_t instances = 1;
  /// The parameters that the program was traced with, in declaration order.
  std::vector<std::pair<std::string, std::string>> parameters;
  /// The options of cclc that have made the plan, apart from those that other members imply: "-O1",
  /// "--placement snake". With -O3, those that the search has chosen.
  std::vector<std::string> options;
  Geometry geometry;
  /// The target that the program is compiled for, and the machine endpoint of each
  /// rank on it; both empty for a target-free plan.
  TargetStamp target;
  std::vector<uint32_t> placementOnTarget;
  /// The range of buffer sizes of the plan in bytes; without maxBytes it has no upper limit.
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
  /// The slots of a connection that a plan was scheduled for; unset in files of other compilers.
  std::optional<Slots> slots;
  /// The bytes of a slot, if the plan chooses its slots; otherwise they are those of the machine.
  std::optional<uint64_t> slotBytes;
  LocTable locs;
  /// The neighbour table: ascending, and symmetric by opposite(). Peers that are not in it are
  /// addressed by their rank.
  std::vector<Neighbour> neighbours;
  std::vector<Communicator> communicators;
  std::vector<Call> calls;
  /// phases[0] is the unnamed phase.
  std::vector<Phase> phases = {Phase{}};
  std::vector<Directive> directives = {Directive{}};

  explicit ProgramInfo(Collective collective);
  // Compiled once, and not in each source that has a program.
  ProgramInfo(const ProgramInfo &);
  ProgramInfo(ProgramInfo &&) noexcept;
  ProgramInfo &operator=(const ProgramInfo &);
  ProgramInfo &operator=(ProgramInfo &&) noexcept;
  ~ProgramInfo();

  uint32_t ranks() const { return collective.ranks(); }
  /// The ranks whose threadblocks are listed.
  uint32_t listedRanks() const { return rotations.empty() ? ranks() : 1; }
  /// The minimum number of endpoints of a target on which every rank has an endpoint.
  uint32_t room() const;
  Location locate(LocId id) const { return locs.resolve(id); }
};

} // namespace cclc

#endif // CCL_IR_PROGRAMINFO_H
