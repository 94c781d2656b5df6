//===- Landing.cpp - Messages in place or in scratch ----------------------===//
//
// Simulates the plan once in an order in which it can run, with a vector clock for each
// threadblock and message (Fidge 1988, Mattern 1989) and the last accesses of each cell. A
// receive is direct if its message carries a clock that covers all earlier accesses of the
// destination. Clocks take at most threadblocks times threadblocks and steps entries; above
// 2^26 of them every message lands in scratch.
//
//===----------------------------------------------------------------------===//

#include "Landing.h"

#include "Handshakes.h"

#include <deque>

namespace cclc::mscclpp {
namespace {
/// By threadblock: the number of its completed steps.
using Clock = std::vector<uint32_t>;

/// Above this number of clock entries, all messages land in scratch.
constexpr uint64_t maxKnowledge = uint64_t(1) << 26;

void join(Clock &clock, const Clock &other) {
  for (size_t i = 0; i < other.size(); ++i)
    clock[i] = std::max(clock[i], other[i]);
}

/// Visits the steps of a plan in an order in which they can run.
class DirectFinder {
public:
  DirectFinder(const ExecPlan &plan, const ConnectionTable &connections,
               const PlanControlFlow &runner, std::vector<bool> &direct)
      : plan(plan), connections(connections), runner(runner), direct(direct),
        clocks(plan.threadblocks().size(), Clock(plan.threadblocks().size())),
        messages(connections.size()), published(plan.steps().size()) {
    for (Placement placement : plan.info().placements.list()) {
      spaces.push_back(plan.cells(placement));
      cells.emplace_back(spaces.back().size());
    }
  }

  void visit(uint32_t t, uint32_t s) {
    const Step &step = plan.steps()[s];
    const cclc::OpTraits &does = traits(step.op);
    const cclc::Threadblock &tb = plan.threadblocks()[t];
    Clock &clock = clocks[t];
    if (std::optional<StepId> target = runner.waitTarget(PlanThreadblockId(t), StepId(s)))
      join(clock, published[target->index()]);
    bool wants = step.op == cclc::OpKind::Recv || step.op == cclc::OpKind::RecvCopySend;
    if (does.receives) {
      for (ConnectionId connection : connections.recvsOf(t)) {
        std::deque<Clock> &fifo = messages[connection.index()];
        direct[s] = wants && tb.recvPeer && isOver(tb.rank, step, fifo.front());
        join(clock, fifo.front());
        fifo.pop_front();
      }
    }
    uint32_t index = s - tb.firstStep;
    if (does.readsSrc)
      access(tb.rank, step.src, step.count, t, index, false);
    if (does.writesDst)
      access(tb.rank, step.dst, step.count, t, index, true);
    // The receiver of the message follows the reads of the step that sent it.
    clock[t] = index + 1;
    if (does.sends)
      for (ConnectionId connection : connections.sendsOf(t))
        messages[connection.index()].push_back(clock);
    if (step.publishes)
      published[s] = clock;
  }

private:
  struct Access {
    OptionalIndex threadblock;
    uint32_t index = 0;
  };
  struct Cell {
    Access writer;
    SmallVector<Access, 1> readers; ///< readers since the last write
  };

  bool isOver(RankId rank, const Step &step, const Clock &sender) const {
    auto over = [&](const Access &access) {
      return !access.threadblock || sender[*access.threadblock] > access.index;
    };
    for (size_t p = 0; p < spaces.size(); ++p)
      for (uint32_t c = 0; c < step.count; ++c) {
        const Cell &cell = cells[p][spaces[p].cell(rank, step.dst) + c];
        if (!over(cell.writer) || !llvm::all_of(cell.readers, over))
          return false;
      }
    return true;
  }

  void access(RankId rank, Operand operand, uint32_t count, uint32_t t, uint32_t index,
              bool write) {
    for (size_t p = 0; p < spaces.size(); ++p)
      for (uint32_t c = 0; c < count; ++c) {
        Cell &cell = cells[p][spaces[p].cell(rank, operand) + c];
        if (write)
          cell = {{t, index}, {}};
        else if (!cell.readers.empty() && cell.readers.back().threadblock == t)
          cell.readers.back().index = index;
        else
          cell.readers.push_back({t, index});
      }
  }

