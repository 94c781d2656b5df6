//===- Ahbm.cpp - SIPs of cubes of PEs ------------------------------------===//
//
// A SIP is a mesh of cubes and an IO chiplet on its upper edge; one switch connects all SIPs, or
// each is connected with its neighbours. A cube is a 6 x 6 mesh of routers without the four in its
// centre, with PEs at eight of them and UCIe ports on its four sides, each with four connections.
// The facts and their sources are in targets/README.md.
//
//   pe_dma - router - ... - ucie_conn - ucie_port == ucie_port - ucie_conn - ...
//   ... ucie_port(N) == io_phy - io_conn - io_noc - pcie_ep - switch0 - ...
//   pe_dma - router - hbm_ctrl
//
// The published census is 4335 nodes and 12,412 directed edges. With two SIPs the edges are 2 x (48
// between cubes + 78 of the IO chiplet + 16 x 380 of a cube); targets/README.md explains these
// numbers.
//
//   78   connections to io_noc and PHY 64, PHYs to cubes 8, and 2 each between
//        switch, pcie_ep, io_noc and io_cpu
//   380  routers 96, connections to router and port 64, hbm_ctrl 16, m_cpu 2,
//        sram 2, PEs 8 x 25
//
//===----------------------------------------------------------------------===//

#include "AhbmRouting.h"
#include "Families.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace cclc;
using namespace cclc::ahbm;
using llvm::formatv;

namespace {
/// Reads the parameters and adds nodes and links.
class AhbmBuilder {
public:
  AhbmBuilder(JsonObject &file, MachineBuilder &builder) : file(file), builder(builder) {}

  void build() {
    JsonObject sipKeys = file.object("sips");
    GridLevel sipLevel = readSips(sipKeys);
    readParameters();
    bool direct = readSipLinks(sipKeys);
    uint64_t endpoints = uint64_t(sipLevel.size()) * shape.cubes() * shape.pes;
    if (endpoints > maxEndpoints)
      return file.error("sips.count", formatv("results in {0} PEs, more than the limit of {1}",
                                              endpoints, maxEndpoints));
    SipLinks between{sipLevel, std::nullopt};
    if (!direct)
      between.fabric = builder.addNode("fabric.switch0", switchOverhead);
    std::vector<Sip> sips;
    for (uint32_t s = 0; s < sipLevel.size(); ++s)
      sips.push_back(addSip(s, between.fabric));
    if (direct)
      for (uint32_t s = 0; s < sipLevel.size(); ++s)
        for (uint32_t next : between.next(s))
          join(sips[s].pcie, sips[next].pcie, sipRate, sipHop);
    builder.setGeometry({{sipLevel,
                          {"cube", GridKind::Mesh2DNoWrap, shape.cubesWide, shape.cubesHigh},
                          {"pe", GridKind::Flat, shape.pes, 1}}});
    builder.setRouting(
        RoutingRule::DimensionOrder,
        makeRouting(shape, std::move(sips), std::move(between), builder.machine.links()));
  }

private:
  GridLevel readSips(JsonObject &sips) {
    uint32_t count = 1, topology = 0;
    std::optional<uint32_t> width, height;
    sips.number("count", count, 1, maxEndpoints);
    sips.choice("topology", {"ring_1d", "torus_2d", "mesh_2d_no_wrap"}, topology);
    sips.number("width", width, 1, maxEndpoints);
    sips.number("height", height, 1, maxEndpoints);
    GridLevel level{"sip", GridKind::Ring1D, count, 1};
    for (auto [key, isSet] :
         {std::pair("width", width.has_value()), {"height", height.has_value()}})
      if (topology == 0 && isSet)
        sips.error(key, "has no effect with topology ring_1d; the grids are torus_2d and "
                        "mesh_2d_no_wrap");
    if (topology != 0) {
      level.kind = topology == 1 ? GridKind::Torus2D : GridKind::Mesh2DNoWrap;
      uint32_t side = std::lround(std::sqrt(count));
      if (!width && !height && side * side == count)
        width = height = side;
      if (!width || !height || uint64_t(*width) * *height != count)
        sips.error(
            "width",
            formatv("and 'height' must multiply to {0}: that number of SIPs is not a square grid",
                    count));
      level.width = width.value_or(count);
      level.height = height.value_or(1);
    }
    return level;
  }

  /// Returns whether SIPs are connected directly. The default values of the links are those to the
  /// switch.
  bool readSipLinks(JsonObject &sips) {
    uint32_t direct = 0;
    sips.choice("links", {"switch", "direct"}, direct);
    sipRate = ioRate;
    sipHop = ioHop;
    sips.rate("link_bandwidth", sipRate);
    sips.length("link_length", secondsPerMetre, sipHop);
    // A default follows later changes of `io`.
    for (const char *key : {"link_bandwidth", "link_length"})
      if (!sips.has(key))
        sips.resolve(key, nullptr);
    sips.finish();
    return direct != 0;
  }

