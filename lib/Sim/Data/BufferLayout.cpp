//===- BufferLayout.cpp - Chunks in buffers of any size -------------------===//

#include "cclc/Sim/Data/BufferLayout.h"

#include "cclc/Support/Units.h"

using namespace cclc;

uint64_t cclc::chunksOfBuffer(const Collective &collective) {
  bool byOutput = collective.kind() == CollectiveKind::AllGather ||
                  collective.kind() == CollectiveKind::Gather || collective.inputChunks() == 0;
  return byOutput ? collective.outputChunks() : collective.inputChunks();
}

BufferLayout::BufferLayout(const Collective &collective, uint64_t elements)
    : chunksPerBlock(collective.custom() ? 1 : collective.chunks()),
      inputChunks(collective.inputChunks()), outputChunks(collective.outputChunks()) {
  uint64_t blocks = std::max<uint64_t>(chunksOfBuffer(collective) / chunksPerBlock, 1);
  perBlock = ceilDiv(elements, blocks);
  perChunk = ceilDiv(perBlock, chunksPerBlock);
}

uint64_t BufferLayout::elements(Buffer buffer) const {
  return (buffer == Buffer::Input ? inputChunks : outputChunks) / chunksPerBlock * perBlock;
}
