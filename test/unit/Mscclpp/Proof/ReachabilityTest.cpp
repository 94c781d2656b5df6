//===- ReachabilityTest.cpp - What precedes a node of a data flow ---------===//
//
// Random data flows of a few ranks over several launches, beside a plain graph of the same nodes
// whose predecessors are found one by one.
//
//===----------------------------------------------------------------------===//

#include "DataFlow.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>

using namespace cclc;
using namespace cclc::mscclpp;

namespace {
/// A data flow, and its nodes by number: those that are complete when a node is reached.
class RandomFlow {
public:
  static constexpr uint32_t ranks = 4, launches = 3, lanesOfLaunch = 40;

  explicit RandomFlow(uint32_t seed) : flow(ranks), random(seed) {
    momentNodes.push_back(addNode({}));
    current.assign(ranks, DataFlow::start);
    for (uint32_t launch = 0; launch < launches; ++launch) {
      const size_t first = laneNodes.size();
      for (uint32_t i = 0; i < lanesOfLaunch; ++i)
        step(first);
      for (uint32_t r = 0; r < ranks; ++r)
        end(r);
    }
  }

  /// The numbers of all nodes before a write of \p lane that begins at \p when.
  std::set<uint32_t> before(DataFlow::Lane lane, DataFlow::Moment when) const {
    std::set<uint32_t> reached;
    std::vector<uint32_t> open = edges[laneNodes[lane]];
    open.push_back(momentNodes[when]);
    while (!open.empty()) {
      const uint32_t node = open.back();
      open.pop_back();
      if (reached.insert(node).second)
        llvm::append_range(open, edges[node]);
    }
    return reached;
  }

  DataFlow flow;
  std::mt19937 random;
  std::vector<std::vector<uint32_t>> edges; ///< by node: those before it
  std::vector<uint32_t> laneNodes, momentNodes;
  std::vector<std::vector<uint32_t>> ends = std::vector<std::vector<uint32_t>>(ranks);
  std::vector<DataFlow::Moment> current; ///< by rank
  std::vector<DataFlow::Lane> read;      ///< lanes whose packets a rank has waited for

private:
  uint32_t addNode(std::vector<uint32_t> before) {
    edges.push_back(std::move(before));
    return edges.size() - 1;
  }

  DataFlow::Moment addMoment(std::vector<DataFlow::Moment> moments,
                             std::vector<DataFlow::Lane> waiting, std::optional<RankId> ending) {
    std::vector<uint32_t> nodes;
    for (DataFlow::Moment moment : moments)
      nodes.push_back(momentNodes[moment]);
    for (DataFlow::Lane lane : waiting)
      for (DataFlow::Lane from : packets[lane])
        nodes.push_back(laneNodes[from]);
    momentNodes.push_back(addNode(nodes));
    return flow.addMoment(moments, waiting, ending);
  }

  /// Adds a lane of a rank, which may read packets and values of earlier lanes of the launch, and
  /// then a moment that may follow the packets and a moment of another rank.
  void step(size_t first) {
    const uint32_t rank = random() % ranks;
    std::vector<DataFlow::Lane> waits, values;
    for (std::vector<DataFlow::Lane> *some : {&waits, &values})
      if (laneNodes.size() > first && random() % 2)
        some->push_back(first + random() % (laneNodes.size() - first));
    std::vector<uint32_t> nodes = {momentNodes[current[rank]]};
    for (const std::vector<DataFlow::Lane> &some : {waits, values})
      for (DataFlow::Lane lane : some)
        nodes.push_back(laneNodes[lane]);
    laneNodes.push_back(addNode(nodes));
    packets.push_back(waits);
    const DataFlow::Lane lane = flow.addLane(current[rank], waits, values);
    std::vector<DataFlow::Moment> moments = {current[rank]};
    if (random() % 4 == 0)
      moments.push_back(current[random() % ranks]);
    std::vector<DataFlow::Lane> waiting;
    if (!waits.empty()) {
      flow.wait(lane, RankId(rank));
      llvm::append_range(read, waits);
      waiting.push_back(lane);
    }
    current[rank] = addMoment(moments, waiting, std::nullopt);
  }

  void end(uint32_t rank) {
    current[rank] = addMoment({current[rank]}, {}, RankId(rank));
    ends[rank].push_back(momentNodes.back());
  }

  std::vector<std::vector<DataFlow::Lane>> packets; ///< by lane
};
} // namespace

TEST_CASE("the launches that have ended are those whose ends are predecessors", "[mscclpp]") {
  bool others = false;
  for (uint32_t seed = 0; seed < 15; ++seed) {
    RandomFlow random(seed);
    for (DataFlow::Lane lane = 0; lane < random.laneNodes.size(); lane += 3) {
      const DataFlow::Moment when = random.current[lane % RandomFlow::ranks];
      for (DataFlow::Moment moment : {when, DataFlow::start}) {
        const std::set<uint32_t> before = random.before(lane, moment);
        for (uint32_t r = 0; r < RandomFlow::ranks; ++r) {
          const uint32_t ended =
              llvm::count_if(random.ends[r], [&](uint32_t end) { return before.count(end); });
          CHECK(random.flow.launchesEnded(lane, moment, RankId(r)) == ended);
          others |= ended > 0 && ended < RandomFlow::launches;
        }
      }
    }
  }
  CHECK(others);
}

TEST_CASE("a lane precedes all that follow the launch of a reader of its packets", "[mscclpp]") {
  size_t ended = 0, open = 0;
  for (uint32_t seed = 0; seed < 15; ++seed) {
    RandomFlow random(seed);
    for (DataFlow::Lane lane = 0; lane < random.laneNodes.size(); lane += 5) {
      const std::set<uint32_t> before = random.before(lane, DataFlow::start);
      random.flow.search(lane, DataFlow::start, /*sameLaunch=*/false);
      for (DataFlow::Lane earlier : random.read) {
        const bool hasEnded = random.flow.hasReaderEnded(earlier, lane, DataFlow::start);
        ++(hasEnded ? ended : open);
        const bool isBefore = before.count(random.laneNodes[earlier]) > 0;
        CHECK(random.flow.hasRead(earlier) == isBefore);
        CHECK((!hasEnded || isBefore));
      }
    }
  }
  CHECK(ended > 0);
  CHECK(open > 0);
}
