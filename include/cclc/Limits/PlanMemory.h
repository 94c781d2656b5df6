//===- PlanMemory.h - The memory that a plan needs on a machine -*- C++ -*-===//
//
// On every rank a plan needs slots for the messages that it receives, scratch, and its input and
// output buffers, which are one buffer in place. The machine names the memory of each, and may
// limit the memories (machine-model.md, Memory of a PE).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIMITS_PLANMEMORY_H
#define CCL_LIMITS_PLANMEMORY_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Limits/Constraints.h"
#include "cclc/Target/Machine.h"

#include <vector>

namespace cclc {

/// "TCM", or "memory" if there is only one.
StringRef memoryName(PeMemory memory);
/// The rule that limits it.
Rule memoryRule(PeMemory memory);

/// What a rank needs in one memory, in bytes. Sums and products stop at the largest number.
struct MemoryNeed {
  PeMemory memory;
  RankId rank;
  uint32_t connections = 0; ///< from which the rank receives
  uint64_t slots = 0, scratch = 0, buffers = 0;
  std::optional<Bytes> capacity = std::nullopt;

  uint64_t total() const;
};

class PlanMemory {
public:
  /// The buffer for which a plan is executed.
  struct Size {
    Bytes requested, chunk;
    uint64_t element; ///< bytes of an element
    uint64_t chunks;  ///< of the buffer to which the size refers
  };

  /// Unlimited slots need no memory, because no machine has them.
  PlanMemory(const ExecPlan &plan, const Machine &machine, Slots slots);
  /// That of a plan without connections. \p scratchChunks is by rank.
  PlanMemory(const ProgramInfo &info, std::vector<uint32_t> scratchChunks, const Machine &machine,
             Slots slots = Slots::unlimited(), uint32_t maxCount = 1);

  /// The need of the rank that needs most, for every memory of which something is needed, with
  /// chunks of \p chunk. If this is zero, slots count only if their size does not depend on it.
  std::vector<MemoryNeed> busiest(Bytes chunk) const;

  /// What a rank needs in a memory.
  MemoryNeed needOf(PeMemory memory, RankId rank, Bytes chunk) const;

  /// Reports memory that slots exceed at every size. Fewer than \p leastSlots are not suggested.
  LogicalResult checkSlots(DiagnosticEngine &diags, uint32_t leastSlots = 1) const;
  /// Reports memory that the plan exceeds at \p size, and the largest size that fits.
  LogicalResult checkSize(const Size &size, DiagnosticEngine &diags) const;
  /// The largest chunk that fits; unset: there is no limit. Zero if none does.
  std::optional<Bytes> largestChunk() const;
  /// The largest buffer that fits, of \p chunks chunks of elements of \p element bytes; otherwise
  /// like largestChunk().
  std::optional<Bytes> largestBuffer(uint64_t element, uint64_t chunks) const;

private:
  /// Bytes that are needed at every size, and for each byte of a chunk.
  struct Linear {
    uint64_t fixed, ofChunk;
  };
  Linear need(PeMemory memory, uint32_t rank) const;
  uint64_t slotBytes(Bytes chunk) const;
  std::string where(const MemoryNeed &need, Bytes chunk, const std::string &at) const;
  std::string slotsThatFit(const MemoryNeed &need, uint32_t leastSlots) const;

  const Machine &machine;
  Constraints constraints;
  Slots slots;
  Bytes slotSize;         ///< zero: a slot holds any message
  std::string slotOption; ///< before the size
  uint32_t maxCount;
  std::vector<uint32_t> scratchChunks, connections, userChunks; ///< by rank
};

} // namespace cclc

#endif // CCL_LIMITS_PLANMEMORY_H
