//===- PlanExecution.cpp - Symbolic execution of a plan -------------------===//
//
// A visitor of PlanControlFlow: each step reads, combines and writes symbolic values, and messages
// are runs of values in one FIFO for each connection. One topological order is enough, because a
// plan without races and deadlocks computes the same values in all of them. Steps of one chunk, the
// most frequent ones, have a fast path without lists of runs.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/PlanExecution.h"

#include "cclc/IR/StepNames.h"
#include "cclc/Proof/Provenance.h"
#include "cclc/Support/Cellwise.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

std::string cclc::readOnlyInputText(const ExecPlan &plan, StepId step) {
  return stepName(plan, step) + " writes the input, which is read-only out of place";
}

PlanExecution::PlanExecution(const ExecPlan &plan, const ConnectionTable &connections,
                             Placement placement, Ranges ranges)
    : plan(plan), theMemory(
                      plan.info().collective, plan.cells(placement),
                      [&, cells = plan.cells(placement)](RankId rank) {
                        return isCellwise(cells.cellsOfRank(rank), plan.steps(rank));
                      },
                      ranges),
      fifos(connections.size()) {
  theMemory.values.reserve(llvm::count_if(
      plan.steps(), [](const Step &step) { return traits(step.op).reduces() && step.count > 0; }));
}

PlanExecution::PlanExecution(const ExecPlan &plan, const ConnectionTable &connections,
                             PlanControlFlow &runner, Placement placement, Ranges ranges)
    : PlanExecution(plan, connections, placement, ranges) {
  runner.run(Slots::unlimited(), [&](PlanThreadblockId threadblock, StepId step) {
    execute(threadblock, step, connections);
  });
  fifos = std::vector<Fifo>(); // the conditions on the result need memory
}

ArrayRef<ValueRun> PlanExecution::take(Fifo &fifo, uint32_t count) {
  // Send and receive of a message have equal counts, so a message is a whole number of runs.
  size_t first = fifo.taken;
  for (; count > 0; ++fifo.taken)
    count -= fifo.runs[fifo.taken].length;
  return ArrayRef(fifo.runs).slice(first, fifo.taken - first);
}

void PlanExecution::execute(PlanThreadblockId threadblock, StepId id,
                            const ConnectionTable &connections) {
  const Step &step = plan.steps()[id.index()];
  WriterId writer(id.index());
  const OpTraits &op = traits(step.op);
  if (step.count == 0)
    return;
  RankId rank = plan.threadblocks()[threadblock.index()].rank;
  ArrayRef<ConnectionId> from, to;
  if (op.receives)
    from = connections.recvsOf(threadblock.index());
  if (op.sends)
    to = connections.sendsOf(threadblock.index());
  if (!inputWriter && writesReadOnlyInput(step, theMemory.placement()))
    inputWriter = id;

  ValueTable &values = theMemory.values;
  if (step.count == 1 && from.size() < 2) {
    ValueId value = op.readsSrc ? theMemory.at(rank, step.src).value : ValueTable::undefined();
    if (op.receives) {
      Fifo &in = fifos[from.front().index()];
      ValueId message = in.runs[in.taken++].first;
      value = op.readsSrc ? values.combine(value, message, writer) : message;
    } else if (op.readsDst) {
      value = values.combine(theMemory.at(rank, step.dst).value, value, writer);
    }
    if (op.writesDst)
      theMemory.set(rank, step.dst, {value, writer});
    for (ConnectionId connection : to)
      fifos[connection.index()].runs.push_back({value, 1});
  } else {
    ValueRuns result;
    if (op.readsSrc)
      result = op.receives || op.readsDst ? theMemory.read(rank, step.src, step.count)
                                          : theMemory.readMoved(rank, step.src, step.count);
    if (from.size() > 1) {
      auto local = op.readsSrc ? std::optional(std::move(result)) : std::nullopt;
      result = addInSwitch(from, std::move(local), step.count, writer);
    } else if (op.receives) {
      ArrayRef<ValueRun> message = take(fifos[from.front().index()], step.count);
      result = op.readsSrc ? theMemory.combine(result, message, writer)
                           : ValueRuns(message.begin(), message.end());
    } else if (op.readsDst) {
      result = theMemory.combine(theMemory.read(rank, step.dst, step.count), result, writer);
    }
    if (op.writesDst)
      theMemory.write(rank, step.dst, result, writer);
    for (ConnectionId connection : to) {
      std::vector<ValueRun> &runs = fifos[connection.index()].runs;
      runs.insert(runs.end(), result.begin(), result.end());
    }
  }
  for (ConnectionId connection : from)
    fifos[connection.index()].dropTaken();
}

