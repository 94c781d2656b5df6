//===- Nodes.cpp - Steps of a plan as values --------------------*- C++ -*-===//
//
// Visits the steps in one order in which they run, with the last writer of every cell. A step is
// added to the node that wrote exactly its cells if nothing read or wrote them since.
//
//===----------------------------------------------------------------------===//

#include "Nodes.h"

#include "LastWriters.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace cclc::mscclpp {
namespace {
class NodeMaker {
public:
  NodeMaker(const ExecPlan &plan, Placement placement, uint32_t most, const Landings &landings)
      : plan(plan), most(most), landings(landings), writers(plan.cells(placement)) {}

  void visit(uint32_t t, uint32_t s) {
    Node node = nodeOf(t, s);
    if (node.kind == Node::Kind::Value && (addSend(node) || addReduction(node)))
      return;
    append(std::move(node));
  }

  std::vector<Node> take() {
    std::vector<Node> result;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (!dead[i])
        result.push_back(std::move(nodes[i]));
    return result;
  }

private:
  Node nodeOf(uint32_t t, uint32_t s) const {
    using Exec = cclc::OpKind;
    const cclc::Threadblock &tb = plan.threadblocks()[t];
    const Step &step = plan.steps()[s];
    const cclc::OpTraits &does = cclc::traits(step.op);
    Node node{Node::Kind::Value, step.loc, tb.rank, t, step.count, {}, {}, {}, {}, {}};
    if (step.op == Exec::Copy || step.op == Exec::Reduce)
      node.kind = step.op == Exec::Copy ? Node::Kind::Copy : Node::Kind::Reduce;
    if (does.readsSrc)
      node.local = step.src;
    if (does.writesDst)
      node.stored = step.dst;
    Peers from = plan.recvPeers(tb), to = plan.sendPeers(tb);
    for (size_t i = 0; does.receives && i < from.size(); ++i)
      node.packets.push_back(landings.of(s, i));
    for (size_t i = 0; does.sends && i < to.size(); ++i)
      node.sends.push_back({to[i], landings.target(s, i)});
    if (step.op == Exec::RecvReduceSend)
      node.unused = landings.waste(s);
    return node;
  }

  /// The node that wrote exactly the cells of \p operand, if they hold its value.
  LastWriters::Writer writerOf(const Node &node, Operand operand) const {
    LastWriters::Writer writer = writers.find({node.rank, operand, node.count});
    if (writer.of && (nodes[*writer.of].stored != operand || nodes[*writer.of].count != node.count))
      writer.of = {};
    return writer;
  }

  /// Adds a send of a value to the node that computes it or, if that is full, to another one that
  /// only sends it.
  bool addSend(const Node &node) {
    if (!node.packets.empty() || node.sends.empty())
      return false;
    OptionalIndex writer = writerOf(node, node.local).of;
    if (!writer || nodes[*writer].packets.empty())
      return false;
    if (nodes[*writer].sends.size() + node.sends.size() < most) {
      nodes[*writer].sends.append(node.sends);
      return true;
    }
    auto [further, isNew] = furtherSends.try_emplace(*writer, nodes.size());
    if (isNew || nodes[further->second].sends.size() + node.sends.size() > most) {
      further->second = nodes.size();
      return false;
    }
    nodes[further->second].sends.append(node.sends);
    return true;
  }

  /// Adds a message to the sum that its cells hold.
  bool addReduction(Node &node) {
    if (node.packets.empty() || node.local.isNone() || node.stored != node.local)
      return false;
    auto [writer, wasRead] = writerOf(node, node.local);
    if (!writer || wasRead)
      return false;
    Node &sum = nodes[*writer];
    if (sum.packets.empty() || sum.local != sum.stored || !sum.sends.empty())
      return false;
    if (sum.packets.size() + node.packets.size() + 1 > most) {
      // The threadblock that has the sum so far goes on.
      node.threadblock = sum.threadblock;
      return false;
    }
    node.packets.insert(node.packets.begin(), sum.packets.begin(), sum.packets.end());
    dead[*writer] = true;
    append(std::move(node));
    return true;
  }

  void append(Node node) {
    auto range = [&](Operand operand) { return CellRange{node.rank, operand, node.count}; };
    if (!node.local.isNone())
      writers.read(range(node.local), nodes.size());
    if (node.kind == Node::Kind::Reduce)
      writers.read(range(node.stored), nodes.size());
    if (!node.stored.isNone())
      writers.write(range(node.stored), nodes.size());
    nodes.push_back(std::move(node));
    dead.push_back(false);
  }

  const ExecPlan &plan;
  uint32_t most;
  const Landings &landings;
  LastWriters writers; ///< nodes
  std::vector<Node> nodes;
  std::vector<bool> dead;
  std::map<uint32_t, uint32_t> furtherSends; ///< by node: the last one with sends of its value
};
} // namespace

std::vector<Node> makeNodes(const ExecPlan &plan, Placement placement, uint32_t most,
                            const Landings &landings, PlanControlFlow &runner) {
  NodeMaker maker(plan, placement, most, landings);
  runner.run(Slots::unlimited(), [&](PlanThreadblockId t, StepId s) {
    if (plan.steps()[s.index()].op != cclc::OpKind::Nop)
      maker.visit(t.index(), s.index());
  });
  return maker.take();
}
} // namespace cclc::mscclpp
