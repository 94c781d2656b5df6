//===- Timeline.h - Recording the time line of a run ------------*- C++ -*-===//
//
// A listener that records a run for reports: the spans of every threadblock, the messages, and the
// bytes on each link in each time slice.
//
// The number of spans is limited. When the limit is reached, spans and messages that begin later
// are not recorded, so the record is complete up to until() for all threadblocks. Links are
// recorded to the end.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_VIEWS_REPORT_TIMELINE_H
#define CCL_VIEWS_REPORT_TIMELINE_H

#include "cclc/Sim/Listener.h"
#include "cclc/Sim/PlacedPlan.h"
#include "cclc/Support/Grouped.h"

namespace cclc {

/// The bytes on each link over time, in at most \c maxBins slices. When the time exceeds them,
/// pairs of slices are merged.
class LinkActivity {
public:
  static constexpr size_t maxBins = 128;

  explicit LinkActivity(size_t links) : rows(links) {}
  /// Distributes \p bytes evenly over the time.
  void add(LinkId link, Bytes bytes, SimTime begin, SimTime end);

  SimTime binWidth() const { return width; }
  /// Empty for an unused link.
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
  /// Times after the end of the recording are unset.
  struct Message {
    uint32_t connection, sendStep;
    Bytes size;
    SimTime sent;
    std::optional<SimTime> arrived, taken;
    uint32_t takenStep = 0;
  };

  static constexpr size_t defaultLimit = 500'000;
  explicit Timeline(const PlanOnMachine &plan, size_t maxSpans = defaultLimit);

  void spent(const StepRun &step, Cause cause, SimTime begin, SimTime end) override;
  void messageSent(ConnectionId connection, StepId step, Bytes size, SimTime at) override;
  void messageArrives(ConnectionId connection, SimTime now) override;
  void messageTaken(ConnectionId connection, StepId step, SimTime now) override;
  void linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) override;

  /// Sorts the spans by threadblock. To be called once after the simulation.
  void finish();

  /// The end of the record; unset if it is complete.
  std::optional<SimTime> until() const { return fullAt; }
  /// The spans by threadblock and time. Adjacent spans that differ only in time are merged.
  ArrayRef<Span> spans() const { return sorted.all(); }
  ArrayRef<Span> spans(uint32_t threadblock) const { return sorted[threadblock]; }
  /// The messages in the order in which they were sent.
  ArrayRef<Message> messages() const { return theMessages; }
  const LinkActivity &links() const { return activity; }

private:
  /// An index into theSpans or theMessages.
  using Index = std::optional<uint32_t>;
  /// A list of the messages of a connection, with the next ones to arrive and to be received.
  struct Fifo {
    Index last, arrives, taken;
  };

  size_t maxSpans;
  std::optional<SimTime> fullAt;
  std::vector<Span> theSpans; ///< until finish()
  std::vector<Index> latest;  ///< by threadblock: its latest span
  GroupedValues<Span> sorted;
  std::vector<Message> theMessages;
  std::vector<Index> nextOf; ///< by message: the next message of its connection
  std::vector<Fifo> fifos;
  LinkActivity activity;
};

} // namespace cclc

#endif // CCL_VIEWS_REPORT_TIMELINE_H
