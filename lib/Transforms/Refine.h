//===- Refine.h - Programs on smaller chunks --------------------*- C++ -*-===//

#ifndef CCL_LIB_TRANSFORMS_REFINE_H
#define CCL_LIB_TRANSFORMS_REFINE_H

#include "cclc/IR/ChunkProgram.h"

#include <algorithm>

namespace cclc {

/// The collective with every chunk split into \p n. For a custom collective, place(index, k,
/// chunks) is the index of part k of chunk \p index in a buffer that had \p chunks chunks.
template <class Place> Collective refined(const Collective &collective, uint32_t n, Place place) {
  if (!collective.custom())
    return Collective(collective.kind(), collective.ranks(), collective.chunks() * n,
                      collective.root());
  const CustomSpec &before = *collective.custom();
  CustomSpec spec;
  spec.inputChunks = before.inputChunks * n;
  spec.outputChunks = before.outputChunks * n;
  for (const CustomSpec::Output &output : before.outputs)
    for (uint32_t k = 0; k < n; ++k) {
      CustomSpec::Output image{output.rank, place(output.index, k, before.outputChunks), {}};
      for (Contribution c : output.contributions)
        image.contributions.push_back({c.rank, place(c.index, k, before.inputChunks)});
      spec.outputs.push_back(std::move(image));
    }
  std::sort(spec.outputs.begin(), spec.outputs.end(), [](const auto &a, const auto &b) {
    return std::pair(a.rank, a.index) < std::pair(b.rank, b.index);
  });
  return Collective(collective.ranks(), std::move(spec));
}

/// Adds the scratch buffers of \p program to \p builder, \p n times as long.
inline void refineScratch(const ChunkProgram &program, uint32_t n, ChunkProgramBuilder &builder) {
  for (const ScratchBuffer &buffer : program.scratch()) {
    uint16_t index = builder.scratchBuffer(buffer.name);
    for (uint32_t r = 0; r < program.info().ranks(); ++r)
      builder.growScratch(index, RankId(r), buffer.chunks[r] * n);
  }
}

/// The number of channels and instances that the directives of a program name; its copies use
/// numbers from these on.
struct NamedNumbers {
  uint32_t channels = 1, instances = 1;

  explicit NamedNumbers(ArrayRef<Directive> directives) {
    for (const Directive &directive : directives) {
      channels = std::max(channels, directive.channel.value_or(0) + 1);
      instances = std::max(instances, directive.instance + 1);
    }
  }
};

} // namespace cclc

#endif // CCL_LIB_TRANSFORMS_REFINE_H
