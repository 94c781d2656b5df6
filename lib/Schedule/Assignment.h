//===- Assignment.h - Channels and threadblocks of a program ----*- C++ -*-===//
//
// The scheduling decisions that precede the ordering of steps.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SCHEDULE_ASSIGNMENT_H
#define CCL_LIB_SCHEDULE_ASSIGNMENT_H

#include "ProgramGraph.h"

#include "cclc/Schedule/Schedule.h"

#include <map>

namespace cclc::schedule {

/// A threadblock under construction. Connections are indices into Assignment::connections.
struct ThreadblockDraft {
  RankId rank;
  OptionalId<ChannelId> channel;
  OptionalId<ConnectionId> send, recv;
  /// The id that the user chose.
  std::optional<uint32_t> fixedId;
};

struct ConnectionDraft {
  RankId src, dst;
  ChannelId channel;
  uint32_t transfers = 0;
  uint32_t receiveSteps = 0;                  ///< the steps of the receiver for all transfers
  OptionalId<ThreadblockId> sender, receiver; ///< indices into Assignment::threadblocks
};

/// The number of steps for receiving and reducing a transfer. With \p splitsFused, fused receives
/// are split afterwards: into receive, copy and reduction. An rrs needs the copy only if its
/// operand is read again, which is not known here.
inline uint32_t receiveStepsOf(const Instr &receive, bool splitsFused) {
  const OpTraits &op = traits(receive.op);
  if (!splitsFused || !op.reduces())
    return 1;
  return op.writesDst && receive.src != receive.dst ? 3 : 2;
}

/// A threadblock whose steps are operations of a switch, with the connections of each.
struct JoinedThreadblock {
  std::vector<ConnectionId> sends, recvs;
};

/// A transfer is identified by its receiving instruction.
struct Assignment {
  std::vector<ConnectionDraft> connections;
  std::vector<ThreadblockDraft> threadblocks;
  std::map<uint32_t, JoinedThreadblock> joined; ///< by threadblock
  /// The connection of each receiving instruction.
  std::vector<OptionalId<ConnectionId>> connectionOf;
  /// The fused instructions whose sending half is a separate step again.
  std::vector<bool> splitSend;
};

/// A hash of everything that the steps of the plan depend on.
uint64_t hashOf(const Assignment &assignment);

/// The policy by which transfers share a connection.
enum class Sharing : uint8_t {
  Always,    ///< wherever that keeps instructions fused, for few channels
  WhileIdle, ///< preferably if no other transfer has the same depth in the DAG, for a short path
};

struct ChannelLimits {
  /// The maximum number of channels to open, in addition to those that directives name.
  uint32_t channels;
  /// The maximum number of connections on a channel that leave a rank, and that enter it.
  std::optional<uint32_t> perChannel;
  /// The maximum number of steps that receive the transfers of a connection.
  std::optional<uint32_t> perConnection;
  /// The number of instances that share channels; 1: each has separate channels.
  uint32_t instancesTogether = 1;
  /// Whether the two sides of a fused instruction have one threadblock. Otherwise all are unfused.
  bool tied = true;
  /// Whether channels that directives name are used.
  bool keepFixed = true;
  bool splitsFused = false; ///< see receiveStepsOf
  /// Whether the chains that are equal on all ranks have one channel.
  bool inLockstep = false;
  /// Whether sends count for perConnection too, so that a threadblock has room for a connection of
  /// each direction.
  bool countSends = false;

  bool operator==(const ChannelLimits &) const = default;
};

/// Chooses channels and unfuses instructions that do not fit. Threadblocks are made for fused
/// instructions and for fixed ids only. If no assignment satisfies a limit, the limit is ignored;
/// the legality check reports it later.
FailureOr<Assignment> assignChannels(const ProgramGraph &graph, const ChannelLimits &limits,
                                     Sharing sharing, DiagnosticEngine &diags);

/// The directions that may share a threadblock. Each value includes the preceding ones.
enum class Pairing : uint8_t {
  Dependent,  ///< sends with the receives that they depend on
  Neighbours, ///< also the two directions of a neighbour that are busy at the same time
  Unrelated,  ///< also unrelated peers, as long as a rank has too many threadblocks
};

struct ThreadblockLimits {
  /// Unrelated peers are paired until no rank has more threadblocks than this.
  uint32_t enough = 1;
  /// The maximum number of sends and receives of a threadblock, where the assignment is free.
  std::optional<uint32_t> transfers;
  /// Whether the threadblocks that are equal on all ranks have equal places among those of a rank.
  bool inLockstep = false;
};

/// Assigns threadblocks to sends with the receives that they depend on.
void pairDependent(const ProgramGraph &graph, const ThreadblockLimits &limits,
                   Assignment &assignment);
/// Assigns a threadblock to each side of every other connection. Returns the pairing that was used.
Pairing assignThreadblocks(const ProgramGraph &graph, Pairing pairing,
                           const ThreadblockLimits &limits, Assignment &assignment);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_ASSIGNMENT_H