  const ExecPlan &plan;
  const ConnectionTable &connections;
  const PlanControlFlow &runner;
  std::vector<bool> &direct;
  std::vector<Clock> clocks;
  std::vector<std::deque<Clock>> messages; ///< by connection: clocks of the senders
  std::vector<Clock> published;            ///< by publishing step
  std::vector<CellSpace> spaces;
  std::vector<std::vector<Cell>> cells;
};
} // namespace

Landings::Landings(const ExecPlan &plan, const NodeMap &nodes, const ConnectionTable &connections,
                   PlanControlFlow &runner)
    : plan(plan), receiptsOf(plan.steps().size()), direct(plan.steps().size()),
      places(plan.steps().size()), wastes(plan.steps().size()), stages(plan.steps().size()),
      scratch(plan.scratchChunks()) {
  std::vector<uint32_t> received(plan.steps().size()); // messages so far
  for (const Connection &connection : connections.connections())
    forEachMessage(plan, connection, [&](uint32_t send, uint32_t receive) {
      receiptsOf[send].push_back({receive, received[receive]++});
    });
  uint64_t knowledge =
      uint64_t(plan.threadblocks().size()) * (plan.threadblocks().size() + plan.steps().size());
  if (plan.info().protocol == Protocol::Simple && knowledge <= maxKnowledge) {
    DirectFinder finder(plan, connections, runner, direct);
    runner.run(Slots::unlimited(),
               [&](PlanThreadblockId t, StepId s) { finder.visit(t.index(), s.index()); });
  }
  stage(nodes, connections, runner);
}

/// Packet chunk k occupies the plain chunks 2k and 2k+1. Packets are numbered last, so that they do
/// not overlap plain chunks, which have lower numbers.
///
/// A proxy may forward a packet after the launch. The place of the packet is not written before if
/// its sender knows that the receiver of the forwarded packet has begun the next launch.
void Landings::stage(const NodeMap &nodes, const ConnectionTable &connections,
                     PlanControlFlow &runner) {
  bool packets = plan.info().protocol == Protocol::LL;
  auto add = [&](const cclc::Threadblock &tb, const Step &step, uint32_t messages = 1) {
    Operand place(Buffer::Scratch, scratch[tb.rank.index()]);
    scratch[tb.rank.index()] += step.count * messages;
    return place;
  };
  std::vector<llvm::BitVector> known;
  if (packets && !nodes.isOne())
    known = ranksKnownToHaveBegun(plan, connections, runner);
  auto mayForward = [&](const cclc::Threadblock &tb, const Step &step) {
    return step.op == cclc::OpKind::RecvCopySend && tb.recvPeer && tb.sendPeer &&
           known[(*tb.recvPeer).index()].test((*tb.sendPeer).index());
  };
  auto forEachStep = [&](auto fn) {
    for (const cclc::Threadblock &tb : plan.threadblocks())
      for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s)
        fn(tb, s, plan.steps()[s]);
  };
  forEachStep([&](const cclc::Threadblock &tb, uint32_t s, const Step &step) {
    if (packets && step.op == cclc::OpKind::RecvReduceSend)
      wastes[s] = add(tb, step);
  });
  forEachStep([&](const cclc::Threadblock &tb, uint32_t s, const Step &step) {
    const cclc::OpTraits &does = traits(step.op);
    if (does.receives)
      places[s] = direct[s] ? step.dst : add(tb, step, plan.recvPeers(tb).size());
    // The ranks of an operation of a switch are in one node.
    if (packets && does.sends && tb.sendPeer && !nodes.areInOneNode(tb.rank, *tb.sendPeer) &&
        !mayForward(tb, step))
      stages[s] = add(tb, step);
  });
}
} // namespace cclc::mscclpp
