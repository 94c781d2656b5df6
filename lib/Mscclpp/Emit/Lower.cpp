//===- Lower.cpp - Lowering an ExecPlan to a plan of MSCCL++ --------------===//
//
// Instruction selection, one step at a time, with two tables: signals and puts for the
// Simple protocol, packets for LL. Each has other operations for messages that a proxy transfers
// to another node. Before it, every connection gets a channel, waits within
// a rank become counted semaphores, and receives get their places (Landing.h).
//
// The handshake of the LL protocol is omitted where it is not needed (Handshakes.h). Threadblocks
// that exceed the limit of operations are lowered again with a capacity and continued in other
// threadblocks.
//
//===----------------------------------------------------------------------===//

#include "cclc/Mscclpp/Emit/Lower.h"

#include "Drafts.h"
#include "Handshakes.h"
#include "Landing.h"
#include "Stream.h"

#include "cclc/Limits/PlanCheck.h"
#include "cclc/Mscclpp/Executor.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace cclc::mscclpp {
namespace {
// Names of the ExecPlan; those without prefix are of MSCCL++.
using Exec = cclc::OpKind;
using ExecThreadblock = cclc::Threadblock;

class Lowering {
public:
  Lowering(const ExecPlan &plan, const NodeMap &nodes)
      : plan(plan), nodes(nodes), connections(plan), runner(plan, connections),
        landings(plan, nodes, connections, runner), packets(plan.info().protocol == Protocol::LL) {
    for (Placement placement : plan.info().placements.list())
      spaces.push_back(plan.cells(placement));
  }

  FailureOr<Plan> run(DiagnosticEngine &diags);

private:
  /// The semaphores that the threadblocks of a rank acquire before and release after each step.
  struct Semaphores {
    llvm::DenseMap<uint32_t, SmallVector<uint32_t, 2>> releases, acquires;
  };

  void makeChannels();
  Semaphores makeSemaphores(RankId rank);
  void lowerRank(RankId rank);
  void lowerThreadblock(uint32_t tb, const Semaphores &semaphores, Stream &stream);
  void lowerSimple(const ExecThreadblock &tb, uint32_t s, Stream &stream);
  void lowerPackets(const ExecThreadblock &tb, uint32_t s, Stream &stream);
  /// A step that sends through a port channel.
  void lowerByProxy(const ExecThreadblock &tb, uint32_t s, uint32_t channel, Stream &stream);
  /// The place of the message that a step receives, or none.
  Operand received(uint32_t s) const {
    return cclc::traits(plan.steps()[s].op).receives ? landings.of(s) : Operand();
  }
  Place targetOf(const ExecThreadblock &tb, uint32_t s, ChannelKind kind, Stream &stream) const {
    return stream.remote(*tb.sendPeer, landings.target(s), plan.steps()[s].count, kind);
  }