  void readParameters() {
    file.real("seconds_per_metre", secondsPerMetre);
    JsonObject cubes = file.object("cubes");
    cubes.number("width", shape.cubesWide, 1, 256);
    cubes.number("height", shape.cubesHigh, 1, 256);
    cubes.number("pes", shape.pes, 1, std::size(peRouter));
    cubes.finish();
    JsonObject noc = file.object("noc");
    noc.rate("bandwidth", nocRate);
    noc.rate("pe_bandwidth", peRate);
    SimTime wire;
    noc.length("router_pitch", secondsPerMetre, wire);
    noc.time("hop_latency", routerHop);
    routerHop += wire;
    noc.time("router_overhead", routerOverhead);
    noc.finish();
    JsonObject ucie = file.object("ucie");
    ucie.rate("connection_bandwidth", connectionRate);
    ucie.time("port_overhead", portOverhead);
    ucie.time("connection_overhead", connectionOverhead);
    ucie.length("length", secondsPerMetre, ucieHop);
    ucie.numbers("connection_of_pe", shape.connectionOfPe, 0, numConnections - 1);
    if (shape.connectionOfPe.size() < shape.pes)
      ucie.error("connection_of_pe",
                 formatv("takes one connection for each of the {0} PEs", shape.pes));
    ucie.finish();
    JsonObject io = file.object("io");
    io.number("phys", numPhys, 1, 256);
    io.rate("bandwidth", ioRate);
    io.time("noc_overhead", ioNocOverhead);
    io.time("cpu_overhead", ioCpuOverhead);
    io.time("pcie_overhead", pcieOverhead);
    io.time("switch_overhead", switchOverhead);
    io.length("length", secondsPerMetre, ioHop);
    io.finish();
    JsonObject memory = file.object("memory");
    memory.rate("hbm_bandwidth", hbmRate);
    memory.rate("sram_bandwidth", sramRate);
    memory.rate("tcm_bandwidth", tcmRate);
    MemoryModel &model = builder.machine.memory;
    memory.onOff("load_store", model.loadStore);
    memory.time("dma_overhead", model.dmaOverhead);
    memory.time("completion", model.completion);
    memory.number("hbm_channels", model.channels, 1, 1 << 10);
    memory.bytes("hbm_burst", model.burst);
    readMemories(memory, model);
    if (model.burst == Bytes())
      memory.error("hbm_burst", "takes at least 1 byte");
    memory.finish();
  }

  LinkId join(NodeId a, NodeId b, Bandwidth rate, SimTime time) {
    return builder.addDuplex(a, b, rate, time);
  }
  NodeId node(const std::string &name, SimTime overhead) { return builder.addNode(name, overhead); }
  Bandwidth sideRate() const { return Bandwidth(connectionRate.bytesPerSecond() * numConnections); }

  Sip addSip(uint32_t s, std::optional<NodeId> fabric) {
    std::string name = formatv("sip{0}", s);
    std::string io = name + ".io0";
    Sip sip{{}, {}, node(io + ".io_noc", ioNocOverhead), node(io + ".pcie_ep", pcieOverhead)};
    for (uint32_t c = 0; c < shape.cubes(); ++c)
      sip.cubes.push_back(addCube(formatv("{0}.cube{1}", name, c)));
    auto cubeAt = [&](uint32_t x, uint32_t y) -> Cube & {
      return sip.cubes[y * shape.cubesWide + x];
    };
    for (uint32_t y = 0; y < shape.cubesHigh; ++y)
      for (uint32_t x = 0; x < shape.cubesWide; ++x) {
        if (x + 1 < shape.cubesWide)
          join(cubeAt(x, y).port[East], cubeAt(x + 1, y).port[West], sideRate(), ucieHop);
        if (y + 1 < shape.cubesHigh)
          join(cubeAt(x, y).port[South], cubeAt(x, y + 1).port[North], sideRate(), ucieHop);
      }
    addIoChiplet(sip, io, fabric);
    return sip;
  }

  void addIoChiplet(Sip &sip, const std::string &name, std::optional<NodeId> fabric) {
    NodeId cpu = node(name + ".io_cpu", ioCpuOverhead);
    builder.setReassembles(sip.pcie);
    if (fabric)
      join(*fabric, sip.pcie, sipRate, sipHop);
    join(sip.pcie, sip.ioNoc, ioRate, SimTime());
    join(cpu, sip.ioNoc, ioRate, SimTime());
    uint32_t attached = std::min(numPhys, shape.cubesWide);
    for (uint32_t p = 0; p < numPhys; ++p) {
      NodeId port = node(formatv("{0}.io_ucie{1}", name, p), portOverhead);
      IoPhy phy{p * shape.cubesWide / attached, port, {}};
      for (uint32_t c = 0; c < numConnections; ++c) {
        phy.connection.push_back(
            node(formatv("{0}.io_ucie{1}.conn{2}", name, p, c), connectionOverhead));
        join(sip.ioNoc, phy.connection[c], connectionRate, SimTime());
        join(phy.connection[c], port, connectionRate, SimTime());
      }
      if (p >= attached)
        continue;
      join(port, sip.cubes[phy.column].port[North], sideRate(), ucieHop);
      sip.phys.push_back(phy);
    }
  }

