//===- Cases.h - Cases to test for each program -----------------*- C++ -*-===//
//
// The cases follow from a program's declaration, so that a new program is tested
// without further code: numbers of ranks, or all parameters that give them, or a
// machine with levels of many shapes.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TEST_LIBRARY_CASES_H
#define CCL_TEST_LIBRARY_CASES_H

#include "Plans.h"

namespace cclc::test {

using Values = std::vector<std::pair<std::string, std::string>>;

/// One compilation, without the options that are common to all programs.
struct Case {
  Values parameters;
  std::optional<uint32_t> ranks;
  /// Settings of the machine `ahbm`, for a program that requires one with levels.
  std::optional<std::vector<std::string>> machine;

  /// For example "ranks=6", "nodes=2 ranks_per_node=3" or "sips.count=3 cubes.width=2".
  std::string label() const;
  Case with(const std::string &parameter, const std::string &value) const;
};


/// True if the program fixes the participating endpoints, because it requires levels.
bool needsMachine(const dsl::Declaration &declaration);

/// For \p ranks ranks: one case, or all values of the parameters that determine the number of
/// ranks. None for a program that requires a machine.
std::vector<Case> casesFor(const dsl::Declaration &declaration, uint32_t ranks);

/// SIPs in every topology, cubes in meshes, and several numbers of PEs.
std::vector<Case> machineCases();

/// \p base with one parameter at a time at values other than its default, except for those that
/// determine the number of ranks. Machines provide \p ranks.
std::vector<Case> variants(const dsl::Declaration &declaration, const Case &base, uint32_t ranks);

} // namespace cclc::test

#endif // CCL_TEST_LIBRARY_CASES_H
