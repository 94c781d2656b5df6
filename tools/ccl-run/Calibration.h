//===- Calibration.h - A target from measurements ---------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_RUN_CALIBRATION_H
#define CCL_TOOLS_CCL_RUN_CALIBRATION_H

#include "LinearFit.h"
#include "MicroPlan.h"
#include "RunArguments.h"

#include "cclc/Run/Group.h"

namespace cclc {

/// Executes small plans, and determines the values of a target with `processors` from their times.
class Calibration {
public:
  Calibration(run::Group &group, const RunArguments &args, Progress &progress,
              DiagnosticEngine &diags);

  LogicalResult run();
  /// Writes the target \p name, with the provenance of its values.
  void write(StringRef name, raw_ostream &os) const;

private:
  /// The least time of one plan and size.
  struct Measured {
    MicroPlan plan;
    uint64_t bytes;
    bool remote;
    uint32_t pieces = 1;
    double nanoseconds = 0;
  };
  /// Two ranks of different processors: the times of small and of large messages.
  struct Pair {
    uint32_t first, second;
    double small, large;
  };

  LogicalResult measureAll(std::vector<Measured> &wanted);
  LogicalResult measureOnce(Measured &wanted);
  LogicalResult measurePairs();
  std::vector<Measured> localPlans() const;
  std::vector<Measured> remotePlans() const;
  void fit(ArrayRef<Measured> all);
  /// The data of a stream do not change: read in memory, they would stay in the cache of the
  /// receiver. Threads send them through slots.
  bool usesSlots(const Measured &one) const {
    return single && one.plan.kind == MicroPlan::Kind::Stream;
  }
  /// The values that are found by trial.
  struct Trial {
    std::optional<uint64_t> direct; ///< the least bytes of a direct message
    uint64_t cache = 0;
    double factor = 1; ///< of the memory
  };
  std::vector<Observation> observations(ArrayRef<Measured> all, const Trial &trial) const;
  double cost(CostOf which) const { return costs[static_cast<size_t>(which)]; }

  run::Group &group;
  std::unique_ptr<run::Group> single; ///< one thread; null over MPI
  const RunArguments &args;
  Progress &progress;
  DiagnosticEngine &diags;
  uint64_t rounds;
  uint32_t processors;
  std::vector<Pair> pairs; ///< the fastest first

  // The results.
  std::vector<double> costs; ///< in nanoseconds
  Trial chosen;
  double error = 0;
  size_t numTimes = 0;
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_RUN_CALIBRATION_H
