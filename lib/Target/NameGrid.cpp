//===- NameGrid.cpp - Coordinates in the names of nodes -------------------===//
//
// Lists of nodes have no coordinates, but names such as c3_5 or core.x3.y5 have. Two numbers in the
// names of all endpoints are coordinates if the rest of all names is equal, no two endpoints have
// equal ones, and every link between endpoints is a step along one of them. Steps between the first
// and the last one are the wrap-around links of a torus.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Shapes.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <set>

using namespace cclc;

namespace {
/// A name with a `*` for each number, and the numbers.
struct NumberedName {
  std::string rest;
  std::vector<uint32_t> numbers;
};

NumberedName split(StringRef name) {
  NumberedName result;
  while (!name.empty()) {
    uint32_t number;
    if (!llvm::isDigit(name.front())) {
      result.rest += name.front();
      name = name.drop_front();
    } else if (name.consumeInteger(10, number)) {
      return {}; // too large
    } else {
      result.rest += '*';
      result.numbers.push_back(number);
    }
  }
  return result;
}
} // namespace

std::optional<EndpointGrid> cclc::gridOfNames(const Machine &machine) {
  const uint32_t n = machine.numEndpoints();
  if (n < 4)
    return std::nullopt;
  std::vector<std::vector<uint32_t>> at;
  std::string rest;
  std::vector<uint32_t> sizes(2);
  for (uint32_t e = 0; e < n; ++e) {
    NumberedName name = split(machine.nodes()[machine.endpointNode(EndpointId(e)).index()].name);
    if (name.numbers.size() != sizes.size() || (e > 0 && name.rest != rest))
      return std::nullopt;
    rest = name.rest;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (name.numbers[d] >= maxEndpoints)
        return std::nullopt;
      sizes[d] = std::max(sizes[d], name.numbers[d] + 1);
    }
    at.push_back(std::move(name.numbers));
  }
  // A sparse grid is no picture of a machine.
  if (sizes[0] < 2 || sizes[1] < 2 || uint64_t(sizes[0]) * sizes[1] > uint64_t(2) * n ||
      std::set<std::vector<uint32_t>>(at.begin(), at.end()).size() != n)
    return std::nullopt;
  const std::vector<OptionalIndex> endpointOf = machine.endpointsByNode();
  for (const Link &link : machine.links()) {
    OptionalIndex a = endpointOf[link.from.index()], b = endpointOf[link.to.index()];
    if (!a || !b)
      return std::nullopt;
    auto distance = [&](size_t d) {
      uint32_t step = std::max(at[*a][d], at[*b][d]) - std::min(at[*a][d], at[*b][d]);
      return std::min(step, sizes[d] - step);
    };
    if (distance(0) + distance(1) != 1)
      return std::nullopt;
  }
  EndpointGrid grid{sizes, sizes, {}};
  for (const std::vector<uint32_t> &place : at)
    grid.places.push_back(place[0] + place[1] * sizes[0]);
  return grid;
}
