//===- Stall.h - The state of a stalled execution ---------------*- C++ -*-===//
//
// The diagnosis of an execution that makes no progress: the position of every unfinished
// threadblock, and the cycle of waits among them, or the chain that ends at a rank that does not
// answer.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_STALL_H
#define CCL_RUN_STALL_H

#include "cclc/Run/PreparedPlan.h"

namespace cclc::run {

/// The next step of a threadblock and what it waits for.
struct Position {
  enum class Reason : uint8_t {
    None,       ///< nothing: it can be executed
    Message,    ///< a message from its receive peer
    Slot,       ///< a free slot to its send peer
    Dependence, ///< another threadblock of its rank
    Unsent,     ///< the send peer of a threadblock of its rank, whose message it would overwrite
  };
  PlanThreadblockId threadblock;
  StepId step;
  uint32_t piece;
  Reason reason;
  std::optional<uint32_t> unsent; ///< the threadblock of Reason::Unsent
};

/// Reports why the threadblocks at \p positions (of the ranks that answered) do not go on. \p cause
/// is the reason of the report: "no progress for 10 s".
void reportStall(const PreparedPlan &plan, ArrayRef<Position> positions, const std::string &cause,
                 DiagnosticEngine &diags);

} // namespace cclc::run

#endif // CCL_RUN_STALL_H
