//===- Candidate.h - A plan that the tuner may try --------------*- C++ -*-===//

#ifndef CCL_SEARCH_TUNE_CANDIDATE_H
#define CCL_SEARCH_TUNE_CANDIDATE_H

#include "cclc/Compiler/Compile.h"
#include "cclc/Search/Tune/TuneProblem.h"

namespace cclc {

/// A program with its parameters and the options of its compilation. A value.
struct Candidate {
  const dsl::Declaration *program;
  /// The arguments of cclc that find the program; empty: it is a bundled one.
  std::string source = {};
  /// Those that differ from the default, in the order of the declaration.
  std::vector<std::pair<std::string, std::string>> parameters = {};
  Variant variant = {};
  /// The content of a user's program, whose file is \c source; empty: the program is none.
  std::string version = {};

  /// The value of a parameter, which may be its default.
  std::string valueOf(const dsl::ParamSpec &spec) const;
  /// This candidate with another value.
  Candidate with(const dsl::ParamSpec &spec, const std::string &value) const;

  /// The options of cclc that produce the plan, without those of the problem: "allreduce_ring -p
  /// channels=2 --protocol LL --instances 4". Equal texts are equal candidates.
  std::string command() const;
  /// The same for tables: "allreduce_ring channels=2, LL, 4 instances".
  std::string title() const;

  CompileRequest request(const TuneProblem &problem) const;
};

/// The limit of channels, aggregation and fusion of \p variant for the end of a title: ", at most 1
/// channel, not fused", or "".
std::string scheduleTitle(const Variant &variant);

/// The slots of \p variant for a title: ", 8 slots of 64 KiB", or "" if they are the target's.
std::string slotsTitle(const Variant &variant);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_CANDIDATE_H
