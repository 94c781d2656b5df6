//===- Cases.h - What to try of a program -----------------------*- C++ -*-===//
//
// Everything here follows from a program's declaration, so that a new program is
// tested without a line of its own: numbers of ranks, or every way to make them of
// parameters, or a machine with levels of many shapes.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TEST_LIBRARY_CASES_H
#define CCL_TEST_LIBRARY_CASES_H

#include "Plans.h"

namespace cclc::test {

using Values = std::vector<std::pair<std::string, std::string>>;

/// One compilation without the choices that every program has.
struct Case {
  Values parameters;
  std::optional<uint32_t> ranks;
  /// Changes to the machine `ahbm`, for a program that needs one with levels.
  std::optional<std::vector<std::string>> machine;

  /// "ranks=6", "nodes=2 ranks_per_node=3", "sips.count=3 cubes.width=2".
  std::string label() const;
  Case with(const std::string &parameter, const std::string &value) const;
};

/// 1 to 17, 24, 32 and 64; fewer with sanitizers, which are slow.
std::vector<uint32_t> rankCounts();

/// Programs that say who takes part do so because they need levels.
bool needsMachine(const dsl::Declaration &declaration);

/// For \p ranks ranks: one case, or every way to make them of the parameters that they
/// follow from. None for a program that needs a machine.
std::vector<Case> casesFor(const dsl::Declaration &declaration, uint32_t ranks);

/// SIPs in every topology, cubes in meshes, and several numbers of PEs.
std::vector<Case> machineCases();

/// \p base with one parameter after the other at values other than its default, but
/// for those that the ranks follow from. Machines give \p ranks.
std::vector<Case> variants(const dsl::Declaration &declaration, const Case &base, uint32_t ranks);

} // namespace cclc::test

#endif // CCL_TEST_LIBRARY_CASES_H
