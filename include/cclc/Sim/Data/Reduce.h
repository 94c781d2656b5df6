//===- Reduce.h - Reductions by instruction set -----------------*- C++ -*-===//
//
// reduceFunction() of DataType.h selects the best instruction set of the processor. Tests and
// benchmarks select one themselves.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_DATA_REDUCE_H
#define CCL_SIM_DATA_REDUCE_H

#include "cclc/Sim/Data/DataType.h"

namespace cclc {

enum class InstructionSet : uint8_t {
  Baseline, ///< that of the build
  Avx2,     ///< AVX2 and F16C, on x86
};

InstructionSet bestInstructionSet();

/// The processor must have \p set.
ReduceFn reduceFunction(DataType type, ReduceOp op, InstructionSet set);

} // namespace cclc

#endif // CCL_SIM_DATA_REDUCE_H
