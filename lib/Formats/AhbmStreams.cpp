//===- AhbmStreams.cpp - The calls of each rank ---------------------------===//
//
// A PE runs one kernel, so the steps of all threadblocks of a rank become one sequence. Each step
// is replaced by calls on variables. A variable holds a range of chunks that a call has received,
// added or loaded. If a step reads a range of the tile that no variable holds, the overlapping
// variables are stored and the range is loaded; scratch has no memory, so the same is an error
// there. At the end, variables with parts of the output are stored.
//
//===----------------------------------------------------------------------===//

#include "AhbmStreams.h"

#include "cclc/IR/StepNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using namespace cclc::kernbench;

namespace {
class StreamBuilder {
public:
  StreamBuilder(const ExecPlan &plan, const CellSpace &cells, RankId rank, DiagnosticEngine &diags)
      : plan(plan), cells(cells), rank(rank), diags(diags),
        userChunks(plan.info().collective.userChunks(rank, Placement::InPlace)) {}

  LogicalResult add(StepId id, const Queue *in, const Queue *out);
  Stream finish() &&;

private:
  struct Variable {
    uint32_t count;
    bool isStored; ///< the memory of the tile has the same value
  };

  KernelValue valueAt(uint32_t cell, uint32_t count) const {
    bool inTile = cell < userChunks;
    return {inTile ? KernelValue::Kind::Tile : KernelValue::Kind::Scratch,
            inTile ? cell : cell - userChunks, count};
  }
  void emit(KernelOp::Kind kind, KernelValue dst, KernelValue a = {}, KernelValue b = {},
            Direction direction = Direction::E) {
    stream.push_back({kind, dst, a, b, direction, phase});
  }
  void store(uint32_t cell, const Variable &variable) {
    emit(KernelOp::Kind::Store, {}, valueAt(cell, variable.count));
  }
  void evict(uint32_t cell, uint32_t count, bool overwritten);
  FailureOr<KernelValue> read(Operand operand);
  KernelValue write(Operand operand);
  bool isRequired(uint32_t cell, uint32_t count) const;

  const ExecPlan &plan;
  const CellSpace &cells;
  RankId rank;
  DiagnosticEngine &diags;
  uint32_t userChunks;
  StepId current = StepId(0);
  uint32_t count = 1; ///< of the current step
  uint16_t phase = 0;
  std::map<uint32_t, Variable> variables; ///< by first cell; ranges do not overlap
  Stream stream;
};

/// Ends all variables that overlap the range. Those that \p overwritten chunks cover need no store.
void StreamBuilder::evict(uint32_t cell, uint32_t count, bool overwritten) {
  auto it = variables.lower_bound(cell);
  if (it != variables.begin() && std::prev(it)->first + std::prev(it)->second.count > cell)
    --it;
  while (it != variables.end() && it->first < cell + count) {
    bool covered = overwritten && it->first >= cell && it->first + it->second.count <= cell + count;
    if (!it->second.isStored && !covered && it->first < userChunks)
      store(it->first, it->second);
    it = variables.erase(it);
  }
}

FailureOr<KernelValue> StreamBuilder::read(Operand operand) {
  uint32_t cell = cells.offsetInRank(rank, operand);
  auto found = variables.find(cell);
  if (found != variables.end() && found->second.count == count)
    return valueAt(cell, count);
  if (cell >= userChunks)
    return illegal(diags,
                   llvm::formatv("{0} reads scratch in other pieces than it was written; kernels "
                                 "hold scratch in variables, which cannot be divided",
                                 stepName(plan, current)),
                   stepLocation(plan, current));
  evict(cell, count, /*overwritten=*/false);
  emit(KernelOp::Kind::Load, valueAt(cell, count));
  variables[cell] = {count, /*isStored=*/true};
  return valueAt(cell, count);
}

KernelValue StreamBuilder::write(Operand operand) {
  uint32_t cell = cells.offsetInRank(rank, operand);
  evict(cell, count, /*overwritten=*/true);
  variables[cell] = {count, /*isStored=*/false};
  return valueAt(cell, count);
}

LogicalResult StreamBuilder::add(StepId id, const Queue *in, const Queue *out) {
  const Step &step = plan.steps()[id.index()];
  const OpTraits &does = traits(step.op);
  if (step.op == OpKind::Nop)
    return success();
  current = id;
  count = step.count;
  phase = step.phase;
  if (step.op == OpKind::Copy &&
      cells.offsetInRank(rank, step.src) == cells.offsetInRank(rank, step.dst))
    return success(); // in place, both are one chunk
  KernelValue src, sum, message{KernelValue::Kind::Message, 0, count};
  for (auto [reads, operand, value] :
       {std::tuple(does.readsSrc, step.src, &src), std::tuple(does.readsDst, step.dst, &sum)})
    if (reads) {
      FailureOr<KernelValue> held = read(operand);
      if (failed(held))
        return failure();
      *value = *held;
    }
  KernelValue result = does.receives ? message : src;
  auto receive = [&](KernelValue into) {
    emit(KernelOp::Kind::Receive, into, {}, {}, in->atReceiver);
  };
  if (does.receives && does.readsSrc) {
    receive(message);
    result = does.writesDst ? write(step.dst) : message;
    emit(KernelOp::Kind::Add, result, src, message);
  } else if (does.receives) {
    result = write(step.dst);
    receive(result);
  } else if (does.readsDst) {
    emit(KernelOp::Kind::Add, write(step.dst), sum, src);
  } else if (does.writesDst) {
    emit(KernelOp::Kind::Copy, write(step.dst), src);
  }
  if (does.sends)
    emit(KernelOp::Kind::Send, {}, result, {}, out->atSender);
  return success();
}

/// Whether the collective determines one of these chunks of the tile at the end.
bool StreamBuilder::isRequired(uint32_t cell, uint32_t count) const {
  const Collective &collective = plan.info().collective;
  uint32_t first = collective.outputOffset(rank, Placement::InPlace);
  for (uint32_t c = cell; c < cell + count; ++c)
    if (c >= first && c < first + collective.outputChunks() &&
        collective.expected(rank, c - first).kind != Expectation::Kind::Anything)
      return true;
  return false;
}

Stream StreamBuilder::finish() && {
  for (const auto &[cell, variable] : variables)
    if (cell < userChunks && !variable.isStored && isRequired(cell, variable.count))
      store(cell, variable);
  return std::move(stream);
}
} // namespace

FailureOr<std::vector<Stream>> kernbench::makeStreams(const ExecPlan &plan,
                                                      const ConnectionTable &connections,
                                                      ArrayRef<Queue> queues, Slots slots,
                                                      DiagnosticEngine &diags) {
  CellSpace cells = plan.cells(Placement::InPlace);
  std::vector<StreamBuilder> builders;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    builders.emplace_back(plan, cells, RankId(r), diags);
  for (StepId id : kernelOrder(plan, connections, slots)) {
    uint32_t tb = threadblockOf(plan, id).index();
    const OpTraits &does = traits(plan.steps()[id.index()].op);
    const Queue *in = does.receives ? &queues[(*connections.recvOf(tb)).index()] : nullptr;
    const Queue *out = does.sends ? &queues[(*connections.sendOf(tb)).index()] : nullptr;
    if (failed(builders[plan.threadblocks()[tb].rank.index()].add(id, in, out)))
      return failure();
  }
  std::vector<Stream> streams;
  for (StreamBuilder &builder : builders)
    streams.push_back(std::move(builder).finish());
  return streams;
}
