//===- MeasuredTimes.h - Files of measured times ----------------*- C++ -*-===//

#ifndef CCL_FORMATS_MEASUREDTIMES_H
#define CCL_FORMATS_MEASUREDTIMES_H

#include "cclc/Support/Diagnostics.h"

namespace cclc {

/// What files of ccl-run --json have of executed plans.
struct MeasuredTimes {
  struct Time {
    std::string file; ///< of the plan, as it was named
    uint64_t bytes;
    double nanoseconds; ///< the median of the executions, or of the rounds of --turns; above 0
  };

  std::string transport; ///< "threads", "Open MPI 4.1.4"
  std::string type;      ///< of the elements: "f32"
  std::vector<Time> times;
};

/// Reads the files of one or several runs. Fails if they have no times, or those of different
/// transports or types.
FailureOr<MeasuredTimes> readMeasuredTimes(ArrayRef<std::string> files, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_FORMATS_MEASUREDTIMES_H
