//===- Groups.h - The groups of ranks of switch channels --------*- C++ -*-===//
//
// All members of a group list it as a switch channel, and set it up together: a member waits at
// each of its channels, in the order of its list, until the others have come to the same group.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_PROOF_GROUPS_H
#define CCL_MSCCLPP_PROOF_GROUPS_H

#include "cclc/Mscclpp/Plan.h"
#include "cclc/Proof/Verdict.h"

namespace cclc::mscclpp {

class Groups {
public:
  /// A member and its buffer that belongs to the group.
  struct Member {
    RankId rank;
    Buffer buffer;
  };

  explicit Groups(const Plan &plan);

  /// Reports a channel that its members never set up together (a deadlock), or to which they bind
  /// different kinds of buffers (unsupported). members() requires that there is none.
  Verdict check(DiagnosticEngine &diags) const;
  /// The members of the group of a place of \p tb on a switch channel, in the order of the channel.
  ArrayRef<Member> members(const Threadblock &tb, const Place &place) const;

private:
  /// The next channel that a rank sets up, or null.
  const SwitchChannel *next(RankId rank) const;
  /// Whether \p member has come to the group of \p channel.
  bool hasCome(RankId member, const SwitchChannel &channel) const;

  const Plan &plan;
  std::vector<std::vector<Member>> groups;
  std::vector<uint32_t> groupOf;  ///< by switch channel, rank after rank
  std::vector<uint32_t> attached; ///< by rank: the number of channels that were set up
};

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_PROOF_GROUPS_H
