//===- RunSettings.cpp - The settings that times depend on ----------------===//

#include "cclc/Views/Report/RunSettings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace cclc;

std::string cclc::endpointsText(const PlanOnMachine &bound) {
  std::vector<uint32_t> all;
  for (EndpointId endpoint : bound.endpointOf)
    all.push_back(endpoint.index());
  return endpointsText(all);
}

std::string cclc::endpointsText(ArrayRef<uint32_t> all) {
  std::string text;
  for (size_t i = 0, last; i < all.size(); i = last + 1) {
    last = i;
    int64_t step = i + 2 < all.size() ? int64_t(all[i + 1]) - all[i] : 0;
    while (step > 0 && last + 1 < all.size() && int64_t(all[last + 1]) - all[last] == step)
      ++last;
    if (last < i + 2)
      last = i;
    text += (i ? "," : "") + std::to_string(all[i]);
    if (last > i)
      text += "-" + std::to_string(all[last]) + (step > 1 ? ":" + std::to_string(step) : "");
  }
  return text;
}

bool cclc::isPlacedInOrder(const PlanOnMachine &bound) {
  return llvm::all_of(llvm::enumerate(bound.endpointOf),
                      [](const auto &rank) { return rank.value().index() == rank.index(); });
}

std::vector<RunSetting> cclc::runSettings(const SweepResult &summary, const PlanOnMachine &bound) {
  std::vector<RunSetting> all = {{"target", summary.target.name},
                                 {"target_settings", llvm::join(summary.target.settings, ", ")},
                                 {"target_hash", summary.target.hash},
                                 {"network", summary.network},
                                 {"slots", summary.slots.str()},
                                 {"protocol", protocolName(bound.shown.info().protocol).str()},
                                 {"endpoints", endpointsText(bound)},
                                 {"dtype", dataTypeName(summary.type).str()},
                                 {"op", reduceOpName(summary.op).str()},
                                 {"repeat", std::to_string(summary.repeat)},
                                 {"with", summary.conditions.text()}};
  llvm::erase_if(all, [](const RunSetting &setting) { return setting.value.empty(); });
  return all;
}
