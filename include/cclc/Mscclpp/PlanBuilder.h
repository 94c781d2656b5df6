//===- PlanBuilder.h - Building a plan of MSCCL++ ---------------*- C++ -*-===//

#ifndef CCL_MSCCLPP_PLANBUILDER_H
#define CCL_MSCCLPP_PLANBUILDER_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// A threadblock under construction.
struct ThreadblockDraft {
  struct Op {
    OpKind op;
    LocId loc = LocTable::unknown();
    SmallVector<Place, 2> src = {}, dst = {};
    SmallVector<uint32_t, 2> ids = {};
    uint32_t participants = 0;
    ChannelKind channel = ChannelKind::Memory;
    Share share = {};
    Pieces pieces = {};
    std::optional<uint32_t> number = {}; ///< unless it is the position
  };
  std::vector<uint32_t> channels[2], remotes[2]; ///< by ChannelKind
  std::vector<uint32_t> switches;
  std::vector<Op> ops; ///< the body of a pipeline follows it
};

/// A rank under construction.
struct RankDraft {
  struct Switch {
    Buffer buffer = Buffer::Scratch;
    std::vector<RankId> members = {};
  };
  uint32_t inputChunks = 0, outputChunks = 0, scratchChunks = 0;
  std::vector<RankId> channels[2]; ///< by ChannelKind
  std::vector<Switch> switches;
  std::vector<RemoteBuffer> remotes;
  std::vector<uint32_t> semaphores;
  std::vector<ThreadblockDraft> threadblocks;
};

/// The sizes, channels and buffers of a rank of \p plan, without its threadblocks.
RankDraft draftOf(const Plan &plan, const Rank &rank);
/// The references of a threadblock to those, without its operations.
ThreadblockDraft draftOf(const Plan &plan, const Threadblock &threadblock);

/// The only way to make a Plan, rank by rank.
class PlanBuilder {
public:
  explicit PlanBuilder(Header header) : plan(std::move(header)) {}
  void addRank(const RankDraft &rank);

  /// Verifies the structure that later stages rely on: numbers in range, places inside their
  /// buffers, operations with the required sources and destinations, channels with two ends, and
  /// the numbers of chunks of the collective.
  FailureOr<Plan> finish(DiagnosticEngine &diags) &&;

private:
  Plan plan;
};

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_PLANBUILDER_H
