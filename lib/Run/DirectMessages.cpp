//===- DirectMessages.cpp - Messages that need no slot --------------------===//
//
// A proved plan has no races, so the steps of a rank that write to the same cell are ordered, and
// the first write after a message in any run is the one to compare with: the receive must precede
// it in G_inf (threadblock order, waits, messages). Slots do not count as an order, since a message
// that needs none returns no credit either. Operations of switches have several messages a step:
// theirs use slots, and one of them counts in the order. Pieces have separate memory, so that one
// piece proves all. Paths are searched from 64 receives at a time.
//
//===----------------------------------------------------------------------===//

#include "cclc/Run/DirectMessages.h"

#include "cclc/Proof/PlanControlFlow.h"
#include "cclc/Support/Units.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::run;

namespace {
/// Larger searches, a second on one processor, are left out, and their messages use slots.
constexpr uint64_t longestSearch = uint64_t(1) << 29;

struct Completed {
  uint32_t threadblock, step;
};

/// The receive of a message and the next write to its data.
struct Reuse {
  uint32_t send, receive, write;
};

class Search {
public:
  Search(const PreparedPlan &run, Placement placement, DirectMessages::IsShared isShared)
      : run(run), plan(run.plan), cells(plan.cells(placement)), receiveOf(plan.steps().size()),
        sendOf(plan.steps().size()), isDirect(plan.steps().size()) {
    for (const Connection &connection : run.connections.connections()) {
      bool bySwitch = plan.threadblocks()[connection.senderTb].usesSwitch() ||
                      plan.threadblocks()[connection.receiverTb].usesSwitch();
      forEachMessage(plan, connection, [&](uint32_t send, uint32_t receive) {
        receiveOf[send] = receive;
        sendOf[receive] = send;
        const Step &step = plan.steps()[send];
        isDirect[send] = !bySwitch && mayBeDirect(step, plan.steps()[receive]) &&
                         isShared(rankOf(connection.senderTb), sentOperand(step)->buffer());
      });
    }
    if (!llvm::is_contained(isDirect, true))
      return;
    PlanControlFlow runner(plan, run.connections);
    complete = runner.run(Slots::unlimited(), [&](PlanThreadblockId tb, StepId step) {
      order.push_back({tb.index(), step.index()});
    });
  }

  std::vector<bool> result() {
    if (!complete)
      return {};
    std::vector<Reuse> reuses = findReuses();
    uint64_t sweeps = ceilDiv(reuses.size(), 64);
    bool searches = sweeps * order.size() <= longestSearch;
    for (ArrayRef<Reuse> rest = reuses; !rest.empty();) {
      ArrayRef<Reuse> now = rest.take_front(64);
      if (searches)
        sweep(now);
      for (size_t i = 0; i < now.size(); ++i)
        if (!searches || !(reached[now[i].write] >> i & 1))
          isDirect[now[i].send] = false;
      rest = rest.drop_front(now.size());
    }
    return std::move(isDirect);
  }

private:
  RankId rankOf(uint32_t threadblock) const { return plan.threadblocks()[threadblock].rank; }

  /// Whether the data of the sender are one range, and all that the receiver reads.
  bool mayBeDirect(const Step &send, const Step &receive) const {
    std::optional<Operand> sent = sentOperand(send);
    if (!sent || send.count * run.pieceBytes() < run.settings.directBytes ||
        !run.adjacentSpan(*sent, send.count, 0))
      return false;
    // The last chunk of a block is shorter than its copy in scratch.
    const Operand read = traits(receive.op).writesDst ? receive.dst : receive.src;
    for (uint32_t c = 0; c < send.count; ++c)
      if (run.layout.chunk(sent->buffer(), sent->index() + c).count <
          run.layout.chunk(read.buffer(), read.index() + c).count)
        return false;
    return true;
  }

  /// By message, the next write to each of its cells, in the order of a run.
  std::vector<Reuse> findReuses() const {
    std::vector<Reuse> reuses;
    std::vector<SmallVector<uint32_t, 1>> pending(cells.size()); ///< by cell: sends since a write
    for (Completed at : order) {
      const Step &step = plan.steps()[at.step];
      auto forEachCell = [&](Operand operand, auto fn) {
        uint64_t first = cells.cell(rankOf(at.threadblock), operand);
        for (uint32_t c = 0; c < step.count; ++c)
          fn(pending[first + c]);
      };
      if (traits(step.op).writesDst)
        forEachCell(step.dst, [&](SmallVector<uint32_t, 1> &sends) {
          for (uint32_t send : sends)
            if (reuses.empty() || reuses.back().send != send || reuses.back().write != at.step)
              reuses.push_back({send, receiveOf[send], at.step});
          sends.clear();
        });
      if (traits(step.op).sends && isDirect[at.step])
        forEachCell(*sentOperand(step),
                    [&](SmallVector<uint32_t, 1> &sends) { sends.push_back(at.step); });
    }
    return reuses;
  }

  /// Sets bit i of the steps that follow receive i of \p sources.
  void sweep(ArrayRef<Reuse> sources) {
    reached.assign(plan.steps().size(), 0);
    for (size_t i = 0; i < sources.size(); ++i)
      reached[sources[i].receive] |= uint64_t(1) << i;
    for (Completed at : order) {
      const Threadblock &block = plan.threadblocks()[at.threadblock];
      const Step &step = plan.steps()[at.step];
      if (at.step > block.firstStep)
        reached[at.step] |= reached[at.step - 1];
      if (traits(step.op).receives)
        reached[at.step] |= reached[sendOf[at.step]];
      if (std::optional<Wait> wait = step.wait()) {
        uint32_t first = plan.threadblocks(block.rank)[wait->tb.index()].firstStep;
        reached[at.step] |= reached[first + run.satisfiedBy(block.rank, *wait)];
      }
    }
  }

  const PreparedPlan &run;
  const ExecPlan &plan;
  const CellSpace cells;
  std::vector<uint32_t> receiveOf, sendOf; ///< by the step on the other side
  std::vector<bool> isDirect;              ///< by sending step
  std::vector<Completed> order;            ///< of a run
  bool complete = false;
  std::vector<uint64_t> reached; ///< by step
};
} // namespace

DirectMessages::DirectMessages(const PreparedPlan &plan, Placement placement, IsShared isShared)
    : direct(Search(plan, placement, isShared).result()) {}
