//===- Tables.cpp - Verification of neighbours, groups and gates ----------===//
//
// The neighbour table is sorted, so that the opposite of each row is found by binary search, in O(n
// log n) for all. Whether a message stays inside a group of its communicator is a look-up in a hash
// table from (communicator, rank) to the group. segmentsOf() gives every gated phase its own
// segment, and successive phases without gates a common one.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/Verifier.h"

#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <array>

using namespace cclc;
using llvm::formatv;

static constexpr std::array<std::string_view, 14> directionNames = {
    "intra_N", "intra_S",  "intra_E",  "intra_W",  "N",        "S",      "E",
    "W",       "global_N", "global_S", "global_E", "global_W", "parent", "child"};

std::string_view cclc::directionName(Direction direction) {
  return directionNames[static_cast<size_t>(direction)];
}

std::optional<Direction> cclc::parseDirection(std::string_view name) {
  return enumeratorOf<Direction>(directionNames, name);
}

// Opposite directions have adjacent enumerators.
Direction cclc::opposite(Direction direction) {
  return static_cast<Direction>(static_cast<unsigned>(direction) ^ 1);
}

std::vector<uint32_t> cclc::segmentsOf(const std::vector<Phase> &phases) {
  std::vector<uint32_t> segments;
  uint32_t segment = 0;
  bool gated = false;
  for (const Phase &phase : phases) {
    segment += phase.gate || gated;
    gated = phase.gate.has_value();
    segments.push_back(segment);
  }
  return segments;
}

namespace {
class TableVerifier {
public:
  TableVerifier(const ProgramInfo &info, Generations generations, Location loc,
                DiagnosticEngine &diags)
      : info(info), generations(generations), loc(std::move(loc)), diags(diags) {}

  LogicalResult verify() {
    if (failed(verifyNeighbours()))
      return failure();
    for (const Communicator &communicator : info.communicators)
      if (failed(verifyGroups(communicator)))
        return failure();
    for (size_t c = 0; c < info.calls.size(); ++c)
      if (info.calls[c].generation == 0)
        return diags.error(at(info.calls[c]),
                           formatv("call {0} ({1}) has generation 0: generations count from 1", c,
                                   info.calls[c].collective));
    for (size_t p = 0; p < info.phases.size(); ++p)
      if (info.phases[p].gate && failed(verifyGate(p, *info.phases[p].gate)))
        return failure();
    return success();
  }

private:
  Location at(const Call &call) const {
    Location known = info.locate(call.loc);
    return known.isKnown() ? known : loc;
  }

  static std::string text(const Neighbour &neighbour) {
    return formatv("r{0}, the {1} neighbour of r{2}", neighbour.peer.index(),
                   StringRef(directionName(neighbour.direction)), neighbour.rank.index());
  }

  LogicalResult verifyNeighbours() {
    const std::vector<Neighbour> &table = info.neighbours;
    for (size_t n = 0; n < table.size(); ++n) {
      const Neighbour &row = table[n];
      if (row.rank.index() >= info.ranks() || row.peer.index() >= info.ranks())
        return diags.error(loc, formatv("{0}: there are {1} ranks", text(row), info.ranks()));
      if (n > 0 && !(table[n - 1] < row))
        return diags.error(
            loc, formatv("{0}: the neighbour table must be in ascending order", text(row)));
    }
    for (size_t n = 0; n < table.size(); ++n) {
      const Neighbour &row = table[n];
      if (row.rank == row.peer)
        return diags.error(loc, formatv("{0}, is r{1} itself", text(row), row.rank.index()));
      if (n > 0 && table[n - 1].rank == row.rank && table[n - 1].direction == row.direction &&
          row.direction != Direction::Child)
        return diags.error(loc, formatv("{0}: so is r{1} already, and a rank has only one",
                                        text(row), table[n - 1].peer.index()));
      Neighbour back{row.peer, opposite(row.direction), row.rank};
      if (!std::binary_search(table.begin(), table.end(), back))
        return diags.error(loc,
                           formatv("{0}, does not have r{1} as its {2} neighbour", text(row),
                                   row.rank.index(), StringRef(directionName(back.direction))));
    }
    return success();
  }

