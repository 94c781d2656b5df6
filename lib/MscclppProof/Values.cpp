//===- Values.cpp - Symbolic execution of a plan of MSCCL++ ---------------===//
//
// Executes the operations in the order that the Runner found, on symbolic values
// (Semantics/Values.h), and compares the outputs with the definition of the collective. One
// order suffices, as the plan has been proved free of races. A cell also records whether it
// holds packets, so that data in the wrong form are undefined.
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "cclc/Semantics/UniformOrder.h"

#include "llvm/Support/FormatVariadic.h"

namespace cclc::mscclpp {

using llvm::formatv;

Execution::Execution(const Plan &plan, const CellMap &cells, ArrayRef<Completed> order)
    : plan(plan), cells(cells),
      memory(plan.header().collective, cells.space(), /*cellwise=*/[](RankId) { return true; }),
      isPacket(cells.space().size()), threadblockOf(plan.ops().size()) {
  for (Completed at : order)
    execute(at);
}

/// Returns undefined if a cell has packets where plain data are expected, or vice versa.
ValueId Execution::load(const Span &span, uint32_t chunk) {
  uint32_t width = span.packets() ? 2 : 1;
  uint64_t first = cells.cell(span) + uint64_t(chunk) * width;
  Operand place = span.first.offsetBy(chunk * width);
  ValueId value = memory.at(span.rank, place).value;
  for (uint32_t i = 0; i < width; ++i)
    if (isPacket[first + i] != span.packets() ||
        memory.at(span.rank, place.offsetBy(i)).value != value)
      value = ValueTable::undefined();
  if (value == ValueTable::undefined() && !undefinedRead)
    undefinedRead = Fault{current, span.name(chunk * width)};
  return value;
}

void Execution::execute(Completed at) {
  current = at;
  threadblockOf[at.op] = at.threadblock;
  const Threadblock &tb = plan.threadblocks()[at.threadblock];
  const Operation &op = plan.ops()[at.op];
  const OpTraits &does = traits(op.op);
  if (!does.movesData())
    return;
  SmallVector<Span, 10> sources, destinations;
  cells.forEachSource(tb, op, 0, [&](const Span &span) { sources.push_back(span); });
  cells.forEachDestination(tb, op, 0, [&](const Span &span) { destinations.push_back(span); });
  auto store = [&](const Span &span, uint32_t chunk, ValueId value) {
    uint32_t width = span.packets() ? 2 : 1;
    for (uint32_t i = 0; i < width; ++i) {
      memory.set(span.rank, span.first.offsetBy(chunk * width + i), {value, WriterId(at.op)});
      isPacket[cells.cell(span) + uint64_t(chunk) * width + i] = span.packets();
    }
    if (span.first.buffer() == Buffer::Input && !plan.header().inPlace && !inputWrite)
      inputWrite = Fault{at, span.name(chunk)};
  };
  if (does.paired) {
    for (size_t i = 0; i < sources.size(); ++i)
      for (uint32_t c = 0; c < plan.sources(op)[i].count; ++c)
        store(destinations[i], c, load(sources[i], c));
    return;
  }
  // Packets are summed first and the local operand is added last.
  size_t first = isPackets(does.src[1]) ? 1 : 0;
  bool bySwitch = isOnSwitch(does.src[0]);
  for (uint32_t c = 0; c < plan.sources(op).front().count; ++c) {
    ValueId sum = load(sources[first], c);
    for (size_t i = first + 1; i < sources.size(); ++i)
      sum = bySwitch ? memory.values.combine(sum, load(sources[i], c), WriterId(at.op), 1,
                                             {i == 1, i + 1 == sources.size()})
                     : memory.values.combine(sum, load(sources[i], c), WriterId(at.op));
    if (first == 1)
      sum = memory.values.combine(sum, load(sources[0], c), WriterId(at.op));
    for (const Span &destination : destinations)
      store(destination, c, sum);
  }
}

LogicalResult Execution::check(DiagnosticEngine &diags) const {
  if (undefinedRead)
    return diags.error(plan.locate(PlanOpId(undefinedRead->at.op)),
                       formatv("wrong result: {0} reads {1}, which has not been written",
                               plan.opName(PlanThreadblockId(undefinedRead->at.threadblock),
                                           PlanOpId(undefinedRead->at.op)),
                               undefinedRead->cell));
  if (inputWrite && plan.header().collective.hasPostCondition())
    return diags.error(plan.locate(PlanOpId(inputWrite->at.op)),
                       formatv("wrong result: {0} writes {1}, and the input is read-only out of "
                               "place",
                               plan.opName(PlanThreadblockId(inputWrite->at.threadblock),
                                           PlanOpId(inputWrite->at.op)),
                               inputWrite->cell));
  std::optional<SymbolicMemory::WrongOutput> wrong = memory.findWrongOutput();
  if (!wrong)
    return success();
  OptionalId<WriterId> writer = wrong->cell.writer;
  DiagnosticEngine::InFlight error =
      diags.error(writer ? plan.locate(PlanOpId((*writer).index())) : plan.whole(), wrong->text);
  if (writer) {
    uint32_t op = (*writer).index();
    error.note(plan.locate(PlanOpId(op)),
               plan.opName(PlanThreadblockId(threadblockOf[op]), PlanOpId(op)) + " wrote it");
  }
  return error;
}

uint64_t Execution::reductionHash() const { return memory.reductionHash(); }

std::optional<bool> Execution::sameBits() const {
  const Collective &collective = plan.header().collective;
  if (collective.kind() != CollectiveKind::AllReduce)
    return std::nullopt;
  return hasSameBits(collective, memory);
}

} // namespace cclc::mscclpp
