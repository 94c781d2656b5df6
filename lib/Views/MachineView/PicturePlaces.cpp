//===- PicturePlaces.cpp - Nested frames of boxes -------------------------===//
//
// A group is a block: its members in a grid, above them one row for the switches of each tier, and
// below them the switches that connect only its members, such as those of the GPUs of a server. The
// grid has the shape of the level of the geometry; other members are in one row if there are few of
// them, or in as many rows as make the block about 1.6 times as wide as high. A ring of members is
// a rectangle. Switches are in the order of the mean position of their neighbours, with which lines
// cross less (barycentre heuristic: Sugiyama et al., IEEE Trans. SMC 11, 1981). A switch above
// several rows of members is as wide as they are.
//
// Between the rows and columns of members is a lane for every switch that lines connect to them
// from outside.
//
//===----------------------------------------------------------------------===//

#include "MachinePicture.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace cclc;

namespace {
using Point = MachinePicture::Point;
using Rect = MachinePicture::Rect;
using Box = MachinePicture::Box;
using Edge = MachinePicture::Edge;

constexpr double framePadding = 10, titleHeight = 16, titleLetterWidth = 7;
constexpr double boxGap = 14, frameGap = 22, tierGap = 26;
constexpr size_t mostLanesOfGroup = 10;
constexpr double bestAspect = 1.6, widestRow = 1900;
/// An arc below a row is this part of its width high.
constexpr double arcHeight = 0.22;

struct Block {
  double width = 0, height = 0;
  std::vector<std::pair<uint32_t, Rect>> boxes;
  std::vector<MachinePicture::Frame> frames;

  void add(const Block &inner, double x, double y) {
    for (auto [box, at] : inner.boxes)
      boxes.push_back({box, {at.x + x, at.y + y, at.width, at.height}});
    for (auto [group, at] : inner.frames)
      frames.push_back({group, {at.x + x, at.y + y, at.width, at.height}});
    width = std::max(width, x + inner.width);
    height = std::max(height, y + inner.height);
  }
  /// Makes space at the left and at the top.
  void move(double x, double y) {
    Block moved;
    moved.add(*this, x, y);
    *this = std::move(moved);
  }
};

/// The members of a group, which are closed boxes, endpoints or frames.
struct Members {
  std::vector<Block> blocks;
  size_t columns = 1;
  bool isLoop = false;
  bool hasArcs = false; ///< direct links of members that are not neighbours
  bool hasFrames = false;
  size_t rows() const { return (blocks.size() + columns - 1) / columns; }
};

class NestedPlaces {
public:
  NestedPlaces(MachinePicture &picture, const Machine &machine, const MachineGroups &groups)
      : picture(picture), machine(machine), groups(groups), neighbours(picture.boxes.size()) {
    for (const Edge &edge : picture.edges) {
      neighbours[edge.from].push_back(edge.to);
      neighbours[edge.to].push_back(edge.from);
      countNets(edge);
    }
  }

  void run() {
    Block all = place({});
    for (auto [box, at] : all.boxes)
      picture.boxes[box].at = at;
    picture.frames = std::move(all.frames);
    picture.width = all.width;
    picture.height = all.height;
  }

private:
  /// A line from a switch outside to a box in nested groups needs a lane in each of these.
  void countNets(const Edge &edge) {
    for (uint32_t end : {edge.from, edge.to}) {
      uint32_t other = end == edge.from ? edge.to : edge.from;
      for (OptionalIndex group = picture.boxes[end].around;; group = groups.groups[*group].parent) {
        nets[group].insert(edge.from);
        if (!group || isInside(other, *group))
          break;
      }
    }
  }

  bool isInside(uint32_t box, uint32_t group) const {
    for (OptionalIndex around = picture.boxes[box].around; around;
         around = groups.groups[*around].parent)
      if (*around == group)
        return true;
    return false;
  }

  double lanesOf(OptionalIndex group) const {
    auto found = nets.find(group);
    return found == nets.end()
               ? 0
               : MachinePicture::laneWidth * std::min(found->second.size(), mostLanesOfGroup);
  }

  Block blockOf(uint32_t b) const {
    auto [width, height] = sizeOf(picture.boxes[b]);
    return {width, height, {{b, {0, 0, width, height}}}, {}};
  }

  /// The block of \p group with its frame; unset: the machine.
  Block place(OptionalIndex group) const {
    Members members = membersOf(group);
    const std::optional<size_t> level = columnsOfLevel(members.blocks.size(), group);
    members.hasArcs &= !level;
    std::map<double, std::vector<uint32_t>> above; // by tier, hubs below the others
    std::vector<uint32_t> below;
    for (uint32_t b = 0; b < picture.boxes.size(); ++b)
      if (const Box &box = picture.boxes[b]; box.around == group && !isMember(box))
        (isInternal(b, group) ? below : above[box.tier - (box.isHub ? 0.5 : 0)]).push_back(b);
    if (above.empty())
      std::swap(above[1], below);
    members.columns = level ? *level : columnsOf(members, group, above.size() + !below.empty());
    Block block = arrange(members, group);
    if (members.hasArcs)
      block.height += arcHeight * block.width;
    bool isWide = !members.isLoop && members.rows() > 1;
    for (const auto &[tier, row] : above)
      addRow(row, /*isAbove=*/true, isWide, group, block);
    if (!below.empty())
      addRow(below, /*isAbove=*/false, isWide, group, block);
    if (!group)
      return block;
    double title = groups.groups[*group].name.size() * titleLetterWidth + 2 * framePadding;
    block.move(framePadding + std::max(0.0, title - block.width - 2 * framePadding) / 2,
               framePadding + titleHeight);
    block.width = std::max(block.width + framePadding, title);
    block.height += framePadding;
    block.frames.insert(block.frames.begin(), {*group, {0, 0, block.width, block.height}});
    return block;
  }

