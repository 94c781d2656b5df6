//===- ProgramGraph.h - The DAG that all alternatives share -----*- C++ -*-===//

#ifndef CCL_LIB_SCHEDULE_PROGRAMGRAPH_H
#define CCL_LIB_SCHEDULE_PROGRAMGRAPH_H

#include "Transfers.h"

namespace cclc::schedule {

/// A program with the facts about its DAG, which are computed once for all alternatives.
class ProgramGraph {
public:
  /// \p program must outlive the graph.
  explicit ProgramGraph(const InstrProgram &program, bool mergesReductions = false)
      : program(program), transfers(program), depth(program.depths()),
        nextInSum(mergesReductions ? findSums() : std::vector<OptionalId<InstrId>>()),
        sorted(sortInstrs()) {}

  const InstrProgram &program;
  const Transfers transfers;
  /// By instruction: the number of those before it on the longest path.
  const std::vector<uint32_t> depth;
  /// By instruction, if reductions are merged: the next reduction of the same operation.
  const std::vector<OptionalId<InstrId>> nextInSum;
  /// The instructions by depth (the reductions of an operation by that of the last), then by the
  /// longest remaining path, descending, then by number.
  const std::vector<uint32_t> sorted;

  /// Whether a step that is not split has fewer local operands than its instruction: an rrs does
  /// not write its destination.
  bool hasDeadWrites() const;
  /// The dependences of a plan in which each instruction is one step.
  const DependenceGraph &ofSteps();

private:
  std::vector<OptionalId<InstrId>> findSums() const;
  std::vector<uint32_t> sortInstrs() const;

  const DependenceGraph *steps = nullptr;
  DependenceGraph withoutDeadWrites;
};

/// Adds the local accesses of a step that executes \p kind.
inline void addAccesses(DependenceBuilder &builder, RankId rank, OpKind kind, Operand src,
                        Operand dst, uint32_t count) {
  const OpTraits &op = traits(kind);
  if (op.readsSrc)
    builder.read(rank, src, count);
  if (op.readsDst)
    builder.read(rank, dst, count);
  if (op.writesDst)
    builder.write(rank, dst, count);
}

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_PROGRAMGRAPH_H
