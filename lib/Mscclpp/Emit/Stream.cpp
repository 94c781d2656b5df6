//===- Stream.cpp - Operations of a threadblock with nops between them ----===//
//
// Keeps the local accesses since the last nop and inserts a nop before an access that conflicts
// with one of them, before a signal after accesses, and before an access after a wait. With a
// capacity, a full threadblock ends with a release and is continued by a new one, which begins with
// an acquire.
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include "Drafts.h"

#include "llvm/ADT/STLExtras.h"

namespace cclc::mscclpp {

Place Stream::remote(RankId peer, Operand operand, uint32_t count, ChannelKind kind) {
  uint32_t buffer =
      intern(rank.remotes, RemoteBuffer{peer, operand.buffer(), kind == ChannelKind::Memory,
                                        kind == ChannelKind::Port});
  return {intern(pieces.back().remotes[size_t(kind)], buffer), operand.buffer(), operand.index(),
          count};
}

void Stream::collect(const Place &place, bool write, SmallVectorImpl<Access> &accesses) const {
  for (size_t s = 0; s < spaces.size(); ++s) {
    uint32_t first = spaces[s].offsetInRank(id, Operand(place.buffer, place.index));
    accesses.push_back({s, first, first + place.count, write});
  }
}

bool Stream::conflicts(ArrayRef<Access> accesses) const {
  return llvm::any_of(accesses, [&](const Access &now) {
    return llvm::any_of(recent, [&](const Access &then) {
      return now.space == then.space && (now.write || then.write) && now.first < then.end &&
             then.first < now.end;
    });
  });
}

void Stream::nop(LocId loc) {
  pieces.back().ops.push_back({OpKind::Nop, loc});
  recent.clear();
  moved = waited = transferred = false;
}

/// Reserves space for two operations with nops before them, and for a nop and the release at the
/// end of the piece.
void Stream::makeRoom(LocId loc) {
  if (!capacity || size() + 6 <= *capacity)
    return;
  uint32_t semaphore = rank.semaphores.size();
  rank.semaphores.push_back(0);
  // The signals and waits of this piece must also precede those of the next one.
  nop(loc);
  pieces.back().ops.push_back({OpKind::Release, loc, {}, {}, {semaphore}});
  pieces.emplace_back();
  pieces.back().ops.push_back({OpKind::Acquire, loc, {}, {}, {semaphore}});
  nop(loc);
}

void Stream::data(OpKind op, LocId loc, ArrayRef<Place> sources, ArrayRef<Place> destinations) {
  const OpTraits &does = traits(op);
  SmallVector<Access, 8> accesses;
  for (size_t i = 0; i < sources.size(); ++i)
    if (does.source(i) == mscclpp::Access::Local)
      collect(sources[i], false, accesses);
  for (size_t i = 0; i < destinations.size(); ++i)
    if (does.destination(i) == mscclpp::Access::Local)
      collect(destinations[i], true, accesses);
  if (waited || conflicts(accesses))
    nop(loc);
  ThreadblockDraft::Op made{op, loc};
  made.src.assign(sources.begin(), sources.end());
  made.dst.assign(destinations.begin(), destinations.end());
  pieces.back().ops.push_back(std::move(made));
  recent.append(accesses.begin(), accesses.end());
  moved = true;
}

/// The threads that push a transfer publish only completed accesses. Successive transfers need no
/// nop between them.
void Stream::transfer(OpKind op, LocId loc, const Place &source, const Place &destination,
                      uint32_t number) {
  if (moved || waited)
    nop(loc);
  ThreadblockDraft &piece = pieces.back();
  ThreadblockDraft::Op made{op, loc, {source}, {destination}};
  made.ids = {intern(piece.channels[size_t(ChannelKind::Port)], number)};
  made.channel = ChannelKind::Port;
  piece.ops.push_back(std::move(made));
  if (traits(op).source(0) == mscclpp::Access::Local && op != OpKind::PutPackets)
    collect(source, false, recent);
  transferred = true;
}

void Stream::synchronise(OpKind op, LocId loc, uint32_t number, ChannelKind kind) {
  makeRoom(loc);
  ThreadblockDraft &piece = pieces.back();
  bool onChannel = traits(op).ids == IdKind::Channels;
  uint32_t called = onChannel ? intern(piece.channels[size_t(kind)], number) : number;
  if (gives(op) && (moved || waited || transferred))
    nop(loc);
  if (takes(op))
    waited = true;
  uint32_t most =
      constraints[onChannel ? Limit::ChannelsOfOperation : Limit::SemaphoresOfOperation];
  if (!piece.ops.empty() && piece.ops.back().op == op && piece.ops.back().channel == kind &&
      piece.ops.back().ids.size() < most && !llvm::is_contained(piece.ops.back().ids, called)) {
    piece.ops.back().ids.push_back(called);
    return;
  }
  piece.ops.push_back({op, loc, {}, {}, {called}, 0, kind});
}

} // namespace cclc::mscclpp
