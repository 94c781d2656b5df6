//===- DataExecutor.cpp - Executing a plan on real data -------------------===//
//
// A listener of the engine: a step reads and writes real elements when it begins. Inputs
// are functions of rank and element (hashed with splitmix64: Steele, Lea and Flood, OOPSLA
// 2014), so that an expected output is computed directly from the definition of the
// collective, without a second copy of the buffers.
//
// Implements rules 30, 33 and 34.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/DataExecutor.h"

#include "cclc/Support/MemoryBudget.h"

#include <array>
#include <cstring>

using namespace cclc;

// --- Inputs -------------------------------------------------------------------------

namespace {
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// A salt that makes the inputs of runs differ.
uint64_t saltOf(uint32_t run) { return run == 0 ? 0 : mix(run); }

/// All integers up to this one are exact in the type.
int64_t exactUpTo(DataType type) {
  switch (type) {
  case DataType::F16:
    return 2048;
  case DataType::BF16:
    return 256;
  case DataType::I8:
    return 127;
  case DataType::U8:
    return 255;
  default:
    return 1 << 24;
  }
}

/// All powers of two up to this exponent are exact in the type.
uint32_t exactExponent(DataType type) {
  switch (type) {
  case DataType::I8:
    return 6;
  case DataType::U8:
    return 7;
  case DataType::F16:
    return 15;
  case DataType::I32:
    return 30;
  case DataType::I64:
    return 62;
  default:
    return 100;
  }
}
} // namespace

bool InputData::isReduction(const Collective &collective) {
  switch (collective.kind()) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::Reduce:
  case CollectiveKind::Custom:
    return true;
  default:
    return false;
  }
}

void InputData::exactValues(MutableArrayRef<int32_t> values, uint32_t rank, uint64_t element,
                            uint32_t run) const {
  int64_t limit = exactUpTo(type);
  // One hash provides 16 bits for each of four elements.
  auto fill = [&](auto value) {
    auto hash = [&] { return mix(saltOf(run) ^ uint64_t(rank) << 40 ^ element / 4); };
    uint64_t bits = hash() >> 16 * (element % 4);
    for (int32_t &place : values) {
      place = value(uint32_t(bits & 0xffff), element++);
      bits = element % 4 == 0 ? hash() : bits >> 16;
    }
  };
  // Maps 16 bits to [0, bound), for bounds of at most 65536, by multiplication instead of division.
  auto below = [](uint32_t bound) {
    return [bound](uint32_t bits, uint64_t) -> int32_t { return uint64_t(bits) * bound >> 16; };
  };
  if (!reduces)
    return fill(below(std::min<int64_t>(limit, 65536)));
  // Whether the rank contributes a special value to an element.
  auto isChosen = [=](uint64_t element, uint64_t share) {
    return (rank + element + run) % share == 0;
  };
  switch (op) {
  case ReduceOp::Sum:
  case ReduceOp::Avg: {
    if (int64_t largest = limit / ranks; largest > 0)
      return fill(below(std::min<int64_t>(largest, 99) + 1));
    uint64_t share = ceilDiv(ranks, limit);
    return fill([=](uint32_t, uint64_t element) { return isChosen(element, share) ? 1 : 0; });
  }
  case ReduceOp::Prod: {
    // Never all ranks, because equal data would hide errors.
    uint64_t share = std::max<uint64_t>(ceilDiv(ranks, exactExponent(type)), 2);
    bool isSigned = type != DataType::U8;
    return fill([=](uint32_t bits, uint64_t element) {
      int32_t magnitude = isChosen(element, share) ? 2 : 1;
      return isSigned && bits % 2 ? -magnitude : magnitude;
    });
  }
  case ReduceOp::Min:
  case ReduceOp::Max:
    return fill(below(100));
  }
  llvm_unreachable("unknown operator");
}

