//===- NicChoice.h - The NICs that each GPU uses ----------------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_IMPORT_NICCHOICE_H
#define CCL_LIB_TARGET_IMPORT_NICCHOICE_H

#include "NcclTopology.h"

namespace cclc::nccl {

/// How far a NIC is from a GPU, in the order in which NCCL prefers them.
enum class Distance : uint8_t {
  Pix, ///< one bridge of PCIe
  Pxb, ///< several bridges
  Phb, ///< the CPU of the GPU
  Sys  ///< another CPU
};

struct NicPath {
  uint32_t nic = 0;
  Distance distance = Distance::Sys;
  uint64_t gpuSide = 0; ///< rate from the GPU to the bridge or CPU next to both, or to the CPU
                        ///< of the NIC
  uint64_t nicSide = 0; ///< rate from there to the NIC
  uint64_t rate = 0;    ///< of the path and the NIC
  uint32_t links = 0;   ///< of PCIe from there to the NIC
};

/// The paths of \p gpu to the NICs of its host.
std::vector<NicPath> pathsToNics(const Server &server, const Gpu &gpu);

/// The paths to the NICs that NCCL uses for \p gpu: those with the highest rate, and among these
/// the nearest. NCCL alternates between them by channel (ncclTopoGetLocalNet).
std::vector<NicPath> usedNics(const Server &server, const Gpu &gpu);

} // namespace cclc::nccl

#endif // CCL_LIB_TARGET_IMPORT_NICCHOICE_H
