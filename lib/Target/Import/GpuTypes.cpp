//===- GpuTypes.cpp - Rates of the links of GPUs --------------------------===//
//
// The rates of NVLinks are those of NVIDIA's descriptions of NVLink 1 to 5, those of xGMI links the
// constants of RCCL, and those of PCIe the ones of 16 lanes without the encoding.
//
//===----------------------------------------------------------------------===//

#include "GpuTypes.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <vector>

using namespace cclc;
using llvm::formatv;

namespace {
constexpr uint64_t pcie3 = 15'753'846'154, pcie4 = 31'507'692'308, pcie5 = 63'015'384'615;
constexpr uint64_t nvLink3 = 25'000'000'000, nvLink5 = 50'000'000'000;
constexpr GpuType types[] = {
    {"P100", false, 4, 20'000'000'000, pcie3},
    {"V100", false, 6, 25'000'000'000, pcie3},
    {"T4", false, 0, 0, pcie3},
    {"A30", false, 4, nvLink3, pcie4},
    {"A40", false, 4, 14'062'500'000, pcie4},
    {"A6000", false, 4, 14'062'500'000, pcie4},
    {"A10", false, 0, 0, pcie4},
    {"A100", false, 12, nvLink3, pcie4},
    {"A800", false, 8, nvLink3, pcie4},
    {"L4", false, 0, 0, pcie4},
    {"L40S", false, 0, 0, pcie4},
    {"H100", false, 18, nvLink3, pcie5},
    {"H200", false, 18, nvLink3, pcie5},
    {"H20", false, 18, nvLink3, pcie5},
    {"H800", false, 8, nvLink3, pcie5},
    {"GH200", false, 18, nvLink3, pcie5},
    {"B200", false, 18, nvLink5, pcie5},
    {"GB200", false, 18, nvLink5, pcie5},
    {"B300", false, 18, nvLink5, pcie5},
    {"GB300", false, 18, nvLink5, pcie5},
    {"MI100", true, 3, 24'000'000'000, pcie4},
    {"MI210", true, 3, 36'000'000'000, pcie4},
    {"MI250", true, 8, 36'000'000'000, pcie4},
    {"MI300A", true, 8, 48'000'000'000, pcie5},
    {"MI300X", true, 7, 48'000'000'000, pcie5},
    {"MI325X", true, 7, 48'000'000'000, pcie5},
    {"MI355X", true, 7, 48'000'000'000, pcie5},
};
} // namespace

FailureOr<GpuType> cclc::gpuTypeOf(const std::optional<std::string> &name, StringRef assumed,
                                   StringRef file, DiagnosticEngine &diags) {
  const StringRef wanted = name ? StringRef(*name) : assumed;
  const GpuType *found = llvm::find_if(
      types, [&](const GpuType &type) { return wanted.equals_insensitive(type.name); });
  if (found == std::end(types)) {
    std::vector<std::string> known;
    for (const GpuType &type : types)
      known.emplace_back(type.name);
    return diags.error({}, unknownWord("type of GPUs of --gpu", wanted, known));
  }
  if (!name)
    diags.warning({file.str()},
                  formatv("the type of the GPUs is not in the file, and assumed to be "
                          "{0}: --gpu TYPE sets it",
                          assumed));
  return *found;
}

std::string cclc::assumptionOfLinks(const GpuType &type) {
  return formatv("{0}ink of {1} has {2} GB/s in each direction",
                 type.isAmd ? "an xGMI l" : "an NVL", type.name, gigabytesText(type.linkRate));
}
