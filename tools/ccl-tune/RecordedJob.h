//===- RecordedJob.h - What to tune for a recorded job ----------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_TUNE_RECORDEDJOB_H
#define CCL_TOOLS_CCL_TUNE_RECORDEDJOB_H

#include "cclc/Formats/CallRecord.h"
#include "cclc/Sim/Data/DataType.h"

#include <optional>
#include <vector>

namespace cclc {

/// The calls of one collective on one number of ranks.
struct RecordedCollective {
  CollectiveKind collective;
  uint32_t ranks;
  std::vector<uint64_t> sizes = {}; ///< to tune for, ascending
};

/// What --for asks to tune.
struct RecordedJob {
  std::vector<RecordedCollective> collectives; ///< with most time first
  /// The type of most of the bytes that are reduced, if any are.
  std::optional<DataType> type;
  /// How many calls it has, and those that plans cannot execute, in one line.
  std::string summary;
};

/// Reads the record of \p path. If \p only is not empty, other collectives are left out.
FailureOr<RecordedJob> readRecordedJob(const std::string &path, ArrayRef<CollectiveKind> only,
                                       DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_TUNE_RECORDEDJOB_H
