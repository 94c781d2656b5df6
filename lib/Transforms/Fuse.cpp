//===- Fuse.cpp - Fusing receives with sends ------------------------------===//
//
// The fused instructions are those of MSCCLang (Cowan et al., ASPLOS 2023).
//
// A receive X and a send S are fused if S reads exactly the versions that X writes: the ranges are
// the same cells and X is the only read-after-write source of S.
//
//   r   + s -> rcs     receive, copy, send
//   rrc + s -> rrcs    receive, reduce, copy, send
//   rrc + s -> rrs     the same without the copy: S is the only reader of the
//                      sum, and the sum is not live-out
//
// If several sends qualify, the one on the longest path is chosen (unit weights on the original
// DAG, ties by order); the others depend on the fused instruction. A send only reads, so X is its
// only predecessor and the contraction creates no cycle.
//
// An rrs still reads its local operand. A later rrc or re that overwrites the sum also reads it, so
// the instruction must be an rrcs.
//
//===----------------------------------------------------------------------===//

#include "Edit.h"

#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include <array>

using namespace cclc;

namespace {
class Fusion {
public:
  Fusion(const InstrProgram &program, FusionOptions options)
      : program(program), options(options), ranges(program), readers(countReaders(program)),
        segments(segmentsOf(program.info().phases)), channelOf(program.size()) {}

  /// Sends to fuse, by the receive that they are fused into.
  std::vector<OptionalId<InstrId>> choose() {
    std::vector<uint32_t> height = program.remainingPaths();
    std::vector<OptionalId<InstrId>> chosen(program.size());
    for (uint32_t s = 0; s < program.size(); ++s)
      if (std::optional<uint32_t> x = source(s).receive)
        if (!chosen[*x] || height[s] > height[(*chosen[*x]).index()])
          chosen[*x] = InstrId(s);
    // All instructions of a chain have the same channel: follow chains from their beginning.
    for (uint32_t x = 0; x < program.size(); ++x) {
      const Instr &recv = program.instrs()[x];
      if (!recv.from)
        continue;
      const OptionalId<ChannelId> &before = channelOf[(*recv.from).index()];
      if (before)
        channelOf[x] = before;
      if (std::optional<uint32_t> fixed = program.info().directives[recv.directive].channel)
        channelOf[x] = ChannelId(*fixed);
      if (!chosen[x])
        continue;
      const Instr &send = program[*chosen[x]];
      std::optional<uint32_t> wanted = program.info().directives[send.directive].channel;
      if (wanted && channelOf[x] && !(channelOf[x] == ChannelId(*wanted)))
        chosen[x] = {};
      else
        channelOf[(*chosen[x]).index()] =
            wanted ? OptionalId<ChannelId>(ChannelId(*wanted)) : channelOf[x];
    }
    return chosen;
  }

  /// Adds a remark for every send: fused, or the reason against it.
  void explain(ArrayRef<OptionalId<InstrId>> chosen, Remarks &remarks) const {
    for (uint32_t s = 0; s < program.size(); ++s) {
      const Instr &send = program.instrs()[s];
      if (send.op != OpKind::Send)
        continue;
      Match match = source(s);
      LocId at = send.loc;
      LocId receive = match.nearest ? program.instrs()[*match.nearest].loc : LocTable::unknown();
      if (!match.receive)
        remarks.left("fuse", at, match.why, receive);
      else if (!chosen[*match.receive])
        remarks.left("fuse", at, "its channel differs from that of its chain", receive);
      else if (chosen[*match.receive] != InstrId(s))
        remarks.left(
            "fuse", at,
            "another send of the same chunks has a longer path, or an equal one and precedes it",
            program[*chosen[*match.receive]].loc);
      else
        remarks.done("fuse", at, describe(*match.receive), receive);
    }
  }

  /// The operation that receive \p x becomes when it is fused with a send.
  OpKind fusedOp(uint32_t x) const {
    if (program.instrs()[x].op == OpKind::Recv)
      return OpKind::RecvCopySend;
    return isDeadAfterSend(x) && options.rrs ? OpKind::RecvReduceSend : OpKind::RecvReduceCopySend;
  }

private:
  StringRef describe(uint32_t x) const {
    OpKind op = fusedOp(x);
    if (op != OpKind::RecvReduceCopySend)
      return traits(op).mnemonic;
    return program.isLiveOut(InstrId(x)) ? "rrcs, because the sum is live-out"
           : readers[x] != 1             ? "rrcs, because the sum is read again"
                                         : "rrcs, because rrs is disabled on the command line";
  }

  bool isDeadAfterSend(uint32_t x) const {
    return readers[x] == 1 && !program.isLiveOut(InstrId(x));
  }

