//===- BufferLayout.h - Chunks in buffers of any size -----------*- C++ -*-===//
//
// A buffer has one block, or one block for each rank (the longer buffer of an all-gather and of its
// relatives). A block is divided into chunks of equal size; its last chunks are shorter, or empty,
// if the elements do not divide. Blocks follow each other without padding. Scratch and the buffers
// of a custom collective consist of whole chunks.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_DATA_BUFFERLAYOUT_H
#define CCL_SIM_DATA_BUFFERLAYOUT_H

#include "cclc/IR/Collective.h"

#include <algorithm>

namespace cclc {

/// The number of chunks of the buffer to which the size of a run refers: the input or, for some
/// collectives, the output.
uint64_t chunksOfBuffer(const Collective &collective);

class BufferLayout {
public:
  /// A layout of at least \p elements elements in the buffer of chunksOfBuffer(): blocks have equal
  /// size, rounded up.
  BufferLayout(const Collective &collective, uint64_t elements);

  /// The elements of a chunk that is not at the end of a block.
  uint64_t chunkElements() const { return perChunk; }
  /// The elements of an input or output buffer.
  uint64_t elements(Buffer buffer) const;

  /// The elements of a buffer that a chunk contains.
  struct Extent {
    uint64_t first, count;
  };
  Extent chunk(Buffer buffer, uint32_t index) const {
    if (buffer == Buffer::Scratch)
      return {index * perChunk, perChunk};
    uint64_t begin = std::min(index % chunksPerBlock * perChunk, perBlock);
    return {index / chunksPerBlock * perBlock + begin, std::min(perChunk, perBlock - begin)};
  }

private:
  uint32_t chunksPerBlock;
  uint64_t perBlock, perChunk;
  uint32_t inputChunks, outputChunks;
};

} // namespace cclc

#endif // CCL_SIM_DATA_BUFFERLAYOUT_H
