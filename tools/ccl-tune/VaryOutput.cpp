//===- VaryOutput.cpp - The gains of faster hardware as text and JSON -----===//
//
// The speed-up is the time of the best plan of the unchanged machine over that of the best plan of
// the variant.
//
//===----------------------------------------------------------------------===//

#include "Document.h"
#include "JsonText.h"
#include "Table.h"
#include "TunedPlans.h"

#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Support/Text.h"

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

/// The speed-up of \p time over \p before in thousandths.
static int64_t speedUp(SimTime before, SimTime time) {
  return int64_t(Wide(before.picoseconds()) * 1000 / std::max<int64_t>(time.picoseconds(), 1));
}

void cclc::printVariants(const TunedPlans &tuned, ArrayRef<VaryAxis> axes, raw_ostream &os) {
  os << "\nvariants: the best plan of each machine and size, and its speed-up over the unchanged "
        "machine\n";
  std::vector<std::string> titles;
  for (const VaryAxis &axis : axes)
    titles.push_back(axis.path);
  titles.insert(titles.end(), {"size", "time", "speed-up", "of bound", "best plan"});
  Table variants(std::move(titles));
  const std::vector<BestOfSize> unchanged = bestOfSizes(tuned.problem, tuned.result);
  for (const MachineVariant &variant : tuned.variants)
    for (const auto &[best, before] : llvm::zip_equal(variant.best, unchanged)) {
      std::vector<std::string> row;
      for (const TargetOverride &change : variant.changes)
        row.push_back(change.value);
      row.push_back(sizeText(Bytes(best.bytes)));
      if (best.time && before.time)
        row.insert(row.end(), {timeText(*best.time), thousandths(speedUp(*before.time, *best.time)),
                               boundShareText(best.bound, *best.time), best.title});
      else
        row.insert(row.end(), {"-", "-", "-", "none runs with this size"});
      variants.add(std::move(row));
    }
  variants.print(os);
  os << "\nelasticity of the best plans of the unchanged machine: percent faster per percent "
        "more\n";
  titles = {"size"};
  for (const auto &[axis, elasticity] : llvm::zip_equal(axes, tuned.elasticities))
    titles.push_back(elasticity.base ? axis.path + "=" + elasticity.base->text() : axis.path);
  Table elasticities(std::move(titles));
  for (size_t s = 0; s < tuned.problem.sizes.size(); ++s) {
    std::vector<std::string> row = {sizeText(Bytes(tuned.problem.sizes[s]))};
    for (const Elasticity &elasticity : tuned.elasticities)
      row.push_back(elasticity.thousandths[s] ? thousandths(*elasticity.thousandths[s]) : "-");
    elasticities.add(std::move(row));
  }
  elasticities.print(os);
}

static ordered_json toJson(const TunedPlans &tuned, ArrayRef<VaryAxis> axes) {
  const TuneProblem &problem = tuned.problem;
  const std::vector<BestOfSize> unchanged = bestOfSizes(problem, tuned.result);
  ordered_json json = {{"collective", std::string(collectiveName(problem.collective))},
                       {"ranks", problem.ranks()},
                       {"variants", ordered_json::array()},
                       {"elasticities", ordered_json::array()}};
  for (const MachineVariant &variant : tuned.variants) {
    ordered_json row = {{"settings", ordered_json::array()}, {"points", ordered_json::array()}};
    for (const TargetOverride &change : variant.changes)
      row["settings"].push_back(change.path + "=" + change.value);
    for (const auto &[best, before] : llvm::zip_equal(variant.best, unchanged)) {
      ordered_json point = {{"bytes", best.bytes}, {"time_ns", nullptr}};
      if (best.time) {
        const double time = double(best.time->picoseconds());
        point["time_ns"] = toNanoseconds(*best.time);
        point["speed_up"] = before.time ? ordered_json(double(before.time->picoseconds()) / time)
                                        : ordered_json(nullptr);
        point["bound_share"] = best.bound.time() == SimTime()
                                   ? ordered_json(nullptr)
                                   : ordered_json(best.bound.shareOf(*best.time));
        if (best.bound.time() > SimTime())
          point["binds"] = boundName(best.bound.binds).str();
        point["command"] = best.command;
      }
      row["points"].push_back(std::move(point));
    }
    json["variants"].push_back(std::move(row));
  }
  for (const auto &[axis, elasticity] : llvm::zip_equal(axes, tuned.elasticities)) {
    ordered_json row = {{"path", axis.path},
                        {"unchanged", elasticity.base ? ordered_json(elasticity.base->value)
                                                      : ordered_json(nullptr)},
                        {"points", ordered_json::array()}};
    for (const auto &[size, value] : llvm::zip_equal(problem.sizes, elasticity.thousandths))
      row["points"].push_back(
          {{"bytes", size},
           {"elasticity", value ? ordered_json(double(*value) / 1000) : ordered_json(nullptr)}});
    json["elasticities"].push_back(std::move(row));
  }
  return json;
}

LogicalResult cclc::writeVariants(ArrayRef<TunedPlans> tuned, ArrayRef<VaryAxis> axes,
                                  const std::string &path, DiagnosticEngine &diags) {
  ordered_json json;
  json["version"] = 1;
  json.update(conditionsOf(tuned));
  json["vary"] = ordered_json::array();
  for (const VaryAxis &axis : axes)
    json["vary"].push_back({{"path", axis.path}, {"values", axis.values}});
  json["collectives"] = ordered_json::array();
  for (const TunedPlans &each : tuned)
    json["collectives"].push_back(toJson(each, axes));
  return writeFile(path, [&](raw_ostream &os) { os << jsonText(json) << '\n'; }, diags);
}
