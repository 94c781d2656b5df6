//===- MeasuredFile.h - Outputs of nccl-tests and OSU -----------*- C++ -*-===//
//
// Reads the times of a collective from what its benchmark prints: the tables of nccl-tests and
// rccl-tests, and of the OSU Micro-Benchmarks. Other lines, such as those of a launcher, are
// skipped.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_MEASUREDFILE_H
#define CCL_TOOLS_MEASUREDFILE_H

#include "cclc/IR/Collective.h"
#include "cclc/Support/Diagnostics.h"
#include "cclc/Support/Units.h"

#include <optional>
#include <vector>

namespace cclc {

struct MeasuredFile {
  struct Row {
    /// In the meaning of the program: of OSU's all-gather, all-to-all, gather and scatter the bytes
    /// for one peer, else the buffer as in ccl-sim.
    uint64_t bytes;
    std::optional<SimTime> outOfPlace, inPlace;
  };
  std::string program;                      ///< "nccl-tests" or "OSU"
  std::optional<CollectiveKind> collective; ///< unset if the file does not name it
  std::optional<uint32_t> ranks;
  std::vector<Row> rows; ///< not empty

  /// The buffer of \p row for \p ranks ranks.
  Bytes bufferOf(const Row &row, const Collective &collective) const;
};

/// \p path names the file in messages, and the collective if the text does not.
FailureOr<MeasuredFile> parseMeasuredFile(StringRef text, StringRef path, DiagnosticEngine &diags);
FailureOr<MeasuredFile> readMeasuredFile(StringRef path, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_MEASUREDFILE_H
