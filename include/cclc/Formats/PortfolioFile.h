//===- PortfolioFile.h - Reading portfolios ---------------------*- C++ -*-===//
//
// portfolio.json, which `ccl-tune -o` writes, names the best plan of every collective, number of
// ranks and range of sizes.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_PORTFOLIOFILE_H
#define CCL_FORMATS_PORTFOLIOFILE_H

#include "cclc/IR/CollectiveKind.h"
#include "cclc/Support/Diagnostics.h"

#include <optional>

namespace cclc {

/// The time of a plan with one size.
struct PortfolioPoint {
  uint64_t bytes;
  double nanoseconds;
  /// The link bound over the time; unset if links do not limit the collective.
  std::optional<double> boundShare;
};

struct PortfolioFileRow {
  CollectiveKind collective;
  uint32_t ranks;
  uint64_t minBytes;
  std::optional<uint64_t> maxBytes; ///< unset: all larger sizes
  std::string plan;                 ///< path of the file
  std::string command;              ///< arguments of cclc that make the plan; may be empty
  std::vector<PortfolioPoint> points;

  /// Sizes are those of --bytes.
  bool covers(CollectiveKind kind, uint32_t numRanks, uint64_t bytes) const {
    return collective == kind && ranks == numRanks && bytes >= minBytes &&
           bytes <= maxBytes.value_or(bytes);
  }
};

struct PortfolioFile {
  /// The machine and the conditions of the times; empty if the file does not name them.
  std::string target;
  std::vector<std::string> settings; ///< each PATH=VALUE
  std::string network, type;
  std::vector<PortfolioFileRow> rows;
};

/// Reads the text of portfolio.json in \p folder; \p path names the file in messages.
FailureOr<PortfolioFile> readPortfolio(StringRef text, const std::string &folder,
                                       const std::string &path, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_FORMATS_PORTFOLIOFILE_H
