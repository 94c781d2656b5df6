//===- LinkMarks.cpp - Links that are missing or slow ---------------------===//
//
// Links are siblings if the names of their nodes are equal apart from numbers and, in a grid, if
// they connect the same two columns or the same two rows, so that borders of blocks are no
// exception.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/MachineView/LinkMarks.h"

#include "cclc/Target/Names.h"

#include <map>
#include <tuple>

using namespace cclc;
namespace {
/// A rate is an exception if the usual one is this many times as frequent. Direct links between
/// endpoints differ in some servers by design.
constexpr size_t fewestUsual = 4, fewestUsualInGrid = 2, fewestUsualOfDirect = 16;

class Marker {
public:
  explicit Marker(const Machine &machine)
      : machine(machine), endpointOf(machine.endpointsByNode()) {
    for (const Node &node : machine.nodes())
      classes.push_back(
          numbers.try_emplace(nodeNameClass(node.name), uint32_t(numbers.size())).first->second);
  }

  std::vector<LinkMark> run() {
    std::map<Kind, std::map<uint64_t, size_t>> rates;
    for (const Link &link : machine.links())
      if (link.present && !link.bandwidth.isUnlimited())
        ++rates[kindOf(link)][link.bandwidth.bytesPerSecond()];
    std::vector<LinkMark> marks;
    for (const Link &link : machine.links())
      marks.push_back(!link.present                          ? LinkMark::Missing
                      : link.bandwidth.isUnlimited()         ? LinkMark::None
                      : isSlow(link, rates.at(kindOf(link))) ? LinkMark::Slow
                                                             : LinkMark::None);
    return marks;
  }

private:
  /// A step in a grid: the dimension from 1, and the coordinates of both ends in it. In a row, all
  /// steps inside blocks are equal, and so are those between blocks. Zeros without a grid.
  using Step = std::tuple<size_t, uint32_t, uint32_t>;
  /// The classes of both names, and the step.
  using Kind = std::tuple<uint32_t, uint32_t, Step>;

  Kind kindOf(const Link &link) const {
    size_t from = link.from.index(), to = link.to.index();
    return {classes[from], classes[to], stepOf(endpointOf[from], endpointOf[to])};
  }

  Step stepOf(OptionalIndex from, OptionalIndex to) const {
    if (!machine.grid() || !from || !to)
      return {};
    const EndpointGrid &grid = *machine.grid();
    uint32_t a = grid.places[*from], b = grid.places[*to];
    for (size_t d = 0; d < grid.sizes.size(); ++d) {
      uint32_t size = grid.sizes[d], i = a % size, j = b % size;
      if (i != j && size == grid.places.size())
        return {d + 1, 0, i / grid.blocks[d] != j / grid.blocks[d]};
      if (i != j)
        return {d + 1, std::min(i, j), std::max(i, j)};
      a /= size;
      b /= size;
    }
    return {};
  }

  bool isSlow(const Link &link, const std::map<uint64_t, size_t> &rates) const {
    size_t most = 0;
    uint64_t usual = 0;
    for (auto [rate, number] : rates)
      if (number >= most) {
        most = number;
        usual = rate;
      }
    bool isDirect = endpointOf[link.from.index()] && endpointOf[link.to.index()];
    size_t times = !isDirect        ? fewestUsual
                   : machine.grid() ? fewestUsualInGrid
                                    : fewestUsualOfDirect;
    uint64_t rate = link.bandwidth.bytesPerSecond();
    return rate < usual && times * rates.at(rate) <= most;
  }

  const Machine &machine;
  std::vector<OptionalIndex> endpointOf; ///< by node
  std::map<std::string, uint32_t> numbers;
  std::vector<uint32_t> classes; ///< by node
};
} // namespace

std::vector<LinkMark> cclc::markLinks(const Machine &machine) { return Marker(machine).run(); }