  static bool isMember(const Box &box) { return box.tier == 0 && !box.isHub; }

  Members membersOf(OptionalIndex group) const {
    Members members;
    for (uint32_t g = 0; g < groups.groups.size(); ++g)
      if (groups.groups[g].parent == group)
        if (Block block = place(g); block.boxes.size() > 0) {
          members.blocks.push_back(std::move(block));
          members.hasFrames = true;
        }
    std::vector<uint32_t> own;
    for (uint32_t b = 0; b < picture.boxes.size(); ++b)
      if (picture.boxes[b].around == group && isMember(picture.boxes[b]))
        own.push_back(b);
    for (uint32_t b : own)
      members.blocks.push_back(blockOf(b));
    if (!members.hasFrames)
      findLinks(own, members);
    return members;
  }

  /// Whether the direct links of members form a ring, or connect some that are not neighbours.
  void findLinks(ArrayRef<uint32_t> own, Members &members) const {
    std::map<uint32_t, size_t> place;
    for (size_t i = 0; i < own.size(); ++i)
      place[own[i]] = i;
    size_t steps = 0, others = 0;
    for (const Edge &edge : picture.edges)
      if (auto a = place.find(edge.from), b = place.find(edge.to);
          a != place.end() && b != place.end()) {
        size_t i = std::min(a->second, b->second), k = std::max(a->second, b->second);
        ++(k - i == 1 || k - i + 1 == own.size() ? steps : others);
      }
    members.isLoop =
        own.size() >= 6 && own.size() == picture.boxes.size() && others == 0 && steps == own.size();
    constexpr size_t mostInArcs = 16;
    members.hasArcs = others > 0 && own.size() <= mostInArcs && own.size() > 2;
  }

  /// Whether \p box connects only members of \p group.
  bool isInternal(uint32_t box, OptionalIndex group) const {
    if (picture.boxes[box].isHub || neighbours[box].empty())
      return false;
    return llvm::all_of(neighbours[box], [&](uint32_t other) {
      return picture.boxes[other].around == group && isMember(picture.boxes[other]);
    });
  }

  // --- The grid of members ---------------------------------------------------------------

  /// The width of the level of the geometry whose members are those of \p group.
  std::optional<size_t> columnsOfLevel(size_t number, OptionalIndex group) const {
    uint64_t around = group ? groups.groups[*group].count : machine.numEndpoints();
    uint64_t rest = machine.geometry().ranks();
    for (const GridLevel &level : machine.geometry().levels) {
      if (rest == around && level.size() == number &&
          (level.kind == GridKind::Torus2D || level.kind == GridKind::Mesh2DNoWrap))
        return level.width;
      rest /= std::max(level.size(), 1u);
    }
    return std::nullopt;
  }

  size_t columnsOf(const Members &members, OptionalIndex group, size_t tiers) const {
    size_t n = members.blocks.size();
    // So few GPUs of a server are in one row, between those of switches.
    constexpr size_t mostInServer = 8;
    const bool isServer = !members.hasFrames && n <= mostInServer && (tiers > 1 || !group);
    if (n <= 1 || members.hasArcs || isServer)
      return std::max<size_t>(n, 1);
    double width = 0, height = 0;
    for (const Block &block : members.blocks) {
      width = std::max(width, block.width);
      height = std::max(height, block.height);
    }
    const double gap = members.hasFrames ? frameGap : boxGap, lanes = lanesOf(group);
    size_t best = n;
    double least = INFINITY;
    for (size_t columns = 1; columns <= n; ++columns) {
      size_t rows = (n + columns - 1) / columns;
      double across = columns * (width + gap + (rows > 1 ? lanes : 0));
      double down = rows * (height + gap + (rows > 1 ? lanes : 0)) + tiers * (tierGap + 22);
      // Several rows, or an incomplete one, only for a better shape.
      double cost = std::abs(std::log(across / down / bestAspect)) + (rows > 1 ? 0.9 : 0) +
                    0.3 * double(rows * columns - n) / double(columns) +
                    (across > widestRow ? 2 : 0);
      if (cost < least) {
        least = cost;
        best = columns;
      }
    }
    return best;
  }

