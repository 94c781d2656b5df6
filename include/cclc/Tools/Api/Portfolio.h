//===- Portfolio.h - The best plan for a size -------------------*- C++ -*-===//

#ifndef CCLC_API_PORTFOLIO_H
#define CCLC_API_PORTFOLIO_H

#include "cclc/Tools/Api/Plan.h"

namespace cclc::api {

/// The rows of a choice in the tables of a runtime that chooses among its own algorithms.
struct Selections;

/// A plan and the sizes for which it is the best one.
struct Choice {
  std::string collective;
  uint32_t ranks = 0;
  std::optional<uint32_t> ranksPerNode;
  std::optional<bool> inPlace;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes; ///< inclusive; unset: all larger sizes
  std::string file;                 ///< of the plan; empty if the portfolio was not loaded
  std::string runtime;              ///< that executes it, a value of --runtime; may be empty
  uint64_t multiple = 1; ///< the plan executes sizes of the range that are multiples of these bytes
  std::string protocol;
  std::string command;                  ///< the arguments of cclc that make the plan
  std::optional<uint32_t> threadblocks; ///< of the rank with most
  std::optional<uint32_t> channels;
  std::optional<uint64_t> reductionHash; ///< as in Proof; only if all choices have the same

  struct Point {
    uint64_t bytes = 0;
    int64_t picoseconds = 0;
    std::optional<double> boundShare; ///< as in Timing
    std::string binds;                ///< as in Timing; empty in files of older versions
    /// By ccl-tune --measure: the times of the plan, and of the MPI library's collective beside it.
    std::optional<int64_t> measuredPicoseconds = {}, libraryPicoseconds = {};
  };
  std::vector<Point> points; ///< the simulated sizes

  /// The simulated size \p bytes, or null.
  const Point *at(uint64_t bytes) const;
  /// Reads the file, if the plan is not here. The plan is not proved. Fails for files that no tool
  /// reads as a plan: modules of AHBM, and tables of choices.
  Result<Plan> plan() const;

  // By Toolchain::tune:
  std::optional<Plan> made; ///< the plan of the text; of a module or a table, that of the command
  std::string text;         ///< that the runtime loads; empty for tables
  std::shared_ptr<const Selections> selections;
};

/// Sizes of a request that no plan serves, both included.
struct Gap {
  std::string collective, runtime;
  uint32_t ranks = 0;
  uint64_t minBytes = 0, maxBytes = 0;
  std::string reason; ///< that of one plan; may be empty
  /// Whether plans were measured, and the MPI library's own collective is to be called.
  bool isOfLibrary = false;
};

/// The plans of a machine.
struct Portfolio {
  std::string target;                ///< name or file
  std::vector<std::string> settings; ///< each "PATH=VALUE"
  std::string network, type;
  std::vector<Choice> choices;
  std::vector<Gap> gaps = {};
  /// Whether a limit ended a search, so that there may be faster plans.
  bool isPartial = false;

  /// Reads the file portfolio.json that ccl-tune writes.
  static Result<Portfolio> load(const std::string &path);
  /// Writes what the runtimes load and portfolio.json to a folder, which is made if it does not
  /// exist, under the names of ccl-tune: runtime/NAME has exactly the files that the runtime NAME
  /// reads. Returns the path of portfolio.json.
  Result<std::string> save(const std::string &folder) const;

  /// The plan for a size, or null if there is none.
  const Choice *best(const std::string &collective, uint32_t ranks, uint64_t bytes) const;
};

} // namespace cclc::api

#endif // CCLC_API_PORTFOLIO_H
