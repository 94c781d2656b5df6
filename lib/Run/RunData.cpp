//===- RunData.cpp - The buffers of an execution --------------------------===//
//
// Chunks are filled and compared one by one, since those at the end of a block are shorter than
// the numbering of the elements of a test assumes.
//
//===----------------------------------------------------------------------===//

#include "cclc/Run/RunData.h"

#include "cclc/Support/MemoryBudget.h"

#include <cstring>

using namespace cclc;
using namespace cclc::run;

/// Ranks do not write to pages of each other.
static constexpr size_t pageBytes = 4096;

std::shared_ptr<std::byte> Group::allocate(uint64_t bytes) {
  static constexpr std::align_val_t page{pageBytes};
  auto *memory = static_cast<std::byte *>(operator new(bytes, page));
  std::memset(memory, 0, bytes);
  return {memory, [](std::byte *memory) { operator delete(memory, page); }};
}

void run::finishAverages(const PreparedPlan &plan, RankId rank, const RankBuffers &buffers) {
  const Collective &collective = plan.plan.info().collective;
  if (plan.settings.op != ReduceOp::Avg)
    return;
  for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
    BufferLayout::Extent extent = plan.layout.chunk(Buffer::Output, c);
    finishReduction(collective.expected(rank, c), plan.settings.type, ReduceOp::Avg,
                    buffers[size_t(Buffer::Output)] + extent.first * plan.elementSize(),
                    extent.count);
  }
}

void run::rewriteInput(const PreparedPlan &plan, RankId rank, const RankBuffers &buffers) {
  if (!plan.plan.info().collective.hasInput(rank))
    return;
  // Volatile, since the compiler would leave out a write that changes nothing.
  volatile std::byte *begin = buffers[size_t(Buffer::Input)];
  size_t size = plan.layout.elements(Buffer::Input) * plan.elementSize();
  constexpr size_t cacheLine = 64; // where lines are longer, some are written twice
  for (size_t at = 0; at < size; at += cacheLine)
    begin[at] = begin[at];
}

RunData::RunData(const PreparedPlan &plan, Placement placement, Group &group)
    : plan(plan), ranks(group.localRanks(plan.plan)), pointers(plan.plan.ranks(), RankBuffers{}) {
  const Collective &collective = plan.plan.info().collective;
  size_t input = plan.layout.elements(Buffer::Input) * plan.elementSize();
  size_t output = plan.layout.elements(Buffer::Output) * plan.elementSize();
  size_t chunk = plan.layout.chunkElements() * plan.elementSize();
  auto shares = [&](RankId rank) {
    return collective.outputOffset(rank, placement) != collective.inputChunks();
  };
  auto userBytes = [&](RankId rank) {
    return shares(rank) ? std::max(input, output) : input + output;
  };
  auto bytesOf = [&](RankId rank) {
    return userBytes(rank) + plan.plan.scratchChunks()[rank.index()] * chunk;
  };
  auto pagesOf = [&](RankId rank) {
    return std::max<size_t>(ceilDiv(bytesOf(rank), pageBytes), 1) * pageBytes;
  };
  MemoryBudget::Work work("the execution of the plan");
  std::vector<RankId> near;
  while (!memory) {
    near = group.nearRanks(plan.plan);
    size_t all = 0; // is charged before the first buffer is filled
    for (RankId rank : near)
      all += pagesOf(rank);
    MemoryBudget::require(Bytes(all));
    memory = group.allocate(all);
  }
  std::byte *begin = memory.get();
  for (RankId rank : near) {
    uint32_t in = collective.inputOffset(rank, placement);
    uint32_t out = collective.outputOffset(rank, placement);
    auto place = [&](Buffer longer, uint32_t offset) {
      return begin + (offset ? plan.layout.chunk(longer, offset).first * plan.elementSize() : 0);
    };
    pointers[rank.index()] = {place(Buffer::Output, in),
                              shares(rank) ? place(Buffer::Input, out) : begin + input,
                              begin + userBytes(rank)};
    begin += pagesOf(rank);
  }
}

void RunData::fill(const InputData &inputs, uint32_t run) {
  const Collective &collective = plan.plan.info().collective;
  for (RankId rank : ranks) {
    const RankBuffers &buffers = pointers[rank.index()];
    std::memset(buffers[size_t(Buffer::Output)], 0,
                plan.layout.elements(Buffer::Output) * plan.elementSize());
    for (uint32_t c = 0; collective.hasInput(rank) && c < collective.inputChunks(); ++c) {
      BufferLayout::Extent extent = plan.layout.chunk(Buffer::Input, c);
      inputs.store(buffers[size_t(Buffer::Input)] + extent.first * plan.elementSize(), rank,
                   c * plan.layout.chunkElements(), extent.count, run);
    }
  }
}

void RunData::compare(Expected expected, uint32_t run,
                      std::optional<DataMismatch> &mismatch) const {
  const Collective &collective = plan.plan.info().collective;
  // Chunk by chunk, so that a value that all ranks have in common is computed once.
  for (uint32_t c = 0; c < collective.outputChunks(); ++c)
    for (RankId rank : ranks) {
      if (collective.expected(rank, c).kind == Expectation::Kind::Anything)
        continue;
      BufferLayout::Extent extent = plan.layout.chunk(Buffer::Output, c);
      const std::byte *output = pointers[rank.index()][size_t(Buffer::Output)];
      compareElements(plan.settings.type, rank, c, run, extent.first, extent.count,
                      output + extent.first * plan.elementSize(), expected(rank, c, run), mismatch);
    }
}
