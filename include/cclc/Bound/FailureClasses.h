//===- FailureClasses.h - Failures that cost the same -----------*- C++ -*-===//
//
// A machine is loaded without one of its parts, and its routes are collected. Parts without which
// the routed graphs are renumberings of each other (Bound/ShapeClasses.h) are one class. Routes are
// compared after the failure, not before it: where a rule selects one of several equal routes, the
// parts of a symmetric machine may differ.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_FAILURECLASSES_H
#define CCL_BOUND_FAILURECLASSES_H

#include "cclc/IR/Collective.h"
#include "cclc/Target/MachineParts.h"

namespace cclc {

/// The failures of single parts after which the collective is the same but for a renumbering.
struct FailureClass {
  std::vector<std::string> parts; ///< their names, in the order of the machine

  /// What remains without the first part. Unset if the root of the collective is lost with it.
  struct Remains {
    TargetRequest target; ///< of the machine without the part
    std::vector<EndpointId> endpoints;
    Collective collective;
  };
  std::optional<Remains> remains;
};

/// A collective between \c endpoints on a machine, which was loaded by \c target.
struct FailureRequest {
  const Machine &machine;
  ArrayRef<EndpointId> endpoints;
  const TargetRequest &target;
  const Collective &collective;
  PartKind part;
  StringRef option; ///< that names the part on the command line, for messages
  std::function<void(StringRef)> onStage = {};
};

/// Fails if the machine has no such part, or less than two ranks to lose one of.
LogicalResult checkParts(const FailureRequest &request, DiagnosticEngine &diags);

/// The classes in the order of their first parts. A rank whose loss is that of the root is a class
/// of its own. Fails if checkParts() does.
FailureOr<std::vector<FailureClass>> failureClasses(const FailureRequest &request,
                                                    DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_BOUND_FAILURECLASSES_H
