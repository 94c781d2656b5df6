//===- Packets.cpp - Emission of values of packets ------------------------===//
//
// Every node becomes one operation, or two if packets are forwarded and stored as they are; the
// Sequence synchronises them. Every message has its own place in scratch.
//
//===----------------------------------------------------------------------===//

#include "Drafts.h"
#include "Nodes.h"
#include "Sequence.h"

#include "cclc/Mscclpp/Emit/Compact.h"

namespace cclc::mscclpp {
namespace {
class PacketEmitter {
public:
  PacketEmitter(const ExecPlan &plan, const NodeMap &nodes, ArrayRef<Node> values,
                std::vector<uint32_t> scratch)
      : nodes(nodes), values(values), places(placesFor(scratch)), sequence(plan, nodes, scratch) {}

  std::optional<Plan> run() {
    for (size_t i = 0; i < values.size(); ++i)
      emit(values[i], places[i]);
    return sequence.synchronised();
  }

private:
  bool isInside(const Node &node, const Node::Send &send) const {
    return nodes.areInOneNode(node.rank, send.peer);
  }

  /// Adds a place in scratch for the packets of every value that a proxy sends, unless it forwards
  /// packets.
  std::vector<Operand> placesFor(std::vector<uint32_t> &scratch) const {
    std::vector<Operand> result(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const Node &node = values[i];
      if (llvm::all_of(node.sends, [&](auto &send) { return isInside(node, send); }) ||
          (!node.packets.empty() && node.local.isNone()))
        continue;
      result[i] = Operand(Buffer::Scratch, scratch[node.rank.index()]);
      scratch[node.rank.index()] += node.count;
    }
    return result;
  }

  void emit(const Node &node, Operand staged);
  /// Sends packets in scratch to other nodes.
  void sendOutside(const Node &node, OpKind op, const Place &packets);

  const NodeMap &nodes;
  ArrayRef<Node> values;
  std::vector<Operand> places;
  Sequence sequence;
};

void PacketEmitter::sendOutside(const Node &node, OpKind op, const Place &packets) {
  SmallVector<Place, 8> destinations;
  SmallVector<RankId, 8> receivers;
  auto flush = [&] {
    if (receivers.empty())
      return;
    SmallVector<Place, 8> sources(op == OpKind::PutPackets ? receivers.size() : 1, packets);
    sequence.add(node.rank, node.threadblock, node.loc, op, sources, destinations, receivers);
    destinations.clear();
    receivers.clear();
  };
  for (const Node::Send &send : node.sends) {
    if (isInside(node, send))
      continue;
    destinations.push_back(
        sequence.remote(node.rank, node.threadblock, send.peer, send.slot, node.count));
    receivers.push_back(send.peer);
    if (receivers.size() == executorConstraints()[Limit::ChannelsOfOperation])
      flush();
  }
  flush();
}

void PacketEmitter::emit(const Node &node, Operand staged) {
  auto local = [&](Operand operand) {
    return Place{std::nullopt, operand.buffer(), operand.index(), node.count};
  };
  auto add = [&](OpKind op, ArrayRef<Place> sources, ArrayRef<Place> destinations) {
    sequence.add(node.rank, node.threadblock, node.loc, op, sources, destinations);
  };
  SmallVector<Place, 10> sources, destinations, sends;
  for (const Node::Send &send : node.sends)
    if (isInside(node, send))
      sends.push_back(
          sequence.remote(node.rank, node.threadblock, send.peer, send.slot, node.count));
  if (node.kind == Node::Kind::Copy)
    return add(OpKind::Copy, {local(node.local)}, {local(node.stored)});
  if (node.kind == Node::Kind::Reduce)
    return add(OpKind::Reduce, {local(node.stored), local(node.local)}, {local(node.stored)});
  if (node.packets.empty()) {
    if (!staged.isNone()) {
      add(OpKind::CopyPackets, {local(node.local)}, {local(staged)});
      sendOutside(node, OpKind::PutPackets, local(staged));
    }
    sources.assign(sends.size(), local(node.local));
    if (!sends.empty())
      add(OpKind::PutPackets, sources, sends);
    return;
  }
  if (node.local.isNone()) {
    sendOutside(node, OpKind::ReadPutPackets, local(node.packets.front()));
    if (!sends.empty())
      add(OpKind::ReadPutPackets, {local(node.packets.front())}, sends);
    return add(OpKind::UnpackPackets, {local(node.packets.front())}, {local(node.stored)});
  }
  sources.push_back(local(node.local));
  for (Operand packet : node.packets)
    sources.push_back(local(packet));
  destinations.push_back(local(node.stored.isNone() ? node.unused : node.stored));
  if (!staged.isNone())
    destinations.push_back(local(staged));
  destinations.append(sends);
  add(staged.isNone() ? (sends.empty() ? OpKind::ReducePackets : OpKind::ReduceSendPackets)
                      : (sends.empty() ? OpKind::ReduceCopyPackets : OpKind::ReduceCopySendPackets),
      sources, destinations);
  if (!staged.isNone())
    sendOutside(node, OpKind::PutPackets, local(staged));
}
} // namespace

std::optional<Plan> emitPackets(const ExecPlan &plan, const NodeMap &nodes) {
  if (plan.info().protocol != Protocol::LL || !plan.info().calls.empty())
    return std::nullopt;
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  // A value has one place for its packets, not one for each message.
  Landings landings(plan, NodeMap(), connections, runner);
  std::vector<uint32_t> scratch;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    scratch.push_back(landings.scratchChunks(RankId(r)));
  uint32_t most = executorConstraints()[Limit::PlacesOfOperation];
  auto isSumOfPackets = [&](const cclc::Threadblock &tb) {
    return tb.reducesInSwitch() && llvm::any_of(plan.steps(tb), [](const Step &step) {
             return cclc::traits(step.op).receives && !cclc::traits(step.op).readsSrc;
           });
  };
  if (llvm::any_of(plan.threadblocks(), isSumOfPackets)) // the executor adds a local operand, too
    return std::nullopt;
  std::vector<Node> values = makeNodes(plan, placementOf(plan), most, landings, runner);
  return PacketEmitter(plan, nodes, values, std::move(scratch)).run();
}
} // namespace cclc::mscclpp
