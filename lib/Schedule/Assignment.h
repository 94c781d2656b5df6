//===- Assignment.h - Channels and threadblocks of a program ----*- C++ -*-===//
//
// The scheduling decisions that are made before anything is ordered.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SCHEDULE_ASSIGNMENT_H
#define CCL_LIB_SCHEDULE_ASSIGNMENT_H

#include "cclc/IR/InstrProgram.h"
#include "cclc/Schedule/Schedule.h"

namespace cclc::schedule {

/// A threadblock while it is put together. Connections are indices into
/// Assignment::connections.
struct ThreadblockDraft {
  RankId rank;
  OptionalId<ChannelId> channel;
  OptionalId<ConnectionId> send, recv;
  /// The number that the user gave it.
  std::optional<uint32_t> fixedId;
};

struct ConnectionDraft {
  RankId src, dst;
  ChannelId channel;
  uint32_t transfers = 0;
  OptionalId<ThreadblockId> sender, receiver; ///< indices into Assignment::threadblocks
};

/// A transfer is named by the instruction that receives it.
struct Assignment {
  std::vector<ConnectionDraft> connections;
  std::vector<ThreadblockDraft> threadblocks;
  /// By receiving instruction: its connection.
  std::vector<OptionalId<ConnectionId>> connectionOf;
  /// Fused instructions whose sending half stands apart again.
  std::vector<bool> splitSend;
};

/// Whether transfers share a connection.
enum class Sharing : uint8_t {
  Always,    ///< wherever that keeps instructions fused: few channels
  WhileIdle, ///< preferably where no other one takes place at the same depth of the DAG: a path
             ///< that is as short as possible
};

struct ChannelLimits {
  /// Opened at most, beside those that directives name.
  uint32_t channels;
  /// Connections on a channel that leave a rank at most, and that enter it.
  std::optional<uint32_t> perChannel;
  /// Transfers of a connection at most.
  std::optional<uint32_t> perConnection;
  /// How many instances share their channels; 1: each has channels of its own.
  uint32_t instancesTogether = 1;
};

/// Chooses channels and un-fuses what does not fit; threadblocks exist for fused
/// instructions and for threadblocks with fixed ids. If no assignment satisfies a limit, the limit
/// is ignored; the legality check reports it later.
FailureOr<Assignment> assignChannels(const InstrProgram &program, const ChannelLimits &limits,
                                     Sharing sharing, DiagnosticEngine &diags);

/// Which directions may share a threadblock. Each includes the ones before.
enum class Pairing : uint8_t {
  Dependent,  ///< sends with the receives that they depend on
  Neighbours, ///< the two directions of a neighbour that are busy at the same time
  Strangers,  ///< any, as long as a rank has more threadblocks than it should
};

struct ThreadblockLimits {
  /// Strangers are paired until no rank has more threadblocks.
  uint32_t enough = 1;
  /// Transfers of a threadblock at most, where it can be chosen which ones it has.
  std::optional<uint32_t> transfers;
};

/// Gives every side of every connection a threadblock. Returns the pairing that was made use of.
Pairing assignThreadblocks(const InstrProgram &program, Pairing pairing, ThreadblockLimits limits,
                           Assignment &assignment);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_ASSIGNMENT_H
