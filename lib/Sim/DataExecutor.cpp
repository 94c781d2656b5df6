#include "cclc/Sim/DataExecutor.h"

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

/// Whole numbers up to this one are exact in the type.
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

/// Powers of two up to this exponent are exact in the type.
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

void InputData::exactValues(MutableArrayRef<int32_t> values, uint32_t rank,
                            uint64_t element) const {
  int64_t limit = exactUpTo(type);
  // One hash has 16 bits for each of four elements.
  auto fill = [&](auto value) {
    auto hash = [&] { return mix(uint64_t(rank) << 40 ^ element / 4); };
    uint64_t bits = hash() >> 16 * (element % 4);
    for (int32_t &place : values) {
      place = value(uint32_t(bits & 0xffff), element++);
      bits = element % 4 == 0 ? hash() : bits >> 16;
    }
  };
  // 0 up to a bound of at most 65536, by multiplying instead of dividing.
  auto below = [](uint32_t bound) {
    return [bound](uint32_t bits, uint64_t) -> int32_t { return uint64_t(bits) * bound >> 16; };
  };
  if (!reduces)
    return fill(below(std::min<int64_t>(limit, 65536)));
  // Which ranks contribute something special to an element.
  auto isChosen = [rank](uint64_t element, uint64_t share) {
    return (rank + element) % share == 0;
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
    // Not all ranks, even where all could: equal data would hide mistakes.
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

void InputData::store(void *place, RankId rank, uint64_t element, uint64_t count) const {
  constexpr size_t block = 256;
  auto *to = static_cast<std::byte *>(place);
  for (; count > 0; to += block * sizeOf(type)) {
    size_t n = std::min<uint64_t>(count, block);
    if (!seed) {
      std::array<int32_t, block> values;
      MutableArrayRef part = MutableArrayRef(values).take_front(n);
      exactValues(part, rank.index(), element);
      storeIntegers(type, to, part);
    } else {
      bool isReal = type == DataType::F16 || type == DataType::BF16 || type == DataType::F32 ||
                    type == DataType::F64;
      std::array<double, block> values;
      for (size_t i = 0; i < n; ++i) {
        uint64_t hash = mix(mix(*seed) ^ (uint64_t(rank.index()) << 40) ^ (element + i));
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
      bytesPerChunk(sizing.chunkElements * elementSize), fifos(bound.bound.size()) {
  fillInputs();
}

void DataExecutor::fillInputs() {
  const Collective &collective = bound.plan.info().collective;
  uint64_t elements = collective.inputChunks() * sizing.chunkElements;
  std::optional<Expectation> sumOverAll;
  for (uint32_t r = 0; r < collective.ranks() && collective.outputChunks() > 0; ++r)
    if (Expectation first = collective.expected(RankId(r), 0);
        first.kind == Expectation::Kind::SumAll && !inputs.isRandom())
      sumOverAll = first;
  for (uint32_t r = 0; r < collective.ranks(); ++r) {
    memory.emplace_back(space.cellsOfRank(RankId(r)) * bytesPerChunk);
    if (!collective.hasInput(RankId(r)) || elements == 0)
      continue;
    std::byte *input = place(RankId(r), Operand(Buffer::Input, 0), 0, 0);
    inputs.store(input, RankId(r), 0, elements);
    if (!sumOverAll)
      continue;
    // Directly, while the data are at hand.
    if (r == 0)
      sums.assign(input, input + elements * elementSize);
    else
      reduce(sums.data(), sums.data(), input, elements);
  }
  if (!sums.empty())
    finishReduction(collective, *sumOverAll, sizing.type, op, sums.data(), elements);
}

std::byte *DataExecutor::place(RankId rank, Operand operand, uint32_t chunk, uint32_t piece) {
  size_t cell = space.offsetInRank(rank, operand) + chunk;
  return memory[rank.index()].data() + cell * bytesPerChunk +
         piece * sizing.pieceElements * elementSize;
}

const std::byte *DataExecutor::chunk(RankId rank, Operand operand) const {
  return memory[rank.index()].data() + space.offsetInRank(rank, operand) * bytesPerChunk;
}

void DataExecutor::stepBegins(uint32_t threadblock, uint32_t id, uint32_t piece, SimTime) {
  const Step &step = bound.plan.steps()[id];
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

void DataExecutor::finish() {
  const Collective &collective = bound.plan.info().collective;
  for (uint32_t r = 0; r < collective.ranks(); ++r)
    for (uint32_t c = 0; c < collective.outputChunks(); ++c)
      finishReduction(collective, collective.expected(RankId(r), c), sizing.type, op,
                      place(RankId(r), Operand(Buffer::Output, c), 0, 0), sizing.chunkElements);
}

void DataExecutor::computeExpected(const Expectation &expectation, std::byte *to) const {
  const Collective &collective = bound.plan.info().collective;
  auto load = [&](std::byte *place, Contribution c) {
    inputs.store(place, c.rank, c.index * sizing.chunkElements, sizing.chunkElements);
  };
  std::vector<Contribution> parts;
  switch (expectation.kind) {
  case Expectation::Kind::Anything:
    return;
  case Expectation::Kind::Chunk:
    parts = {{expectation.rank, expectation.index}};
    break;
  case Expectation::Kind::SumAll:
    if (!sums.empty()) {
      std::memcpy(to, sums.data() + expectation.index * bytesPerChunk, bytesPerChunk);
      return;
    }
    for (uint32_t q = 0; q < collective.ranks(); ++q)
      parts.push_back({RankId(q), expectation.index});
    break;
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

std::optional<DataMismatch> DataExecutor::check(const ExpectedChunk &expectedChunk) const {
  const Collective &collective = bound.plan.info().collective;
  std::optional<DataMismatch> first;
  std::vector<std::byte> computed(bytesPerChunk);
  // Chunk by chunk, so that what all ranks must hold alike is computed once.
  Expectation last;
  for (uint32_t c = 0; c < collective.outputChunks(); ++c)
    for (uint32_t r = 0; r < collective.ranks(); ++r) {
      Expectation expectation = collective.expected(RankId(r), c);
      if (expectation.kind == Expectation::Kind::Anything)
        continue;
      const std::byte *want = nullptr;
      if (expectedChunk) {
        want = expectedChunk(RankId(r), c);
      } else {
        bool same = expectation.kind != Expectation::Kind::SumList &&
                    expectation.kind == last.kind && expectation.rank == last.rank &&
                    expectation.index == last.index;
        if (!same)
          computeExpected(expectation, computed.data());
        last = expectation;
        want = computed.data();
      }
      const std::byte *have = chunk(RankId(r), Operand(Buffer::Output, c));
      if (std::memcmp(have, want, bytesPerChunk) == 0)
        continue;
      for (uint64_t e = 0; e < sizing.chunkElements; ++e) {
        const std::byte *h = have + e * elementSize, *w = want + e * elementSize;
        if (std::memcmp(h, w, elementSize) == 0)
          continue;
        if (first)
          ++first->more;
        else
          first = DataMismatch{RankId(r),
                               c,
                               c * sizing.chunkElements + e,
                               elementText(sizing.type, w),
                               elementText(sizing.type, h),
                               0};
      }
    }
  return first;
}
