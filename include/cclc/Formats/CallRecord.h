//===- CallRecord.h - The collectives that a job called ---------*- C++ -*-===//
//
// `libccl-mpi` counts the calls of an application if CCL_MPI_RECORD names a file, and
// `ccl-tune --for` tunes for these calls.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_CALLRECORD_H
#define CCL_FORMATS_CALLRECORD_H

#include "cclc/IR/CollectiveKind.h"
#include "cclc/Support/Diagnostics.h"

#include <compare>
#include <map>
#include <string>

namespace cclc {

/// What calls have in common that one plan can execute.
struct RecordedCall {
  CollectiveKind collective;
  uint32_t ranks;
  uint64_t bytes; ///< those of --bytes
  /// Of a reduction: the nearest type of --dtype, that of the same size, and the operator, such as
  /// "sum" or "maxloc"; empty: plans do not have it.
  std::string type = {}, op = {};

  /// Whether plans can execute it.
  bool isCovered() const;
  friend auto operator<=>(const RecordedCall &, const RecordedCall &) = default;
};

/// Of the calls in the first rank of their communicator, with its waits for the other ranks.
struct RecordedTimes {
  uint64_t calls = 0, byPlans = 0, nanoseconds = 0;

  void operator+=(const RecordedTimes &other) {
    calls += other.calls;
    byPlans += other.byPlans;
    nanoseconds += other.nanoseconds;
  }
};

struct CallRecord {
  uint32_t processes = 0;
  /// Whether some bytes are rounded up to a power of two, because there were too many sizes.
  bool isRounded = false;
  std::map<RecordedCall, RecordedTimes> calls = {};

  void add(const CallRecord &other);
};

void writeCallRecord(const CallRecord &record, raw_ostream &os);
/// \p path names the file in messages.
FailureOr<CallRecord> readCallRecord(StringRef text, const std::string &path,
                                     DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_FORMATS_CALLRECORD_H
