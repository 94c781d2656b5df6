//===- NcclRates.cpp - Rates of links that NCCL and RCCL assume -----------===//
//
// NVLinks by NVIDIA's descriptions of NVLink 1 to 5 and of the GA102, xGMI and links between CPUs
// by the constants of the runtimes. PCIe rates are those of the lanes, without the encoding: 8b/10b
// up to 5 GT/s, 128b/130b up to 32 GT/s, and 242 of 256 bytes of a flit from then on (PCI Express
// Base Specification 6.0).
//
//===----------------------------------------------------------------------===//

#include "NcclRates.h"

#include "llvm/ADT/StringRef.h"

using namespace cclc;
using namespace cclc::nccl;

std::optional<uint64_t> nccl::nvLinkRate(uint32_t capability) {
  if (capability < 60)
    return std::nullopt;
  if (capability >= 100)
    return 50'000'000'000;
  if (capability == 86)
    return 14'062'500'000;
  return capability >= 70 ? 25'000'000'000 : 20'000'000'000;
}

uint64_t nccl::xgmiRate(StringRef architecture) {
  architecture.consume_front("gfx");
  if (architecture.starts_with("94") || architecture.starts_with("95"))
    return 48'000'000'000;
  if (architecture.starts_with("90a") || architecture.starts_with("910"))
    return 36'000'000'000;
  return 24'000'000'000;
}

std::optional<double> nccl::pcieLaneRate(StringRef speed) {
  constexpr struct {
    const char *older, *text; ///< of Linux up to 5.6, and later
    double lane;
  } speeds[] = {{"2.5 GT/s", "2.5 GT/s PCIe", 2.5e9 / 10},
                {"5 GT/s", "5.0 GT/s PCIe", 5e9 / 10},
                {"8 GT/s", "8.0 GT/s PCIe", 8e9 / 8 * 128 / 130},
                {"16 GT/s", "16.0 GT/s PCIe", 16e9 / 8 * 128 / 130},
                {"32 GT/s", "32.0 GT/s PCIe", 32e9 / 8 * 128 / 130},
                {"64 GT/s", "64.0 GT/s PCIe", 64e9 / 8 * 242 / 256}};
  for (const auto &[older, text, lane] : speeds)
    if (speed.starts_with(older) || speed.starts_with(text))
      return lane;
  return std::nullopt;
}

std::optional<uint64_t> nccl::cpuRate(StringRef arch, StringRef vendor,
                                      std::optional<int64_t> family, std::optional<int64_t> model) {
  if (arch.starts_with("arm64") || arch.starts_with("aarch64"))
    return 6'000'000'000;
  if (arch.starts_with("ppc64"))
    return 32'000'000'000;
  if (vendor.starts_with("AuthenticAMD"))
    return 16'000'000'000;
  if (vendor == "CentaurHauls" || vendor.trim() == "Shanghai")
    return 6'000'000'000;
  if (!vendor.starts_with("GenuineIntel"))
    return std::nullopt;
  if (!family || !model)
    return 10'000'000'000;
  if (*family != 6 || *model < 0x55)
    return 6'000'000'000;
  return *model < 0x8F ? 10'000'000'000 : *model < 0xCF ? 22'000'000'000 : 40'000'000'000;
}
