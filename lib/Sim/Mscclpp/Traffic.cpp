//===- Traffic.cpp - Chunks on the routes of an MSCCL++ plan --------------===//
//
// Follows the loads and stores of Movements.cpp and the transfers of Proxies.cpp. A pipeline moves
// the places of its body once, in pieces.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Mscclpp/Traffic.h"

#include "cclc/Mscclpp/Proof/Groups.h"

namespace cclc::mscclpp {

/// The parts of a chunk that are counted: those of shared operations add up to it.
static constexpr uint64_t partsOfChunk = uint64_t(1) << 20;

namespace {
class TrafficCounter {
public:
  explicit TrafficCounter(const PlacedPlan &placed)
      : placed(placed), plan(placed.plan), groups(plan), parts(placed.routes.size()) {}

  std::vector<uint64_t> run() {
    for (const Threadblock &tb : plan.threadblocks())
      for (const Operation &op : plan.ops(tb))
        if (traits(op.op).movesData())
          count(tb, op);
    for (uint64_t &each : parts)
      each /= partsOfChunk;
    return std::move(parts);
  }

private:
  void count(const Threadblock &tb, const Operation &op) {
    for (size_t i = 0; i < op.src.count && !op.isByProxy(); ++i) {
      const Place &place = plan.sources(op)[i];
      if (op.source(i) == Access::Switch) {
        for (const Groups::Member &member : groups.members(tb, place))
          add(placed.toSwitch(member.rank), op, place, op.source(i));
        add(placed.fromSwitch(tb.rank), op, place, op.source(i));
      } else if (RankId owner = plan.owner(tb, op, place);
                 op.source(i) == Access::Remote && owner != tb.rank) {
        add(placed.route(owner, tb.rank), op, place, op.source(i));
      }
    }
    for (size_t i = 0; i < op.dst.count; ++i) {
      const Place &place = plan.destinations(op)[i];
      if (isOnSwitch(op.destination(i))) {
        add(placed.toSwitch(tb.rank), op, place, op.destination(i));
        for (const Groups::Member &member : groups.members(tb, place))
          add(placed.fromSwitch(member.rank), op, place, op.destination(i));
      } else if (RankId owner = plan.owner(tb, op, place); owner != tb.rank) {
        add(placed.route(tb.rank, owner), op, place, op.destination(i));
      }
    }
  }

  void add(uint32_t route, const Operation &op, const Place &place, Access access) {
    parts[route] += partsOfChunk * place.count * (isPackets(access) ? 2 : 1) / op.share.parts;
  }

  const PlacedPlan &placed;
  const Plan &plan;
  Groups groups;
  std::vector<uint64_t> parts; ///< by route
};
} // namespace

std::vector<uint64_t> chunksOnRoutes(const PlacedPlan &placed) {
  return TrafficCounter(placed).run();
}

} // namespace cclc::mscclpp
