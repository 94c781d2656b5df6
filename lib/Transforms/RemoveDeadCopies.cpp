//===- RemoveDeadCopies.cpp - Copy propagation and dead code elimination --===//
//
//   %0 = cpy r0 i[0] -> o[0]
//   %3 = rrc r0 o[0] -> o[0] from %1     =>   %3 = rrc r0 i[0] -> o[0] from %1
// 1. A reader of a copy reads the copy's source instead, if neither cell is overwritten
//    in between.
// 2. A receive whose only reader is a copy writes to the copy's destination, at the position of the
//    copy; not through a gate, as a message stays in its generation.
// 3. A dead copy, which has no reader and is not live-out, is removed.
//
// These are copy propagation, in both directions, and dead code elimination (Aho, Lam, Sethi and
// Ullman, Compilers, sections 9.1.5 and 9.1.6) on cells in place of variables.
//
// Each round uses the copies of the previous round; chains of copies take more than one round.
//
//===----------------------------------------------------------------------===//

#include "Edit.h"

#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

using namespace cclc;

namespace {
class Round {
public:
  Round(const InstrProgram &program, Remarks *remarks)
      : program(program), remarks(remarks), ranges(program), readers(countReaders(program)),
        segments(segmentsOf(program.info().phases)), removed(program.size()) {}

  /// Whether anything changed.
  bool run() {
    for (uint32_t id = 0; id < program.size(); ++id)
      readThroughCopies(id);
    for (uint32_t id = 0; id < program.size(); ++id)
      if (program.instrs()[id].op == OpKind::Copy)
        changed |= dropIdentity(id) || receiveInPlace(id) || dropUnread(id);
    return changed;
  }

  /// The instructions after changes.
  std::vector<Instr> takeInstrs() {
    edited(0);
    removeInstrs(instrs, removed);
    return std::move(instrs);
  }

private:
  const Instr &original(uint32_t id) const { return program.instrs()[id]; }
  const Instr &current(uint32_t id) const { return instrs.empty() ? original(id) : instrs[id]; }
  /// The instruction to be changed. Most rounds change none.
  Instr &edited(uint32_t id) {
    if (instrs.empty())
      instrs = program.instrs().vec();
    return instrs[id];
  }

  /// (1) for the source operand of instruction \p id.
  void readThroughCopies(uint32_t id) {
    if (!traits(original(id).op).readsSrc)
      return;
    for (DepEdge edge : program.dependences().preds(id)) {
      uint32_t c = edge.node();
      const Instr &copy = original(c);
      if (!edge.isTrue() || copy.op != OpKind::Copy || !isIntactUntil(program, c, id))
        continue;
      const Instr &reader = current(id);
      std::optional<uint32_t> offset =
          ranges.offsetInside(reader.rank, copy.dst, copy.count, original(id).src, reader.count);
      if (!offset)
        continue;
      Operand source = copy.src.offsetBy(*offset);
      // Only a receive may read and write overlapping ranges, and only equal ones.
      bool writes = !reader.dst.isNone();
      if (writes && ranges.overlap(reader.rank, source, reader.count, reader.dst, reader.count) &&
          !(traits(reader.op).receives && ranges.same(reader.rank, source, reader.dst)))
        continue;
      // The instruction may also read the copy through its destination.
      bool readsDst = traits(reader.op).readsDst &&
                      ranges.overlap(reader.rank, copy.dst, copy.count, reader.dst, reader.count);
      edited(id).src = source;
      if (!readsDst)
        --readers[c];
      for (DepEdge writer : program.dependences().preds(c))
        if (writer.isTrue())
          ++readers[writer.node()];
      changed = true;
      return;
    }
  }

  /// Removes a copy onto itself under every placement.
  bool dropIdentity(uint32_t id) {
    const Instr &copy = current(id);
    if (!ranges.same(copy.rank, copy.src, copy.dst))
      return false;
    remark(id, "copy onto itself removed");
    removed[id] = true;
    return true;
  }

  /// (2): moves the receive that feeds copy \p id to the position of the copy.
  bool receiveInPlace(uint32_t id) {
    const Instr &copy = original(id);
    std::span<const DepEdge> preds = program.dependences().preds(id);
    for (DepEdge edge : preds) {
      uint32_t x = edge.node();
      const Instr &recv = original(x);
      if (!edge.isTrue() || recv.op != OpKind::Recv || recv.count != copy.count ||
          segments[recv.phase] != segments[copy.phase] ||
          !ranges.same(recv.rank, recv.dst, copy.src) || readers[x] != 1 ||
          !isIntactUntil(program, x, id) || program.isLiveOut(InstrId(x)))
        continue;
      const Directive &in = program.info().directives[recv.directive];
      const Directive &local = program.info().directives[copy.directive];
      if (in.instance != local.instance ||
          (local.sendTb && !(in.recvTb && *in.recvTb == *local.sendTb)))
        continue;
      // Rule 1 may have changed the source of the copy.
      if (current(id).src != copy.src)
        continue;
      Instr &joined = edited(id);
      joined.op = OpKind::Recv;
      joined.src = {};
      joined.from = recv.from;
      joined.directive = joined.sendDirective = recv.directive;
      edited((*recv.from).index()).to = InstrId(id);
      remark(id, "received directly into the destination of the copy");
      removed[x] = true;
      return true;
    }
    return false;
  }

  /// (3).
  bool dropUnread(uint32_t id) {
    if (readers[id] != 0 || program.isLiveOut(InstrId(id)))
      return false;
    remark(id, "dead copy removed");
    removed[id] = true;
    return true;
  }

  void remark(uint32_t id, StringRef what) {
    if (remarks)
      remarks->done("remove-dead-copies", original(id).loc, what);
  }

  const InstrProgram &program;
  Remarks *remarks;
  RangeCompare ranges;
  std::vector<uint32_t> readers;
  std::vector<uint32_t> segments; ///< by phase
  std::vector<Instr> instrs;      ///< empty before the first change
  std::vector<bool> removed;
  bool changed = false;
};
} // namespace

FailureOr<InstrProgram> cclc::removeDeadCopies(InstrProgram &&program, PassContext &context) {
  FailureOr<InstrProgram> current(std::move(program));
  while (true) {
    bool hasCopies = false;
    for (const Instr &instr : current->instrs())
      hasCopies |= instr.op == OpKind::Copy;
    if (!hasCopies)
      return current;
    Round round(*current, context.remarks);
    if (!round.run())
      return current;
    size_t before = current->size();
    std::vector<Instr> instrs = round.takeInstrs();
    context.count("remove-dead-copies", "removed", before - instrs.size());
    InstrProgram::Parts parts = std::move(*current).takeApart();
    parts.instrs = std::move(instrs); // which frees the former ones
    current = InstrProgramBuilder(std::move(parts.info), std::move(parts.instrs),
                                  std::move(parts.scratchChunks))
                  .finishEdited(context.diags);
    if (failed(current))
      return failure();
  }
}
