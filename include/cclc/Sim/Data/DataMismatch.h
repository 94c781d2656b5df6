//===- DataMismatch.h - A wrong result --------------------------*- C++ -*-===//

#ifndef CCL_SIM_DATA_DATAMISMATCH_H
#define CCL_SIM_DATA_DATAMISMATCH_H

#include "cclc/IR/Placements.h"
#include "cclc/Sim/Data/DataType.h"
#include "cclc/Support/Ids.h"
#include "cclc/Support/Units.h"

namespace cclc {

/// The first wrong element of the executions of a plan.
struct DataMismatch {
  uint32_t run; ///< counted from 0
  RankId rank;
  uint32_t chunk;
  uint64_t element; ///< index in the output buffer
  std::string expected, got;
  uint64_t more; ///< number of further wrong elements
};

/// Compares \p elements elements from element \p first of the output of \p rank on, which belong to
/// \p chunk, and adds the differences to \p mismatch.
void compareElements(DataType type, RankId rank, uint32_t chunk, uint32_t run, uint64_t first,
                     uint64_t elements, const std::byte *have, const std::byte *want,
                     std::optional<DataMismatch> &mismatch);

/// The text of an error message; \p runs is the number of repetitions.
std::string mismatchText(const DataMismatch &mismatch, Placement placement, Bytes requested,
                         uint32_t runs);

} // namespace cclc

#endif // CCL_SIM_DATA_DATAMISMATCH_H
