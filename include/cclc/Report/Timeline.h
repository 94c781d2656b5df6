//===- Timeline.h - What every threadblock did, and when --------*- C++ -*-===//
//
// A listener that records a run for reports: the spans of every threadblock, the
// messages, and how many bytes each link carried in each slice of the time.
//
// The number of spans is limited. When it is reached, what begins later is not
// recorded of threadblocks and messages: what there is then is complete up to until(),
// for all threadblocks alike. Links are recorded to the end.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_REPORT_TIMELINE_H
#define CCL_REPORT_TIMELINE_H

#include "cclc/Sim/BoundPlan.h"
#include "cclc/Sim/Listener.h"

namespace cclc {

/// How many bytes each link carries over time, in at most \c maxBins slices: when the time
/// outgrows them, two become one.
class LinkActivity {
public:
  static constexpr size_t maxBins = 128;

  explicit LinkActivity(size_t links) : rows(links) {}
  /// Spreads \p bytes evenly over the time.
  void add(LinkId link, Bytes bytes, SimTime begin, SimTime end);

  SimTime binWidth() const { return width; }
  /// Of a link that is not used: empty.
  ArrayRef<uint64_t> bins(LinkId link) const { return rows[link.index()]; }

private:
  size_t binOf(SimTime time) const { return time.picoseconds() / width.picoseconds(); }
  void halve();

  SimTime width = SimTime::nanoseconds(1);
  std::vector<std::vector<uint64_t>> rows;
};

class Timeline : public SimListener {
public:
  struct Span {
    uint32_t threadblock, step, piece;
    Cause cause;
    SimTime begin, end;
  };
  /// Times that did not come while messages were recorded are unset.
  struct Message {
    uint32_t connection, sendStep;
    Bytes size;
    SimTime sent;
    std::optional<SimTime> arrived, taken;
    uint32_t takenStep = 0;
  };

  static constexpr size_t defaultLimit = 500'000;
  explicit Timeline(const BoundPlan &plan, size_t maxSpans = defaultLimit);

  void spent(uint32_t threadblock, uint32_t step, uint32_t piece, Cause cause, SimTime begin,
             SimTime end) override;
  void messageSent(uint32_t connection, uint32_t step, Bytes size, SimTime at) override;
  void messageArrives(uint32_t connection, SimTime now) override;
  void messageTaken(uint32_t connection, uint32_t step, SimTime now) override;
  void linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) override;

  /// Sorts the spans by threadblock. Called once, after the simulation.
  void finish();

  /// Unset: everything was recorded.
  std::optional<SimTime> until() const { return fullAt; }
  /// Threadblock after threadblock, each in order of time; neighbours that differ in nothing but
  /// time are one.
  ArrayRef<Span> spans() const { return theSpans; }
  ArrayRef<Span> spans(uint32_t threadblock) const {
    return ArrayRef(theSpans).slice(firstSpan[threadblock],
                                    firstSpan[threadblock + 1] - firstSpan[threadblock]);
  }
  /// In the order in which they were sent.
  ArrayRef<Message> messages() const { return theMessages; }
  const LinkActivity &links() const { return activity; }

private:
  /// Into theSpans or theMessages.
  using Index = std::optional<uint32_t>;
  /// Messages of a connection, a list; those that arrive and are taken next.
  struct Fifo {
    Index last, arrives, taken;
  };

  size_t maxSpans;
  std::optional<SimTime> fullAt;
  std::vector<Span> theSpans;
  std::vector<Index> latest; ///< span, by threadblock
  std::vector<size_t> firstSpan;
  std::vector<Message> theMessages;
  std::vector<Index> nextOf; ///< of the same connection, by message
  std::vector<Fifo> fifos;
  LinkActivity activity;
};

} // namespace cclc

#endif // CCL_REPORT_TIMELINE_H