  Block arrange(const Members &members, OptionalIndex group) const {
    Block result;
    const double lanes = members.rows() > 1 || members.isLoop ? lanesOf(group) : 0;
    const double gap = (members.hasFrames ? frameGap : boxGap) + lanes;
    std::map<uint32_t, double> widths, heights; // of columns and rows
    auto placeOf = [&](size_t i) {
      return members.isLoop
                 ? placeOnLoop(uint32_t(i), uint32_t(members.blocks.size()))
                 : std::pair(uint32_t(i % members.columns), uint32_t(i / members.columns));
    };
    for (size_t i = 0; i < members.blocks.size(); ++i) {
      auto [column, row] = placeOf(i);
      widths[column] = std::max(widths[column], members.blocks[i].width);
      heights[row] = std::max(heights[row], members.blocks[i].height);
    }
    auto toStarts = [gap](std::map<uint32_t, double> &sizes) {
      double at = 0;
      for (auto &[_, size] : sizes)
        at += std::exchange(size, at) + gap;
    };
    std::map<uint32_t, double> lefts = widths, tops = heights;
    toStarts(lefts);
    toStarts(tops);
    // With lines between columns, those to the first column are on its left-hand side.
    for (size_t i = 0; i < members.blocks.size(); ++i) {
      auto [column, row] = placeOf(i);
      const Block &block = members.blocks[i];
      result.add(block, lefts[column] + (widths[column] - block.width) / 2 + lanes / 2,
                 tops[row] + (members.hasFrames ? 0 : (heights[row] - block.height) / 2));
    }
    result.width += lanes / 2;
    return result;
  }

  // --- Rows of switches ------------------------------------------------------------------

  void addRow(std::vector<uint32_t> row, bool isAbove, bool isWide, OptionalIndex group,
              Block &block) const {
    if (row.empty())
      return;
    std::map<uint32_t, double> xs;
    for (auto [box, at] : block.boxes)
      xs[box] = at.centre().x;
    auto middle = [&](uint32_t box) {
      double sum = 0, number = 0;
      for (uint32_t other : neighbours[box])
        if (auto found = xs.find(other); found != xs.end()) {
          sum += found->second;
          ++number;
        }
      return number > 0 ? sum / number : block.width / 2;
    };
    std::vector<double> wanted;
    llvm::sort(row, [&](uint32_t a, uint32_t b) {
      // Rounded, so that rounding errors do not affect the order.
      return std::pair(std::llround(middle(a) * 16), a) <
             std::pair(std::llround(middle(b) * 16), b);
    });
    std::vector<Block> blocks;
    for (uint32_t box : row)
      blocks.push_back(blockOf(box));
    if (isWide && row.size() == 1)
      blocks[0].width = blocks[0].boxes[0].second.width = std::max(block.width, blocks[0].width);
    auto spread = [&](uint32_t box) {
      size_t i = llvm::find(row, box) - row.begin();
      return (double(i) + 0.5) * block.width / double(row.size());
    };
    Block line = isWide ? lineOf(row, blocks, spread, block.width)
                        : lineOf(row, blocks, middle, block.width);
    const double lanes = isWide ? lanesOf(group) : std::min(lanesOf(group), 12.0);
    const double gap = tierGap + lanes, left = std::max(0.0, line.width - block.width) / 2;
    if (isAbove)
      block.move(left, line.height + gap);
    else
      block.move(left, 0);
    block.add(line, 0, isAbove ? 0 : block.height + gap);
  }

  /// Places \p blocks beside each other, each as near to its wanted middle as the others allow. A
  /// row without space for that is spread evenly.
  template <class Fn>
  static Block lineOf(ArrayRef<uint32_t> row, ArrayRef<Block> blocks, Fn middle, double width) {
    double total = -boxGap;
    for (const Block &block : blocks)
      total += block.width + boxGap;
    Block line;
    if (total >= width) {
      double x = 0;
      for (const Block &block : blocks) {
        line.add(block, x, 0);
        x += block.width + boxGap;
      }
      return line;
    }
    // From both sides; the mean keeps all distances.
    size_t n = row.size();
    std::vector<double> there(n), back(n);
    double least = 0;
    for (size_t i = 0; i < n; ++i) {
      there[i] = std::max(least, middle(row[i]) - blocks[i].width / 2);
      least = there[i] + blocks[i].width + boxGap;
    }
    double most = width;
    for (size_t i = n; i-- > 0;) {
      back[i] = std::min(most, middle(row[i]) + blocks[i].width / 2) - blocks[i].width;
      most = back[i] - boxGap;
    }
    double left = INFINITY;
    for (size_t i = 0; i < n; ++i)
      left = std::min(left, (there[i] + back[i]) / 2);
    for (size_t i = 0; i < n; ++i)
      line.add(blocks[i], (there[i] + back[i]) / 2 - std::min(left, 0.0), 0);
    return line;
  }

  MachinePicture &picture;
  const Machine &machine;
  const MachineGroups &groups;
  std::vector<std::vector<uint32_t>> neighbours;    ///< by box
  std::map<OptionalIndex, std::set<uint32_t>> nets; ///< by group: upper ends of lines
};
} // namespace

void cclc::placeInFrames(MachinePicture &picture, const Machine &machine,
                         const MachineGroups &groups) {
  NestedPlaces(picture, machine, groups).run();
}
