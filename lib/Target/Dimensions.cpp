//===- Dimensions.cpp - Networks composed of dimensions -------------------===//
//
// The endpoints form a grid with any number of dimensions. All endpoints that differ only in one
// coordinate are connected as a ring, as a line, by a switch, or each with each other, with the
// rate of that dimension. Tori are rings in every dimension, meshes are lines, and a hypercube has
// rings of two. Collective simulators describe hierarchical platforms in the same way (Won et al.,
// "ASTRA-sim 2.0", ISPASS 2023).
//
// Routes correct one coordinate after the other, beginning with dimension 0, whose neighbours have
// successive numbers. In a ring they take the shorter direction and, if both are equal, the one
// upwards. Of n parallel links, channel c takes link c mod n. Where places of the grid are absent,
// routes are the shortest paths in the graph of links.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace cclc;
using llvm::formatv;

namespace {

enum class Connects : uint32_t { Ring, Line, Switch, All };

struct Dimension {
  std::string name;
  Connects connects = Connects::Ring;
  uint32_t size = 1;
  uint32_t stride = 1;   ///< difference of the numbers of neighbours
  uint32_t parallel = 1; ///< links in each direction between neighbours
  LinkValues link;
  /// Neighbours on the two sides of a border have other links: a block ends after this number of
  /// coordinates. Unset: there are no borders.
  std::optional<uint32_t> block;
  LinkValues border;
  SimTime overhead; ///< of the switches
  /// By endpoint: the link to the next endpoint, or to the switch; the first of parallel ones, of
  /// which each is two numbers after the one before, since links come in pairs.
  std::vector<LinkId> up;
  /// By endpoint: the link to the previous endpoint, or from the switch.
  std::vector<LinkId> down;
  /// By endpoint, then by coordinate: the link to the endpoint there.
  std::vector<LinkId> direct;

  uint32_t coordinate(uint32_t endpoint) const { return endpoint / stride % size; }
  uint32_t at(uint32_t endpoint, uint32_t coordinate) const {
    return endpoint + (coordinate - this->coordinate(endpoint)) * stride;
  }
};

class DimensionRouting : public Routing {
public:
  explicit DimensionRouting(std::vector<Dimension> dimensions)
      : dimensions(std::move(dimensions)) {}

  void route(const Machine &machine, EndpointId src, EndpointId dst,
             SmallVectorImpl<LinkId> &links) const override {
    routeOnChannel(machine, src, dst, ChannelId(0), links);
  }
  void routeOnChannel(const Machine &, EndpointId src, EndpointId dst, ChannelId channel,
                      SmallVectorImpl<LinkId> &links) const override {
    uint32_t at = src.index();
    for (const Dimension &dimension : dimensions)
      at = correct(dimension, at, dimension.coordinate(dst.index()), channel, links);
  }
  uint32_t channelsToAllLinks() const override {
    uint32_t channels = 1;
    for (const Dimension &dimension : dimensions)
      channels = std::max(channels, dimension.parallel);
    return channels;
  }

private:
  /// Appends the links from \p at to the endpoint with coordinate \p to, which it returns.
  static uint32_t correct(const Dimension &dimension, uint32_t at, uint32_t to, ChannelId channel,
                          SmallVectorImpl<LinkId> &links) {
    uint32_t from = dimension.coordinate(at), size = dimension.size;
    uint32_t end = dimension.at(at, to), lane = channel.index() % dimension.parallel;
    auto take = [&](LinkId first) { links.push_back(LinkId(first.index() + 2 * lane)); };
    if (from == to)
      return at;
    if (dimension.connects == Connects::All) {
      take(dimension.direct[at * size + to]);
    } else if (dimension.connects == Connects::Switch) {
      take(dimension.up[at]);
      take(dimension.down[end]);
    } else {
      uint32_t above = (to + size - from) % size;
      bool goUp = dimension.connects == Connects::Line ? to > from : above <= size - above;
      for (; at != end; from = dimension.coordinate(at)) {
        take(goUp ? dimension.up[at] : dimension.down[at]);
        at = dimension.at(at, goUp ? (from + 1) % size : (from + size - 1) % size);
      }
    }
    return end;
  }

