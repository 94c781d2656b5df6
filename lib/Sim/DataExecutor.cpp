//===- DataExecutor.cpp - Executing a plan on real data -------------------===//
//
// A listener of the engine: a step reads and writes real elements when it begins.
//
// Implements rule 30.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/DataExecutor.h"

#include "cclc/Support/MemoryBudget.h"

#include <cstring>

using namespace cclc;

// --- Execution ------------------------------------------------------------------------

DataExecutor::DataExecutor(const PlacedPlan &placed, const Sizing &sizing, ReduceOp op,
                           Placement placement, std::optional<uint64_t> seed)
    : placed(placed), sizing(sizing), op(op), space(placed.plan.cells(placement)),
      inputs(placed.plan.info().collective, sizing.type, op, seed),
      expected(placed.plan.info().collective, inputs, sizing.type, op, sizing.chunkElements),
      reduce(reduceFunction(sizing.type, op)), elementSize(sizeOf(sizing.type)),
      bytesPerChunk(sizing.chunkElements * elementSize), runs(placed.plan.ranks()),
      fifos(placed.placedConnections.size()) {
  MemoryBudget::Work work("the execution with data");
  MemoryBudget::require(
      Bytes(uint64_t(std::min<Wide>(Wide(space.size()) * bytesPerChunk, INT64_MAX))));
  const Collective &collective = placed.plan.info().collective;
  bool addsUp = !inputs.isRandom() && expected.needsSums();
  for (uint32_t r = 0; r < collective.ranks(); ++r) {
    memory.emplace_back(space.cellsOfRank(RankId(r)) * bytesPerChunk);
    fill(RankId(r), 0);
    // Add inputs while they are in the cache.
    if (addsUp)
      expected.addInput(place(RankId(r), Operand(Buffer::Input, 0), 0, 0));
  }
}

uint64_t DataExecutor::inputElements() const {
  return placed.plan.info().collective.inputChunks() * sizing.chunkElements;
}

/// Initialises inputs and clears outputs, so that results of the previous run do not hide missing
/// writes.
void DataExecutor::fill(RankId rank, uint32_t run) {
  const Collective &collective = placed.plan.info().collective;
  if (collective.outputChunks() > 0)
    std::memset(place(rank, Operand(Buffer::Output, 0), 0, 0), 0,
                collective.outputChunks() * bytesPerChunk);
  if (collective.hasInput(rank) && inputElements() > 0)
    inputs.store(place(rank, Operand(Buffer::Input, 0), 0, 0), rank, 0, inputElements(), run);
}

std::byte *DataExecutor::place(RankId rank, Operand operand, uint32_t chunk, uint32_t piece) {
  size_t cell = space.offsetInRank(rank, operand) + chunk;
  return memory[rank.index()].data() + cell * bytesPerChunk +
         piece * sizing.pieceElements * elementSize;
}

const std::byte *DataExecutor::chunk(RankId rank, Operand operand) const {
  return memory[rank.index()].data() + space.offsetInRank(rank, operand) * bytesPerChunk;
}

void DataExecutor::stepBegins(const StepRun &at, SimTime) {
  const Step &step = placed.plan.steps()[at.step.index()];
  uint32_t threadblock = at.threadblock.index(), piece = at.piece;
  const OpTraits &traits_ = traits(step.op);
  RankId rank = placed.plan.threadblocks()[threadblock].rank;
  size_t bytes = sizing.pieceBytes(piece).count();
  size_t elements = bytes / elementSize;

  std::vector<std::byte> message;
  if (traits_.receives) {
    ArrayRef<ConnectionId> from = placed.connections.recvsOf(threadblock);
    message = take(from.front());
    for (ConnectionId other : from.drop_front()) { // the order of the peers, if a switch adds
      std::vector<std::byte> addend = take(other);
      reduce(message.data(), message.data(), addend.data(), message.size() / elementSize);
      spare.push_back(std::move(addend));
    }
  } else if (traits_.sends) {
    if (!spare.empty()) {
      message = std::move(spare.back());
      spare.pop_back();
    }
    message.resize(bytes * step.count);
  }

  for (uint32_t c = 0; c < step.count; ++c) {
    std::byte *in = message.empty() ? nullptr : message.data() + c * bytes;
    std::byte *src = traits_.readsSrc ? place(rank, step.src, c, piece) : nullptr;
    std::byte *dst = traits_.writesDst ? place(rank, step.dst, c, piece) : nullptr;
    switch (step.op) {
    case OpKind::Send:
      std::memcpy(in, src, bytes);
      break;
    case OpKind::Recv:
    case OpKind::RecvCopySend:
      std::memcpy(dst, in, bytes);
      break;
    case OpKind::Copy:
      std::memmove(dst, src, bytes);
      break;
    case OpKind::Reduce:
      reduce(dst, dst, src, elements);
      break;
    case OpKind::RecvReduceCopy:
    case OpKind::RecvReduceCopySend:
      reduce(in, src, in, elements);
      std::memcpy(dst, in, bytes);
      break;
    case OpKind::RecvReduceSend:
      reduce(in, src, in, elements);
      break;
    case OpKind::Nop:
      break;
    }
  }

  if (traits_.sends) {
    ArrayRef<ConnectionId> to = placed.connections.sendsOf(threadblock);
    for (ConnectionId other : to.drop_front())
      fifos[other.index()].messages.push_back(message);
    fifos[to.front().index()].messages.push_back(std::move(message));
  } else if (traits_.receives)
    spare.push_back(std::move(message));
}

std::vector<std::byte> DataExecutor::take(ConnectionId connection) {
  Fifo &fifo = fifos[connection.index()];
  std::vector<std::byte> message = std::move(fifo.messages[fifo.first++]);
  if (fifo.first == fifo.messages.size()) {
    fifo.messages.clear();
    fifo.first = 0;
  }
  return message;
}

// --- Results ----------------------------------------------------------------------------

void DataExecutor::finish(RankId rank) {
  const Collective &collective = placed.plan.info().collective;
  for (uint32_t c = 0; c < collective.outputChunks(); ++c)
    finishReduction(collective.expected(rank, c), sizing.type, op,
                    place(rank, Operand(Buffer::Output, c), 0, 0), sizing.chunkElements);
}

void DataExecutor::finish() {
  for (uint32_t r = 0; r < placed.plan.ranks(); ++r)
    finish(RankId(r));
}

void DataExecutor::compare(RankId rank, uint32_t c) {
  Expectation expectation = placed.plan.info().collective.expected(rank, c);
  if (expectation.kind == Expectation::Kind::Anything)
    return;
  uint32_t run = runs[rank.index()];
  const std::byte *want =
      expectedChunk ? expectedChunk(rank, c, run) : expected.chunk(rank, c, run);
  compareElements(sizing.type, rank, c, run, c * sizing.chunkElements, sizing.chunkElements,
                  chunk(rank, Operand(Buffer::Output, c)), want, mismatch);
}

void DataExecutor::runBegins(RankId rank, uint32_t run, SimTime) {
  finish(rank);
  for (uint32_t c = 0; c < placed.plan.info().collective.outputChunks(); ++c)
    compare(rank, c);
  runs[rank.index()] = run;
  fill(rank, run);
}

std::optional<DataMismatch> DataExecutor::check() {
  // Chunk by chunk, so that a value that all ranks have in common is computed once.
  for (uint32_t c = 0; c < placed.plan.info().collective.outputChunks(); ++c)
    for (uint32_t r = 0; r < placed.plan.ranks(); ++r)
      compare(RankId(r), c);
  return mismatch;
}
