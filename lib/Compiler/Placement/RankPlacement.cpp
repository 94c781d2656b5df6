//===- RankPlacement.cpp - Placement by pairwise exchange -----------------===//
//
// Placing ranks is a kind of quadratic assignment problem (Koopmans and Beckmann, Econometrica
// 25(1), 1957), so `auto` is a local search: from the better of linear and snake, pairs of
// ranks are exchanged, or a rank is moved to a free endpoint, if that lowers the cost. The pairs
// follow a fixed sequence and the work is bounded, so that the result is deterministic.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/Placement/RankPlacement.h"

using namespace cclc;

static constexpr StringRef names[] = {"linear", "snake", "auto"};

StringRef cclc::rankPlacementName(RankPlacement how) { return names[size_t(how)]; }

std::optional<RankPlacement> cclc::parseRankPlacement(StringRef name) {
  for (size_t i = 0; i < std::size(names); ++i)
    if (name == names[i])
      return RankPlacement(i);
  return std::nullopt;
}

/// An endless sequence of pairs of a rank and a place in an irregular order. The numbers 0 ... n-1
/// of all pairs are visited with a stride that is a prime, which reaches each of them.
namespace {
class PairWalk {
public:
  PairWalk(uint32_t ranks, uint32_t places) : places(places), pairs(uint64_t(ranks) * places) {}
  std::pair<uint32_t, uint32_t> next() {
    at = (at + 2'654'435'761) % pairs;
    return {uint32_t(at / places), uint32_t(at % places)};
  }

private:
  uint32_t places;
  uint64_t pairs, at = 0;
};
} // namespace

/// Exchanges the endpoints of pairs of places if that improves the placement. Ranks are at the
/// first \p ranks places, the other ones are free. The work is bounded to a fraction of a second.
static void improve(std::vector<uint32_t> &endpoints, uint32_t ranks, const PlacementCost &cost) {
  constexpr uint64_t maxWork = 100'000'000, maxEvaluations = 20'000;
  if (endpoints.size() < 2)
    return;
  const ArrayRef<uint32_t> ofRanks = ArrayRef(endpoints).take_front(ranks);
  PlacementCost::Value best = cost(ofRanks);
  uint64_t evaluations = std::min(maxEvaluations, maxWork / cost.work());
  PairWalk walk(ranks, endpoints.size());
  while (evaluations > 0) {
    auto [a, b] = walk.next();
    if (a >= b)
      continue;
    --evaluations;
    std::swap(endpoints[a], endpoints[b]);
    if (PlacementCost::Value value = cost.exchanged(ofRanks, a, b); value < best) {
      best = value;
      cost.accept();
    } else {
      std::swap(endpoints[a], endpoints[b]);
    }
  }
}

std::optional<std::vector<uint32_t>> PlacementMemo::find(const std::string &traffic) const {
  std::lock_guard lock(mutex);
  auto found = placements.find(traffic);
  return found == placements.end() ? std::nullopt : std::optional(found->second);
}

void PlacementMemo::keep(const std::string &traffic, std::vector<uint32_t> endpoints) {
  std::lock_guard lock(mutex);
  placements.emplace(traffic, std::move(endpoints));
}

std::vector<uint32_t> cclc::placeRanks(RankPlacement how, const InstrProgram &program,
                                       const Machine &machine, const Geometry &geometry,
                                       ArrayRef<uint32_t> endpoints, std::optional<uint64_t> buffer,
                                       PlacementMemo *memo) {
  uint32_t ranks = program.info().ranks();
  auto ofRanks = [&](std::vector<uint32_t> &&places) {
    places.resize(ranks);
    return std::move(places);
  };
  std::vector<uint32_t> linear(endpoints.begin(), endpoints.end());
  if (how == RankPlacement::Linear)
    return ofRanks(std::move(linear));
  std::vector<uint32_t> snake = snakeOrder(geometry);
  for (uint32_t &place : snake)
    place = endpoints[place];
  if (how == RankPlacement::Snake)
    return ofRanks(std::move(snake));
  PlacementCost cost(program, machine, buffer);
  const std::string traffic = memo ? cost.traffic(endpoints) : "";
  if (memo)
    if (std::optional<std::vector<uint32_t>> known = memo->find(traffic))
      return *known;
  auto costOf = [&](ArrayRef<uint32_t> places) { return cost(places.take_front(ranks)); };
  std::vector<uint32_t> best =
      costOf(snake) < costOf(linear) ? std::move(snake) : std::move(linear);
  improve(best, ranks, cost);
  best.resize(ranks);
  if (memo)
    memo->keep(traffic, best);
  return best;
}
