#include "cclc/Semantics/InstrChecker.h"

#include "cclc/Semantics/SymbolicMemory.h"

using namespace cclc;

static LogicalResult checkUnder(const InstrProgram &program, Placement placement,
                                DiagnosticEngine &diags) {
  CellSpace space(program.info().collective, placement, program.scratchChunks());
  SymbolicMemory memory(program.info().collective, std::move(space));
  // What the instruction sends, as a range of `sent`.
  std::vector<ValueId> sent;
  std::vector<size_t> firstSent(program.size());
  for (uint32_t id = 0; id < program.size(); ++id) {
    const Instr &instr = program.instrs()[id];
    const OpTraits &op = traits(instr.op);
    SymbolicMemory::Cell *src = op.readsSrc ? memory.at(instr.rank, instr.src) : nullptr;
    SymbolicMemory::Cell *dst = op.writesDst ? memory.at(instr.rank, instr.dst) : nullptr;
    firstSent[id] = sent.size();
    for (uint32_t c = 0; c < instr.count; ++c) {
      ValueId value = src ? src[c].value : ValueTable::undefined();
      if (op.receives) {
        ValueId message = sent[firstSent[(*instr.from).index()] + c];
        value = src ? memory.values.combine(value, message, id) : message;
      } else if (op.readsDst) {
        value = memory.values.combine(dst[c].value, value, id);
      }
      if (dst)
        dst[c] = {value, WriterId(id)};
      if (op.sends)
        sent.push_back(value);
    }
  }
  std::optional<SymbolicMemory::WrongOutput> wrong = memory.findWrongOutput();
  if (!wrong)
    return success();
  Location loc;
  if (wrong->cell.writer)
    loc = program.info().locate(program.instrs()[(*wrong->cell.writer).index()].loc);
  return diags.error(loc, wrong->text);
}

LogicalResult cclc::checkProgram(const InstrProgram &program, DiagnosticEngine &diags) {
  for (Placement placement : program.info().placements.list())
    if (failed(checkUnder(program, placement, diags)))
      return failure();
  return success();
}
