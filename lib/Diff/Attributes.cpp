//===- Attributes.cpp - Comparing the headers of two plans ----------------===//
//
// A header is converted to a list of names and values, and the lists are compared by name.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "cclc/IR/PlanAttributes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::diff;

static std::string text(Placements placements) {
  std::vector<std::string> texts;
  for (Placement placement : placements.list())
    texts.push_back(placementText(placement).str());
  return llvm::join(texts, " and ");
}

namespace {
struct Row {
  std::string name, value;
  std::optional<RankId> rank;
};

class Header {
public:
  /// \p xml: only the attributes that MSCCL XML can represent.
  Header(const ExecPlan &plan, bool xml) : plan(plan), info(plan.info()) {
    add("name", info.name);
    attributes(/*inXml=*/true);
    scratch();
    if (xml)
      return;
    collective();
    add("placements", text(info.placements));
    attributes(/*inXml=*/false);
    for (const auto &[key, value] : info.parameters)
      add("parameter " + key, value);
    if (!info.target.empty())
      add("target", info.target.title());
    tables();
  }

  std::vector<Row> rows;

private:
  void add(const llvm::Twine &name, StringRef value, std::optional<RankId> rank = {}) {
    rows.push_back({name.str(), value.str(), rank});
  }

  void attributes(bool inXml) {
    for (const HeaderAttribute &attribute : headerAttributes)
      if (auto value = attribute.get(info); value && attribute.inXml == inXml)
        add(attribute.key, attribute.text(*value));
  }

  void collective() {
    const Collective &c = info.collective;
    add("collective", StringRef(collectiveName(c.kind())));
    if (c.isRooted())
      add("root", "r" + std::to_string(c.root().index()));
    const CustomSpec *spec = c.custom();
    if (!spec) {
      add("chunks", std::to_string(c.chunks()));
      return;
    }
    add("input chunks", std::to_string(spec->inputChunks));
    add("output chunks", std::to_string(spec->outputChunks));
    for (const CustomSpec::Output &output : spec->outputs) {
      std::string sum;
      llvm::raw_string_ostream os(sum);
      const char *separator = "";
      for (Contribution from : output.contributions) {
        os << separator << from.rank << ":i[" << from.index << ']';
        separator = " + ";
      }
      add("expectation of o[" + llvm::Twine(output.index) + "]", sum, output.rank);
    }
  }

  void scratch() {
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      if (plan.scratchChunks()[r])
        add("scratch", std::to_string(plan.scratchChunks()[r]), RankId(r));
  }

  void tables() {
    uint32_t n = 0;
    for (const GridLevel &level : info.geometry.levels)
      add("level " + llvm::Twine(n++),
          (StringRef(level.name) + ", " + StringRef(gridKindName(level.kind)) + " " +
           llvm::Twine(level.width) + " x " + llvm::Twine(level.height))
              .str());
    for (uint32_t r = 0; r < info.placementOnTarget.size(); ++r)
      add("endpoint", std::to_string(info.placementOnTarget[r]), RankId(r));
    llvm::StringMap<uint32_t> children;
    for (const Neighbour &row : info.neighbours) {
      std::string name = ("neighbour " + StringRef(directionName(row.direction))).str();
      // A rank may have several neighbours in one direction.
      uint32_t &met = children[name + " " + std::to_string(row.rank.index())];
      add(met++ ? name + " " + std::to_string(met) : name, "r" + std::to_string(row.peer.index()),
          row.rank);
    }
    n = 0;
    for (const Communicator &communicator : info.communicators) {
      std::string groups = communicator.name;
      llvm::raw_string_ostream os(groups);
      for (const std::vector<RankId> &group : communicator.groups) {
        const char *separator = " [";
        for (RankId rank : group) {
          os << separator << rank;
          separator = " ";
        }
        os << ']';
      }
      add("communicator " + llvm::Twine(n++), groups);
    }
    n = 0;
    for (const Call &call : info.calls)
      add("call " + llvm::Twine(n++),
          call.collective + ", generation " + std::to_string(call.generation));
    for (uint32_t phase = 1; phase < info.phases.size(); ++phase)
      add("phase " + llvm::Twine(phase), phaseText(info.phases[phase]));
  }

  static std::string phaseText(const Phase &phase) {
    std::string text = "'" + phase.name + "'";
    if (!phase.gate)
      return text;
    llvm::raw_string_ostream os(text);
    os << ", call " << phase.gate->call << ", communicator " << phase.gate->communicator
       << ", stage " << phase.gate->stage;
    if (phase.gate->generation)
      os << ", generation " << *phase.gate->generation;
    return text;
  }

