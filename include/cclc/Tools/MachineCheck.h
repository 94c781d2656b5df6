//===- MachineCheck.h - Parts of a machine that are slower ------*- C++ -*-===//
//
// The work of `cclc targets check`: the findings about a machine, and what each one costs, as the
// lower bounds of two machines.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_MACHINECHECK_H
#define CCL_TOOLS_MACHINECHECK_H

#include "cclc/IR/CollectiveKind.h"
#include "cclc/Support/Units.h"
#include "cclc/Target/Import/Health.h"

#include <array>

namespace cclc {

struct CheckedMachine {
  /// The collectives whose bounds say what a finding costs, and the size of their buffers.
  static constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                             CollectiveKind::AllToAll};
  static constexpr Bytes bytes{uint64_t(1) << 30};
  /// By kind. SimTime::max(): there is no path.
  using Times = std::array<SimTime, std::size(kinds)>;

  struct Cost {
    Times with, without;
  };
  struct Checked {
    Finding finding;
    std::optional<Cost> cost;
  };

  std::string file;
  std::string summary; ///< what was compared
  std::vector<Checked> findings;

  void print(raw_ostream &os) const;
  /// Writes JSON; docs/CommandGuide/cclc.md documents the keys.
  void writeJson(raw_ostream &os) const;
  /// Reports each finding as an error.
  void addErrors(DiagnosticEngine &diags) const;
};

/// Checks the machine in \p file, a target or a file of another tool, whose parts are compared with
/// each other or with those of the target \p against. \p targetDir has the bundled targets.
FailureOr<CheckedMachine> checkMachine(const std::string &file,
                                       const std::optional<std::string> &against,
                                       const std::string &targetDir, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_MACHINECHECK_H
