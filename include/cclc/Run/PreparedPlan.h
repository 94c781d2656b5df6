//===- PreparedPlan.h - A plan prepared for execution -----------*- C++ -*-===//
//
// What the executor needs beside the steps of a plan: the places of the chunks in buffers of one
// size, the pieces that chunks are divided into, and the slots of every connection. A step is one
// message, as in the proof of the plan, so a slot holds a piece of each of its chunks.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_PREPAREDPLAN_H
#define CCL_RUN_PREPAREDPLAN_H

#include "cclc/IR/Connections.h"
#include "cclc/IR/Slots.h"
#include "cclc/Sim/Data/BufferLayout.h"
#include "cclc/Sim/Data/DataType.h"

#include <array>

namespace cclc::run {

/// The buffers of a rank, by Buffer. Input and output may be the same memory, as the alias map of
/// the collective says.
using RankBuffers = std::array<std::byte *, 3>;

/// The usual size of the slots of threads, whose messages of average count stay in the caches.
inline constexpr uint64_t threadSlotBytes = uint64_t(128) << 10;
/// The least bytes of a message that threads read where it is.
inline constexpr uint64_t threadDirectBytes = uint64_t(4) << 10;
/// The bytes of data that take as long as a message between processes costs.
inline constexpr uint64_t processMessageCost = uint64_t(64) << 10;
/// The longest message of average count between processes, whose counts are numbers of 32 bits.
inline constexpr uint64_t processSlotLimit = uint64_t(64) << 20;

/// Elements of another type than the tools have: their bytes, and the function that reduces them.
struct OtherElements {
  uint32_t size;
  ReduceFn reduce;
};

/// The choices of a run that do not change its result.
struct RunSettings {
  DataType type = DataType::F32;
  ReduceOp op = ReduceOp::Sum;
  /// The slots of every connection.
  uint32_t slots = 8;
  /// The bytes of a message of average count that pieces aim at. Unset: as few pieces as processes
  /// need to overlap.
  std::optional<uint64_t> slotBytes = threadSlotBytes;
  /// Smaller messages between threads are copied into their slots, where the receiver finds them
  /// with its first access; larger ones only if their memory is needed before they are received.
  uint64_t directBytes = threadDirectBytes;
  /// Replaces type and operator.
  std::optional<OtherElements> others = std::nullopt;
  /// Whether messages between processes of a node may pass through memory that they share.
  bool sharesMemory = true;
};

/// \p settings for processes that share memory inside nodes, but not the buffers of ranks: slots as
/// those of threads, from which sums read; or, where data are only moved and messages of average
/// count have more than 1 MiB, messages of MPI alone, whose libraries read such data where they
/// are.
RunSettings settingsOfNodes(const ExecPlan &plan, uint64_t elements, RunSettings settings);

/// The slots to execute a plan with that is proved for \p slots and completes with \p needed or
/// more. Memory is limited, so unlimited slots are as many as are needed, and at least
/// defaultSlots.
uint32_t slotsToExecute(Slots slots, std::optional<uint32_t> needed);

/// The operand that has the message of a sending step; none if the message is formed in a slot.
std::optional<Operand> sentOperand(const Step &step);

class PreparedPlan {
public:
  /// \p plan must outlive the object, and have been proved with the number of slots, or be run
  /// at the user's risk. \p elements is the size of the buffer of chunksOfBuffer().
  PreparedPlan(const ExecPlan &plan, uint64_t elements, const RunSettings &settings);

  const ExecPlan &plan;
  const RunSettings settings;
  const ConnectionTable connections;
  const BufferLayout layout;

  size_t elementSize() const { return bytesPerElement; }
  uint32_t pieces() const { return numPieces; }
  /// The elements of every piece of a chunk, except possibly the last.
  uint64_t pieceElements() const { return perPiece; }
  size_t pieceBytes() const { return perPiece * bytesPerElement; }
  /// The bytes of a slot: of the largest message of the connection.
  size_t slotBytes(ConnectionId connection) const {
    return maxCounts[connection.index()] * pieceBytes();
  }
  /// The bytes of all slots.
  uint64_t totalSlotBytes() const;
  /// The step of its threadblock, counted from 0, that satisfies \p wait of a threadblock of \p
  /// rank.
  uint32_t satisfiedBy(RankId rank, Wait wait) const;
  /// The steps of \p rank are successive.
  const Step *firstStep(RankId rank) const;

  /// The part of \p count chunks from \p operand on that belongs to one piece.
  struct Span {
    uint64_t first; ///< element of the buffer
    uint64_t count; ///< elements that exist: the last chunks of a block may be shorter
  };
  Span span(Operand operand, uint32_t chunk, uint32_t piece) const {
    BufferLayout::Extent extent = layout.chunk(operand.buffer(), operand.index() + chunk);
    uint64_t begin = std::min(piece * perPiece, extent.count);
    return {extent.first + begin, std::min(perPiece, extent.count - begin)};
  }
  /// The chunks of a step as one span, if they are adjacent without a gap.
  std::optional<Span> wholeSpan(Operand operand, uint32_t count) const;
  /// One piece of the chunks of a step as one span, if it is adjacent without a gap.
  std::optional<Span> adjacentSpan(Operand operand, uint32_t count, uint32_t piece) const {
    return count == 1 ? span(operand, 0, piece) : wholeSpan(operand, count);
  }
  /// Where \p span begins in the memory of a rank.
  std::byte *address(const RankBuffers &buffers, Operand operand, const Span &span) const {
    return buffers[static_cast<size_t>(operand.buffer())] + span.first * bytesPerElement;
  }
  /// The placement of these buffers: in place if input and output have memory in common.
  Placement placementOf(const RankBuffers &buffers) const;
  /// The placement of those of all ranks, some of which may be null. Ranks without an output, or an
  /// input, do not show it.
  Placement placementOf(ArrayRef<RankBuffers> memory) const;

private:
  void choosePieces();

  size_t bytesPerElement;
  uint32_t numPieces = 1;
  uint64_t perPiece = 0;
  std::vector<uint32_t> maxCounts; ///< by connection: the chunks of its largest message
  std::vector<OptionalId<StepId>> publishers;
};

} // namespace cclc::run

#endif // CCL_RUN_PREPAREDPLAN_H
