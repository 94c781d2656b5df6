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
struct Worker {
  RankId rank;
  OptionalId<ChannelId> channel;
  OptionalId<ConnectionId> send, recv;
  /// The number that the user gave it.
  std::optional<uint32_t> fixedId;
};

struct Connection {
  RankId src, dst;
  ChannelId channel;
  uint32_t transfers = 0;
  OptionalId<ThreadblockId> sender, receiver; ///< indices into Assignment::workers
};

/// A transfer is named by the instruction that receives it.
struct Assignment {
  std::vector<Connection> connections;
  std::vector<Worker> workers;
  /// By receiving instruction: its connection.
  std::vector<OptionalId<ConnectionId>> connectionOf;
  /// Fused instructions whose sending half stands apart again.
  std::vector<bool> splitSend;
};

/// Chooses channels and un-fuses what does not fit; workers exist for fused
/// instructions and for threadblocks with fixed ids.
FailureOr<Assignment> assignChannels(const InstrProgram &program, const ScheduleOptions &options,
                                     DiagnosticEngine &diags);

/// Gives every side of every connection a worker.
void assignThreadblocks(const InstrProgram &program, const ScheduleOptions &options,
                        Assignment &assignment);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_ASSIGNMENT_H
