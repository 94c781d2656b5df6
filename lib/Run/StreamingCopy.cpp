//===- StreamingCopy.cpp - Copies of long data ----------------------------===//
//
// Those past the caches are stores of whole lines of 64 bytes by the instruction MOVNTDQ, which
// every x86-64 processor has (Intel, "Optimization Reference Manual", section on non-temporal
// stores). They are weakly ordered and end with a fence.
//
//===----------------------------------------------------------------------===//

#include "cclc/Run/StreamingCopy.h"

#include "llvm/ADT/BitVector.h"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

using namespace cclc;
using namespace cclc::run;

/// The usual share of a processor in the last level of caches, and twice that for shared data.
static constexpr uint64_t cachedBytes = uint64_t(8) << 20;

#ifdef __SSE2__
static constexpr size_t line = 64;

/// Copies to disjoint memory, with \p store for the words of whole lines.
template <class Store>
static void copyLines(std::byte *to, const std::byte *from, size_t bytes, Store store) {
  constexpr size_t word = sizeof(__m128i);
  size_t head = std::min(bytes, -reinterpret_cast<uintptr_t>(to) % line);
  std::memcpy(to, from, head);
  to += head, from += head, bytes -= head;
  for (; bytes >= line; to += line, from += line, bytes -= line) {
    __m128i words[line / word];
    for (size_t w = 0; w < line / word; ++w)
      words[w] = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from) + w);
    for (size_t w = 0; w < line / word; ++w)
      store(reinterpret_cast<__m128i *>(to) + w, words[w]);
  }
  std::memcpy(to, from, bytes);
}
#endif

/// Processors of AMD (Zen 3) copy 3 instead of 50 GB/s by REP MOVSB if the destination begins up to
/// a line after the source, modulo pages. Heaps often place buffers so.
void run::copyData(std::byte *to, const std::byte *from, size_t bytes) {
#ifdef __SSE2__
  constexpr uintptr_t page = 4096;
  constexpr size_t leastLong = 2048; // of the C library, which decides by the processor
  const uintptr_t distance = uintptr_t(to) - uintptr_t(from);
  const bool isDisjoint = distance >= bytes && -distance >= bytes;
  if (bytes >= leastLong && distance % page != 0 && distance % page < line && isDisjoint)
    return copyLines(to, from, bytes, [](__m128i *at, __m128i data) { _mm_store_si128(at, data); });
#endif
  std::memmove(to, from, bytes);
}

void run::copyStreaming(std::byte *to, const std::byte *from, size_t bytes) {
#ifdef __SSE2__
  copyLines(to, from, bytes, [](__m128i *at, __m128i data) { _mm_stream_si128(at, data); });
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

std::vector<bool> run::findStreamingSteps(const PreparedPlan &run, RankId rank) {
  const ExecPlan &plan = run.plan;
  // With the aliases of execution in place, if there is one: they only add readers.
  CellSpace cells = plan.cells(plan.info().placements.list().front());
  uint64_t chunkBytes = run.layout.chunkElements() * run.elementSize();
  if (cells.cellsOfRank(rank) * chunkBytes <= cachedBytes)
    return {};
  llvm::BitVector isRead(cells.cellsOfRank(rank));
  auto markRead = [&](Operand operand, uint32_t count) {
    uint32_t first = cells.offsetInRank(rank, operand);
    isRead.set(first, first + count);
  };
  for (const Threadblock &block : plan.threadblocks(rank))
    for (const Step &step : plan.steps(block)) {
      if (traits(step.op).readsSrc)
        markRead(step.src, step.count);
      if (traits(step.op).readsDst)
        markRead(step.dst, step.count);
      if (std::optional<Operand> sent = sentOperand(step))
        markRead(*sent, step.count);
    }
  std::vector<bool> streaming;
  for (const Threadblock &block : plan.threadblocks(rank))
    for (const Step &step : plan.steps(block)) {
      bool onlyWrites = step.op == OpKind::Recv || step.op == OpKind::Copy;
      uint32_t first = onlyWrites ? cells.offsetInRank(rank, step.dst) : 0;
      streaming.push_back(onlyWrites && isRead.find_first_in(first, first + step.count) < 0);
    }
  return streaming;
}