  std::vector<Dimension> dimensions;
};

/// The places of the grid: a node with an endpoint each, but for those that are absent.
using Places = std::vector<OptionalId<NodeId>>;

/// Connects the places with numbers \p members, in the order of their coordinates.
void connect(Dimension &dimension, ArrayRef<uint32_t> members, const Places &places,
             const std::string &line, MachineBuilder &builder) {
  auto join = [&](OptionalId<NodeId> a, OptionalId<NodeId> b, bool overBorder = false) {
    LinkId first(builder.machine.links().size());
    const LinkValues &values = overBorder ? dimension.border : dimension.link;
    for (uint32_t i = 0; i < dimension.parallel && a && b; ++i)
      builder.addDuplex(*a, *b, values.rate, values.propagation);
    return first;
  };
  switch (dimension.connects) {
  case Connects::Ring:
  case Connects::Line:
    for (uint32_t i = 0; i < members.size(); ++i) {
      uint32_t a = members[i], b = members[(i + 1) % members.size()];
      // Two members are connected by one link, not two.
      bool wraps = i + 1 == members.size();
      if (wraps && (dimension.connects == Connects::Line || members.size() == 2))
        continue;
      bool overBorder = dimension.block && (i + 1) % *dimension.block == 0;
      dimension.up[a] = join(places[a], places[b], overBorder);
      dimension.down[b] = LinkId(dimension.up[a].index() + 1);
    }
    if (members.size() == 2) {
      dimension.up[members[1]] = dimension.down[members[1]];
      dimension.down[members[0]] = dimension.up[members[0]];
    }
    break;
  case Connects::Switch: {
    NodeId hub =
        builder.addNode(formatv("{0}.switch{1}", dimension.name, line), dimension.overhead);
    for (uint32_t a : members) {
      dimension.up[a] = join(places[a], hub);
      dimension.down[a] = LinkId(dimension.up[a].index() + 1);
    }
    break;
  }
  case Connects::All:
    for (uint32_t i = 0; i < members.size(); ++i)
      for (uint32_t j = i + 1; j < members.size(); ++j) {
        LinkId there = join(places[members[i]], places[members[j]]);
        dimension.direct[members[i] * dimension.size + j] = there;
        dimension.direct[members[j] * dimension.size + i] = LinkId(there.index() + 1);
      }
    break;
  }
}

GridKind gridKind(Connects connects) {
  switch (connects) {
  case Connects::Ring:
    return GridKind::Ring1D;
  case Connects::Line:
    return GridKind::Mesh2DNoWrap;
  default:
    return GridKind::Flat;
  }
}

/// One level for each dimension. Two dimensions of a torus or mesh are one level.
Geometry geometryOf(ArrayRef<Dimension> dimensions) {
  Geometry geometry;
  for (const Dimension &dimension : dimensions)
    geometry.levels.insert(geometry.levels.begin(),
                           {dimension.name, gridKind(dimension.connects), dimension.size, 1});
  bool sameKind = dimensions.size() == 2 && dimensions[0].connects == dimensions[1].connects;
  if (sameKind && dimensions[0].connects <= Connects::Line) {
    GridKind kind =
        dimensions[0].connects == Connects::Ring ? GridKind::Torus2D : GridKind::Mesh2DNoWrap;
    geometry.levels = {{"rank", kind, dimensions[0].size, dimensions[1].size}};
  }
  return geometry;
}

/// The numbers of places without a rank, sorted.
std::vector<uint32_t> readAbsent(JsonObject &file, uint64_t places) {
  std::vector<uint32_t> absent;
  if (!file.isGiven("absent"))
    return absent;
  file.numbers("absent", absent, 0, places - 1);
  llvm::sort(absent);
  if (auto twice = std::adjacent_find(absent.begin(), absent.end()); twice != absent.end())
    file.error("absent", formatv("has {0} twice", *twice));
  else if (absent.size() == places)
    file.error("absent", "has all places: a machine has at least one rank");
  return absent;
}

/// \p stated is the number of ranks in the file, and \p canLack whether places may be absent.
void build(JsonObject &file, std::vector<Dimension> dimensions, std::optional<uint32_t> stated,
           bool canLack, MachineBuilder &builder) {
  uint64_t endpoints = 1;
  for (Dimension &dimension : dimensions) {
    dimension.stride = uint32_t(endpoints);
    endpoints *= dimension.size;
    if (endpoints > maxEndpoints)
      return file.error("dimensions", formatv("results in more than {0} ranks", maxEndpoints));
  }
  const std::vector<uint32_t> absent =
      canLack ? readAbsent(file, endpoints) : std::vector<uint32_t>();
  if (file.hasErrors())
    return;
  if (stated && *stated != endpoints - absent.size())
    return file.error(
        "ranks",
        formatv("is {0}, but the product of all dimensions is {1}{2}", *stated, endpoints,
                absent.empty() ? "" : formatv(", of which {0} are absent", absent.size()).str()));
  file.resolve("ranks", endpoints - absent.size());
  Places places(endpoints);
  EndpointGrid grid;
  for (uint32_t i = 0; i < endpoints; ++i)
    if (!llvm::binary_search(absent, i)) {
      places[i] = builder.addNode(formatv("n{0}", i), SimTime());
      builder.addEndpoint(*places[i]);
      grid.places.push_back(i);
    }
  for (const Dimension &dimension : dimensions) {
    grid.sizes.push_back(dimension.size);
    grid.blocks.push_back(dimension.block.value_or(dimension.size));
  }
  builder.setGrid(std::move(grid));
  for (Dimension &dimension : dimensions) {
    if (dimension.size == 1)
      continue;
    bool all = dimension.connects == Connects::All;
    if (endpoints * (all ? dimension.size : 1) * dimension.parallel > (uint64_t(1) << 24))
      return file.error("dimensions", "has too many links");
    dimension.up.assign(endpoints, LinkId(0));
    dimension.down.assign(endpoints, LinkId(0));
    dimension.direct.assign(all ? endpoints * dimension.size : 0, LinkId(0));
    uint32_t lines = 0;
    std::vector<uint32_t> members(dimension.size);
    for (uint32_t first = 0; first < endpoints; ++first) {
      if (dimension.coordinate(first) != 0)
        continue;
      for (uint32_t i = 0; i < dimension.size; ++i)
        members[i] = first + i * dimension.stride;
      connect(dimension, members, places, std::to_string(lines++), builder);
    }
  }
  if (!absent.empty()) {
    bool several = llvm::any_of(dimensions, [](const Dimension &d) { return d.parallel > 1; });
    builder.setGeometry({{{"rank", GridKind::Flat, uint32_t(endpoints - absent.size()), 1}}});
    return builder.setRouting(several ? RoutingRule::Ecmp : RoutingRule::Shortest);
  }
  builder.setGeometry(geometryOf(dimensions));
  builder.setRouting(RoutingRule::DimensionOrder,
                     std::make_unique<DimensionRouting>(std::move(dimensions)));
}

/// Parallel links, and the borders of blocks. These are read if they are given, so that others do
/// not grow.
void readGroups(JsonObject &object, Dimension &dimension) {
  if (object.isGiven("links"))
    object.number("links", dimension.parallel, 1, 1 << 10);
  if (dimension.connects != Connects::Ring && dimension.connects != Connects::Line)
    return;
  const bool hasBlock = object.isGiven("block"), hasBorder = object.isGiven("border");
  if (hasBlock != hasBorder)
    return object.error(hasBlock ? "block" : "border",
                        hasBlock ? "requires 'border', the links between blocks"
                                 : "requires 'block', the size of the blocks");
  if (!hasBlock)
    return;
  object.number("block", dimension.block, 1, maxEndpoints);
  dimension.border = LinkValues::read(object.object("border"), dimension.link);
}
} // namespace