  bool isAllowed(uint32_t x) const {
    if (program.instrs()[x].op == OpKind::Recv)
      return options.rcs;
    return options.rrcs || (options.rrs && isDeadAfterSend(x));
  }

  /// The receive that a send can be fused into, or the reason why there is none, with the receive
  /// that was rejected.
  struct Match {
    std::optional<uint32_t> receive;
    const char *why = "";
    std::optional<uint32_t> nearest = {};
  };

  Match source(uint32_t s) const {
    const Instr &send = program.instrs()[s];
    std::span<const DepEdge> preds = program.dependences().preds(s);
    if (send.op != OpKind::Send)
      return {std::nullopt};
    if (preds.empty())
      return {std::nullopt, "it sends initial data"};
    if (preds.size() != 1)
      return {std::nullopt, "its data come from several instructions"};
    uint32_t x = preds.front().node();
    const Instr &recv = program.instrs()[x];
    auto no = [&](const char *why) { return Match{std::nullopt, why, x}; };
    if (recv.op != OpKind::Recv && recv.op != OpKind::RecvReduceCopy)
      return no("its data come from a local instruction");
    if (recv.count != send.count || !ranges.same(send.rank, recv.dst, send.src))
      return no("it does not send exactly the received chunks");
    if (!isAllowed(x))
      return no("disabled on the command line");
    const Directive &in = program.info().directives[recv.directive];
    const Directive &out = program.info().directives[send.directive];
    if (in.inSwitch || out.inSwitch)
      return no("a switch performs it");
    if (!out.fuse)
      return no("disabled by the program");
    if (in.instance != out.instance)
      return no("it belongs to a different instance");
    if (segments[recv.phase] != segments[send.phase])
      return no("a gate separates it from the receive");
    if (in.recvTb && out.sendTb && *in.recvTb != *out.sendTb)
      return no("the program assigns it to a different threadblock");
    return {x, "", x};
  }

  const InstrProgram &program;
  FusionOptions options;
  RangeCompare ranges;
  std::vector<uint32_t> readers;
  std::vector<uint32_t> segments; ///< by phase
  /// By instruction that sends or receives: the channel that its chain is bound to.
  std::vector<OptionalId<ChannelId>> channelOf;
};
} // namespace

FailureOr<InstrProgram> cclc::fuse(InstrProgram &&program, FusionOptions options,
                                   PassContext &context) {
  std::vector<OptionalId<InstrId>> sendOf;
  std::vector<OpKind> newOp(program.size());
  {
    Fusion fusion(program, options);
    sendOf = fusion.choose();
    if (context.remarks)
      fusion.explain(sendOf, *context.remarks);
    for (uint32_t x = 0; x < program.size(); ++x)
      if (sendOf[x])
        newOp[x] = fusion.fusedOp(x);
  }
  Dependences dependences = program.takeDependences();
  InstrProgram::Parts parts = std::move(program).takeApart();
  std::vector<bool> removed(parts.instrs.size());
  std::array<uint64_t, numOpKinds> made{};
  for (uint32_t x = 0; x < parts.instrs.size(); ++x) {
    if (!sendOf[x])
      continue;
    Instr &recv = parts.instrs[x];
    const Instr &send = parts.instrs[(*sendOf[x]).index()];
    recv.op = newOp[x];
    recv.to = send.to;
    recv.sendPos = send.pos;
    recv.sendLoc = send.loc;
    recv.sendDirective = send.directive;
    parts.instrs[(*send.to).index()].from = InstrId(x);
    removed[(*sendOf[x]).index()] = true;
    ++made[static_cast<unsigned>(recv.op)];
  }
  for (OpKind op : {OpKind::RecvCopySend, OpKind::RecvReduceCopySend, OpKind::RecvReduceSend})
    context.count("fuse", traits(op).mnemonic, made[static_cast<unsigned>(op)]);
  if (!llvm::is_contained(removed, true))
    return InstrProgramBuilder(std::move(parts.info), std::move(parts.instrs),
                               std::move(parts.scratchChunks))
        .finishEdited(std::move(dependences), context.diags);
  // The fused instruction has the dependences of both: the send reads what the receive writes.
  std::vector<uint32_t> kept = removeInstrs(parts.instrs, removed);
  std::vector<OptionalIndex> newId(kept.begin(), kept.end());
  for (uint32_t x = 0; x < newId.size(); ++x)
    if (sendOf[x])
      newId[(*sendOf[x]).index()] = newId[x];
  dependences = dependences.renumbered(newId, parts.instrs.size());
  parts.instrs.shrink_to_fit(); // up to a half was fused away, and the scheduler needs much memory
  return InstrProgramBuilder(std::move(parts.info), std::move(parts.instrs),
                             std::move(parts.scratchChunks))
      .finishEdited(std::move(dependences), context.diags);
}