  const ExecPlan &plan;
  const ProgramInfo &info;
};

std::string identity(const Row &row) {
  return row.rank ? row.name + " " + std::to_string(row.rank->index()) : row.name;
}

/// Compares attributes that XML represents differently: sizes are rounded to shares of a rank, and
/// a collective that the runtime does not support has no name.
void compareForXml(const ExecPlan &before, const ExecPlan &after,
                   std::vector<AttributeChange> &changes) {
  const ProgramInfo &a = before.info(), &b = after.info();
  auto differ = [&](const char *name, std::string x, std::string y) {
    if (x != y)
      changes.push_back({name, std::move(x), std::move(y), std::nullopt});
  };
  auto name = [](const Collective &c) { return std::string(collectiveName(c.kind())); };
  if (!a.collective.custom() && !b.collective.custom())
    differ("collective", name(a.collective), name(b.collective));
  if (a.collective.isRooted() && b.collective.isRooted())
    differ("root", "r" + std::to_string(a.collective.root().index()),
           "r" + std::to_string(b.collective.root().index()));
  differ("input chunks", std::to_string(a.collective.inputChunks()),
         std::to_string(b.collective.inputChunks()));
  differ("output chunks", std::to_string(a.collective.outputChunks()),
         std::to_string(b.collective.outputChunks()));
  differ("placements", text(a.placements), text(b.placements));
  uint64_t share = before.ranks();
  if (a.minBytes / share != b.minBytes / share)
    differ("min_bytes", std::to_string(a.minBytes), std::to_string(b.minBytes));
  auto most = [](const ProgramInfo &info) {
    return info.maxBytes ? std::to_string(*info.maxBytes) : std::string();
  };
  if (a.maxBytes.has_value() != b.maxBytes.has_value() ||
      (a.maxBytes && *a.maxBytes / share != *b.maxBytes / share))
    differ("max_bytes", most(a), most(b));
}

/// Compares two targets. Plans of older versions contain only the name.
void compareTargets(const TargetStamp &a, const TargetStamp &b,
                    std::vector<AttributeChange> &changes) {
  if (a.title() == b.title() && !a.hash.empty() && !b.hash.empty() && a.hash != b.hash)
    changes.push_back({"target content", a.hash, b.hash, std::nullopt});
}
} // namespace

std::vector<AttributeChange> diff::compareAttributes(const ExecPlan &before, const ExecPlan &after,
                                                     bool xml) {
  std::vector<AttributeChange> changes;
  if (before.ranks() != after.ranks())
    changes.push_back(
        {"ranks", std::to_string(before.ranks()), std::to_string(after.ranks()), std::nullopt});
  Header olds(before, xml), news(after, xml);
  llvm::StringMap<size_t> places;
  for (size_t i = 0; i < news.rows.size(); ++i)
    places[identity(news.rows[i])] = i;
  std::vector<bool> met(news.rows.size());
  for (const Row &row : olds.rows) {
    auto it = places.find(identity(row));
    std::string value;
    if (it != places.end()) {
      met[it->second] = true;
      value = news.rows[it->second].value;
    }
    if (value != row.value || it == places.end())
      changes.push_back({row.name, row.value, value, row.rank});
  }
  for (size_t i = 0; i < news.rows.size(); ++i)
    if (!met[i])
      changes.push_back({news.rows[i].name, "", news.rows[i].value, news.rows[i].rank});
  if (xml)
    compareForXml(before, after, changes);
  else
    compareTargets(before.info().target, after.info().target, changes);
  return changes;
}

PhaseNumbers diff::numberPhases(const ProgramInfo &before, const ProgramInfo &after) {
  PhaseNumbers numbers;
  std::vector<OptionalIndex> numberOf(before.phases.size());
  for (uint32_t phase = 0; phase < after.phases.size(); ++phase)
    numbers.after.push_back(phase);
  // Equal phases match; the others keep their numbers if these are free.
  std::vector<bool> taken(after.phases.size());
  std::vector<Phase> news = after.phases;
  for (uint32_t phase = 0; phase < before.phases.size(); ++phase)
    if (phase < news.size() && before.phases[phase] == news[phase]) {
      numberOf[phase] = phase;
      taken[phase] = true;
    }
  llvm::StringMap<std::vector<uint32_t>> byName;
  for (uint32_t phase = news.size(); phase-- > 0;)
    if (!taken[phase])
      byName[news[phase].name].push_back(phase);
  for (uint32_t phase = 0; phase < before.phases.size(); ++phase) {
    if (numberOf[phase])
      continue;
    std::vector<uint32_t> &candidates = byName[before.phases[phase].name];
    if (!candidates.empty()) {
      numberOf[phase] = candidates.back();
      taken[candidates.back()] = true;
      candidates.pop_back();
    }
  }
  for (uint32_t phase = 0; phase < before.phases.size(); ++phase)
    numbers.before.push_back(numberOf[phase].value_or(
        phase < taken.size() && !taken[phase] ? phase : uint32_t(news.size()) + phase));
  return numbers;
}