void cclc::buildDimensions(JsonObject &file, StringRef shape, MachineBuilder &builder) {
  constexpr const char *kinds[] = {"ring", "line", "switch", "fully_connected"};
  std::optional<uint32_t> ranks;
  file.number("ranks", ranks, 1, maxEndpoints);
  LinkValues common = LinkValues::read(file.object("link"), {});
  std::vector<Dimension> dimensions;
  for (JsonObject &object : file.objects("dimensions")) {
    Dimension &dimension = dimensions.emplace_back();
    dimension.name = formatv("dim{0}", dimensions.size() - 1);
    object.text("name", dimension.name);
    uint32_t kind = shape == "mesh" ? uint32_t(Connects::Line) : uint32_t(Connects::Ring);
    if (shape == "composed") {
      if (!object.has("kind"))
        object.error("kind", "is missing");
      object.choice("kind", kinds, kind);
    }
    dimension.connects = Connects(kind);
    object.requireNumber("size", dimension.size, 1, maxEndpoints);
    dimension.link = common;
    object.rate("bandwidth", dimension.link.rate);
    object.time("propagation", dimension.link.propagation);
    readGroups(object, dimension);
    if (dimension.connects == Connects::Switch)
      object.time("switch_overhead", dimension.overhead);
    object.finish();
  }
  if (dimensions.empty())
    return file.error("dimensions", "is missing: it lists the size of every dimension");
  build(file, std::move(dimensions), ranks, /*canLack=*/true, builder);
}

void cclc::buildHypercube(JsonObject &file, std::optional<uint32_t> ranks,
                          MachineBuilder &builder) {
  std::optional<uint32_t> fixed;
  file.number("ranks", fixed, 1, maxEndpoints);
  uint32_t n = fixed.value_or(ranks.value_or(8));
  if ((n & (n - 1)) != 0)
    return file.error("ranks", formatv("is {0}, but a hypercube has a power of two", n));
  LinkValues link = LinkValues::read(file.object("link"), {});
  std::vector<Dimension> dimensions;
  for (uint32_t size = 1; size < n; size *= 2) {
    Dimension &dimension = dimensions.emplace_back();
    dimension.name = formatv("dim{0}", dimensions.size() - 1);
    dimension.size = 2;
    dimension.link = link;
  }
  build(file, std::move(dimensions), n, /*canLack=*/false, builder);
}

void cclc::buildStar(JsonObject &file, std::optional<uint32_t> ranks, MachineBuilder &builder) {
  std::optional<uint32_t> fixed;
  file.number("ranks", fixed, 1, maxEndpoints);
  Dimension star;
  star.name = "rank";
  star.connects = Connects::Switch;
  star.size = fixed.value_or(ranks.value_or(8));
  star.link = LinkValues::read(file.object("link"), {});
  file.time("switch_overhead", star.overhead);
  build(file, {std::move(star)}, fixed, /*canLack=*/false, builder);
}
