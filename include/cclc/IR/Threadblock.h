//===- Threadblock.h - Threadblocks of plans --------------------*- C++ -*-===//
//
// A threadblock has at most one peer in each direction, or several, if a switch performs its
// operations. Its sends then are multicasts: one message to each send peer, with the same value.
// Its receives are reductions: they take one message from each receive peer, and their value is the
// sum of these, which the switch forms in an order of its own. A reducing receive (`rrc`, `rrs`,
// `rrcs`) adds its local operand in the switch, too.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_THREADBLOCK_H
#define CCL_IR_THREADBLOCK_H

#include "cclc/Support/Ids.h"
#include "cclc/Support/LLVM.h"

namespace cclc {

struct Threadblock {
  RankId rank;
  /// The only peer; unset if there is none, and also if there are several (ExecPlan::sendPeers).
  OptionalId<RankId> sendPeer, recvPeer;
  ChannelId channel;
  uint32_t firstStep; ///< index into ExecPlan::steps()
  uint32_t numSteps = 0;
  /// Several peers: a range of ExecPlan::groupPeers().
  struct Group {
    uint32_t begin = 0, count = 0;
  };
  Group sendGroup = {}, recvGroup = {};

  bool multicasts() const { return sendGroup.count > 0; }
  /// Whether a switch adds the messages that it receives.
  bool reducesInSwitch() const { return recvGroup.count > 0; }
  bool usesSwitch() const { return multicasts() || reducesInSwitch(); }
};

/// The peers of one direction of a threadblock, in ascending order.
class Peers {
public:
  Peers(OptionalId<RankId> one, ArrayRef<RankId> several) : one(one), several(several) {}
  explicit Peers(ArrayRef<RankId> list) {
    if (list.size() == 1)
      one = list.front();
    else
      several = list;
  }
  size_t size() const { return one ? 1 : several.size(); }
  bool empty() const { return size() == 0; }
  RankId operator[](size_t i) const { return one ? *one : several[i]; }
  /// The only one, or none.
  OptionalId<RankId> only() const { return one; }
  ArrayRef<RankId> group() const { return several; }
  friend bool operator==(const Peers &a, const Peers &b) {
    return a.one == b.one && a.several == b.several;
  }

private:
  OptionalId<RankId> one;
  ArrayRef<RankId> several;
};

} // namespace cclc

#endif // CCL_IR_THREADBLOCK_H
