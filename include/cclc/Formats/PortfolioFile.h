//===- PortfolioFile.h - The file of a portfolio ----------------*- C++ -*-===//
//
// portfolio.json, which `ccl-tune -o` writes, names the best plan of every collective, number of
// ranks and range of sizes, and the sizes without one.
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
  /// The largest lower bound over the time; unset if nothing limits the collective.
  std::optional<double> boundShare;
  std::string binds = {}; ///< the name of that bound
  /// By measurement: the times of the plan, and of the MPI library's collective beside it.
  std::optional<double> measuredNanoseconds = {}, libraryNanoseconds = {};
  /// After a failure: the times with all parts, and with the plan for all parts; unset: none runs.
  std::optional<double> beforeNanoseconds = {}, unchangedNanoseconds = {};
};

struct PortfolioFileRow {
  CollectiveKind collective;
  uint32_t ranks;
  std::optional<uint32_t> ranksPerNode = {};
  std::optional<bool> isInPlace = {};
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes = {};   ///< unset: all larger sizes
  std::string plan = {};                   ///< path of the file
  std::string runtime = {};                ///< that executes it (Target/Runtime.h); may be empty
  std::string protocol = {}, command = {}; ///< may be empty; \p command: arguments of cclc
  uint64_t multiple = 1; ///< the plan executes multiples of these bytes in its range
  std::optional<uint32_t> threadblocks = {}; ///< of the rank with most
  std::optional<uint32_t> channels = {};
  std::optional<uint64_t> reductionOrder = {}; ///< a hash, if all rows have the same order
  std::vector<PortfolioPoint> points = {};

  /// Whether the plan has steps, which processes and threads execute; so it has in a file that
  /// names no runtime.
  bool hasSteps() const;
  /// Sizes are those of --bytes.
  bool covers(CollectiveKind kind, uint32_t numRanks, uint64_t bytes) const {
    return collective == kind && ranks == numRanks && bytes >= minBytes &&
           bytes <= maxBytes.value_or(bytes);
  }
};

/// Requested sizes that no plan serves: those of --bytes, both included.
struct PortfolioGap {
  CollectiveKind collective;
  uint32_t ranks;
  std::string runtime;
  uint64_t minBytes, maxBytes;
  std::string reason = {}; ///< that of one plan, for the smallest of the measured sizes
  /// Whether plans were measured, and the library's own collective is to be called.
  bool isOfLibrary = false;

  /// "no plan of rccl serves 1000 to 15999 bytes of allreduce over 8 ranks: ...".
  std::string text() const;
};

/// The plans for a machine without one part.
struct PortfolioFailure {
  CollectiveKind collective;
  std::string runtime;
  std::string without;            ///< "link", "nic" or "rank"
  std::vector<std::string> parts; ///< the rows serve the loss of any one; times: of the first
  std::string lost = {};          ///< why there are no rows
  std::vector<PortfolioFileRow> rows = {};
};

struct PortfolioFile {
  /// The machine and the conditions of the times; empty if the file does not name them.
  std::string target = {};
  std::vector<std::string> settings = {}; ///< each PATH=VALUE
  std::string network = {}, type = {};
  std::vector<PortfolioFileRow> rows = {};
  /// Whether a limit ended the search of a collective, so that there may be faster plans.
  bool isPartial = false;
  std::vector<PortfolioGap> gaps = {};
  std::vector<PortfolioFailure> failures = {};
  /// The names of all other files of the portfolio in its folder, which its writer removes when it
  /// replaces them.
  std::vector<std::string> files = {};
};

/// Writes a portfolio as JSON. The paths of the plans are relative to the folder of the file.
void writePortfolioFile(const PortfolioFile &file, raw_ostream &os);

/// Reads portfolio.json in \p folder.
FailureOr<PortfolioFile> readPortfolio(const std::string &folder, DiagnosticEngine &diags);
/// Reads the text of portfolio.json in \p folder; \p path names the file in messages.
FailureOr<PortfolioFile> readPortfolio(StringRef text, const std::string &folder,
                                       const std::string &path, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_FORMATS_PORTFOLIOFILE_H
