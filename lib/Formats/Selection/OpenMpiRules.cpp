//===- OpenMpiRules.cpp - Dynamic rules of Open MPI -----------------------===//
//
// The formats are those of ompi/mca/coll/tuned/coll_tuned_dynamic_file.c of
// github.com/open-mpi/ompi: numbers without a header, which all releases from 1.x to 5.x read as
// follows, and the JSON of 6.0. In the first, a rule holds from its size up to that of the next
// rule, and the rules of a number of ranks up to the next number. Algorithm 0 is the selection of
// Open MPI, which is also kept for all other numbers of ranks. 6.0 reads such a file with another
// meaning: the rules of a number of ranks end before it. The keys of the JSON are those that the
// loader reads, of which the published schema has other spellings.
//
//===----------------------------------------------------------------------===//

#include "JsonText.h"
#include "OpenMpiCollectives.h"
#include "SelectionTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using Json = nlohmann::ordered_json;

namespace {
struct Rule {
  uint64_t bytes = 0;
  uint32_t algorithm = 0, fan = 0;
  uint64_t segment = 0;
  bool doesSame(const Rule &other) const {
    return algorithm == other.algorithm && segment == other.segment;
  }
};

/// The rules of a collective by number of ranks.
using RulesByRanks = std::map<uint32_t, std::vector<Rule>>;
struct CollectiveRules {
  const OpenMpiCollective *collective;
  RulesByRanks byRanks;
};

/// The algorithm of \p row from \p bytes on; that of Open MPI if it is not expressible.
Rule ruleOf(const SelectionRow &row, const OpenMpiCollective &collective, uint64_t bytes) {
  const NativeAlgorithm *algorithm = findNative(SelectingRuntime::OpenMpi, row, collective.name);
  if (!algorithm)
    return {bytes};
  bool isDivided = algorithm->division == NativeDivision::Segments;
  // Main has an algorithm of Bruck with any radix, which is the fan-out.
  uint32_t fan = algorithm->name == "bruck" ? 2 : 0;
  return {bytes, algorithm->number, fan, isDivided ? row.segmentBytes : 0};
}

std::vector<Rule> rulesOf(const RowGroup &group, const OpenMpiCollective &collective,
                          SelectionFile &file) {
  std::vector<Rule> rules;
  auto add = [&](const Rule &rule) {
    if (rules.empty() || !rules.back().doesSame(rule))
      rules.push_back(rule);
  };
  uint64_t next = 0; // the first size that no row has covered
  for (const SelectionRow *row : group) {
    if (row != group.front() && row->minBytes > next)
      add({next});
    Rule rule = ruleOf(*row, collective, row == group.front() ? 0 : row->minBytes);
    if (rule.algorithm == 0)
      addMissing(*row, "Open MPI's " + collective.name.str(), file);
    else if (collective.name != "reduce_scatter_block") // once for both
      addMissingProtocol(*row, "Open MPI", file);
    file.selects |= rule.algorithm != 0;
    add(rule);
    next = row->maxBytes + 1;
  }
  return rules;
}

std::vector<CollectiveRules> allRules(ArrayRef<SelectionRow> rows, SelectionFile &file) {
  const std::map<GroupKey, RowGroup> groups = groupRows(rows, false);
  std::vector<CollectiveRules> all;
  for (const OpenMpiCollective &collective : openMpiCollectives) {
    RulesByRanks byRanks;
    for (const auto &[key, group] : groups)
      if (key.collective == collective.kind)
        byRanks.emplace(key.ranks, rulesOf(group, collective, file));
    if (!byRanks.empty())
      all.push_back({&collective, std::move(byRanks)});
  }
  for (const auto &[key, group] : groups)
    if (llvm::none_of(openMpiCollectives,
                      [&](const OpenMpiCollective &known) { return known.kind == key.collective; }))
      for (const SelectionRow *row : group)
        addMissing(*row, "Open MPI", file);
  return all;
}
} // namespace

static void writeCollective(const OpenMpiCollective &collective, const RulesByRanks &byRanks,
                            raw_ostream &os) {
  const std::vector<Rule> unchanged(1);
  RulesByRanks all = byRanks;
  all.emplace(1, unchanged);
  for (const auto &[ranks, rules] : byRanks)
    all.emplace(ranks + 1, unchanged);
  os << &collective - openMpiCollectives << " # " << collective.name << '\n'
     << all.size() << " # numbers of ranks\n";
  for (const auto &[ranks, rules] : all) {
    os << ranks << " # ranks\n" << rules.size() << " # rules\n";
    for (const Rule &rule : rules)
      os << rule.bytes << ' ' << rule.algorithm << ' ' << rule.fan << ' ' << rule.segment
         << " # bytes algorithm fan-out segment\n";
  }
}

SelectionFile cclc::openMpiRules(ArrayRef<SelectionRow> rows) {
  SelectionFile file;
  const std::vector<CollectiveRules> all = allRules(rows, file);
  llvm::raw_string_ostream text(file.text);
  text << "# Dynamic rules of Open MPI up to 5.0, written by cclc:\n"
          "# --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE\n";
  for (const std::string &missing : file.notExpressed)
    text << "# not expressed: " << missing << '\n';
  text << all.size() << " # collectives\n";
  for (const auto &[collective, byRanks] : all)
    writeCollective(*collective, byRanks, text);
  return file;
}

/// The rules of one number of ranks, without those that keep the selection of Open MPI.
static Json sizesOf(const std::vector<Rule> &rules) {
  Json sizes = Json::array();
  for (const Rule &rule : rules) {
    if (rule.algorithm == 0)
      continue;
    Json size = {{"msg_size_min", rule.bytes}, {"msg_size_max", "inf"}};
    if (&rule != &rules.back())
      size["msg_size_max"] = (&rule)[1].bytes - 1;
    size["alg"] = rule.algorithm;
    if (rule.fan)
      size["faninout"] = rule.fan;
    if (rule.segment)
      size["seg_size"] = rule.segment;
    sizes.push_back(std::move(size));
  }
  return sizes;
}

SelectionFile cclc::openMpiJson(ArrayRef<SelectionRow> rows) {
  SelectionFile file;
  Json named = Json::object();
  for (const auto &[collective, byRanks] : allRules(rows, file)) {
    Json communicators = Json::array();
    for (const auto &[ranks, rules] : byRanks)
      if (Json sizes = sizesOf(rules); !sizes.empty())
        communicators.push_back(
            {{"comm_size_min", ranks}, {"comm_size_max", ranks}, {"rules", std::move(sizes)}});
    if (!communicators.empty())
      named[collective->name.str()] = std::move(communicators);
  }
  Json document = {{"rule_file_version", 3}, {"module", "tuned"}, {"collectives", named}};
  file.text = jsonText(document, 1) + "\n";
  return file;
}
