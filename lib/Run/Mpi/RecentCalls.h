//===- RecentCalls.h - What is known of repeated calls ----------*- C++ -*-===//
//
// A small call costs as much as what is asked about its arguments. Applications repeat a few calls,
// so what the last ones have shown is kept: which execution they have, or that the MPI library
// executes them. Only calls whose handles remain what they are while their communicator exists are
// kept: those with types and operators of MPI.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_RECENTCALLS_H
#define CCL_LIB_RUN_MPI_RECENTCALLS_H

#include "CallKey.h"
#include "CallReduction.h"
#include "CallStatistics.h"

#include <array>
#include <optional>

namespace cclc::run {

class PlanCommunicator;

/// What an execution depends on.
struct CallSubject {
  CallKey key;
  std::optional<CallReduction> reduction;
  PlanCommunicator *communicator = nullptr;
  /// Types and operator are MPI's own, whose handles remain what they are.
  bool hasLastingHandles = false;
};

class RecentCalls {
public:
  struct Known {
    CollectiveCall call;
    CallSubject subject;
    std::optional<Reason> left; ///< why the MPI library executes the call
  };

  /// Null if nothing is kept of calls that are like \p call but for its addresses.
  const Known *find(const CollectiveCall &call) const {
    const std::optional<Known> &known = calls[placeOf(call)];
    return known && areLike(known->call, call) ? &*known : nullptr;
  }
  bool areLeft(const CollectiveCall &call) const {
    const Known *known = find(call);
    return known && known->left;
  }
  /// Keeps what is known of \p call, which may take the place of another.
  void keep(const CollectiveCall &call, const CallSubject &subject, std::optional<Reason> left) {
    calls[placeOf(call)] = {call, subject, left};
  }
  /// To be called when a handle may have become another communicator's, or another plan is chosen.
  void forget() { calls = {}; }

private:
  static bool areLike(const CollectiveCall &a, const CollectiveCall &b) {
    auto areEqual = [](const TypedData &data, const TypedData &other) {
      return data.type == other.type && data.count == other.count;
    };
    return a.kind == b.kind && a.comm == b.comm && areEqual(a.recvData, b.recvData) &&
           a.op == b.op && a.root == b.root && a.isBarrier == b.isBarrier &&
           a.isInPlace() == b.isInPlace() && (a.isInPlace() || areEqual(a.sendData, b.sendData));
  }
  static size_t placeOf(const CollectiveCall &call) {
    return (uint32_t(call.recvData.count) * 0x9e3779b9u >> 28) ^ size_t(call.kind) % 16;
  }

  std::array<std::optional<Known>, 16> calls;
};

/// Null while no plans are used, or all calls have to be counted.
extern const RecentCalls *recentCalls;

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_RECENTCALLS_H
