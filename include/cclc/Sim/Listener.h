//===- Listener.h - Listeners of a simulation -------------------*- C++ -*-===//
//
// The engine itself keeps only sums. Listeners receive its events to move data, write traces and
// record time lines. Events are reported in the order in which the engine processes them; the time
// of an event may be later than that of the next one if its comment says so.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_LISTENER_H
#define CCL_SIM_LISTENER_H

#include "cclc/Sim/Causes.h"
#include "cclc/Target/Machine.h"

#include <type_traits>

namespace cclc {

/// A step of a threadblock in one piece of the buffers.
struct StepRun {
  PlanThreadblockId threadblock;
  StepId step;
  uint32_t piece;
};

class SimListener {
public:
  virtual ~SimListener() = default;

  /// All threadblocks of \p rank have ended a run; its next events belong to \p run, counted from
  /// 0. Not called for the first run.
  virtual void runBegins(RankId rank, uint32_t run, SimTime now) {
    (void)rank, (void)run, (void)now;
  }

  /// \p step begins to execute; all its waits are satisfied.
  virtual void stepBegins(const StepRun &step, SimTime now) { (void)step, (void)now; }
  virtual void stepEnds(const StepRun &step, SimTime now) { (void)step, (void)now; }

  /// The threadblock of \p step spends the time from \p begin to \p end, possibly in the future, on
  /// \p cause. The spans of a threadblock are contiguous from 0 to its end, and none is empty.
  virtual void spent(const StepRun &step, Cause cause, SimTime begin, SimTime end) {
    (void)step, (void)cause, (void)begin, (void)end;
  }

  /// A message (with a protocol: a slice of a transmission) enters the network \p at, possibly in
  /// the future. The messages of a connection arrive and are received in the order of this event.
  virtual void messageSent(ConnectionId connection, StepId step, Bytes size, SimTime at) {
    (void)connection, (void)step, (void)size, (void)at;
  }
  /// A message can be received. With streaming its tail may still be in transit.
  virtual void messageArrives(ConnectionId connection, SimTime now) { (void)connection, (void)now; }
  virtual void messageTaken(ConnectionId connection, StepId step, SimTime now) {
    (void)connection, (void)step, (void)now;
  }

  /// A slot of \p connection becomes occupied.
  virtual void slotTaken(ConnectionId connection, SimTime now) { (void)connection, (void)now; }
  /// A slot becomes free for the sender \p at, possibly in the future.
  virtual void slotFreed(ConnectionId connection, SimTime at) { (void)connection, (void)at; }

  /// \p bytes pass over \p link between \p begin and \p end. Messages use a link sequentially,
  /// except under `ideal` and `maxmin`, where they overlap.
  virtual void linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) {
    (void)link, (void)bytes, (void)begin, (void)end;
  }
};

/// Reports an event to all \p listeners.
template <class... Parameters>
void notify(ArrayRef<SimListener *> listeners, void (SimListener::*event)(Parameters...),
            const std::type_identity_t<Parameters> &...values) {
  for (SimListener *listener : listeners)
    (listener->*event)(values...);
}

} // namespace cclc

#endif // CCL_SIM_LISTENER_H
