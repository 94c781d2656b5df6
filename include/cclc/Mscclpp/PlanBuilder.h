//===- PlanBuilder.h - How a plan of MSCCL++ is made ------------*- C++ -*-===//

#ifndef CCL_MSCCLPP_PLANBUILDER_H
#define CCL_MSCCLPP_PLANBUILDER_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// What a threadblock consists of while it is made.
struct ThreadblockDraft {
  struct Op {
    OpKind op;
    LocId loc = LocTable::unknown();
    SmallVector<Place, 2> src = {}, dst = {};
    SmallVector<uint32_t, 2> ids = {};
    uint32_t participants = 0;
  };
  std::vector<uint32_t> channels, remotes;
  std::vector<Op> ops;
};

/// What a rank consists of while it is made.
struct RankDraft {
  uint32_t inputChunks = 0, outputChunks = 0, scratchChunks = 0;
  std::vector<RankId> channels;
  std::vector<RemoteBuffer> remotes;
  std::vector<uint32_t> semaphores;
  std::vector<ThreadblockDraft> threadblocks;
};

/// The only way to make a Plan: rank after rank.
class PlanBuilder {
public:
  explicit PlanBuilder(Header header) : plan(std::move(header)) {}
  void addRank(const RankDraft &rank);

  /// Verifies what everything later relies on: numbers that stand for something,
  /// places inside their buffers, operations with the sources and destinations
  /// that they need, channels with two ends, chunks as the collective has them.
  FailureOr<Plan> finish(DiagnosticEngine &diags) &&;

private:
  Plan plan;
};

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_PLANBUILDER_H
