//===- Measurement.h - The results of executions ----------------*- C++ -*-===//
//
// The table of ccl-run has the columns of nccl-tests, with the spread of the times instead of an
// average.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_RUN_MEASUREMENT_H
#define CCL_TOOLS_CCL_RUN_MEASUREMENT_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Sim/Data/DataType.h"
#include "cclc/Support/Units.h"

#include <chrono>

namespace cclc {

/// One size of a plan.
struct MeasuredSize {
  Bytes bytes;
  uint32_t pieces;
  /// Of the measured executions, ascending; empty without --iterations.
  std::vector<std::chrono::nanoseconds> times;
  /// Those of the MPI library's own collective; empty if they were not measured.
  std::vector<std::chrono::nanoseconds> native;
  std::optional<SimTime> predicted;
  /// Whether the data were right; unset if they were not compared.
  std::optional<bool> right;
};

/// One plan.
struct MeasuredPlan {
  std::string file, name;
  Collective collective;
  std::string transport;
  uint32_t slots;
  DataType type;
  ReduceOp op;
  Placement placement;
  std::vector<MeasuredSize> sizes;
};

void printHead(const MeasuredPlan &plan, raw_ostream &os);
void printRow(const MeasuredPlan &plan, const MeasuredSize &size, raw_ostream &os);
/// The keys are documented in docs/CommandGuide/ccl-run.md. \p complete is false after an
/// interrupt.
void writeMeasurements(ArrayRef<MeasuredPlan> plans, bool complete, raw_ostream &os);

} // namespace cclc

#endif // CCL_TOOLS_CCL_RUN_MEASUREMENT_H
