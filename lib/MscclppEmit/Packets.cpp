//===- Packets.cpp - Emission of values of packets ------------------------===//
//
// Every node becomes one operation, or two if packets are forwarded and stored as they are; the
// Sequence synchronises them. Every message has its own place in scratch.
//
//===----------------------------------------------------------------------===//

#include "Drafts.h"
#include "Nodes.h"
#include "Sequence.h"

#include "cclc/MscclppEmit/Compact.h"

namespace cclc::mscclpp {
namespace {
void emit(const Node &node, Sequence &sequence) {
  auto local = [&](Operand operand) {
    return Place{std::nullopt, operand.buffer(), operand.index(), node.count};
  };
  auto add = [&](OpKind op, ArrayRef<Place> sources, ArrayRef<Place> destinations) {
    sequence.add(node.rank, node.threadblock, node.loc, op, sources, destinations);
  };
  SmallVector<Place, 10> sources, destinations, sends;
  for (const Node::Send &send : node.sends)
    sends.push_back(sequence.remote(node.rank, node.threadblock, send.peer, send.slot, node.count));
  if (node.kind == Node::Kind::Copy)
    return add(OpKind::Copy, {local(node.local)}, {local(node.stored)});
  if (node.kind == Node::Kind::Reduce)
    return add(OpKind::Reduce, {local(node.stored), local(node.local)}, {local(node.stored)});
  if (node.packets.empty()) {
    sources.assign(sends.size(), local(node.local));
    return add(OpKind::PutPackets, sources, sends);
  }
  if (node.local.isNone()) {
    if (!sends.empty())
      add(OpKind::ReadPutPackets, {local(node.packets.front())}, sends);
    return add(OpKind::UnpackPackets, {local(node.packets.front())}, {local(node.stored)});
  }
  sources.push_back(local(node.local));
  for (Operand packet : node.packets)
    sources.push_back(local(packet));
  destinations.push_back(local(node.stored.isNone() ? node.unused : node.stored));
  destinations.append(sends);
  add(sends.empty() ? OpKind::ReducePackets : OpKind::ReduceSendPackets, sources, destinations);
}
} // namespace

std::optional<Plan> emitPackets(const ExecPlan &plan, const NodeMap &nodes) {
  if (plan.info().protocol != Protocol::LL || !plan.info().calls.empty() || !nodes.isOne())
    return std::nullopt;
  ConnectionTable connections(plan);
  PlanRunner runner(plan, connections);
  Landings landings(plan, nodes, connections, runner);
  std::vector<uint32_t> scratch;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    scratch.push_back(landings.scratchChunks(RankId(r)));
  uint32_t most = executorConstraints()[Limit::PlacesOfOperation];
  Sequence sequence(plan, scratch);
  for (const Node &node : makeNodes(plan, placementOf(plan), most, landings, runner))
    emit(node, sequence);
  return sequence.synchronised();
}
} // namespace cclc::mscclpp
