//===- RunSettings.cpp - The settings that times depend on ----------------===//

#include "cclc/Views/Report/RunSettings.h"

#include "cclc/Target/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace cclc;

std::string cclc::endpointsText(const PlanOnMachine &bound) {
  std::vector<uint32_t> all;
  for (EndpointId endpoint : bound.endpointOf)
    all.push_back(endpoint.index());
  return endpointsText(all);
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