void InputData::store(void *place, RankId rank, uint64_t element, uint64_t count,
                      uint32_t run) const {
  constexpr size_t block = 256;
  auto *to = static_cast<std::byte *>(place);
  for (; count > 0; to += block * sizeOf(type)) {
    size_t n = std::min<uint64_t>(count, block);
    if (!seed) {
      std::array<int32_t, block> values;
      MutableArrayRef part = MutableArrayRef(values).take_front(n);
      exactValues(part, rank.index(), element, run);
      storeIntegers(type, to, part);
    } else {
      bool isReal = type == DataType::F16 || type == DataType::BF16 || type == DataType::F32 ||
                    type == DataType::F64;
      std::array<double, block> values;
      for (size_t i = 0; i < n; ++i) {
        uint64_t hash =
            mix(mix(*seed) ^ saltOf(run) ^ (uint64_t(rank.index()) << 40) ^ (element + i));
        values[i] = isReal ? double(hash >> 11) * 0x1p-52 - 1 // in [-1, 1)
                           : double(hash % 200) - (type == DataType::U8 ? 0 : 100);
      }
      storeReals(type, to, ArrayRef(values).take_front(n));
    }
    element += n;
    count -= n;
  }
}

// --- Execution ------------------------------------------------------------------------

DataExecutor::DataExecutor(const BoundPlan &bound, const Sizing &sizing, ReduceOp op,
                           Placement placement, std::optional<uint64_t> seed)
    : bound(bound), sizing(sizing), op(op), space(bound.plan.cells(placement)),
      inputs(bound.plan.info().collective, sizing.type, op, seed),
      reduce(reduceFunction(sizing.type, op)), elementSize(sizeOf(sizing.type)),
      bytesPerChunk(sizing.chunkElements * elementSize), runs(bound.plan.ranks()),
      fifos(bound.bound.size()) {
  MemoryBudget::Work work("the execution with data");
  MemoryBudget::require(
      Bytes(uint64_t(std::min<Wide>(Wide(space.size()) * bytesPerChunk, INT64_MAX))));
  const Collective &collective = bound.plan.info().collective;
  bool needsSums = false;
  for (uint32_t r = 0; r < collective.ranks() && collective.outputChunks() > 0; ++r)
    needsSums |=
        !inputs.isRandom() && collective.expected(RankId(r), 0).kind == Expectation::Kind::SumAll;
  for (uint32_t r = 0; r < collective.ranks(); ++r) {
    memory.emplace_back(space.cellsOfRank(RankId(r)) * bytesPerChunk);
    fill(RankId(r), 0);
    // Add inputs while they are in the cache.
    if (needsSums)
      addInput(place(RankId(r), Operand(Buffer::Input, 0), 0, 0));
  }
}

/// Adds the inputs of another rank to the sums.
void DataExecutor::addInput(const std::byte *input) {
  if (sums.empty())
    sums.assign(input, input + inputElements() * elementSize);
  else
    reduce(sums.data(), sums.data(), input, inputElements());
}

uint64_t DataExecutor::inputElements() const {
  return bound.plan.info().collective.inputChunks() * sizing.chunkElements;
}

