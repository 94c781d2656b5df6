//===- Threadblock.h - Threadblocks of plans --------------------*- C++ -*-===//

#ifndef CCL_IR_THREADBLOCK_H
#define CCL_IR_THREADBLOCK_H

#include "cclc/Support/Ids.h"

namespace cclc {

struct Threadblock {
  RankId rank;
  OptionalId<RankId> sendPeer, recvPeer;
  ChannelId channel;
  uint32_t firstStep; ///< index into ExecPlan::steps()
  uint32_t numSteps = 0;
};

} // namespace cclc

#endif // CCL_IR_THREADBLOCK_H
