//===- PlanBounds.cpp - Lower bounds over all assignments -----------------===//
//
// The choice of channels and threadblocks does not change the number of messages between two ranks
// or the number of steps of a rank. They need at least
//
//   one connection, and so one channel, for every n messages of a pair of ranks, where n is the
//   maximum number of steps of a threadblock; one threadblock for each of these connections, which
//   may also receive from one other connection; one threadblock for every n steps; one XML element
//   for every step and every threadblock.
//
//===----------------------------------------------------------------------===//

#include "cclc/Limits/PlanCheck.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace cclc;
using llvm::formatv;

namespace {
class BoundsChecker {
public:
  BoundsChecker(const ExecPlan &plan, const Constraints &constraints, DiagnosticEngine &diags)
      : plan(plan), constraints(constraints), diags(diags),
        capacity(constraints.most(Limit::Steps).value_or(~uint32_t(0))) {}

  LogicalResult check() {
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      if (failed(checkRank(RankId(r))))
        return failure();
    return success();
  }

private:
  /// The messages of a rank in one direction.
  struct Messages {
    uint64_t number = 0;
    LocId loc; ///< of the first message
  };
  using ByPeer = std::map<RankId, Messages>;

  LogicalResult checkRank(RankId rank) {
    ByPeer sent, received;
    uint64_t steps = 0;
    for (const Threadblock &tb : plan.threadblocks(rank))
      for (const Step &step : plan.steps(tb)) {
        auto add = [&](bool does, ByPeer &messages, const Peers &peers, LocId loc) {
          for (size_t i = 0; does && i < peers.size(); ++i)
            ++messages.try_emplace(peers[i], Messages{0, loc}).first->second.number;
        };
        add(traits(step.op).sends, sent, plan.sendPeers(tb), step.sendLoc);
        add(traits(step.op).receives, received, plan.recvPeers(tb), step.loc);
        steps += step.op != OpKind::Nop;
      }
    if (failed(checkPeers(rank, sent, "sends to")) ||
        failed(checkPeers(rank, received, "receives from")))
      return failure();
    uint64_t threadblocks = llvm::divideCeil(steps, capacity);
    if (failed(constraints.check(Rule::NeededElements, 1 + plan.ranks() + threadblocks + steps, {},
                                 diags, [&] {
                                   return formatv("{0} steps on r{1} in {2} threadblocks", steps,
                                                  rank.index(), threadblocks)
                                       .str();
                                 })))
      return failure();
    return constraints.check(Rule::NeededThreadblocks, threadblocks, {}, diags, [&] {
      return formatv("{0} steps of r{1} in threadblocks of {2} steps", steps, rank.index(),
                     capacity)
          .str();
    });
  }

  LogicalResult checkPeers(RankId rank, const ByPeer &messages, const char *verb) {
    uint64_t number = 0, threadblocks = 0;
    for (const auto &[peer, own] : messages) {
      uint64_t channels = llvm::divideCeil(own.number, capacity);
      number += own.number;
      threadblocks += channels;
      auto breach = constraints.check(Rule::NeededChannels, channels, [&, peer = peer, own = own] {
        return formatv("{0} messages that r{1} {2} r{3} in threadblocks of {4} steps", own.number,
                       rank.index(), verb, peer.index(), capacity)
            .str();
      });
      if (breach)
        return diags.error(plan.info().locate(own.loc), breach->message());
    }
    if (failed(constraints.check(Rule::Neighbours, messages.size(), {}, diags,
                                 [&] { return formatv("r{0} {1}", rank.index(), verb).str(); })))
      return failure();
    return constraints.check(Rule::NeededThreadblocks, threadblocks, {}, diags, [&] {
      return formatv("{0} messages that r{1} {2} {3} {4} in threadblocks of {5} steps", number,
                     rank.index(), verb, messages.size(),
                     messages.size() == 1 ? "other rank" : "other ranks", capacity)
          .str();
    });
  }

  const ExecPlan &plan;
  const Constraints &constraints;
  DiagnosticEngine &diags;
  uint64_t capacity; ///< maximum number of steps of a threadblock
};
} // namespace

LogicalResult cclc::checkBounds(const ExecPlan &plan, const Constraints &constraints,
                                DiagnosticEngine &diags) {
  return BoundsChecker(plan, constraints, diags).check();
}