  const ExecPlan &plan;
  const NodeMap &nodes;
  const Constraints constraints = executorConstraints();
  ConnectionTable connections;
  PlanControlFlow runner;
  Landings landings;
  bool packets;
  std::vector<CellSpace> spaces;
  std::vector<RankDraft> ranks;
  /// By connection: the channel at the sender and at the receiver, and whether the sender waits
  /// until the receiver has begun the launch.
  struct Link {
    uint32_t atSender, atReceiver;
    ChannelKind kind;
    bool handshake = true;
  };
  std::vector<Link> links;
};

/// The minimum number of operations of a threadblock: a receive is a wait, and a send is a put, a
/// nop and a signal.
uint64_t leastOps(const ExecPlan &plan, const ExecThreadblock &tb) {
  uint64_t ops = 0;
  for (const Step &step : plan.steps(tb)) {
    const cclc::OpTraits &does = cclc::traits(step.op);
    bool signals = plan.info().protocol == Protocol::Simple;
    ops += step.op == Exec::Nop ? 0 : !signals ? 1 : does.sends * 3 + does.receives;
  }
  return ops;
}

/// Rejects plans far beyond the limits before they are built.
LogicalResult checkSize(const ExecPlan &plan, const Constraints &constraints,
                        DiagnosticEngine &diags) {
  uint32_t ops = constraints[Limit::Operations];
  for (uint32_t r = 0; r < plan.ranks(); ++r) {
    uint64_t threadblocks = 0;
    for (const ExecThreadblock &tb : plan.threadblocks(RankId(r)))
      threadblocks += std::max<uint64_t>(1, leastOps(plan, tb) / ops);
    if (failed(constraints.check(Rule::NeededThreadblocks, threadblocks, {}, diags, [&] {
          return llvm::formatv("the steps of r{0} in threadblocks of {1} operations", r, ops).str();
        })))
      return failure();
  }
  return success();
}

/// Makes one channel for each connection. Both ends are added together, so that the n-th channel of
/// a rank to a peer is the n-th channel of the peer to the rank.
void Lowering::makeChannels() {
  for (const Connection &connection : connections.connections()) {
    RankId from = plan.threadblocks()[connection.senderTb].rank;
    RankId to = plan.threadblocks()[connection.receiverTb].rank;
    ChannelKind kind = nodes.areInOneNode(from, to) ? ChannelKind::Memory : ChannelKind::Port;
    std::vector<RankId> &sender = ranks[from.index()].channels[size_t(kind)];
    std::vector<RankId> &receiver = ranks[to.index()].channels[size_t(kind)];
    links.push_back({uint32_t(sender.size()), uint32_t(receiver.size()), kind});
    sender.push_back(to);
    receiver.push_back(from);
  }
}

/// Makes counted semaphores: the n-th acquire of a pair of threadblocks matches the n-th release.
Lowering::Semaphores Lowering::makeSemaphores(RankId rank) {
  Semaphores result;
  std::vector<uint32_t> &initial = ranks[rank.index()].semaphores;
  uint32_t first = plan.firstThreadblock(rank), count = plan.numThreadblocks(rank);
  for (uint32_t t = first; t < first + count; ++t) {
    const ExecThreadblock &tb = plan.threadblocks()[t];
    llvm::SmallDenseMap<uint32_t, uint32_t, 8> semaphoreOf, knownOf; // by other threadblock
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
      std::optional<StepId> target = runner.waitTarget(PlanThreadblockId(t), StepId(s));
      if (!target)
        continue;
      uint32_t other = first + plan.steps()[s].wait()->tb.index();
      auto [known, isFirst] = knownOf.try_emplace(other, target->index());
      if (other == t || (!isFirst && known->second >= target->index()))
        continue; // already implied
      known->second = target->index();
      auto [semaphore, isNew] = semaphoreOf.try_emplace(other, initial.size());
      if (isNew)
        initial.push_back(0);
      result.acquires[s].push_back(semaphore->second);
      result.releases[target->index()].push_back(semaphore->second);
    }
  }
  return result;
}

void Lowering::lowerRank(RankId rank) {
  RankDraft &draft = ranks[rank.index()];
  draft.inputChunks = plan.info().collective.inputChunks();
  draft.outputChunks = plan.info().collective.outputChunks();
  draft.scratchChunks = landings.scratchChunks(rank);
  Semaphores semaphores = makeSemaphores(rank);
  std::vector<ThreadblockDraft> continuations;
  uint32_t first = plan.firstThreadblock(rank), count = plan.numThreadblocks(rank);
  for (uint32_t t = first; t < first + count; ++t) {
    auto lower = [&](std::optional<uint32_t> capacity) {
      Stream stream(rank, draft, spaces, constraints, capacity);
      lowerThreadblock(t, semaphores, stream);
      return stream.take();
    };
    std::vector<ThreadblockDraft> pieces = lower(std::nullopt);
    uint32_t most = constraints[Limit::Operations];
    if (pieces.front().ops.size() > most)
      pieces = lower(most);
    draft.threadblocks.push_back(std::move(pieces.front()));
    for (size_t i = 1; i < pieces.size(); ++i)
      continuations.push_back(std::move(pieces[i]));
  }
  for (ThreadblockDraft &piece : continuations)
    draft.threadblocks.push_back(std::move(piece));
}