ValueRuns PlanExecution::addInSwitch(ArrayRef<ConnectionId> from, std::optional<ValueRuns> local,
                                     uint32_t count, WriterId writer) {
  ArrayRef<ValueRun> first = take(fifos[from.front().index()], count);
  ValueRuns sum(first.begin(), first.end());
  for (size_t i = 1; i < from.size(); ++i) {
    ValueTable::InSwitch part{i == 1, i + 1 == from.size() && !local};
    sum = theMemory.combine(sum, take(fifos[from[i].index()], count), writer, part);
  }
  return local ? theMemory.combine(sum, *local, writer, ValueTable::InSwitch{false, true}) : sum;
}

std::string PlanExecution::reductionOrder(RankId rank, uint32_t index) const {
  return theMemory.values.expression(theMemory.at(rank, Operand(Buffer::Output, index)).value);
}

uint64_t PlanExecution::reductionHash() const { return theMemory.reductionHash(); }

std::optional<StepId> PlanExecution::readerOf(const SymbolicMemory::WrongOutput &wrong) const {
  std::optional<Provenance> provenance = Provenance::traceIfSmall(plan, theMemory.placement());
  if (!provenance)
    return std::nullopt;
  const Culprit &culprit = *wrong.culprit;
  std::optional<StepId> reader;
  ProvenanceId node = provenance->of(wrong.rank, Operand(Buffer::Output, wrong.index));
  for (size_t at = 0; provenance->isAction(node);) {
    reader = provenance->place(node).step;
    auto [lhs, rhs] = provenance->operands(node);
    node = lhs;
    if (!rhs)
      continue;
    if (at + 1 == culprit.path.size())
      return std::nullopt; // the plan has races, and this run had another order
    if (culprit.isRight(theMemory.values, at++))
      node = *rhs;
  }
  return reader;
}

LogicalResult PlanExecution::checkPostCondition(DiagnosticEngine &diags) const {
  if (inputWriter && plan.info().collective.hasPostCondition())
    return diags.error(stepLocation(plan, *inputWriter),
                       "wrong result: " + readOnlyInputText(plan, *inputWriter));
  std::optional<SymbolicMemory::WrongOutput> wrong = theMemory.findWrongOutput();
  if (!wrong)
    return success();
  auto stepOf = [](OptionalId<WriterId> id) {
    return id ? OptionalId(StepId((*id).index())) : OptionalId<StepId>();
  };
  OptionalId<StepId> writer = stepOf(wrong->cell.writer), adder, computer;
  DiagnosticEngine::InFlight error =
      diags.error(writer ? stepLocation(plan, *writer) : Location(), wrong->text);
  auto note = [&](StepId step, StringRef did) {
    error.note(stepLocation(plan, step), formatv("{0} {1}", stepName(plan, step), did));
  };
  if (writer)
    note(*writer, "wrote it");
  const ValueTable &values = theMemory.values;
  if (!values.keepsOrigins())
    return error;
  if (wrong->culprit && wrong->culprit->sum)
    adder = stepOf(values.origin(*wrong->culprit->sum));
  if (values.isSum(wrong->cell.value))
    computer = stepOf(values.origin(wrong->cell.value));
  if (computer && computer != writer && computer != adder)
    note(*computer, "computed it");
  if (adder)
    note(*adder, wrong->culprit->addedText());
  if (!wrong->culprit)
    return error;
  std::optional<StepId> reader = readerOf(*wrong);
  if (reader && adder != *reader && writer != *reader)
    note(*reader, "read " + wrong->culprit->text() + " from the input");
  return error;
}
