#include "cclc/Semantics/PlanExecution.h"

#include "cclc/IR/StepNames.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

PlanExecution::PlanExecution(const ExecPlan &plan, const ConnectionTable &connections,
                             PlanRunner &runner, Placement placement)
    : plan(plan), theMemory(plan.info().collective, plan.cells(placement)),
      fifos(connections.size()) {
  runner.run(Slots::unlimited(),
             [&](uint32_t threadblock, uint32_t step) { execute(threadblock, step, connections); });
}

void PlanExecution::execute(uint32_t threadblock, uint32_t id, const ConnectionTable &connections) {
  const Step &step = plan.steps()[id];
  const OpTraits &op = traits(step.op);
  RankId rank = plan.threadblocks()[threadblock].rank;
  SymbolicMemory::Cell *src = op.readsSrc ? theMemory.at(rank, step.src) : nullptr;
  SymbolicMemory::Cell *dst = op.writesDst ? theMemory.at(rank, step.dst) : nullptr;
  Fifo *in = op.receives ? &fifos[(*connections.recvOf(threadblock)).index()] : nullptr;
  Fifo *out = op.sends ? &fifos[(*connections.sendOf(threadblock)).index()] : nullptr;
  if (dst && step.dst.buffer() == Buffer::Input && !inputWriter &&
      theMemory.placement() == Placement::OutOfPlace)
    inputWriter = id;
  for (uint32_t c = 0; c < step.count; ++c) {
    ValueId value = src ? src[c].value : ValueTable::undefined();
    if (in) {
      ValueId message = in->values[in->taken++];
      value = src ? theMemory.values.combine(value, message, id) : message;
    } else if (op.readsDst) {
      value = theMemory.values.combine(dst[c].value, value, id);
    }
    if (dst)
      dst[c] = {value, WriterId(id)};
    if (out)
      out->values.push_back(value);
  }
  if (in && in->taken == in->values.size()) {
    in->values.clear();
    in->taken = 0;
  }
}

std::string PlanExecution::reductionOrder(RankId rank, uint32_t index) const {
  return theMemory.values.expression(theMemory.at(rank, Operand(Buffer::Output, index))->value);
}

uint64_t PlanExecution::reductionHash() const {
  std::vector<uint64_t> hashes = theMemory.values.hashes();
  uint64_t hash = 0;
  const Collective &collective = plan.info().collective;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
      ValueId value = theMemory.at(RankId(r), Operand(Buffer::Output, c))->value;
      // Multiplying in between makes the hash depend on which cell holds what.
      hash = (hash ^ hashes[value.index()]) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
  return hash;
}

LogicalResult PlanExecution::checkPostCondition(DiagnosticEngine &diags) const {
  if (inputWriter && plan.info().collective.hasPostCondition())
    return diags.error(
        stepLocation(plan, *inputWriter),
        formatv("wrong result: {0} writes the input, which is read-only out of place",
                stepName(plan, *inputWriter)));
  std::optional<SymbolicMemory::WrongOutput> wrong = theMemory.findWrongOutput();
  if (!wrong)
    return success();
  OptionalId<WriterId> writer = wrong->cell.writer;
  auto locate = [&](uint32_t step) { return stepLocation(plan, step); };
  DiagnosticEngine::InFlight error =
      diags.error(writer ? locate((*writer).index()) : Location(), wrong->text);
  if (writer)
    error.note(locate((*writer).index()),
               formatv("{0} wrote it", stepName(plan, (*writer).index())));
  const ValueTable &values = theMemory.values;
  if (values.isSum(wrong->cell.value)) {
    uint32_t computed = values.origin(wrong->cell.value);
    if (!writer || computed != (*writer).index())
      error.note(locate(computed), formatv("{0} computed it", stepName(plan, computed)));
  }
  return error;
}
