//===- TuneReport.cpp - The HTML page of a portfolio ----------------------===//
//
// Inserts a JSON document into the page of assets/tune. Times are picoseconds, or null for a plan
// that was not simulated with a size. Plans are stored once and named by their index.
//
//===----------------------------------------------------------------------===//

#include "Document.h"
#include "JsonText.h"

#include "cclc/Support/OutputFile.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using nlohmann::ordered_json;

namespace {
ordered_json orNull(std::optional<SimTime> time) {
  return time ? ordered_json(time->picoseconds()) : ordered_json(nullptr);
}

ordered_json orNull(const SizeBound &bound) {
  return orNull(bound.time() == SimTime() ? std::nullopt : std::optional(bound.time()));
}

class DocumentWriter {
public:
  DocumentWriter(const TunedPlans &tuned, ArrayRef<VaryAxis> axes)
      : tuned(tuned), problem(tuned.problem), axes(axes) {}

  ordered_json write() {
    size_t usable = 0;
    for (const Tried &tried : tuned.result.tried)
      usable += tried.measure.isUsable();
    ordered_json json = {{"collective", std::string(collectiveName(problem.collective))},
                         {"runtime", problem.runtime->name.str()},
                         {"ranks", problem.ranks()},
                         {"nodes", problem.nodes},
                         {"in_place", problem.isInPlace()},
                         {"candidates", tuned.result.tried.size()},
                         {"usable", usable},
                         {"messages", tuned.result.messages},
                         {"ended_by", endText(tuned.result.end)},
                         {"sizes", ordered_json::array()},
                         {"programs", programs()},
                         {"portfolio", ordered_json::array()},
                         {"gaps", ordered_json::array()},
                         {"failures", failures()},
                         {"variants", variants()},
                         {"elasticities", elasticities()}};
    if (tuned.measured)
      json["measured"] = measured(*tuned.measured);
    for (uint64_t size : problem.sizes)
      json["sizes"].push_back(ofSize(size));
    for (const PlanRange &range : tuned.ranges)
      json["portfolio"].push_back(
          {{"plan", indexOf(range.plan)}, {"from", range.minBytes}, {"to", range.maxBytes}});
    for (const PortfolioGap &gap : tuned.gaps)
      json["gaps"].push_back({{"from", gap.minBytes},
                              {"to", gap.maxBytes},
                              {"server", gap.isOfLibrary ? "library" : "none"},
                              {"reason", gap.reason}});
    json["plans"] = std::move(plans);
    return json;
  }

private:
  size_t indexOf(size_t tried) {
    auto [entry, isNew] = indices.insert({tried, plans.size()});
    if (isNew) {
      const Tried &plan = tuned.result.tried[tried];
      plans.push_back({{"title", plan.candidate.title()},
                       {"command", plan.candidate.command()},
                       {"threadblocks", plan.measure.threadblocks},
                       {"channels", plan.measure.channels}});
    }
    return entry->second;
  }

  ordered_json ofSize(uint64_t size) {
    const SizeBound bound = problem.boundOf(size);
    ordered_json json = {{"bytes", size},
                         {"bound", orNull(bound)},
                         {"binds", bound.title().str()},
                         {"best", nullptr},
                         {"runner_up", tuned.runnerUp(size)},
                         {"front", ordered_json::array()}};
    auto timed = [&](size_t tried) -> ordered_json {
      return {indexOf(tried), orNull(tuned.result.tried[tried].measure.time(size))};
    };
    if (std::vector<size_t> ranking = tuned.result.ranking(size); !ranking.empty())
      json["best"] = timed(ranking.front());
    for (size_t tried : tuned.result.paretoFront(size))
      json["front"].push_back(timed(tried));
    return json;
  }

  /// For each program, the time of its fastest plan by size.
  ordered_json programs() const {
    llvm::MapVector<StringRef, std::vector<std::optional<SimTime>>> times;
    for (const Tried &tried : tuned.result.tried) {
      auto &row = times[tried.candidate.program->name()];
      row.resize(problem.sizes.size());
      for (size_t s = 0; s < row.size(); ++s)
        if (std::optional<SimTime> time = tried.measure.time(problem.sizes[s]))
          row[s] = std::min(row[s].value_or(SimTime::max()), *time);
    }
    ordered_json list = ordered_json::array();
    for (const auto &[name, row] : times) {
      ordered_json values = ordered_json::array();
      for (std::optional<SimTime> time : row)
        values.push_back(orNull(time));
      list.push_back({{"name", name.str()}, {"times", std::move(values)}});
    }
    return list;
  }

