//===- Health.h - Parts that differ from their siblings ---------*- C++ -*-===//
//
// GPUs, NICs, links and cables of a machine that have less than most others of their kind, or than
// those of a reference, are probably broken. What they cost follows from two targets: the machine
// in which only these parts differ, and the one in which none does.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TARGET_IMPORT_HEALTH_H
#define CCL_TARGET_IMPORT_HEALTH_H

#include "cclc/Target/Import/Import.h"

namespace cclc {

class Machine;

/// Parts that differ in the same way.
struct Finding {
  std::string text;               ///< names the parts, what differs, and both numbers
  std::string remedy;             ///< how to examine them
  std::vector<std::string> parts; ///< "gpu1", "leaf2 port 18"
  /// Sentences about single parts, if the text does not name them: "leaf2 port 18 and spine2 port 2
  /// have no cable".
  std::vector<std::string> details;
  /// The texts of the target in which the parts alone differ, and of the one in which none does;
  /// empty if it is not known what the parts would have.
  std::string with, without;
  /// Whether a second node shows what the parts cost, if the targets have one node but may have more.
  bool needsSecondNode = false;
};

struct MachineHealth {
  std::string target;  ///< its text
  std::string summary; ///< what was compared: "4 GPUs, 2 NICs"
  std::vector<Finding> findings;
};

/// Whether importMachine() knows the format of \p text.
bool isForeign(StringRef text);

/// Imports \p file and compares the GPUs and NICs of each host. Without a summary, the file has
/// none of these: its target is to be examined.
FailureOr<MachineHealth> examineFile(const ForeignFile &file, const ImportOptions &options,
                                     DiagnosticEngine &diags);

/// Compares the GPUs and NICs of \p machine, whose target has the text \p target, with each other
/// or, if \p reference is not null, with those of the reference; and its switches and cables with
/// others of their tier.
MachineHealth examineTarget(const Machine &machine, const std::string &target,
                            const Machine *reference);

} // namespace cclc

#endif // CCL_TARGET_IMPORT_HEALTH_H
