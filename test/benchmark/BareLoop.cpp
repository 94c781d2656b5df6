//===- BareLoop.cpp - The ring simulated by nothing but an event loop -----===//
//
// The yardstick of ccl-sim: the time of a ring all-reduce or all-gather on targets/ring.json, by an
// event loop that is written for this plan and this machine. It uses nothing of the project.
//
// It has rules 2, 6, 11, 16 to 18 and 21 of docs/machine-model.md: every rank executes one step
// after the other, of which the first only sends and the last only receives; a step begins when its
// message has arrived and one of the 8 slots of the next rank is free; a message waits for its link
// and occupies it; its slot is free for the sender when the credit has returned; chunks that are
// larger than a slot are sent in pieces.
//
// It has no plan, which it would have to read and prove; no routes, engines, waits between
// threadblocks, causes of times, use of links, or listeners; and no size for which a message takes
// several slots.
//
// usage: bare_loop allreduce|allgather RANKS BYTES
//
// Prints the time in picoseconds, and the number of messages.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <queue>
#include <vector>

namespace {
constexpr int64_t propagation = 1'000'000;       // ps
constexpr int64_t bandwidth = 100'000'000'000;   // bytes/s
constexpr int64_t slotSize = 1 << 20, slots = 8; // bytes
constexpr int64_t elementSize = 4;               // f32

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct Event {
  enum Kind : uint32_t { Continue, Arrive } kind;
  uint32_t rank;
  int64_t time;
  uint64_t order; ///< simultaneous events have the order in which they were scheduled
  bool operator<(const Event &other) const {
    return time != other.time ? time > other.time : order > other.order;
  }
};

/// A rank, with its link to the next one and the messages from the previous one.
struct Rank {
  int64_t step = 0, piece = 0;
  int64_t linkFree = 0;
  int64_t sent = 0, taken = 0;
  std::array<int64_t, slots> credits{}; ///< of its sends: when the credit of each slot is back
  std::deque<int64_t> arrived;
  bool awaitsMessage = false, awaitsCredit = false;
};

class Loop {
public:
  Loop(uint32_t numRanks, int64_t steps, int64_t bytes)
      : ranks(numRanks), steps(steps),
        chunk(ceilDiv(ceilDiv(bytes, elementSize), numRanks) * elementSize),
        pieces(ceilDiv(chunk, slotSize)) {}

  void run() {
    for (uint32_t r = 0; r < ranks.size(); ++r)
      schedule(0, Event::Continue, r);
    while (!events.empty()) {
      Event event = events.top();
      events.pop();
      now = event.time;
      if (event.kind == Event::Arrive) {
        ranks[event.rank].arrived.push_back(now);
        if (!ranks[event.rank].awaitsMessage)
          continue;
        ranks[event.rank].awaitsMessage = false;
      }
      advance(event.rank);
    }
  }

  int64_t end = 0, messages = 0;

private:
  void schedule(int64_t time, Event::Kind kind, uint32_t rank) {
    events.push({kind, rank, time, order++});
  }

  void advance(uint32_t r) {
    Rank &self = ranks[r];
    while (self.piece < pieces) {
      bool receives = self.step > 0, sends = self.step + 1 < steps;
      if (receives && self.arrived.empty()) {
        self.awaitsMessage = true;
        return;
      }
      if (sends && !slotIsFree(r))
        return;
      if (receives)
        take(r);
      if (sends)
        send(r);
      if (++self.step == steps) {
        self.step = 0;
        ++self.piece;
        end = now;
      }
    }
  }

  bool slotIsFree(uint32_t r) {
    Rank &self = ranks[r];
    if (self.sent < slots)
      return true;
    self.awaitsCredit = self.sent - ranks[next(r)].taken >= slots;
    if (self.awaitsCredit)
      return false;
    int64_t back = self.credits[self.sent % slots];
    if (back > now)
      schedule(back, Event::Continue, r);
    return back <= now;
  }

  void take(uint32_t r) {
    Rank &self = ranks[r];
    self.arrived.pop_front();
    uint32_t p = r ? r - 1 : ranks.size() - 1;
    Rank &sender = ranks[p];
    sender.credits[self.taken++ % slots] = now + propagation;
    if (sender.awaitsCredit) {
      sender.awaitsCredit = false;
      schedule(now + propagation, Event::Continue, p);
    }
  }

  void send(uint32_t r) {
    Rank &self = ranks[r];
    int64_t bytes = std::min(slotSize, chunk - self.piece * slotSize);
    int64_t duration = ceilDiv(bytes * 1'000'000'000'000, bandwidth);
    int64_t start = std::max(now, self.linkFree);
    self.linkFree = start + duration;
    ++self.sent;
    ++messages;
    schedule(start + propagation + duration, Event::Arrive, next(r));
  }

  uint32_t next(uint32_t r) const { return r + 1 == ranks.size() ? 0 : r + 1; }

  std::vector<Rank> ranks;
  const int64_t steps, chunk, pieces;
  std::priority_queue<Event> events;
  uint64_t order = 0;
  int64_t now = 0;
};
} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s allreduce|allgather RANKS BYTES\n", argv[0]);
    return 2;
  }
  uint32_t ranks = std::strtoul(argv[2], nullptr, 10);
  int64_t trips = std::strcmp(argv[1], "allreduce") == 0 ? 2 : 1;
  Loop loop(ranks, trips * (ranks - 1) + 1, std::strtoll(argv[3], nullptr, 10));
  loop.run();
  std::printf("%lld %lld\n", (long long)loop.end, (long long)loop.messages);
}
