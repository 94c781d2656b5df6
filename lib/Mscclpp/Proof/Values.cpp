//===- Values.cpp - Symbolic execution of a plan of MSCCL++ ---------------===//
//
// Executes the operations in the order that the ControlFlow found, on symbolic values
// (Proof/Values.h), and compares the outputs with the definition of the collective. One
// order suffices, as the plan has been proved free of races. A cell also records whether it
// holds packets, so that data in the wrong form are undefined.
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "cclc/Proof/UniformOrder.h"

#include "llvm/Support/FormatVariadic.h"

namespace cclc::mscclpp {

using llvm::formatv;

Execution::Execution(const Plan &plan, const CellMap &cells, ArrayRef<Completed> order)
    : plan(plan), cells(cells), order(order),
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

Execution::Spans Execution::spansOf(Completed at) const {
  const Threadblock &tb = plan.threadblocks()[at.threadblock];
  const Operation &op = plan.ops()[at.op];
  Spans all;
  cells.forEachSource(tb, op, 0, [&](const Span &span) { all.sources.push_back(span); });
  cells.forEachDestination(tb, op, 0, [&](const Span &span) { all.destinations.push_back(span); });
  return all;
}

void Execution::execute(Completed at) {
  current = at;
  threadblockOf[at.op] = at.threadblock;
  const Operation &op = plan.ops()[at.op];
  const OpTraits &does = traits(op.op);
  if (!does.movesData())
    return;
  const auto [sources, destinations] = spansOf(at);
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
  // Packets are summed first and the local operand is added last. Both operands of that addition
  // commute; the local one is on the left, as in a step that receives and reduces.
  size_t first = firstAddend(op.op);
  bool bySwitch = isOnSwitch(does.src[0]);
  for (uint32_t c = 0; c < plan.sources(op).front().count; ++c) {
    ValueId sum = load(sources[first], c);
    for (size_t i = first + 1; i < sources.size(); ++i)
      sum = bySwitch ? memory.values.combine(sum, load(sources[i], c), WriterId(at.op), 1,
                                             {i == 1, i + 1 == sources.size()})
                     : memory.values.combine(sum, load(sources[i], c), WriterId(at.op));
    if (first == 1)
      sum = memory.values.combine(load(sources[0], c), sum, WriterId(at.op));
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
  if (writer)
    error.note(plan.locate(PlanOpId((*writer).index())), nameOf((*writer).index()) + " wrote it");
  if (wrong->culprit)
    noteCulprit(*wrong, error);
  return error;
}

void Execution::noteCulprit(const SymbolicMemory::WrongOutput &wrong,
                            DiagnosticEngine::InFlight &error) const {
  OptionalIndex adder;
  if (wrong.culprit->sum)
    adder = memory.values.origin(*wrong.culprit->sum).index();
  auto note = [&](uint32_t op, const std::string &did) {
    error.note(plan.locate(PlanOpId(op)), nameOf(op) + " " + did);
  };
  if (adder)
    note(*adder, wrong.culprit->addedText());
  std::optional<Completed> reader = readerOf(wrong);
  if (reader && adder != reader->op && wrong.cell.writer != WriterId(reader->op))
    note(reader->op, "read " + wrong.culprit->text() + " from the input");
}

/// The operations that wrote the cells of the path, from the last to the first.
std::optional<Completed> Execution::readerOf(const SymbolicMemory::WrongOutput &wrong) const {
  const Culprit &culprit = *wrong.culprit;
  uint64_t cell = cells.space().cell(wrong.rank, Operand(Buffer::Output, wrong.index));
  auto width = [](const Span &span) { return span.packets() ? 2 : 1; };
  size_t at = 0;
  std::optional<Completed> reader;
  for (Completed done : llvm::reverse(order)) {
    const Operation &op = plan.ops()[done.op];
    if (!traits(op.op).movesData())
      continue;
    const auto [sources, destinations] = spansOf(done);
    auto written = llvm::find_if(destinations, [&](const Span &span) {
      return cell >= cells.cell(span) && cell < cells.cell(span) + span.count;
    });
    if (written == destinations.end())
      continue;
    reader = done;
    size_t source = written - destinations.begin();
    if (!traits(op.op).paired) {
      // The last addend of a sum is on the right, and the local one of packets on the left.
      size_t first = firstAddend(op.op);
      source = first == 1 && !culprit.isRight(memory.values, at++) ? 0 : sources.size() - 1;
      while (source > first && !culprit.isRight(memory.values, at++))
        --source;
    }
    uint64_t chunk = (cell - cells.cell(*written)) / width(*written);
    cell = cells.cell(sources[source]) + chunk * width(sources[source]);
  }
  return reader;
}

uint64_t Execution::reductionHash() const { return memory.reductionHash(); }

std::optional<bool> Execution::sameBits() const {
  const Collective &collective = plan.header().collective;
  if (collective.kind() != CollectiveKind::AllReduce)
    return std::nullopt;
  return hasSameBits(collective, memory);
}

} // namespace cclc::mscclpp
