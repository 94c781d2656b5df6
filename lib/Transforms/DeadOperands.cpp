//===- DeadOperands.cpp - Backward liveness of operands -------------------===//
//
// Backward live-variable analysis (Aho, Lam, Sethi and Ullman, Compilers, section 9.2.5) on
// the step list of each threadblock, which has no branches: one pass from the last step to the
// first, with the next access of each cell. It is valid only for cells that a single
// threadblock accesses, so the others are found first and count as live. An operand is dead if
// it is dead under every placement.
//
//===----------------------------------------------------------------------===//

#include "DeadOperands.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

namespace {
/// The cells of all ranks under one placement.
class Cells {
public:
  Cells(const ExecPlan &plan, const CellSpace &space)
      : plan(plan), space(space), cells(space.size()) {
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
      for (const Step &step : plan.steps(plan.threadblocks()[t]))
        for (Operand operand : {step.src, step.dst})
          forEach(t, operand, step.count, [&](Cell &cell) {
            cell.shared |= cell.owner.value_or(t) != t;
            cell.owner = t;
          });
  }

  /// Clears the entries of \p dead whose operand is live.
  void restrict(std::vector<bool> &dead) {
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
      const Threadblock &tb = plan.threadblocks()[t];
      for (uint32_t s = tb.firstStep + tb.numSteps; s-- > tb.firstStep;) {
        const Step &step = plan.steps()[s];
        const OpTraits &op = traits(step.op);
        if (dead[s])
          dead[s] = isDead(t, step);
        // The traversal is backwards, and a step writes after it has read.
        if (op.writesDst)
          mark(t, step.dst, step.count, op.readsDst ? Access::Read : Access::Write);
        if (op.readsSrc)
          mark(t, step.src, step.count, Access::Read);
      }
    }
  }

private:
  enum class Access : uint8_t { None, Read, Write };
  struct Cell {
    OptionalIndex owner;        ///< a threadblock that accesses it
    bool shared = false;        ///< another one does so too
    Access next = Access::None; ///< the next access after the current step
  };

  template <class Fn> void forEach(uint32_t t, Operand operand, uint32_t count, Fn fn) {
    if (operand.isNone())
      return;
    uint64_t first = space.cell(plan.threadblocks()[t].rank, operand);
    for (uint64_t cell = first; cell < first + count; ++cell)
      fn(cells[cell]);
  }
  void mark(uint32_t t, Operand operand, uint32_t count, Access access) {
    forEach(t, operand, count, [&](Cell &cell) { cell.next = access; });
  }

  /// The next access decides, if a single threadblock accesses the cell.
  bool isDead(uint32_t t, const Step &step) {
    bool isScratch = step.src.buffer() == Buffer::Scratch, dead = true;
    forEach(t, step.src, step.count, [&](const Cell &cell) {
      dead &=
          !cell.shared && (cell.next == Access::Write || (isScratch && cell.next == Access::None));
    });
    return dead;
  }

  const ExecPlan &plan;
  const CellSpace &space;
  std::vector<Cell> cells;
};
} // namespace

DeadOperands::DeadOperands(const ExecPlan &plan, ArrayRef<CellSpace> spaces)
    : dead(plan.steps().size()) {
  // Out of place the input is read-only.
  bool writesInput = !plan.info().placements.allowsOutOfPlace();
  for (uint32_t s = 0; s < dead.size(); ++s) {
    const Step &step = plan.steps()[s];
    dead[s] =
        step.op == OpKind::RecvReduceSend && (writesInput || step.src.buffer() != Buffer::Input);
  }
  if (llvm::is_contained(dead, true))
    for (const CellSpace &space : spaces)
      Cells(plan, space).restrict(dead);
}
