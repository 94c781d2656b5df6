//===- RingMessages.h - Messages in slots or in memory ----------*- C++ -*-===//
//
// The messages of a connection by a ring of slots. A slot has a message, or stands for a direct
// one, whose data both sides find by the plan: the slot is then not touched.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_RINGMESSAGES_H
#define CCL_LIB_RUN_RINGMESSAGES_H

#include "SlotRing.h"

#include "cclc/Run/DirectMessages.h"

namespace cclc::run {

/// Where the messages of a connection are, one after the other.
class MessagePlaces {
public:
  /// All in their slots.
  MessagePlaces() = default;
  /// Those that are \p direct in the buffers of their sender, which this side has at \p memory, by
  /// rank. The other side may have them elsewhere; both must have them, or both null.
  MessagePlaces(const PreparedPlan &plan, ConnectionId connection, const DirectMessages &direct,
                ArrayRef<RankBuffers> memory);

  bool hasDirect() const { return !places.empty(); }
  /// The place of the next message, whose slot is \p slot; null if that is null.
  std::byte *of(std::byte *slot) const {
    return slot && hasDirect() && places[next] ? places[next] + pieceOffset : slot;
  }
  void advance() {
    if (!hasDirect() || ++next < places.size())
      return;
    next = 0;
    pieceOffset += pieceBytes;
    if (pieceOffset == endOffset)
      pieceOffset = 0;
  }

private:
  std::vector<std::byte *> places; ///< by message of the first piece; null: in its slot
  size_t pieceBytes = 0, endOffset = 0;
  size_t next = 0, pieceOffset = 0; ///< of the next message
};

/// One side of a connection of a transport.
class alignas(cacheLines) MessageSender {
public:
  MessageSender() = default;
  MessageSender(const SlotRing &ring, MessagePlaces places)
      : ring(ring), places(std::move(places)) {}

  std::byte *reserve(const Step &, uint32_t) { return places.of(ring.reserve()); }
  void commit(size_t) {
    ring.commit();
    places.advance();
  }
  /// Whether no message is read any more from memory of the sender.
  bool isRead() const { return !places.hasDirect() || ring.isEmpty(); }

private:
  RingSender ring;
  MessagePlaces places;
};

class alignas(cacheLines) MessageReceiver {
public:
  MessageReceiver() = default;
  MessageReceiver(const SlotRing &ring, MessagePlaces places)
      : ring(ring), places(std::move(places)) {}

  const std::byte *peek() { return places.of(ring.peek()); }
  void release() {
    ring.release();
    places.advance();
  }

private:
  RingReceiver ring;
  MessagePlaces places;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_RINGMESSAGES_H
