//===- InstrChecker.cpp - Symbolic execution of instructions --------------===//
//
// Executes the instructions in program order on symbolic values (Values.h), once for each
// placement, and compares the output cells with the post-condition. A message is the range of
// values that its sender has appended to the list of all sent values.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/InstrChecker.h"

#include "cclc/Proof/Gates.h"
#include "cclc/Proof/SymbolicMemory.h"
#include "cclc/Support/Cellwise.h"

using namespace cclc;

static LogicalResult checkUnder(const InstrProgram &program, Placement placement,
                                DiagnosticEngine &diags) {
  CellSpace space(program.info().collective, placement, program.scratchChunks());
  bool cellwise = isCellwise(space.size(), program.instrs());
  SymbolicMemory memory(program.info().collective, std::move(space),
                        [&](RankId) { return cellwise; });
  // The values that each instruction sends, as a range of `sent`.
  std::vector<ValueRun> sent;
  std::vector<size_t> firstSent(program.size());
  for (uint32_t id = 0; id < program.size(); ++id) {
    const Instr &instr = program.instrs()[id];
    const OpTraits &op = traits(instr.op);
    firstSent[id] = sent.size();
    if (instr.count == 0)
      continue;
    ValueRuns result;
    if (op.readsSrc)
      result = memory.read(instr.rank, instr.src, instr.count);
    if (op.receives) {
      auto first = sent.begin() + firstSent[(*instr.from).index()], last = first;
      for (uint32_t left = instr.count; left > 0; ++last)
        left -= last->length;
      ValueRuns message(first, last);
      result = op.readsSrc ? memory.combine(result, message, WriterId(id)) : std::move(message);
    } else if (op.readsDst) {
      result =
          memory.combine(memory.read(instr.rank, instr.dst, instr.count), result, WriterId(id));
    }
    if (op.writesDst)
      memory.write(instr.rank, instr.dst, result, WriterId(id));
    if (op.sends)
      sent.insert(sent.end(), result.begin(), result.end());
  }
  std::optional<SymbolicMemory::WrongOutput> wrong = memory.findWrongOutput();
  if (!wrong)
    return success();
  auto locate = [&](WriterId id) {
    return program.info().locate(program.instrs()[id.index()].loc);
  };
  Location loc;
  if (wrong->cell.writer)
    loc = locate(*wrong->cell.writer);
  DiagnosticEngine::InFlight error = diags.error(loc, wrong->text);
  if (wrong->culprit && wrong->culprit->sum)
    if (Location added = locate(memory.values.origin(*wrong->culprit->sum)); added != loc)
      error.note(added, wrong->culprit->addedHereText());
  return error;
}

LogicalResult cclc::checkProgram(const InstrProgram &program, DiagnosticEngine &diags) {
  if (failed(checkGates(program, diags)))
    return failure();
  for (Placement placement : program.info().placements.list())
    if (failed(checkUnder(program, placement, diags)))
      return failure();
  return success();
}
