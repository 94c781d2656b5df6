//===- GraphMachine.cpp - Shapes of networks ------------------------------===//
//
// A shape of Shapes.h, or one with links of one kind: ring, line, mesh_2d, torus_2d,
// fully_connected. Most of them scale to the requested number of ranks; that of a fat tree has no
// default. Grids are routed dimension by dimension, in the shorter direction and, if both are
// equal, upwards.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using llvm::formatv;

namespace {

/// A grid of w x h endpoints with links to the next one in each dimension.
class GridRouting : public Routing {
public:
  GridRouting(uint32_t w, uint32_t h, bool wraps) : w(w), h(h), wraps(wraps) {}

  void addLink(uint32_t from, uint32_t to, LinkId link) {
    links.insert_or_assign({from, to}, link);
  }

  void route(const Machine &, EndpointId src, EndpointId dst,
             SmallVectorImpl<LinkId> &path) const override {
    uint32_t x = src.index() % w, y = src.index() / w;
    walk(x, dst.index() % w, w, [&](uint32_t next) {
      path.push_back(links.at({y * w + x, y * w + next}));
      x = next;
    });
    walk(y, dst.index() / w, h, [&](uint32_t next) {
      path.push_back(links.at({y * w + x, next * w + x}));
      y = next;
    });
  }

private:
  template <class Fn> void walk(uint32_t from, uint32_t to, uint32_t size, Fn step) const {
    uint32_t up = (to + size - from) % size, down = (from + size - to) % size;
    bool goUp = wraps ? up <= down : to > from;
    while (from != to) {
      from = goUp ? (from + 1) % size : (from + size - 1) % size;
      step(from);
    }
  }

  uint32_t w, h;
  bool wraps;
  std::map<std::pair<uint32_t, uint32_t>, LinkId> links;
};

/// A link for every pair of endpoints, numbered by (source, destination).
class DirectRouting : public Routing {
public:
  explicit DirectRouting(uint32_t n) : n(n) {}
  void route(const Machine &, EndpointId src, EndpointId dst,
             SmallVectorImpl<LinkId> &links) const override {
    uint32_t place = dst < src ? dst.index() : dst.index() - 1;
    links.push_back(LinkId(src.index() * (n - 1) + place));
  }

private:
  uint32_t n;
};

void buildGrid(MachineBuilder &builder, uint32_t w, uint32_t h, bool wraps, GridKind kind,
               LinkValues link) {
  std::vector<NodeId> nodes;
  EndpointGrid grid{{w, h}, {w, h}, {}};
  for (uint32_t i = 0; i < w * h; ++i) {
    nodes.push_back(builder.addNode(formatv("n{0}", i), SimTime()));
    builder.addEndpoint(nodes.back());
    grid.places.push_back(i);
  }
  builder.setGrid(std::move(grid));
  auto routing = std::make_unique<GridRouting>(w, h, wraps);
  auto join = [&](uint32_t a, uint32_t b) {
    LinkId there = builder.addDuplex(nodes[a], nodes[b], link.rate, link.propagation);
    routing->addLink(a, b, there);
    routing->addLink(b, a, LinkId(there.index() + 1));
  };
  for (uint32_t y = 0; y < h; ++y)
    for (uint32_t x = 0; x < w; ++x) {
      // Two members are connected by one link, not two.
      if (x + 1 < w || (wraps && w > 2))
        join(y * w + x, y * w + (x + 1) % w);
      if (y + 1 < h || (wraps && h > 2))
        join(y * w + x, (y + 1) % h * w + x);
    }
  builder.setGeometry({{{"rank", kind, w, h}}});
  builder.setRouting(RoutingRule::DimensionOrder, std::move(routing));
}

/// The factors of n that are closest to each other, the larger one first.
std::pair<uint32_t, uint32_t> nearSquare(uint32_t n) {
  uint32_t h = 1;
  for (uint32_t f = 1; uint64_t(f) * f <= n; ++f)
    if (n % f == 0)
      h = f;
  return {n / h, h};
}

/// Adds \p n endpoints.
std::vector<NodeId> addEndpoints(uint32_t n, MachineBuilder &builder) {
  std::vector<NodeId> nodes;
  for (uint32_t i = 0; i < n; ++i) {
    nodes.push_back(builder.addNode(formatv("n{0}", i), SimTime()));
    builder.addEndpoint(nodes.back());
    builder.setTier(nodes.back(), 0);
  }
  return nodes;
}

/// A level for each tier whose switches have equal numbers of ranks below them, \p sizes, and for
/// the ranks below the highest of these.
Geometry levelsOf(uint32_t ranks, ArrayRef<uint64_t> sizes) {
  Geometry geometry;
  uint32_t below = 1;
  auto add = [&](uint32_t size) {
    std::string name = below == 1 ? "rank" : formatv("tier{0}", geometry.levels.size() - 1).str();
    geometry.levels.insert(geometry.levels.begin(), {name, GridKind::Flat, size / below, 1});
    below = size;
  };
  for (uint64_t size : sizes)
    if (size > below && size < ranks && ranks % size == 0)
      add(size);
  add(ranks);
  return geometry;
}

/// Ranks are the ports of a fat tree or a dragonfly.
void buildFabric(JsonObject &file, bool isTree, std::optional<uint32_t> ranks,
                 MachineBuilder &builder) {
  std::optional<uint32_t> fixed;
  file.number("ranks", fixed, 1, maxEndpoints);
  LinkValues link = LinkValues::read(file.object("link"), {});
  Geometry geometry;
  uint32_t n = fixed.value_or(ranks.value_or(0));
  if (isTree) {
    file.resolve("ranks", n);
    std::vector<uint64_t> sizes =
        buildFatTree(file, addEndpoints(n, builder), link, /*firstTier=*/1, builder);
    if (n == 0 && !file.hasErrors())
      return file.error("ranks",
                        formatv("is missing: the tiers have {0}; state their number in the target "
                                "or with --ranks",
                                counted(sizes.back(), "place")));
    geometry = levelsOf(n, sizes);
  } else {
    Dragonfly shape = Dragonfly::read(file, link);
    n = fixed.value_or(shape.ports());
    if (n != shape.ports())
      file.error("ranks", formatv("is {0}, but the dragonfly has {1}", n, shape.ports()));
    if (shape.ports() > maxEndpoints)
      file.error("dragonfly", formatv("results in more than {0} ranks", maxEndpoints));
    if (file.hasErrors())
      return;
    file.resolve("ranks", n);
    shape.build(addEndpoints(n, builder), link, builder);
    geometry.levels = {{"group", GridKind::Flat, shape.groups, 1},
                       {"router", GridKind::Flat, shape.routers, 1},
                       {"rank", GridKind::Flat, shape.endpoints, 1}};
  }
  builder.setGeometry(std::move(geometry));
  builder.setRouting(isTree ? RoutingRule::UpDown : RoutingRule::Shortest);
}
} // namespace

