//===- GraphMachine.cpp - Shapes and link lists ---------------------------===//
//
// Either a shape with one kind of link (ring, line, mesh_2d, torus_2d, fully_connected), which
// scales to the requested number of ranks, or a list of nodes and links. Shapes are routed
// dimension by dimension, in the shorter direction and, if both are equal, upwards; lists along the
// path with the least propagation and overhead.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "ShortestPaths.h"

#include "llvm/ADT/StringMap.h"
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

struct LinkValues {
  Bandwidth rate;
  SimTime propagation;
};

LinkValues readLink(JsonObject object) {
  LinkValues values;
  object.rate("bandwidth", values.rate);
  object.time("propagation", values.propagation);
  object.finish();
  return values;
}

void buildGrid(MachineBuilder &builder, uint32_t w, uint32_t h, bool wraps, GridKind kind,
               LinkValues link) {
  std::vector<NodeId> nodes;
  for (uint32_t i = 0; i < w * h; ++i) {
    nodes.push_back(builder.addNode(formatv("n{0}", i), SimTime()));
    builder.addEndpoint(nodes.back());
  }
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
  builder.setRouting(std::move(routing));
}

/// The factors of n that are closest to each other, the larger one first.
std::pair<uint32_t, uint32_t> nearSquare(uint32_t n) {
  uint32_t h = 1;
  for (uint32_t f = 1; uint64_t(f) * f <= n; ++f)
    if (n % f == 0)
      h = f;
  return {n / h, h};
}

void buildList(JsonObject &file, MachineBuilder &builder) {
  llvm::StringMap<NodeId> byName;
  uint32_t endpoints = 0;
  for (JsonObject &node : file.objects("nodes")) {
    std::string name;
    SimTime overhead;
    bool endpoint = true;
    node.requireText("name", name);
    node.time("overhead", overhead);
    node.onOff("endpoint", endpoint);
    node.finish();
    if (byName.count(name))
      return node.error("name", "'" + name + "' is a duplicate");
    NodeId id = builder.addNode(name, overhead);
    byName.try_emplace(name, id);
    if (endpoint) {
      builder.addEndpoint(id);
      ++endpoints;
    }
  }
  for (JsonObject &link : file.objects("links")) {
    std::string from, to;
    bool duplex = true;
    LinkValues values;
    link.requireText("from", from);
    link.requireText("to", to);
    link.onOff("duplex", duplex);
    link.rate("bandwidth", values.rate);
    link.time("propagation", values.propagation);
    link.finish();
    auto a = byName.find(from), b = byName.find(to);
    if (a == byName.end() || b == byName.end())
      return link.error(a == byName.end() ? "from" : "to", "is not the name of a node");
    if (duplex)
      builder.addDuplex(a->second, b->second, values.rate, values.propagation);
    else
      builder.addLink(a->second, b->second, values.rate, values.propagation);
  }
  if (endpoints == 0)
    return file.error("nodes", "has no endpoint");
  builder.setGeometry({{{"rank", GridKind::Flat, endpoints, 1}}});
  builder.setRouting(std::make_unique<ShortestPathRouting>());
}
} // namespace

void cclc::buildGraph(JsonObject &file, std::optional<uint32_t> ranks, MachineBuilder &builder) {
  constexpr const char *shapes[] = {"list",    "ring",     "line",
                                    "mesh_2d", "torus_2d", "fully_connected"};
  uint32_t shape = 0;
  file.choice("shape", shapes, shape);
  if (shape == 0)
    return buildList(file, builder);

  std::optional<uint32_t> fixed, width, height;
  file.number("ranks", fixed, 1, maxEndpoints);
  file.number("width", width, 1, maxEndpoints);
  file.number("height", height, 1, maxEndpoints);
  LinkValues link = readLink(file.object("link"));
  if (width.has_value() != height.has_value())
    return file.error(width ? "height" : "width", "is missing: a grid has both");
  bool grid = shape == 3 || shape == 4;
  if (width && !grid)
    return file.error("width", "and 'height' apply to mesh_2d and torus_2d only");
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
  builder.setRouting(std::make_unique<DirectRouting>(n));
}
