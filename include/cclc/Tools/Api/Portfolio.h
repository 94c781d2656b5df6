//===- Portfolio.h - The best plan for a size -------------------*- C++ -*-===//

#ifndef CCLC_API_PORTFOLIO_H
#define CCLC_API_PORTFOLIO_H

#include "cclc/Tools/Api/Plan.h"

namespace cclc::api {

/// A plan and the sizes for which it is the best one.
struct Choice {
  std::string collective;
  uint32_t ranks = 0;
  std::optional<uint32_t> ranksPerNode;
  std::optional<bool> inPlace;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes; ///< inclusive; unset: all larger sizes
  std::string file;                 ///< of the plan; empty if the portfolio was not loaded
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
  };
  std::vector<Point> points; ///< the simulated sizes

  /// The simulated size \p bytes, or null.
  const Point *at(uint64_t bytes) const;
  /// Reads the file, if the plan is not here. The plan is not proved.
  Result<Plan> plan() const;

  std::optional<Plan> made; ///< by Toolchain::tune
};

/// The plans of a machine.
struct Portfolio {
  std::string target;                ///< name or file
  std::vector<std::string> settings; ///< each "PATH=VALUE"
  std::string network, type;
  std::vector<Choice> choices;

  /// Reads the file portfolio.json that ccl-tune writes.
  static Result<Portfolio> load(const std::string &path);
  /// Writes the plans and portfolio.json to a folder, which is made if it does not exist, under the
  /// names of ccl-tune. Returns the path of portfolio.json.
  Result<std::string> save(const std::string &folder) const;

  /// The plan for a size, or null if there is none.
  const Choice *best(const std::string &collective, uint32_t ranks, uint64_t bytes) const;
};

} // namespace cclc::api

#endif // CCLC_API_PORTFOLIO_H
