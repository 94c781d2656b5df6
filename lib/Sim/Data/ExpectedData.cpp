//===- ExpectedData.cpp - The result by definition ------------------------===//
//
// Values are computed chunk by chunk, and the last one is kept, because ranks that have the same
// result ask for it one after the other.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Data/ExpectedData.h"

#include <cstring>

using namespace cclc;

ExpectedData::ExpectedData(const Collective &collective, const InputData &inputs, DataType type,
                           ReduceOp op, uint64_t chunkElements)
    : collective(collective), inputs(inputs), type(type), op(op), chunkElements(chunkElements),
      reduce(reduceFunction(type, op)) {}

void ExpectedData::addInput(const std::byte *input) {
  if (summed++ == 0)
    sums.assign(input, input + inputElements() * sizeOf(type));
  else
    reduce(sums.data(), sums.data(), input, inputElements());
}

/// Computes the sums of the inputs of the first \p ranks for \p run, from those of fewer ranks if
/// they were the last. One run is cached, since ranks that need the sums of all ranks are at most
/// one run apart: each result depends on all ranks, which have ended the previous run.
void ExpectedData::addUp(uint32_t ranks, uint32_t run) {
  if (sumsOf != run || summed > ranks)
    summed = 0;
  sumsOf = run;
  std::vector<std::byte> input(summed < ranks ? inputElements() * sizeOf(type) : 0);
  while (summed < ranks) {
    inputs.store(input.data(), RankId(summed), 0, inputElements(), run);
    addInput(input.data());
  }
}

void ExpectedData::compute(const Expectation &expectation, uint32_t run) {
  size_t bytes = chunkElements * sizeOf(type);
  elements.resize(bytes);
  std::byte *to = elements.data();
  if (expectation.kind == Expectation::Kind::Sum) {
    addUp(expectation.rank.index() + 1, run);
    std::memcpy(to, sums.data() + expectation.index * bytes, bytes);
    return finishReduction(expectation, type, op, to, chunkElements);
  }
  auto load = [&](std::byte *place, Contribution c) {
    inputs.store(place, c.rank, c.index * chunkElements, chunkElements, run);
  };
  if (expectation.kind == Expectation::Kind::Chunk)
    return load(to, {expectation.rank, expectation.index});
  load(to, expectation.list.front());
  std::vector<std::byte> operand(bytes);
  for (const Contribution &part : expectation.list.drop_front()) {
    load(operand.data(), part);
    reduce(to, to, operand.data(), chunkElements);
  }
  finishReduction(expectation, type, op, to, chunkElements);
}

const std::byte *ExpectedData::chunk(RankId rank, uint32_t chunk, uint32_t run) {
  Expectation expectation = collective.expected(rank, chunk);
  if (expectation.kind == Expectation::Kind::Anything)
    return nullptr;
  bool same = !elements.empty() && expectation.kind != Expectation::Kind::SumList &&
              expectation.kind == last.kind && expectation.rank == last.rank &&
              expectation.index == last.index && run == lastRun;
  if (!same)
    compute(expectation, run);
  last = expectation;
  lastRun = run;
  return elements.data();
}
