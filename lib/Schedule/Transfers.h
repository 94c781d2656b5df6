//===- Transfers.h - The transfers of a program -----------------*- C++ -*-===//
//
// The view of a program that the assignment of channels uses. A transfer is identified by its
// receiving instruction.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SCHEDULE_TRANSFERS_H
#define CCL_LIB_SCHEDULE_TRANSFERS_H

#include "cclc/IR/InstrProgram.h"

#include "llvm/ADT/DenseMap.h"

namespace cclc::schedule {

class Transfers {
public:
  explicit Transfers(const InstrProgram &program) : program(program), pairs(program.size()) {
    numberPairs();
  }

  uint32_t numInstrs() const { return program.size(); }
  uint32_t ranks() const { return program.info().ranks(); }
  const Instr &instr(uint32_t id) const { return program.instrs()[id]; }
  bool isTransfer(uint32_t id) const { return instr(id).from.has_value(); }
  uint32_t senderOf(uint32_t v) const { return (*instr(v).from).index(); }
  Location locate(uint32_t id) const { return program.info().locate(instr(id).loc); }

  /// The number of ordered pairs of ranks with transfers, numbered in the order of their first
  /// transfer.
  uint32_t numPairs() const { return ends.size(); }
  uint32_t pairOf(uint32_t v) const { return *pairs[v]; }
  std::pair<RankId, RankId> pair(uint32_t number) const { return ends[number]; }

  /// The user's choices for the transfer.
  const Directive &directive(uint32_t v) const {
    return program.info().directives[instr(v).directive];
  }
  std::optional<uint32_t> fixedSendTb(uint32_t v) const {
    return program.info().directives[instr(senderOf(v)).sendDirective].sendTb;
  }
  std::optional<uint32_t> fixedRecvTb(uint32_t v) const { return directive(v).recvTb; }
  bool hasFixedTb(uint32_t v) const { return fixedSendTb(v) || fixedRecvTb(v); }

private:
  void numberPairs() {
    llvm::DenseMap<uint64_t, uint32_t> index;
    for (uint32_t v = 0; v < program.size(); ++v) {
      if (!isTransfer(v))
        continue;
      RankId src = instr(senderOf(v)).rank, dst = instr(v).rank;
      auto [it, inserted] =
          index.try_emplace(uint64_t(src.index()) << 32 | dst.index(), ends.size());
      if (inserted)
        ends.emplace_back(src, dst);
      pairs[v] = it->second;
    }
  }

  const InstrProgram &program;
  std::vector<OptionalIndex> pairs; ///< by instruction; of transfers
  std::vector<std::pair<RankId, RankId>> ends;
};

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_TRANSFERS_H