  ordered_json variants() const {
    ordered_json list = ordered_json::array();
    for (const MachineVariant &variant : tuned.variants) {
      ordered_json row = {{"values", ordered_json::array()}, {"points", ordered_json::array()}};
      for (const TargetOverride &change : variant.changes)
        row["values"].push_back(change.value);
      for (const BestOfSize &best : variant.best)
        row["points"].push_back(
            {orNull(best.time), orNull(best.bound), best.title, best.bound.title().str()});
      list.push_back(std::move(row));
    }
    return list;
  }

  ordered_json measured(const MeasuredTuning &measured) const {
    ordered_json json = {{"launcher", measured.launcher},
                         {"transport", measured.transport},
                         {"other", otherName(measured).str()},
                         {"sizes", ordered_json::array()}};
    auto inPicoseconds = [](double nanoseconds) {
      return nanoseconds == 0 ? ordered_json(nullptr) : ordered_json(uint64_t(nanoseconds * 1000));
    };
    for (const auto &[size, decision] : llvm::zip_equal(measured.sizes, measured.decisions)) {
      const Tried *plan = decision.plan ? &tuned.result.tried[*decision.plan] : nullptr;
      json["sizes"].push_back(
          {{"bytes", size.bytes},
           {"predicted", orNull(plan ? plan->measure.time(size.bytes) : std::nullopt)},
           {"time", inPicoseconds(decision.planNanoseconds)},
           {"other", inPicoseconds(decision.otherNanoseconds)},
           {"ratio", ratioText(decision.ratio)},
           {"used", winnerText(decision)},
           {"plan", plan ? plan->candidate.title() : "none"}});
    }
    return json;
  }

  ordered_json failures() const {
    ordered_json list = ordered_json::array();
    for (const Survival &each : tuned.survival.classes) {
      ordered_json row = {
          {"parts", each.parts}, {"lost", each.lost}, {"points", ordered_json::array()}};
      for (const Survival::Point &point : each.points)
        row["points"].push_back({{"bytes", point.bytes},
                                 {"before", orNull(point.before)},
                                 {"unchanged", orNull(point.unchanged)},
                                 {"after", orNull(point.after)},
                                 {"bound", orNull(point.bound)},
                                 {"binds", point.bound.title().str()},
                                 {"plan", tuned.survival.plans[point.plan].title}});
      list.push_back(std::move(row));
    }
    return list;
  }

  ordered_json elasticities() const {
    ordered_json list = ordered_json::array();
    for (const auto &[axis, elasticity] : llvm::zip(axes, tuned.elasticities)) {
      ordered_json row = {{"path", axis.path},
                          {"unchanged", elasticity.base ? elasticity.base->text() : ""},
                          {"thousandths", ordered_json::array()}};
      for (std::optional<int64_t> value : elasticity.thousandths)
        row["thousandths"].push_back(value ? ordered_json(*value) : ordered_json(nullptr));
      list.push_back(std::move(row));
    }
    return list;
  }

  const TunedPlans &tuned;
  const TuneProblem &problem;
  ArrayRef<VaryAxis> axes;
  ordered_json plans = ordered_json::array();
  llvm::MapVector<size_t, size_t> indices; ///< of candidates in \c plans
};

/// \p text with "<" escaped, so that it cannot end the script element that contains it.
void writeInScript(const std::string &text, raw_ostream &os) {
  for (char c : text)
    if (c == '<')
      os << "\\u003c";
    else
      os << c;
}
} // namespace

LogicalResult cclc::writeTuneReport(ArrayRef<TunedPlans> tuned, ArrayRef<VaryAxis> axes,
                                    const std::string &page, const std::string &path,
                                    DiagnosticEngine &diags) {
  constexpr StringRef mark = "<!--data-->";
  auto file = llvm::MemoryBuffer::getFile(page);
  if (!file)
    return diags.error({}, "cannot read '" + page + "', the report page: " +
                               file.getError().message() + "; it is installed beside the tools");
  auto [before, after] = (*file)->getBuffer().split(mark);
  if (after.empty())
    return diags.error({}, "'" + page + "' is not a report page; install it again");
  ordered_json document = conditionsOf(tuned);
  document["axes"] = ordered_json::array();
  for (const VaryAxis &axis : axes)
    document["axes"].push_back(axis.path);
  document["collectives"] = ordered_json::array();
  for (const TunedPlans &each : tuned)
    document["collectives"].push_back(DocumentWriter(each, axes).write());
  const std::string text = jsonText(document, -1);
  return writeFile(
      path,
      [&](raw_ostream &os) {
        os << before;
        writeInScript(text, os);
        os << after;
      },
      diags);
}