  LogicalResult verifyGroups(const Communicator &communicator) {
    std::vector<bool> member(info.ranks());
    for (const std::vector<RankId> &group : communicator.groups) {
      if (group.empty())
        return diags.error(loc,
                           formatv("communicator '{0}' has an empty group", communicator.name));
      for (size_t i = 0; i < group.size(); ++i) {
        if (group[i].index() >= info.ranks())
          return diags.error(loc, formatv("communicator '{0}': there is no rank {1}",
                                          communicator.name, group[i].index()));
        if ((i > 0 && !(group[i - 1] < group[i])) || member[group[i].index()])
          return diags.error(loc, formatv("communicator '{0}': r{1} is out of order or a duplicate",
                                          communicator.name, group[i].index()));
        member[group[i].index()] = true;
      }
    }
    return success();
  }

  LogicalResult verifyGate(size_t phase, const Gate &gate) {
    if (gate.call >= info.calls.size())
      return diags.error(loc,
                         formatv("phase {0} belongs to call {1}, but the number of calls is {2}",
                                 phase, gate.call, info.calls.size()));
    if (gate.communicator >= info.communicators.size())
      return diags.error(
          loc, formatv("phase {0} uses communicator {1}, but the number of communicators is {2}",
                       phase, gate.communicator, info.communicators.size()));
    if (gate.stage >= Gate::numStages)
      return diags.error(loc, formatv("phase {0} has stage {1}, but calls have {2} stages", phase,
                                      gate.stage, Gate::numStages));
    const Phase &named = info.phases[phase];
    if (!gate.generation && generations == Generations::Allocated)
      return diags.error(at(info.calls[gate.call]), formatv("phase '{0}' of {1} has no generation",
                                                            named.name, callText(info, named)));
    if (gate.generation && (*gate.generation == 0 || *gate.generation > maxPhaseGeneration))
      return diags.error(
          at(info.calls[gate.call]),
          formatv("phase '{0}' of {1} has generation {2}: it must be between 1 and {3}", named.name,
                  callText(info, named), *gate.generation, maxPhaseGeneration));
    return success();
  }

  const ProgramInfo &info;
  Generations generations;
  Location loc;
  DiagnosticEngine &diags;
};
} // namespace

LogicalResult cclc::verifyTables(const ProgramInfo &info, Generations generations, Location loc,
                                 DiagnosticEngine &diags) {
  return TableVerifier(info, generations, std::move(loc), diags).verify();
}

// --- Messages and groups --------------------------------------------------------------

std::string cclc::callText(const ProgramInfo &info, const Phase &phase) {
  const Call &call = info.calls[phase.gate->call];
  return formatv("{0} with user generation {1}", call.collective, call.generation);
}

static uint64_t groupKey(uint32_t communicator, RankId rank) {
  return uint64_t(communicator) << 32 | rank.index();
}

MessageGroups::MessageGroups(const ProgramInfo &info) : info(info) {
  for (uint32_t c = 0; c < info.communicators.size(); ++c)
    for (uint32_t g = 0; g < info.communicators[c].groups.size(); ++g)
      for (RankId rank : info.communicators[c].groups[g])
        groupOf[groupKey(c, rank)] = g;
}

std::string MessageGroups::findStrayOfGate(uint32_t phase, RankId from, RankId to) const {
  const std::optional<Gate> &gate = info.phases[phase].gate;
  auto sender = groupOf.find(groupKey(gate->communicator, from));
  auto receiver = groupOf.find(groupKey(gate->communicator, to));
  if (sender != groupOf.end() && receiver != groupOf.end() && sender->second == receiver->second)
    return {};
  return formatv("phase '{0}' of {1} sends from r{2} to r{3}, which are not in one group of "
                 "communicator '{4}'",
                 info.phases[phase].name, callText(info, info.phases[phase]), from.index(),
                 to.index(), info.communicators[gate->communicator].name);
}
