//===- ExpectedData.h - The result by definition ----------------*- C++ -*-===//
//
// The outputs of a collective, computed directly from its definition and the inputs, without a
// plan. The result is exact for data whose partial reductions are exact (InputData without a seed).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_DATA_EXPECTEDDATA_H
#define CCL_SIM_DATA_EXPECTEDDATA_H

#include "cclc/Sim/Data/InputData.h"

#include <vector>

namespace cclc {

class ExpectedData {
public:
  /// The arguments must outlive the object.
  ExpectedData(const Collective &collective, const InputData &inputs, DataType type, ReduceOp op,
               uint64_t chunkElements);

  /// Whether the outputs are sums over all ranks.
  bool needsSums() const { return reduces(collective.kind()) && !isScan(collective.kind()); }
  /// Optional, once for every rank in order: the whole input of a rank in run 0, while it is in the
  /// cache. Without it, inputs are computed again.
  void addInput(const std::byte *input);

  /// The elements of output chunk \p chunk of \p rank after \p run, valid until the next call; null
  /// if the definition does not constrain them.
  const std::byte *chunk(RankId rank, uint32_t chunk, uint32_t run);

private:
  uint64_t inputElements() const { return collective.inputChunks() * chunkElements; }
  void addUp(uint32_t ranks, uint32_t run);
  void compute(const Expectation &expectation, uint32_t run);

  const Collective &collective;
  const InputData &inputs;
  DataType type;
  ReduceOp op;
  uint64_t chunkElements;
  ReduceFn reduce;
  /// The reduction over the first `summed` ranks in run sumsOf, by input chunk.
  std::vector<std::byte> sums;
  uint32_t summed = 0, sumsOf = 0;
  /// The last computed value, which is the same for many chunks.
  Expectation last;
  uint32_t lastRun = 0;
  std::vector<std::byte> elements;
};

} // namespace cclc

#endif // CCL_SIM_DATA_EXPECTEDDATA_H