LinkValues LinkValues::read(JsonObject object, LinkValues values) {
  object.rate("bandwidth", values.rate);
  object.time("propagation", values.propagation);
  object.finish();
  return values;
}

void cclc::buildGraph(JsonObject &file, std::optional<uint32_t> ranks, MachineBuilder &builder) {
  constexpr const char *shapes[] = {
      "list", "ring",     "line",      "mesh_2d", "torus_2d", "fully_connected", "torus",
      "mesh", "composed", "hypercube", "star",    "fat_tree", "dragonfly"};
  uint32_t shape = 0;
  file.choice("shape", shapes, shape);
  if (file.hasErrors())
    return;
  if (shape == 0)
    return buildLinkList(file, builder);
  StringRef name = shapes[shape];
  if (name == "torus" || name == "mesh" || name == "composed")
    return buildDimensions(file, name, builder);
  if (name == "hypercube")
    return buildHypercube(file, ranks, builder);
  if (name == "star")
    return buildStar(file, ranks, builder);
  if (name == "fat_tree" || name == "dragonfly")
    return buildFabric(file, name == "fat_tree", ranks, builder);

  std::optional<uint32_t> fixed, width, height;
  file.number("ranks", fixed, 1, maxEndpoints);
  bool grid = shape == 3 || shape == 4;
  if (!grid && (file.has("width") || file.has("height")))
    return file.error("width", "and 'height' apply to mesh_2d and torus_2d only");
  if (grid) {
    file.number("width", width, 1, maxEndpoints);
    file.number("height", height, 1, maxEndpoints);
  }
  LinkValues link = LinkValues::read(file.object("link"), {});
  if (width.has_value() != height.has_value())
    return file.error(width ? "height" : "width", "is missing: a grid has both");
  uint32_t n = fixed.value_or(ranks.value_or(8));
  auto [w, h] = width ? std::pair(*width, *height) : nearSquare(n);
  if (uint64_t(w) * h > maxEndpoints)
    return file.error("width", formatv("results in {0} ranks, more than the limit of {1}",
                                       uint64_t(w) * h, maxEndpoints));
  if (width && fixed && *fixed != w * h)
    return file.error("ranks", formatv("is {0}, but 'width' times 'height' is {1}", *fixed, w * h));
  file.resolve("ranks", grid ? w * h : n);
  if (grid) {
    file.resolve("width", w);
    file.resolve("height", h);
  }
  switch (shape) {
  case 1:
    return buildGrid(builder, n, 1, /*wraps=*/true, GridKind::Ring1D, link);
  case 2:
    return buildGrid(builder, n, 1, /*wraps=*/false, GridKind::Mesh2DNoWrap, link);
  case 3:
    return buildGrid(builder, w, h, /*wraps=*/false, GridKind::Mesh2DNoWrap, link);
  case 4:
    return buildGrid(builder, w, h, /*wraps=*/true, GridKind::Torus2D, link);
  default:
    break;
  }
  if (uint64_t(n) * n > (uint64_t(1) << 24))
    return file.error("ranks", formatv("{0} ranks exceed the limit of fully_connected", n));
  for (uint32_t i = 0; i < n; ++i)
    builder.addEndpoint(builder.addNode(formatv("n{0}", i), SimTime()));
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t j = 0; j < n; ++j)
      if (i != j)
        builder.addLink(NodeId(i), NodeId(j), link.rate, link.propagation);
  builder.setGeometry({{{"rank", GridKind::Flat, n, 1}}});
  builder.setRouting(RoutingRule::Shortest, std::make_unique<DirectRouting>(n));
}
