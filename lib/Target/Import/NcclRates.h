//===- NcclRates.h - Rates of links that NCCL and RCCL assume ---*- C++ -*-===//
//
// Topology files have numbers and kinds of links; their rates are constants of the runtimes (NCCL's
// src/graph/topo.h, and that of RCCL). All rates are bytes per second in each direction.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_TARGET_IMPORT_NCCLRATES_H
#define CCL_LIB_TARGET_IMPORT_NCCLRATES_H

#include "cclc/Support/LLVM.h"

#include <cstdint>
#include <optional>

namespace cclc::nccl {

/// Of an NVLink of a GPU with the compute capability \p capability (90 for 9.0); unset if unknown.
std::optional<uint64_t> nvLinkRate(uint32_t capability);
/// Of an NVLink whose GPU is unknown.
constexpr uint64_t otherNvLinkRate = 25'000'000'000;

/// Of an xGMI link of \p architecture: "gfx942", or "910" as older versions of RCCL write gfx90a.
uint64_t xgmiRate(StringRef architecture);

/// Of a lane of PCIe with the speed \p speed as Linux writes it, "16.0 GT/s PCIe" or, before
/// version 5.6, "16 GT/s"; unset for other texts.
std::optional<double> pcieLaneRate(StringRef speed);
/// Of a lane whose speed is unknown, 8 GT/s.
constexpr double otherPcieLaneRate = 8e9 / 8 * 128 / 130;

/// Between two CPUs: \p family and \p model are unset if the file does not have them. Unset for
/// unknown CPUs.
std::optional<uint64_t> cpuRate(StringRef arch, StringRef vendor, std::optional<int64_t> family,
                                std::optional<int64_t> model);
/// Between two unknown CPUs.
constexpr uint64_t otherCpuRate = 5'000'000'000'000;

/// Between two parts of a GPU.
constexpr uint64_t partRate = 2'618'000'000'000;

} // namespace cclc::nccl

#endif // CCL_LIB_TARGET_IMPORT_NCCLRATES_H
