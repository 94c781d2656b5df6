//===- CallRecorder.h - The record of the calls of a job --------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_CALLRECORDER_H
#define CCL_LIB_RUN_MPI_CALLRECORDER_H

#include "CallData.h"

#include "cclc/Formats/CallRecord.h"

#include <mutex>

namespace cclc::run {

/// The calls of this process as the first rank of their communicators. Threads may add at the same
/// time.
class CallRecorder {
public:
  explicit CallRecorder(std::string path) : path(std::move(path)) {}

  /// \p call has been executed without an error.
  void add(const CollectiveCall &call, bool byPlan, std::chrono::nanoseconds time);

  /// Writes the calls of all processes in the first one. To be called by all, before MPI_Finalize.
  LogicalResult write(DiagnosticEngine &diags) const;

private:
  /// A loop over sizes has some thousands; more are recorded as powers of two.
  static constexpr size_t mostCalls = 4096;

  std::string path;
  std::mutex mutex;
  CallRecord record{1};
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_CALLRECORDER_H
