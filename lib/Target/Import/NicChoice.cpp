//===- NicChoice.cpp - The NICs that each GPU uses ------------------------===//
//
// The path from a GPU to a NIC leads up to the first bridge or CPU above both. NICs below another
// CPU are reached over the link between the CPUs. Links to the chip of the CPU replace those of
// PCIe if they are faster.
//
//===----------------------------------------------------------------------===//

#include "NicChoice.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::nccl;

namespace {
uint64_t rateOfCpu(const Server &server, uint32_t node) {
  auto found = llvm::find_if(server.cpus, [&](const Cpu &cpu) { return cpu.node == node; });
  return found->rate;
}

NicPath pathTo(const Server &server, const Gpu &gpu, uint32_t index) {
  const Nic &nic = server.nics[index];
  uint32_t cpu = server.cpuOf(gpu.node);
  NicPath path;
  path.nic = index;
  // A NIC that several CPUs list is near to each of them.
  uint32_t place = llvm::is_contained(nic.further, cpu) ? cpu : nic.node;
  uint32_t above = gpu.node;
  while (server.nodes[above].parent && !server.contains(above, place))
    above = *server.nodes[above].parent;
  bool isNear = server.contains(above, place);
  uint32_t end = isNear ? above : server.cpuOf(place);
  path.gpuSide = server.rateUpTo(above, gpu.node);
  path.nicSide = server.rateUpTo(end, place);
  for (uint32_t at = place; at != end; at = *server.nodes[at].parent)
    ++path.links;
  if (server.nodes[above].parent) {
    bool one = server.nodes[place].parent == above &&
               server.nodes[server.devices[gpu.device].node].parent == above;
    path.distance = one ? Distance::Pix : Distance::Pxb;
  } else {
    path.distance = isNear ? Distance::Phb : Distance::Sys;
    for (uint32_t at = gpu.node; server.nodes[at].parent; at = *server.nodes[at].parent)
      path.gpuSide = std::max(path.gpuSide, server.nodes[at].chipRate);
    if (!isNear)
      path.gpuSide = std::min({path.gpuSide, rateOfCpu(server, cpu), rateOfCpu(server, end)});
  }
  path.rate = std::min({path.gpuSide, path.nicSide, nic.rate});
  return path;
}
} // namespace

std::vector<NicPath> nccl::pathsToNics(const Server &server, const Gpu &gpu) {
  std::vector<NicPath> paths;
  for (uint32_t nic = 0; nic < server.nics.size(); ++nic)
    if (server.nics[nic].host == gpu.host)
      paths.push_back(pathTo(server, gpu, nic));
  return paths;
}

std::vector<NicPath> nccl::usedNics(const Server &server, const Gpu &gpu) {
  std::vector<NicPath> paths = pathsToNics(server, gpu);
  auto order = [](const NicPath &path) { return std::pair(~path.rate, path.distance); };
  auto best =
      llvm::min_element(paths, [&](const auto &a, const auto &b) { return order(a) < order(b); });
  if (best != paths.end())
    llvm::erase_if(
        paths, [first = order(*best), order](const NicPath &path) { return order(path) != first; });
  return paths;
}
