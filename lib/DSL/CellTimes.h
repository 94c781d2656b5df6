//===- CellTimes.h - The times of the last writes of cells ------*- C++ -*-===//

#ifndef CCL_LIB_DSL_CELLTIMES_H
#define CCL_LIB_DSL_CELLTIMES_H

#include "cclc/DSL/ChunkRef.h"
#include "cclc/Symmetry/RotationGroup.h"

namespace cclc::dsl {

/// A range of chunks in one buffer of one rank.
struct Place {
  int rank;
  Buffer buffer;
  int index;
  int count;

  friend bool operator==(const Place &, const Place &) = default;
};

/// The time of the last write to every cell; 0 for never. In place, a cell of the user's memory may
/// belong to both input and output.
class CellTimes {
public:
  /// Makes one cell of all cells with equal relative indices, before begin().
  void fold() { folded = true; }
  /// The group that defines relative indices, before cells are accessed.
  void setGroup(const RotationGroup &of) { group = of; }
  /// Creates input and output. Input chunks were written at \p time.
  void begin(const Collective &collective, Placements placements, uint32_t time);
  void addScratch(uint32_t ranks) { scratch.emplace_back(folded ? 1 : ranks); }
  /// The number of cells by which grow() extends scratch buffer \p buffer.
  uint64_t growth(int rank, Buffer buffer, uint64_t chunks) const {
    uint64_t size = scratchSize(rank, buffer);
    return std::max(chunks, size) - size;
  }
  /// Grows scratch buffer \p buffer to \p chunks chunks.
  void grow(int rank, Buffer buffer, uint64_t chunks) {
    std::vector<uint32_t> &cells = scratch[buffer.raw - 2][folded ? 0 : rank];
    if (chunks > cells.size())
      cells.resize(chunks);
  }
  /// Gives scratch buffer \p buffer the size that it has in \p other, of \p buffers buffers.
  void growLike(const CellTimes &other, Buffer buffer, size_t buffers) {
    scratch.resize(buffers, std::vector<std::vector<uint32_t>>(1));
    grow(0, buffer, other.scratchSize(0, buffer));
  }
  uint32_t scratchSize(int rank, Buffer buffer) const {
    return scratch[buffer.raw - 2][folded ? 0 : rank].size();
  }

  /// Calls fn(time) for every cell of \p at, under every placement.
  template <class Fn> void forEach(const Place &named, Fn fn) {
    Place at = folded ? relative(named) : named;
    auto each = [&](uint32_t *cells) {
      for (int c = 0; c < at.count; ++c)
        fn(cells[c]);
    };
    if (at.buffer.raw >= 2)
      return each(scratch[at.buffer.raw - 2][at.rank].data() + at.index);
    for (Memory &memory : memories)
      each(memory.user.data() + memory.first(at));
  }
  /// Whether both places are the same cells under every placement.
  bool same(const Place &a, const Place &b) const;

private:
  Place relative(const Place &named) const;
  /// The user memory of all ranks under one placement.
  struct Memory {
    std::vector<uint32_t> user;
    std::vector<uint32_t> starts[2]; ///< of input and output, by rank
    uint32_t first(const Place &at) const { return starts[at.buffer.raw][at.rank] + at.index; }
  };
  bool folded = false;
  RotationGroup group;
  std::vector<Memory> memories;                            ///< one per placement
  std::vector<std::vector<std::vector<uint32_t>>> scratch; ///< [buffer][rank][index]
};

} // namespace cclc::dsl

#endif // CCL_LIB_DSL_CELLTIMES_H
