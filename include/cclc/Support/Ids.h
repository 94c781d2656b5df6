//===- Ids.h - Strongly typed indices ---------------------------*- C++ -*-===//
//
// Every entity of a program has an id type of its own: a 32-bit index that does not convert into
// another id or into an integer by accident. An id has no "unset" value; for an optional reference
// use std::optional<Id>, or OptionalId in tables with millions of rows.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_IDS_H
#define CCL_SUPPORT_IDS_H

#include "llvm/Support/raw_ostream.h"

#include <cassert>
#include <compare>
#include <cstdint>
#include <functional>

namespace cclc {

/// An index into the table of the entities of kind \p Tag. Printed with the prefix of its tag: r3,
/// tb0, ch1.
template <class Tag> class Id {
public:
  constexpr explicit Id(uint32_t index) : value(index) {}
  constexpr uint32_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;

  friend llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Id id) {
    return os << Tag::prefix << id.value;
  }

private:
  uint32_t value;
};

/// An optional Id in four bytes: std::optional takes eight. It is trivially copyable and can be the
/// key of a comparison; an empty one comes before all others. The largest index stands for "none",
/// so no Id may have it. That sentinel value is private to the class.
template <class IdT> class OptionalId {
public:
  constexpr OptionalId() = default;
  constexpr OptionalId(IdT id) : value(indexOf(id)) { assert(value != none); }
  constexpr bool has_value() const { return value != none; }
  constexpr explicit operator bool() const { return has_value(); }
  constexpr IdT operator*() const {
    assert(has_value());
    return IdT(value);
  }
  constexpr IdT value_or(IdT otherwise) const { return has_value() ? IdT(value) : otherwise; }
  friend constexpr bool operator==(OptionalId, OptionalId) = default;
  friend constexpr bool operator==(OptionalId a, IdT b) { return a.value == indexOf(b); }
  friend constexpr auto operator<=>(OptionalId a, OptionalId b) {
    return uint32_t(a.value + 1) <=> uint32_t(b.value + 1);
  }

private:
  template <class Tag> static constexpr uint32_t indexOf(Id<Tag> id) { return id.index(); }
  static constexpr uint32_t indexOf(uint32_t index) { return index; }

  static constexpr uint32_t none = ~uint32_t(0);
  uint32_t value = none;
};

/// An optional index into a table that is private to one class or file. Tables that several
/// libraries refer to have an id type below.
using OptionalIndex = OptionalId<uint32_t>;

#define CCL_DEFINE_ID(NAME, PREFIX)                                                                \
  struct NAME##Tag {                                                                               \
    static constexpr const char *prefix = PREFIX;                                                  \
  };                                                                                               \
  using NAME = Id<NAME##Tag>

/// Participant 0..N-1 of a collective.
CCL_DEFINE_ID(RankId, "r");
/// Operation of a ChunkProgram, in trace order.
CCL_DEFINE_ID(OpId, "%");
/// Instruction of an InstrProgram.
CCL_DEFINE_ID(InstrId, "%");
/// Parallel path between ranks.
CCL_DEFINE_ID(ChannelId, "ch");
/// Threadblock of one rank.
CCL_DEFINE_ID(ThreadblockId, "tb");
/// Threadblock of a plan, counted over all ranks: entry of the plan's threadblocks().
CCL_DEFINE_ID(PlanThreadblockId, "tb");
/// Step of one threadblock.
CCL_DEFINE_ID(StepIndex, "");
/// Step of a plan, counted over all threadblocks.
CCL_DEFINE_ID(StepId, "step");
/// (sender, receiver, channel) of a plan.
CCL_DEFINE_ID(ConnectionId, "conn");
/// Operation of an MSCCL++ plan, counted over all threadblocks.
CCL_DEFINE_ID(PlanOpId, "op");
/// Entry of a LocTable.
CCL_DEFINE_ID(LocId, "loc");
/// File of a LocTable: entry of its files().
CCL_DEFINE_ID(FileId, "file");
/// Synchronous stage of an algorithm; entry of ProgramInfo::phases.
CCL_DEFINE_ID(PhaseId, "phase");
/// Endpoint of a machine, which can run a rank: entry of its list of endpoints.
CCL_DEFINE_ID(EndpointId, "endpoint");
/// Node of a machine.
CCL_DEFINE_ID(NodeId, "node");
/// Directed link of a machine.
CCL_DEFINE_ID(LinkId, "link");

} // namespace cclc

template <class Tag> struct std::hash<cclc::Id<Tag>> {
  size_t operator()(cclc::Id<Tag> id) const { return std::hash<uint32_t>()(id.index()); }
};

#endif // CCL_SUPPORT_IDS_H
