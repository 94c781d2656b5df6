//===- InputData.h - The data of a test -------------------------*- C++ -*-===//
//
// Inputs are functions of run, rank and element (hashed with splitmix64: Steele, Lea and Flood,
// OOPSLA 2014), so that an expected output is computed directly from the definition of the
// collective, without a second copy of the buffers. Elements are numbered over the chunks of a
// buffer, padding included.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_DATA_INPUTDATA_H
#define CCL_SIM_DATA_INPUTDATA_H

#include "cclc/IR/Collective.h"
#include "cclc/Sim/Data/DataType.h"

namespace cclc {

/// The values of the inputs at the beginning of each run. Every partial reduction of these is exact
/// in the type, in any order; with a seed they are random instead.
class InputData {
public:
  InputData(const Collective &collective, DataType type, ReduceOp op, std::optional<uint64_t> seed)
      : ranks(collective.ranks()),
        reduces(cclc::reduces(collective.kind()) || collective.kind() == CollectiveKind::Custom),
        type(type), op(op), seed(seed) {}

  bool isRandom() const { return seed.has_value(); }
  /// Stores \p count elements of the input of \p rank in \p run, from \p element on.
  void store(void *place, RankId rank, uint64_t element, uint64_t count = 1,
             uint32_t run = 0) const;

private:
  void exactValues(MutableArrayRef<int32_t> values, uint32_t rank, uint64_t element,
                   uint32_t run) const;

  uint32_t ranks;
  bool reduces;
  DataType type;
  ReduceOp op;
  std::optional<uint64_t> seed;
};

/// Completes a reduction: for an average, divides \p elements, a sum, by the number of
/// contributions in \p expectation.
void finishReduction(const Expectation &expectation, DataType type, ReduceOp op, void *sum,
                     size_t elements);

} // namespace cclc

#endif // CCL_SIM_DATA_INPUTDATA_H
