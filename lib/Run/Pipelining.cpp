//===- Pipelining.cpp - The gain of messages in pieces --------------------===//
//
// A threadblock executes all its steps for a piece before it begins the next one. The first of P
// pieces takes the longest path of the plan, and each further one as long as the busiest rank or
// threadblock needs for it. Where these are equal, as in a ring, whose ranks are never idle, pieces
// only multiply the costs of messages. A chain of ranks gains from them.
//
//===----------------------------------------------------------------------===//

#include "Pipelining.h"

#include "cclc/Support/Units.h"

#include <cmath>

using namespace cclc;
using namespace cclc::run;

namespace {
/// Executes the steps of one piece as early as their messages and waits permit.
class EarliestTimes {
public:
  explicit EarliestTimes(const PreparedPlan &plan)
      : run(plan), plan(plan.plan), senderOf(this->plan.steps().size()),
        ends(this->plan.steps().size()), executed(this->plan.threadblocks().size()) {
    for (const Connection &connection : run.connections.connections())
      forEachMessage(this->plan, connection, [&](uint32_t send, uint32_t receive) {
        senderOf[receive] = {connection.senderTb, send};
      });
    // A plan that deadlocks ends without all steps.
    for (bool moved = true; moved;) {
      moved = false;
      for (uint32_t tb = 0; tb < executed.size(); ++tb)
        while (executed[tb] < block(tb).numSteps && advance(tb))
          moved = true;
    }
  }

  Pipelining result() const {
    Pipelining found;
    std::vector<uint64_t> work(plan.ranks());
    for (uint32_t tb = 0; tb < executed.size(); ++tb) {
      if (executed[tb] == 0)
        continue;
      uint32_t first = block(tb).firstStep;
      uint64_t end = ends[first + executed[tb] - 1], begin = ends[first] - cost(first);
      found.first = std::max(found.first, end);
      found.next = std::max(found.next, end - begin);
      for (uint32_t s = first; s < first + executed[tb]; ++s)
        work[block(tb).rank.index()] += cost(s);
    }
    for (uint64_t chunks : work)
      found.next = std::max(found.next, chunks);
    return found;
  }

private:
  struct Sender {
    uint32_t threadblock = 0, step = 0;
  };

  const Threadblock &block(uint32_t tb) const { return plan.threadblocks()[tb]; }
  bool isExecuted(uint32_t tb, uint32_t step) const {
    return step < block(tb).firstStep + executed[tb];
  }
  /// Data are copied by those who receive them.
  uint64_t cost(uint32_t step) const {
    const Step &s = plan.steps()[step];
    return s.op == OpKind::Send || s.op == OpKind::Nop ? 0 : s.count;
  }

  bool advance(uint32_t tb) {
    uint32_t s = block(tb).firstStep + executed[tb];
    const Step &step = plan.steps()[s];
    uint64_t begin = executed[tb] > 0 ? ends[s - 1] : 0;
    if (traits(step.op).receives) {
      if (!isExecuted(senderOf[s].threadblock, senderOf[s].step))
        return false;
      begin = std::max(begin, ends[senderOf[s].step]);
    }
    if (std::optional<Wait> wait = step.wait()) {
      uint32_t other = plan.firstThreadblock(block(tb).rank) + wait->tb.index();
      uint32_t target = block(other).firstStep + run.satisfiedBy(block(tb).rank, *wait);
      if (!isExecuted(other, target))
        return false;
      begin = std::max(begin, ends[target]);
    }
    ends[s] = begin + cost(s);
    ++executed[tb];
    return true;
  }

  const PreparedPlan &run;
  const ExecPlan &plan;
  std::vector<Sender> senderOf;   ///< by receiving step
  std::vector<uint64_t> ends;     ///< by step
  std::vector<uint32_t> executed; ///< by threadblock: steps
};
} // namespace

Pipelining run::findPipelining(const PreparedPlan &plan) { return EarliestTimes(plan).result(); }

/// P pieces take (first + (P - 1) next) (bytes / P + messageCost), which is least at the root.
uint64_t run::bestPieces(const Pipelining &pipelining, uint64_t bytes, uint64_t messageCost) {
  auto [first, next] = pipelining;
  if (next == 0 || first <= next || messageCost == 0)
    return 1;
  double gain = double(first - next) / double(next) * double(bytes) / double(messageCost);
  return std::max<uint64_t>(std::llround(std::sqrt(gain)), 1);
}
