//===- ParameterValues.h - The values of parameters to try ------*- C++ -*-===//
//
// The declaration of a parameter says how it is tuned, and the user of a search may say which
// values it has. A number that is doubled is a ladder, on which each value is twice the one below.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SEARCH_TUNE_PARAMETERVALUES_H
#define CCL_LIB_SEARCH_TUNE_PARAMETERVALUES_H

#include "cclc/DSL/Declaration.h"
#include "cclc/Search/Tune/Candidate.h"

namespace cclc {

class ParameterValues {
public:
  /// \p ranks limits the numbers that are on no ladder.
  ParameterValues(GivenValues given, uint32_t ranks) : given(std::move(given)), ranks(ranks) {}

  /// The limits of the ladder of a parameter; unset if it has none.
  struct Ladder {
    uint32_t lowest, highest;
  };
  std::optional<Ladder> ladder(const dsl::ParamSpec &spec) const;
  /// The value at which a search begins.
  std::string first(const dsl::ParamSpec &spec) const;
  /// \p candidate with the values at which a search begins.
  Candidate lowest(const Candidate &candidate) const;
  /// The other values that are tried with it; of an exhaustive search all, with the first.
  std::vector<std::string> others(const dsl::ParamSpec &spec, bool exhaustive = false) const;
  /// The values next to \p value.
  std::vector<std::string> nextTo(const dsl::ParamSpec &spec, const std::string &value) const;

  bool isGiven(const dsl::ParamSpec &spec) const { return given.count(spec.name) > 0; }
  /// Fails if no program of \p programs has a given parameter, or if one does not accept a value.
  LogicalResult check(ArrayRef<const dsl::Declaration *> programs, DiagnosticEngine &diags) const;

private:
  /// Those that the user gives, in canonical form.
  std::vector<std::string> givenTo(const dsl::ParamSpec &spec) const;

  GivenValues given;
  uint32_t ranks;
};

} // namespace cclc

#endif // CCL_LIB_SEARCH_TUNE_PARAMETERVALUES_H
