//===- AhbmRouting.cpp - Routes between PEs -------------------------------===//
//
// Dimension-order routing (Dally and Seitz, IEEE Trans. Computers 36(5), 1987) on two grids: the
// routers of a cube, with a detour around the hole in its centre, and the cubes of a SIP. The path
// is built node by node.
//
//===----------------------------------------------------------------------===//

#include "AhbmRouting.h"

#include "llvm/ADT/DenseMap.h"

using namespace cclc;
using namespace cclc::ahbm;

namespace {
class AhbmRouting : public Routing {
public:
  AhbmRouting(Shape shape, std::vector<Sip> sips, SipLinks between)
      : shape(shape), sips(std::move(sips)), between(std::move(between)) {}

  void registerLink(NodeId from, NodeId to, LinkId link) {
    linkOf[uint64_t(from.index()) << 32 | to.index()] = link.index();
  }

  void route(const Machine &, EndpointId src, EndpointId dst,
             SmallVectorImpl<LinkId> &links) const override {
    uint32_t dstPe = dst.index() % shape.pes;
    uint32_t dstCube = dst.index() / shape.pes % shape.cubes();
    uint32_t dstSip = dst.index() / (shape.cubes() * shape.pes);
    Walk walk(*this, src.index(), dstPe, links);
    if (walk.sip != dstSip) {
      const IoPhy &up = phyFor(walk.sip, walk.x);
      walk.toCube(up.column, 0);
      uint32_t c = walk.leaveBy(North);
      walk.go(up.port);
      walk.go(up.connection[c]);
      walk.go(sips[walk.sip].ioNoc);
      walk.go(sips[walk.sip].pcie);
      if (between.fabric) {
        walk.go(*between.fabric);
        walk.go(sips[dstSip].pcie);
      } else {
        for (uint32_t sip : between.path(walk.sip, dstSip))
          walk.go(sips[sip].pcie);
      }
      walk.sip = dstSip;
      walk.go(sips[walk.sip].ioNoc);
      const IoPhy &down = phyFor(walk.sip, dstCube % shape.cubesWide);
      walk.go(down.connection[c]);
      walk.go(down.port);
      walk.x = down.column;
      walk.y = 0;
      walk.enterBy(North, c);
    }
    walk.toCube(dstCube % shape.cubesWide, dstCube / shape.cubesWide);
    walk.toRouter(peRouter[dstPe]);
    walk.go(walk.cube().dma[dstPe]);
  }

private:
  /// The current position of the path.
  struct Walk {
    Walk(const AhbmRouting &routing, uint32_t src, uint32_t pe, SmallVectorImpl<LinkId> &links)
        : routing(routing), links(links), pe(pe),
          sip(src / (routing.shape.cubes() * routing.shape.pes)),
          x(src / routing.shape.pes % routing.shape.cubes() % routing.shape.cubesWide),
          y(src / routing.shape.pes % routing.shape.cubes() / routing.shape.cubesWide),
          pos(peRouter[src % routing.shape.pes]), node(cube().dma[src % routing.shape.pes]) {
      go(cube().at(pos));
    }

    const Cube &cube() const { return routing.sips[sip].cubes[y * routing.shape.cubesWide + x]; }

    void go(NodeId next) {
      links.push_back(LinkId(routing.linkOf.lookup(uint64_t(node.index()) << 32 | next.index())));
      node = next;
    }

    void toRouter(RouterPos to) {
      // If the row crosses the hole, take the column first.
      bool rowFirst = !crossesHole(pos, {pos.row, to.col}) && !crossesHole({pos.row, to.col}, to);
      if (!rowFirst)
        along({to.row, pos.col});
      along({pos.row, to.col});
      along(to);
    }

    uint32_t leaveBy(Side side) {
      uint32_t c = routing.shape.connectionOfPe[pe];
      toRouter(connectionRouter(side, c));
      go(cube().connectionAt(side, c));
      go(cube().port[side]);
      return c;
    }

    void enterBy(Side side, uint32_t c) {
      go(cube().port[side]);
      go(cube().connectionAt(side, c));
      pos = connectionRouter(side, c);
      go(cube().at(pos));
    }

    void toCube(uint32_t toX, uint32_t toY) {
      while (x != toX)
        cross(toX > x ? East : West);
      while (y != toY)
        cross(toY > y ? South : North);
    }

    void cross(Side side) {
      uint32_t c = leaveBy(side);
      x += side == East ? 1 : side == West ? -1 : 0;
      y += side == South ? 1 : side == North ? -1 : 0;
      enterBy(opposite(side), c);
    }

    static bool crossesHole(RouterPos from, RouterPos to) {
      for (RouterPos at = from;; step(at, to)) {
        if (isHole(at))
          return true;
        if (at == to)
          return false;
      }
    }
    static void step(RouterPos &at, RouterPos to) {
      if (at.col != to.col)
        at.col += at.col < to.col ? 1 : -1;
      else if (at.row != to.row)
        at.row += at.row < to.row ? 1 : -1;
    }
    void along(RouterPos to) {
      while (!(pos == to)) {
        step(pos, to);
        go(cube().at(pos));
      }
    }

    const AhbmRouting &routing;
    SmallVectorImpl<LinkId> &links;
    uint32_t pe; ///< the destination PE, numbered in its cube
    uint32_t sip, x, y;
    RouterPos pos;
    NodeId node;
  };

  const IoPhy &phyFor(uint32_t sip, uint32_t column) const {
    const std::vector<IoPhy> &phys = sips[sip].phys;
    return phys[column * phys.size() / shape.cubesWide];
  }

  Shape shape;
  std::vector<Sip> sips;
  SipLinks between;
  llvm::DenseMap<uint64_t, uint32_t> linkOf; ///< by (from, to)
};
} // namespace

std::unique_ptr<Routing> cclc::ahbm::makeRouting(Shape shape, std::vector<Sip> sips,
                                                 SipLinks between, ArrayRef<Link> links) {
  auto routing = std::make_unique<AhbmRouting>(shape, std::move(sips), std::move(between));
  for (uint32_t l = 0; l < links.size(); ++l)
    routing->registerLink(links[l].from, links[l].to, LinkId(l));
  return routing;
}
