//===- FuseReceiveReduce.cpp - Fusing r and re through scratch ------------===//
//
//   %1 = r  r0 -> s[0] from %0            %4 = rrc r0 i[0] -> i[0] from %0
//   ...                             =>
//   %4 = re r0 s[0] -> i[0]
//
// A pairwise exchange reads both old values, so its program receives into scratch and reduces from
// there. If the received value has no other reader and is not overwritten before the reduce, the
// receive may execute at the position of the reduce: the message waits in its slot instead of in
// scratch. The local operand is the cell of the reduce, independent of the sender's. A directive on
// the reduce disables the fusion, because receives that depend on each other's sums cannot overlap.
//
//===----------------------------------------------------------------------===//

#include "Edit.h"

#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

using namespace cclc;

namespace {
/// The receive that a reduce can be fused with, or the reason why the candidate is rejected.
struct Match {
  std::optional<uint32_t> receive;
  const char *why = nullptr; ///< null if there is no candidate
  uint32_t nearest = 0;
};

class Matcher {
public:
  explicit Matcher(const InstrProgram &program)
      : program(program), ranges(program), readers(countReaders(program)),
        segments(segmentsOf(program.info().phases)) {}

  Match find(uint32_t id) const {
    Match match;
    for (DepEdge edge : program.dependences().preds(id)) {
      const Instr &recv = program.instrs()[edge.node()];
      if (!edge.isTrue() || recv.op != OpKind::Recv)
        continue;
      const char *why = obstacle(edge.node(), id);
      if (!why)
        return {edge.node()};
      match = {std::nullopt, why, edge.node()};
    }
    return match;
  }

private:
  /// The reason why receive \p x and reduce \p id cannot be fused, or null.
  const char *obstacle(uint32_t x, uint32_t id) const {
    const Instr &recv = program.instrs()[x], &reduce = program.instrs()[id];
    if (recv.count != reduce.count || !ranges.same(recv.rank, recv.dst, reduce.src))
      return "it does not add exactly the received chunks";
    if (segments[recv.phase] != segments[reduce.phase])
      return "a gate separates it from the receive";
    if (readers[x] != 1 || program.isLiveOut(InstrId(x)))
      return "the received data have another reader";
    if (!isIntactUntil(program, x, id))
      return "the received data are overwritten before";
    const Directive &recvBy = program.info().directives[recv.directive];
    const Directive &reduceBy = program.info().directives[reduce.directive];
    if (!reduceBy.fuse)
      return "disabled by the program";
    // Fusion would ignore a threadblock that the user chose for the reduce only.
    if (reduceBy.sendTb && (!recvBy.recvTb || *reduceBy.sendTb != *recvBy.recvTb))
      return "the program assigns it to a different threadblock";
    if (recvBy.instance != reduceBy.instance)
      return "it belongs to a different instance";
    return nullptr;
  }

  const InstrProgram &program;
  RangeCompare ranges;
  std::vector<uint32_t> readers;
  std::vector<uint32_t> segments; ///< by phase
};
} // namespace

FailureOr<InstrProgram> cclc::fuseReceiveReduce(InstrProgram &&program, PassContext &context) {
  auto reduces = [](const Instr &instr) { return instr.op == OpKind::Reduce; };
  if (llvm::none_of(program.instrs(), reduces))
    return std::move(program);
  Matcher matcher(program);
  std::vector<std::pair<uint32_t, uint32_t>> pairs; // (receive, reduce)
  for (uint32_t id = 0; id < program.size(); ++id) {
    if (program.instrs()[id].op != OpKind::Reduce)
      continue;
    Match match = matcher.find(id);
    if (match.receive)
      pairs.emplace_back(*match.receive, id);
    LocId at = program.instrs()[id].loc;
    if (context.remarks && match.receive)
      context.remarks->done("fuse-receive-reduce", at, "rrc", program.instrs()[*match.receive].loc);
    else if (context.remarks && match.why)
      context.remarks->left("fuse-receive-reduce", at, match.why,
                            program.instrs()[match.nearest].loc);
  }
  if (pairs.empty())
    return std::move(program);
  context.count("fuse-receive-reduce", "rrc", pairs.size());

  InstrProgram::Parts parts = std::move(program).takeApart();
  std::vector<bool> removed(parts.instrs.size());
  for (auto [x, y] : pairs) {
    const Instr &recv = parts.instrs[x];
    Instr &reduce = parts.instrs[y];
    reduce.op = OpKind::RecvReduceCopy;
    reduce.src = reduce.dst;
    reduce.from = recv.from;
    reduce.directive = reduce.sendDirective = recv.directive;
    parts.instrs[(*recv.from).index()].to = InstrId(y);
    removed[x] = true;
  }
  removeInstrs(parts.instrs, removed);
  return InstrProgramBuilder(std::move(parts.info), std::move(parts.instrs),
                             std::move(parts.scratchChunks))
      .finishEdited(context.diags);
}
