//===- FuseReceiveReduce.cpp - r + re through scratch to rrc --------------===//
//
//   %1 = r  r0 -> s[0] from %0            %4 = rrc r0 i[0] -> i[0] from %0
//   ...                             =>
//   %4 = re r0 s[0] -> i[0]
//
// An exchange reads both old values, so its program receives into scratch and
// reduces from there. If nobody else reads what the receive wrote and nobody
// overwrites it before the reduce, the receive may take place where the reduce
// stands: the message waits in its slot instead of in scratch. The local operand
// is the cell of the reduce, wherever the sender's lies. A directive on the reduce
// keeps them apart: receives that wait for each other's sums do not overlap.
//
//===----------------------------------------------------------------------===//

#include "Edit.h"

#include "cclc/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

using namespace cclc;

/// The receive that instruction \p id, a reduce, can be joined with.
static std::optional<uint32_t> findReceive(const InstrProgram &program, const RangeCompare &ranges,
                                           ArrayRef<uint32_t> readers, ArrayRef<uint32_t> segments,
                                           uint32_t id) {
  const Instr &reduce = program.instrs()[id];
  for (DepEdge edge : program.dependences().preds(id)) {
    uint32_t x = edge.node();
    const Instr &recv = program.instrs()[x];
    if (!edge.isTrue() || recv.op != OpKind::Recv || recv.count != reduce.count ||
        segments[recv.phase] != segments[reduce.phase] ||
        !ranges.same(recv.rank, recv.dst, reduce.src))
      continue;
    if (readers[x] != 1 || !isIntactUntil(program, x, id) || program.isLiveOut(InstrId(x)))
      continue;
    const Directive &recvBy = program.info().directives[recv.directive];
    const Directive &reduceBy = program.info().directives[reduce.directive];
    bool sameThreadblock = !reduceBy.sendTb || !recvBy.recvTb || *reduceBy.sendTb == *recvBy.recvTb;
    // A threadblock that the user chose for the reduce only would be lost.
    if (reduceBy.fuse && sameThreadblock && (!reduceBy.sendTb || recvBy.recvTb) &&
        recvBy.instance == reduceBy.instance)
      return x;
  }
  return std::nullopt;
}

FailureOr<InstrProgram> cclc::fuseReceiveReduce(InstrProgram &&program, PassContext &context) {
  RangeCompare ranges(program);
  std::vector<uint32_t> readers = countReaders(program);
  std::vector<uint32_t> segments = segmentsOf(program.info().phases);
  std::vector<std::pair<uint32_t, uint32_t>> pairs; // (receive, reduce)
  for (uint32_t id = 0; id < program.size(); ++id)
    if (program.instrs()[id].op == OpKind::Reduce)
      if (std::optional<uint32_t> recv = findReceive(program, ranges, readers, segments, id))
        pairs.emplace_back(*recv, id);
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
      .finish(context.diags);
}
