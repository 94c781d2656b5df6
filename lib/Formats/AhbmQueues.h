//===- AhbmQueues.h - The queues of an algorithm module ---------*- C++ -*-===//

#ifndef CCL_LIB_FORMATS_AHBMQUEUES_H
#define CCL_LIB_FORMATS_AHBMQUEUES_H

#include "cclc/Formats/AhbmModule.h"
#include "cclc/IR/Connections.h"
#include "cclc/Target/Machine.h"

namespace cclc::kernbench {

/// The queue of a connection, named at both ends.
struct Queue {
  Direction atSender, atReceiver;
};

struct Queues {
  std::vector<QueueEnd> ends; ///< as they are installed
  std::vector<Queue> ofConnection;
};

/// The queues of \p plan: those of its table of neighbours if it names some, otherwise queues in
/// the groups that the places of the ranks on \p machine determine. Error: there are too few.
FailureOr<Queues> findQueues(const ExecPlan &plan, const Machine &machine,
                             const ConnectionTable &connections, DiagnosticEngine &diags);

/// Reports a feature that the contract of modules cannot express.
inline DiagnosticEngine::InFlight illegal(DiagnosticEngine &diags, const llvm::Twine &what,
                                          Location loc = {}) {
  return diags.error(std::move(loc), "illegal for ahbm-module: " + what);
}

} // namespace cclc::kernbench

#endif // CCL_LIB_FORMATS_AHBMQUEUES_H