  Cube addCube(const std::string &name) {
    Cube cube;
    cube.router.resize(size_t(gridSize) * gridSize);
    for (uint32_t row = 0; row < gridSize; ++row)
      for (uint32_t col = 0; col < gridSize; ++col)
        if (!isHole({row, col}))
          cube.router[row * gridSize + col] =
              node(formatv("{0}.r{1}c{2}", name, row, col), routerOverhead);
    auto joinRouters = [&](RouterPos a, RouterPos b) {
      if (!isHole(a) && !isHole(b))
        join(cube.at(a), cube.at(b), nocRate, routerHop);
    };
    for (uint32_t row = 0; row < gridSize; ++row)
      for (uint32_t col = 0; col < gridSize; ++col) {
        if (col + 1 < gridSize)
          joinRouters({row, col}, {row, col + 1});
        if (row + 1 < gridSize)
          joinRouters({row, col}, {row + 1, col});
      }
    for (Side side : {North, South, East, West}) {
      std::string port = formatv("{0}.ucie_{1}", name, sideNames[side]);
      cube.port.push_back(node(port, portOverhead));
      for (uint32_t c = 0; c < numConnections; ++c) {
        NodeId connection = node(formatv("{0}.conn{1}", port, c), connectionOverhead);
        cube.connection.push_back(connection);
        join(cube.at(connectionRouter(side, c)), connection, connectionRate, SimTime());
        join(connection, cube.port[side], connectionRate, SimTime());
      }
    }
    join(node(name + ".m_cpu", SimTime::nanoseconds(5)), cube.at({0, 2}), nocRate, SimTime());
    join(node(name + ".sram", SimTime()), cube.at({3, 0}), sramRate, SimTime());
    for (uint32_t p = 0; p < shape.pes; ++p)
      addPe(cube, name, p);
    return cube;
  }

  /// Adds 25 edges. Commands reach pe_cpu over the mesh, which passes them to the scheduler, the
  /// only dispatcher; data go through pe_dma.
  void addPe(Cube &cube, const std::string &cubeName, uint32_t p) {
    std::string name = formatv("{0}.pe{1}", cubeName, p);
    auto part = [&](const char *component, int64_t overhead = 0) {
      return node(name + "." + component, SimTime::nanoseconds(overhead));
    };
    NodeId router = cube.at(peRouter[p]);
    NodeId hbm = node(formatv("{0}.hbm_ctrl.pe{1}", cubeName, p), SimTime());
    NodeId dma = part("pe_dma"), cpu = part("pe_cpu", 2), scheduler = part("pe_scheduler", 1);
    NodeId tcm = part("pe_tcm"), mmu = part("pe_mmu"), ipcq = part("pe_ipcq");
    NodeId fetchStore = part("pe_fetch_store");
    LinkId leavePe = join(dma, router, peRate, SimTime());
    LinkId enterMemory = join(router, hbm, hbmRate, SimTime());
    join(router, cpu, Bandwidth(), SimTime());
    join(cpu, scheduler, Bandwidth(), SimTime());
    for (NodeId engine : {dma, fetchStore, part("pe_gemm"), part("pe_math"), ipcq})
      join(scheduler, engine, Bandwidth(), SimTime());
    join(ipcq, dma, Bandwidth(), SimTime());
    join(dma, mmu, Bandwidth(), SimTime());
    join(dma, tcm, tcmRate, SimTime());
    join(fetchStore, tcm, tcmRate, SimTime());
    // One-way, because installing a mapping has no response.
    builder.addLink(cpu, mmu, Bandwidth(), SimTime());
    cube.dma.push_back(dma);
    builder.addEndpoint(dma);
    builder.addMemory(leavePe, enterMemory);
  }

  JsonObject &file;
  MachineBuilder &builder;
  Shape shape;
  uint32_t numPhys = 4;
  double secondsPerMetre = 1e-8;
  Bandwidth nocRate, peRate, connectionRate, ioRate, sipRate, hbmRate, sramRate, tcmRate;
  SimTime routerHop, routerOverhead, portOverhead, connectionOverhead, ucieHop;
  SimTime ioNocOverhead, ioCpuOverhead, pcieOverhead, switchOverhead, ioHop, sipHop;
};
} // namespace

void cclc::buildAhbm(JsonObject &file, MachineBuilder &builder) {
  AhbmBuilder(file, builder).build();
}
