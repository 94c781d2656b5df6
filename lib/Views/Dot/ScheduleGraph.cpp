//===- ScheduleGraph.cpp - The schedule as a DotGraph ---------------------===//
//
// Nodes are the steps and columns the threadblocks. Edges are waits, and messages from the
// n-th send to the n-th receive of each connection; the order within a threadblock is its
// column.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include "cclc/IR/Connections.h"
#include "cclc/IR/StepNames.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

namespace {

/// Steps in one column per threadblock, with edges for messages and waits.
class ScheduleDot : public DotGraph {
public:
  explicit ScheduleDot(const ExecPlan &plan) : DotGraph(plan.info()), plan(plan) {
    threadblock.reserve(size());
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
      threadblock.resize(threadblock.size() + plan.threadblocks()[t].numSteps, t);
  }

  StringRef title() const override { return "schedule"; }
  StringRef nodesAre() const override { return "steps"; }
  uint32_t size() const override { return plan.steps().size(); }

  DotNode node(uint32_t id) const override {
    const Step &step = plan.steps()[id];
    return instrNode(plan.threadblocks()[threadblock[id]].rank, step.phase, step.op, step.src,
                     step.dst, step.count, step.loc, step.sendLoc);
  }
  std::string name(uint32_t id) const override { return "s" + std::to_string(id); }
  void label(raw_ostream &os, uint32_t id) const override {
    const Step &step = plan.steps()[id];
    os << id - plan.threadblocks()[threadblock[id]].firstStep << ": ";
    printOperation(os, step.op, step.src, step.dst, step.count);
  }

  bool hasColumns() const override { return true; }
  std::optional<uint32_t> column(uint32_t id) const override { return threadblock[id]; }
  std::string columnLabel(uint32_t t) const override {
    const Threadblock &tb = plan.threadblocks()[t];
    std::string label = "tb " + std::to_string(plan.localId(t).index()) + " ch " +
                        std::to_string(tb.channel.index());
    if (Peers from = plan.recvPeers(tb); !from.empty())
      label += " from " + peerNames(from);
    if (Peers to = plan.sendPeers(tb); !to.empty())
      label += " to " + peerNames(to);
    return label;
  }

  void forEachEdge(llvm::function_ref<void(uint32_t, uint32_t, DotEdge)> fn) const override {
    for (uint32_t s = 0; s < size(); ++s)
      if (std::optional<Wait> wait = plan.steps()[s].wait()) {
        RankId rank = plan.threadblocks()[threadblock[s]].rank;
        fn(plan.threadblocks(rank)[wait->tb.index()].firstStep + wait->step.index(), s,
           DotEdge::Wait);
      }
    ConnectionTable connections(plan);
    for (const Connection &connection : connections.connections())
      forEachMessage(plan, connection,
                     [&](uint32_t send, uint32_t recv) { fn(send, recv, DotEdge::Message); });
  }

private:
  const ExecPlan &plan;
  std::vector<uint32_t> threadblock; ///< by step
};
} // namespace

void cclc::writeDot(const ExecPlan &plan, raw_ostream &os, const DotOptions &options) {
  drawGraph(ScheduleDot(plan), os, options);
}