void Lowering::lowerThreadblock(uint32_t t, const Semaphores &semaphores, Stream &stream) {
  const ExecThreadblock &tb = plan.threadblocks()[t];
  const Link *in = connections.recvOf(t) ? &links[(*connections.recvOf(t)).index()] : nullptr;
  const Link *out = connections.sendOf(t) ? &links[(*connections.sendOf(t)).index()] : nullptr;
  if (in && in->handshake)
    stream.synchronise(OpKind::Signal, LocTable::unknown(), in->atReceiver, in->kind);
  bool mayPut = !out || !out->handshake;
  for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
    const Step &step = plan.steps()[s];
    const cclc::OpTraits &does = cclc::traits(step.op);
    if (auto it = semaphores.acquires.find(s); it != semaphores.acquires.end())
      for (uint32_t semaphore : it->second)
        stream.synchronise(OpKind::Acquire, step.loc, semaphore);
    if (does.sends && !mayPut) {
      stream.synchronise(OpKind::Wait, step.sendLoc, out->atSender, out->kind);
      mayPut = true;
    }
    if (does.receives && !packets)
      stream.synchronise(OpKind::Wait, step.loc, in->atReceiver, in->kind);
    stream.makeRoom(step.loc);
    if (does.sends && out->kind == ChannelKind::Port)
      lowerByProxy(tb, s, out->atSender, stream);
    else if (packets)
      lowerPackets(tb, s, stream);
    else
      lowerSimple(tb, s, stream);
    if (does.sends && !packets && out->kind == ChannelKind::Memory)
      stream.synchronise(OpKind::Signal, step.sendLoc, out->atSender);
    if (auto it = semaphores.releases.find(s); it != semaphores.releases.end())
      for (uint32_t semaphore : it->second)
        stream.synchronise(OpKind::Release, step.loc, semaphore);
  }
}

void Lowering::lowerSimple(const ExecThreadblock &tb, uint32_t s, Stream &stream) {
  const Step &step = plan.steps()[s];
  auto local = [&](Operand operand) { return stream.local(operand, step.count); };
  // The locations of the received message and of the message to send.
  Operand come = received(s);
  auto target = [&] { return targetOf(tb, s, ChannelKind::Memory, stream); };
  switch (step.op) {
  case Exec::Send:
    return stream.data(OpKind::Put, step.loc, {local(step.src)}, {target()});
  case Exec::Recv:
    if (landings.isDirect(s))
      return;
    return stream.data(OpKind::Copy, step.loc, {local(come)}, {local(step.dst)});
  case Exec::Copy:
    return stream.data(OpKind::Copy, step.loc, {local(step.src)}, {local(step.dst)});
  case Exec::Reduce:
    return stream.data(OpKind::Reduce, step.loc, {local(step.dst), local(step.src)},
                       {local(step.dst)});
  case Exec::RecvCopySend:
    if (!landings.isDirect(s))
      stream.data(OpKind::Copy, step.loc, {local(come)}, {local(step.dst)});
    return stream.data(OpKind::Put, step.sendLoc, {local(come)}, {target()});
  case Exec::RecvReduceCopy:
    return stream.data(OpKind::Reduce, step.loc, {local(step.src), local(come)}, {local(step.dst)});
  case Exec::RecvReduceSend:
    // The received message is dead, so the sum may overwrite it.
    return stream.data(OpKind::ReduceSend, step.loc, {local(step.src), local(come)},
                       {local(come), target()});
  case Exec::RecvReduceCopySend:
    return stream.data(OpKind::ReduceSend, step.loc, {local(step.src), local(come)},
                       {local(step.dst), target()});
  case Exec::Nop:
    return;
  }
}

void Lowering::lowerPackets(const ExecThreadblock &tb, uint32_t s, Stream &stream) {
  const Step &step = plan.steps()[s];
  auto local = [&](Operand operand) { return stream.local(operand, step.count); };
  Operand come = received(s);
  auto target = [&] { return targetOf(tb, s, ChannelKind::Memory, stream); };
  switch (step.op) {
  case Exec::Send:
    return stream.data(OpKind::PutPackets, step.loc, {local(step.src)}, {target()});
  case Exec::Recv:
    return stream.data(OpKind::UnpackPackets, step.loc, {local(come)}, {local(step.dst)});
  case Exec::Copy:
  case Exec::Reduce:
    return lowerSimple(tb, s, stream);
  case Exec::RecvCopySend:
    stream.data(OpKind::ReadPutPackets, step.sendLoc, {local(come)}, {target()});
    return stream.data(OpKind::UnpackPackets, step.loc, {local(come)}, {local(step.dst)});
  case Exec::RecvReduceCopy:
    return stream.data(OpKind::ReducePackets, step.loc, {local(step.src), local(come)},
                       {local(step.dst)});
  case Exec::RecvReduceSend:
    return stream.data(OpKind::ReduceSendPackets, step.loc, {local(step.src), local(come)},
                       {local(landings.waste(s)), target()});
  case Exec::RecvReduceCopySend:
    return stream.data(OpKind::ReduceSendPackets, step.loc, {local(step.src), local(come)},
                       {local(step.dst), target()});
  case Exec::Nop:
    return;
  }
}

