//===- Values.h - A plan executed on symbolic values ------------*- C++ -*-===//

#ifndef CCL_LIB_MSCCLPP_PROOF_VALUES_H
#define CCL_LIB_MSCCLPP_PROOF_VALUES_H

#include "ControlFlow.h"

#include "cclc/Proof/SymbolicMemory.h"

namespace cclc::mscclpp {

/// Executes one launch in one order. In a plan without races, every other order gives the same
/// values.
class Execution {
public:
  /// \p order outlives the execution.
  Execution(const Plan &plan, const CellMap &cells, ArrayRef<Completed> order);

  /// Reports reads of uninitialised cells, writes to an input out of place, and the first
  /// output cell that violates the post-condition.
  LogicalResult check(DiagnosticEngine &diags) const;
  /// A hash of the expressions in all output cells.
  uint64_t reductionHash() const;
  /// Of a right all-reduce: whether all ranks get the same bits. Unset for other collectives.
  std::optional<bool> sameBits() const;

private:
  void execute(Completed at);
  ValueId load(const Span &span, uint32_t chunk);
  struct Spans {
    SmallVector<Span, 10> sources, destinations;
  };
  Spans spansOf(Completed at) const;
  /// The first of the sources whose values an operation of \p kind adds; if it is the second, the
  /// first source is added last.
  static size_t firstAddend(OpKind kind) { return isPackets(traits(kind).src[1]) ? 1 : 0; }
  /// The operation that read the culprit of \p wrong from the input.
  std::optional<Completed> readerOf(const SymbolicMemory::WrongOutput &wrong) const;
  void noteCulprit(const SymbolicMemory::WrongOutput &wrong,
                   DiagnosticEngine::InFlight &error) const;
  std::string nameOf(uint32_t op) const {
    return plan.opName(PlanThreadblockId(threadblockOf[op]), PlanOpId(op));
  }

  const Plan &plan;
  const CellMap &cells;
  ArrayRef<Completed> order;
  SymbolicMemory memory;
  std::vector<bool> isPacket;          ///< by cell
  std::vector<uint32_t> threadblockOf; ///< by operation
  struct Fault {
    Completed at;
    std::string cell;
  };
  std::optional<Fault> undefinedRead, inputWrite;
  Completed current{0, 0};
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_PROOF_VALUES_H