/// Initialises inputs and clears outputs, so that results of the previous run do not hide missing
/// writes.
void DataExecutor::fill(RankId rank, uint32_t run) {
  const Collective &collective = bound.plan.info().collective;
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
  const Step &step = bound.plan.steps()[at.step.index()];
  uint32_t threadblock = at.threadblock.index(), piece = at.piece;
  const OpTraits &traits_ = traits(step.op);
  RankId rank = bound.plan.threadblocks()[threadblock].rank;
  size_t bytes = sizing.pieceBytes(piece).count();
  size_t elements = bytes / elementSize;

  std::vector<std::byte> message;
  if (traits_.receives) {
    Fifo &fifo = fifos[(*bound.connections.recvOf(threadblock)).index()];
    message = std::move(fifo.messages[fifo.first++]);
    if (fifo.first == fifo.messages.size()) {
      fifo.messages.clear();
      fifo.first = 0;
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

  if (traits_.sends)
    fifos[(*bound.connections.sendOf(threadblock)).index()].messages.push_back(std::move(message));
  else if (traits_.receives)
    spare.push_back(std::move(message));
}

// --- Results ----------------------------------------------------------------------------

void cclc::finishReduction(const Collective &collective, const Expectation &expectation,
                           DataType type, ReduceOp op, void *sum, size_t elements) {
  if (op != ReduceOp::Avg)
    return;
  if (expectation.kind == Expectation::Kind::SumAll)
    divide(type, sum, elements, collective.ranks());
  else if (expectation.kind == Expectation::Kind::SumList && expectation.list.size() > 1)
    divide(type, sum, elements, expectation.list.size());
}

void DataExecutor::finish(RankId rank) {
  const Collective &collective = bound.plan.info().collective;
  for (uint32_t c = 0; c < collective.outputChunks(); ++c)
    finishReduction(collective, collective.expected(rank, c), sizing.type, op,
                    place(rank, Operand(Buffer::Output, c), 0, 0), sizing.chunkElements);
}

void DataExecutor::finish() {
  for (uint32_t r = 0; r < bound.plan.ranks(); ++r)
    finish(RankId(r));
}

/// Computes the sums of the inputs of all ranks for \p run. One run is cached, since ranks that
/// need sums are at most one run apart: each result depends on all ranks, which have ended the
/// previous run.
void DataExecutor::addUp(uint32_t run) {
  if (!sums.empty() && sumsOf == run)
    return;
  sums.clear();
  std::vector<std::byte> input(inputElements() * elementSize);
  for (uint32_t r = 0; r < bound.plan.ranks(); ++r) {
    inputs.store(input.data(), RankId(r), 0, inputElements(), run);
    addInput(input.data());
  }
  sumsOf = run;
}

void DataExecutor::computeExpected(const Expectation &expectation, uint32_t run, std::byte *to) {
  const Collective &collective = bound.plan.info().collective;
  auto load = [&](std::byte *place, Contribution c) {
    inputs.store(place, c.rank, c.index * sizing.chunkElements, sizing.chunkElements, run);
  };
  std::vector<Contribution> parts;
  switch (expectation.kind) {
  case Expectation::Kind::Anything:
    return;
  case Expectation::Kind::Chunk:
    parts = {{expectation.rank, expectation.index}};
    break;
  case Expectation::Kind::SumAll:
    addUp(run);
    std::memcpy(to, sums.data() + expectation.index * bytesPerChunk, bytesPerChunk);
    return finishReduction(collective, expectation, sizing.type, op, to, sizing.chunkElements);
  case Expectation::Kind::SumList:
    parts = expectation.list.vec();
    break;
  }
  load(to, parts.front());
  std::vector<std::byte> operand(bytesPerChunk);
  for (size_t i = 1; i < parts.size(); ++i) {
    load(operand.data(), parts[i]);
    reduce(to, to, operand.data(), sizing.chunkElements);
  }
  finishReduction(collective, expectation, sizing.type, op, to, sizing.chunkElements);
}

void DataExecutor::compare(RankId rank, uint32_t c, Computed &computed) {
  Expectation expectation = bound.plan.info().collective.expected(rank, c);
  if (expectation.kind == Expectation::Kind::Anything)
    return;
  uint32_t run = runs[rank.index()];
  const std::byte *want = nullptr;
  if (expectedChunk) {
    want = expectedChunk(rank, c, run);
  } else {
    const Expectation &last = computed.expectation;
    bool same = !computed.elements.empty() && expectation.kind != Expectation::Kind::SumList &&
                expectation.kind == last.kind && expectation.rank == last.rank &&
                expectation.index == last.index && run == computed.run;
    if (!same) {
      computed.elements.resize(bytesPerChunk);
      computeExpected(expectation, run, computed.elements.data());
    }
    computed.expectation = expectation;
    computed.run = run;
    want = computed.elements.data();
  }
  const std::byte *have = chunk(rank, Operand(Buffer::Output, c));
  if (std::memcmp(have, want, bytesPerChunk) == 0)
    return;
  for (uint64_t e = 0; e < sizing.chunkElements; ++e) {
    const std::byte *h = have + e * elementSize, *w = want + e * elementSize;
    if (std::memcmp(h, w, elementSize) == 0)
      continue;
    if (mismatch)
      ++mismatch->more;
    else
      mismatch = DataMismatch{run,
                              rank,
                              c,
                              c * sizing.chunkElements + e,
                              elementText(sizing.type, w),
                              elementText(sizing.type, h),
                              0};
  }
}

void DataExecutor::runBegins(RankId rank, uint32_t run, SimTime) {
  finish(rank);
  Computed computed;
  for (uint32_t c = 0; c < bound.plan.info().collective.outputChunks(); ++c)
    compare(rank, c, computed);
  runs[rank.index()] = run;
  fill(rank, run);
}

std::optional<DataMismatch> DataExecutor::check() {
  // Chunk by chunk, so that a value that all ranks have in common is computed once.
  Computed computed;
  for (uint32_t c = 0; c < bound.plan.info().collective.outputChunks(); ++c)
    for (uint32_t r = 0; r < bound.plan.ranks(); ++r)
      compare(RankId(r), c, computed);
  return mismatch;
}
