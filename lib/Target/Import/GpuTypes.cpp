//===- GpuTypes.cpp - Rates of the links of GPUs --------------------------===//
//
// The rates are those that topology files of NCCL and RCCL have for the compute capability or the
// architecture of the type, and for the generation of PCIe.
//
//===----------------------------------------------------------------------===//

#include "GpuTypes.h"
#include "NcclRates.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <vector>

using namespace cclc;
using llvm::formatv;

namespace {
struct Row {
  const char *name;
  uint32_t capability, links;
  const char *speed;        ///< of PCIe
  const char *architecture; ///< of AMD
};
constexpr Row rows[] = {
    {"P100", 60, 4, "8 GT/s", ""},         {"V100", 70, 6, "8 GT/s", ""},
    {"T4", 75, 0, "8 GT/s", ""},           {"A30", 80, 4, "16 GT/s", ""},
    {"A40", 86, 4, "16 GT/s", ""},         {"A6000", 86, 4, "16 GT/s", ""},
    {"A10", 86, 0, "16 GT/s", ""},         {"A100", 80, 12, "16 GT/s", ""},
    {"A800", 80, 8, "16 GT/s", ""},        {"L4", 89, 0, "16 GT/s", ""},
    {"L40S", 89, 0, "16 GT/s", ""},        {"H100", 90, 18, "32 GT/s", ""},
    {"H200", 90, 18, "32 GT/s", ""},       {"H20", 90, 18, "32 GT/s", ""},
    {"H800", 90, 8, "32 GT/s", ""},        {"GH200", 90, 18, "32 GT/s", ""},
    {"B200", 100, 18, "32 GT/s", ""},      {"GB200", 100, 18, "32 GT/s", ""},
    {"B300", 103, 18, "32 GT/s", ""},      {"GB300", 103, 18, "32 GT/s", ""},
    {"MI100", 0, 3, "16 GT/s", "gfx908"},  {"MI210", 0, 3, "16 GT/s", "gfx90a"},
    {"MI250", 0, 8, "16 GT/s", "gfx90a"},  {"MI300A", 0, 8, "32 GT/s", "gfx942"},
    {"MI300X", 0, 7, "32 GT/s", "gfx942"}, {"MI325X", 0, 7, "32 GT/s", "gfx942"},
    {"MI355X", 0, 7, "32 GT/s", "gfx950"}};
} // namespace

FailureOr<GpuType> cclc::gpuTypeOf(const std::optional<std::string> &name, StringRef assumed,
                                   bool isAmd, StringRef file, DiagnosticEngine &diags) {
  const StringRef wanted = name ? StringRef(*name) : assumed;
  std::vector<std::string> known;
  const Row *found = nullptr;
  for (const Row &row : rows) {
    if ((*row.architecture != 0) != isAmd)
      continue;
    known.emplace_back(row.name);
    if (wanted.equals_insensitive(row.name))
      found = &row;
  }
  if (!found)
    return diags.error({}, unknownWord("type of GPUs of --gpu", wanted, known));
  if (!name)
    diags.warning({file.str()},
                  formatv("the type of the GPUs is not in the file, and assumed to be "
                          "{0}: --gpu TYPE sets it",
                          assumed));
  uint64_t linkRate = isAmd ? nccl::xgmiRate(found->architecture)
                            : nccl::nvLinkRate(found->capability).value_or(nccl::otherNvLinkRate);
  double laneRate = nccl::pcieLaneRate(found->speed).value_or(nccl::otherPcieLaneRate);
  return GpuType{found->name,  isAmd,    found->capability,
                 found->links, linkRate, uint64_t(std::llround(laneRate * 16))};
}

std::string cclc::assumptionOfLinks(const GpuType &type) {
  return formatv("{0} of {1} has {2} GB/s in each direction",
                 type.isAmd ? "an xGMI link" : "an NVLink", type.name,
                 gigabytesText(type.linkRate));
}