/// In Simple the threadblock waits until the transfer is complete. In LL it makes packets in its
/// own scratch, or forwards those that it has received, if their place is not written again before.
void Lowering::lowerByProxy(const ExecThreadblock &tb, uint32_t s, uint32_t channel,
                            Stream &stream) {
  const Step &step = plan.steps()[s];
  const cclc::OpTraits &does = cclc::traits(step.op);
  auto local = [&](Operand operand) { return stream.local(operand, step.count); };
  Operand come = received(s);
  bool adds = does.receives && does.readsSrc;
  Operand sent = adds && !does.writesDst ? come : adds ? step.dst : does.receives ? come : step.src;
  if (packets && does.receives && !adds) {
    if (landings.staged(s).isNone()) {
      stream.transfer(OpKind::ReadPutPackets, step.sendLoc, local(come),
                      targetOf(tb, s, ChannelKind::Port, stream), channel);
      return stream.data(OpKind::UnpackPackets, step.loc, {local(come)}, {local(step.dst)});
    }
    stream.data(OpKind::UnpackPackets, step.loc, {local(come)}, {local(step.dst)});
    sent = step.dst;
  }
  if (packets) {
    Place staged = local(landings.staged(s));
    if (adds)
      stream.data(OpKind::ReduceCopyPackets, step.loc, {local(step.src), local(come)},
                  {local(does.writesDst ? step.dst : landings.waste(s)), staged});
    else
      stream.data(OpKind::CopyPackets, step.loc, {local(sent)}, {staged});
    return stream.transfer(OpKind::PutPackets, step.sendLoc, staged,
                           targetOf(tb, s, ChannelKind::Port, stream), channel);
  }
  if (adds)
    stream.data(OpKind::Reduce, step.loc, {local(step.src), local(come)}, {local(sent)});
  else if (does.receives && !landings.isDirect(s))
    stream.data(OpKind::Copy, step.loc, {local(come)}, {local(step.dst)});
  stream.transfer(OpKind::PutSignalFlush, step.sendLoc, local(sent),
                  targetOf(tb, s, ChannelKind::Port, stream), channel);
}

FailureOr<Plan> Lowering::run(DiagnosticEngine &diags) {
  ranks.resize(plan.ranks());
  makeChannels();
  if (packets) {
    std::vector<llvm::BitVector> known = ranksKnownToHaveBegun(plan, connections, runner);
    for (auto [link, connection] : llvm::zip(links, connections.connections()))
      link.handshake = !known[plan.threadblocks()[connection.senderTb].rank.index()].test(
          plan.threadblocks()[connection.receiverTb].rank.index());
  }
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    lowerRank(RankId(r));
  return finish(plan, ranks, diags);
}
} // namespace

LogicalResult checkProgram(const ProgramInfo &info, DiagnosticEngine &diags) {
  Constraints constraints = executorConstraints();
  auto nowhere = [] { return std::string(); };
  Location call = info.calls.empty() ? Location() : info.locate(info.calls.front().loc);
  if (failed(constraints.check(Rule::LL128, info.protocol == Protocol::LL128, {}, diags, nowhere)))
    return failure();
  return constraints.check(Rule::Calls, info.calls.size(), call, diags, nowhere);
}

FailureOr<Plan> lower(const ExecPlan &plan, DiagnosticEngine &diags, const NodeMap &nodes) {
  if (failed(checkProgram(plan.info(), diags)) ||
      failed(checkNoSwitches(plan, "mscclpp", diags, "its general form")) ||
      failed(checkSize(plan, executorConstraints(), diags)))
    return failure();
  return Lowering(plan, nodes).run(diags);
}
} // namespace cclc::mscclpp
