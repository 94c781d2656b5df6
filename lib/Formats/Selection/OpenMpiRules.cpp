//===- OpenMpiRules.cpp - Dynamic rules of Open MPI -----------------------===//
//
// The format is that of ompi/mca/coll/tuned/coll_tuned_dynamic_file.c of github.com/open-mpi/ompi,
// in the version without a header, which all releases from 1.x to 5.x read. A rule holds from its
// size up to that of the next rule, and the rules of a number of ranks up to the next number.
// Algorithm 0 is the selection of Open MPI, which is also kept for all other numbers of ranks.
//
//===----------------------------------------------------------------------===//

#include "SelectionTable.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace cclc;

namespace {
/// A collective in the numbering of coll_base_functions.h.
struct OpenMpiCollective {
  CollectiveKind kind;
  uint32_t id;
  const char *name;
  bool isBlock = false;
};

constexpr OpenMpiCollective collectives[] = {
    {CollectiveKind::AllGather, 0, "allgather"},
    {CollectiveKind::AllReduce, 2, "allreduce"},
    {CollectiveKind::AllToAll, 3, "alltoall"},
    {CollectiveKind::Broadcast, 7, "bcast"},
    {CollectiveKind::Gather, 9, "gather"},
    {CollectiveKind::Reduce, 11, "reduce"},
    {CollectiveKind::ReduceScatter, 12, "reduce_scatter"},
    {CollectiveKind::ReduceScatter, 13, "reduce_scatter_block", true},
    {CollectiveKind::Scatter, 15, "scatter"},
};

struct Rule {
  uint64_t bytes;
  uint32_t algorithm;
  uint64_t segment;
};

/// The number of the algorithm of \p row; none if it is not expressible.
std::optional<uint32_t> algorithmOf(const SelectionRow &row, bool isBlock) {
  const ProgramAlgorithms *algorithms = findAlgorithms(row.program);
  if (!algorithms || (algorithms->powersOfTwo && !isPowerOfTwo(row.ranks)))
    return std::nullopt;
  uint32_t number = isBlock ? algorithms->openMpiBlock : algorithms->openMpi;
  // Without a segment size, Open MPI does not divide the message.
  bool needsSegment = row.program == "broadcast_pipeline";
  if (number == 0 || (needsSegment && row.segmentBytes == 0))
    return std::nullopt;
  return number;
}

std::vector<Rule> rulesOf(const RowGroup &group, const OpenMpiCollective &collective,
                          SelectionFile &file) {
  std::vector<Rule> rules;
  auto add = [&](Rule rule) {
    if (rules.empty() || rules.back().algorithm != rule.algorithm ||
        rules.back().segment != rule.segment)
      rules.push_back(rule);
  };
  uint64_t next = 0; // the first size that no row has covered
  for (const SelectionRow *row : group) {
    if (row != group.front() && row->minBytes > next)
      add({next, 0, 0});
    std::optional<uint32_t> algorithm = algorithmOf(*row, collective.isBlock);
    if (!algorithm)
      addMissing(*row, std::string("Open MPI's ") + collective.name, file);
    else if (!collective.isBlock)
      addMissingProtocol(*row, "Open MPI", file);
    uint64_t segment = algorithm && row->program == "broadcast_pipeline" ? row->segmentBytes : 0;
    add({row == group.front() ? 0 : row->minBytes, algorithm.value_or(0), segment});
    next = row->maxBytes + 1;
  }
  return rules;
}
} // namespace

/// The rules of one collective, by number of ranks.
static void writeCollective(const OpenMpiCollective &collective,
                            const std::map<uint32_t, std::vector<Rule>> &byRanks, raw_ostream &os) {
  std::map<uint32_t, std::vector<Rule>> all = byRanks;
  const std::vector<Rule> unchanged = {{0, 0, 0}};
  all.emplace(1, unchanged);
  for (const auto &[ranks, rules] : byRanks)
    all.emplace(ranks + 1, unchanged);
  os << collective.id << " # " << collective.name << '\n' << all.size() << " # numbers of ranks\n";
  for (const auto &[ranks, rules] : all) {
    os << ranks << " # ranks\n" << rules.size() << " # rules\n";
    for (const Rule &rule : rules)
      os << rule.bytes << ' ' << rule.algorithm << " 0 " << rule.segment
         << " # bytes algorithm fan-out segment\n";
  }
}

SelectionFile cclc::openMpiRules(ArrayRef<SelectionRow> rows) {
  SelectionFile file;
  const std::map<GroupKey, RowGroup> groups = groupRows(rows, false);
  std::string blocks;
  llvm::raw_string_ostream os(blocks);
  uint32_t count = 0;
  for (const OpenMpiCollective &collective : collectives) {
    std::map<uint32_t, std::vector<Rule>> byRanks;
    for (const auto &[key, group] : groups)
      if (key.collective == collective.kind)
        byRanks.emplace(key.ranks, rulesOf(group, collective, file));
    if (byRanks.empty())
      continue;
    ++count;
    writeCollective(collective, byRanks, os);
  }
  for (const auto &[key, group] : groups)
    if (std::none_of(std::begin(collectives), std::end(collectives),
                     [&](const OpenMpiCollective &known) { return known.kind == key.collective; }))
      for (const SelectionRow *row : group)
        addMissing(*row, "Open MPI", file);
  llvm::raw_string_ostream text(file.text);
  text << "# Dynamic rules of Open MPI, written by cclc:\n"
          "# --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE\n";
  for (const std::string &missing : file.notExpressed)
    text << "# not expressed: " << missing << '\n';
  text << count << " # collectives\n" << blocks;
  return file;
}
