//===- MicroPlan.h - The plans of a calibration -----------------*- C++ -*-===//
//
// Small plans whose times are sums of few costs, so that these follow from the times.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_RUN_MICROPLAN_H
#define CCL_TOOLS_CCL_RUN_MICROPLAN_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Support/Diagnostics.h"

#include <string>

namespace cclc {

/// The costs that a calibration determines, by their place in the coefficients of an observation.
enum class CostOf : uint8_t {
  Launch,        ///< of an execution
  Dispatch,      ///< of a step that sends or receives
  LocalDispatch, ///< of other steps
  Copied,        ///< of a byte that is copied into a slot or out of it
  Fetched,       ///< of a byte that one side of a message between processors fetches
  Latency,       ///< of a message between processors
  Reduced,       ///< of a byte that is reduced
  Local,         ///< of a byte that is copied by a local step
};
inline constexpr size_t numCosts = 8;

/// A plan of \p ranks ranks, and the numbers of its costs on its longest path.
struct MicroPlan {
  enum class Kind : uint8_t {
    PingPong,       ///< a message between two ranks, back and forth
    ReducePingPong, ///< the same, reduced when it is received
    Stream,         ///< messages from one rank to another
    Ring,           ///< all ranks send to the next one
    Exchange,       ///< every rank sends to and receives from every other one
    Copies,         ///< local copies of the first rank
    Reductions,     ///< local reductions of the first rank
  };
  Kind kind;
  uint32_t ranks;
  uint32_t first = 0, second = 1; ///< the ranks that communicate
  uint32_t repeats = 1;           ///< messages, rounds or local steps

  std::string name() const;
  FailureOr<ExecPlan> build(DiagnosticEngine &diags) const;
  /// A buffer in pieces.
  struct Setting {
    uint64_t bytes;
    uint32_t pieces;
    bool remote; ///< The ranks that communicate have different processors; else, one executes all.
    bool direct; ///< Messages are read in the memory of their senders.
  };
  std::vector<double> coefficients(const Setting &setting) const;
  /// The bytes that one processor uses: all ranks', or those of a rank that communicates.
  uint64_t footprint(const Setting &setting) const;

private:
  uint64_t connections() const;
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_RUN_MICROPLAN_H
