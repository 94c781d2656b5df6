//===- Prediction.h - The simulated times of a run --------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_RUN_PREDICTION_H
#define CCL_TOOLS_CCL_RUN_PREDICTION_H

#include "cclc/Sim/PlacedPlan.h"
#include "cclc/Target/Loader.h"
#include "cclc/Views/Report/ChromeTrace.h"

#include <memory>

namespace cclc {

/// The simulation of a plan on a target.
class Prediction {
public:
  /// Loads \p target, a name or a file, with \p overrides; bundled ones are in \p targetDir. The
  /// plan must outlive the object.
  static FailureOr<Prediction> create(const ExecPlan &plan, const std::string &target,
                                      const std::string &targetDir, DiagnosticEngine &diags,
                                      ArrayRef<TargetOverride> overrides = {});

  FailureOr<SimTime> at(Bytes size, DataType type, DiagnosticEngine &diags) const;
  /// Writes the simulated timeline as a part of a trace.
  LogicalResult trace(Bytes size, DataType type, const TracePart &part, raw_ostream &os,
                      DiagnosticEngine &diags) const;

private:
  explicit Prediction(Machine loaded) : machine(std::make_unique<Machine>(std::move(loaded))) {}

  std::unique_ptr<Machine> machine; ///< at a fixed place, for `bound`
  std::unique_ptr<PlacedPlan> placed;
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_RUN_PREDICTION_H
