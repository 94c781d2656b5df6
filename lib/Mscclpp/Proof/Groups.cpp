//===- Groups.cpp - Set-up of the groups of switch channels ---------------===//
//
// Executes the set-up: a group is complete when all of its members have come to it at the next
// channel of their lists. Members that remain wait for each other.
//
//===----------------------------------------------------------------------===//

#include "cclc/Mscclpp/Proof/Groups.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace cclc::mscclpp {

using llvm::formatv;

const SwitchChannel *Groups::next(RankId rank) const {
  ArrayRef<SwitchChannel> list = plan.switches(plan.ranks()[rank.index()]);
  uint32_t at = attached[rank.index()];
  return at < list.size() ? &list[at] : nullptr;
}

bool Groups::hasCome(RankId member, const SwitchChannel &channel) const {
  const SwitchChannel *other = next(member);
  if (!other)
    return false;
  ArrayRef<RankId> mine = plan.members(channel), theirs = plan.members(*other);
  return std::is_permutation(mine.begin(), mine.end(), theirs.begin(), theirs.end());
}

/// Sets up a group when all of its members have come to it, until no member can continue. The order
/// of set-ups does not matter, because a member waits for one group at a time.
Groups::Groups(const Plan &plan) : plan(plan), attached(plan.ranks().size()) {
  size_t channels = 0;
  for (const Rank &rank : plan.ranks())
    channels += rank.switches.count;
  groupOf.resize(channels);
  for (bool goesOn = true; goesOn;) {
    goesOn = false;
    for (uint32_t r = 0; r < plan.ranks().size(); ++r) {
      const SwitchChannel *channel = next(RankId(r));
      auto come = [&](RankId member) { return hasCome(member, *channel); };
      if (!channel || !llvm::all_of(plan.members(*channel), come))
        continue;
      std::vector<Member> &group = groups.emplace_back();
      for (RankId member : plan.members(*channel))
        group.push_back({member, next(member)->buffer});
      for (const Member &member : group) {
        uint32_t m = member.rank.index();
        groupOf[plan.ranks()[m].switches.first + attached[m]++] = groups.size() - 1;
      }
      goesOn = true;
    }
  }
}

Verdict Groups::check(DiagnosticEngine &diags) const {
  for (uint32_t r = 0; r < plan.ranks().size(); ++r) {
    const SwitchChannel *channel = next(RankId(r));
    if (!channel)
      continue;
    RankId absent = *llvm::find_if(plan.members(*channel),
                                   [&](RankId member) { return !hasCome(member, *channel); });
    std::string where = next(absent) ? formatv("waits at its own channel {0} for another group",
                                               attached[absent.index()])
                                           .str()
                                     : "has set up all of its own";
    diags.error(plan.whole(),
                formatv("deadlock: r{0} waits at its switch channel {1} for r{2}, which {3}; all "
                        "ranks must list their groups in the same order",
                        r, attached[r], absent.index(), where));
    return Verdict::Deadlock;
  }
  for (const std::vector<Member> &group : groups)
    for (const Member &member : group)
      if (member.buffer != group.front().buffer) {
        diags.error(plan.whole(),
                    formatv("the group of a switch channel has the buffers {0} of r{1} and {2} of "
                            "r{3}; groups with different kinds of buffers are not supported",
                            bufferLetter(group.front().buffer), group.front().rank.index(),
                            bufferLetter(member.buffer), member.rank.index()));
        return Verdict::Unsupported;
      }
  return Verdict::Ok;
}

ArrayRef<Groups::Member> Groups::members(const Threadblock &tb, const Place &place) const {
  return groups[groupOf[plan.rankOf(tb).switches.first + plan.switches(tb)[*place.group]]];
}

} // namespace cclc::mscclpp
