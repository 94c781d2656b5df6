//===- Listener.h - Who sees what happens in a simulation -------*- C++ -*-===//
//
// The engine prints and keeps nothing but sums. What else there is to know goes to
// listeners: data are moved, traces are written and time lines are recorded by
// them. Events come in the order in which the engine learns of them; a time that an
// event carries may lie after the time of the next one where its comment says so.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_LISTENER_H
#define CCL_SIM_LISTENER_H

#include "cclc/Sim/Causes.h"
#include "cclc/Target/Machine.h"

namespace cclc {

/// Threadblocks, steps and connections are indices into ExecPlan::threadblocks(),
/// ExecPlan::steps() and BoundPlan::bound.
class SimListener {
public:
  virtual ~SimListener() = default;

  /// All threadblocks of \p rank have ended a run; what it does next is of \p run, counted
  /// from 0. Not called for the first one.
  virtual void runBegins(uint32_t rank, uint32_t run, SimTime now) {
    (void)rank, (void)run, (void)now;
  }

  /// Everything that \p step of \p threadblock needs is there and it executes.
  virtual void stepBegins(uint32_t threadblock, uint32_t step, uint32_t piece, SimTime now) {
    (void)threadblock, (void)step, (void)piece, (void)now;
  }
  virtual void stepEnds(uint32_t threadblock, uint32_t step, uint32_t piece, SimTime now) {
    (void)threadblock, (void)step, (void)piece, (void)now;
  }

  /// \p threadblock spends the time from \p begin to \p end, perhaps still to come, on \p cause
  /// at \p step. The spans of a threadblock follow each other without gap from 0 until it is
  /// done, and none is empty.
  virtual void spent(uint32_t threadblock, uint32_t step, uint32_t piece, Cause cause,
                     SimTime begin, SimTime end) {
    (void)threadblock, (void)step, (void)piece, (void)cause, (void)begin, (void)end;
  }

  /// A message (with a protocol: a slice of a transmission) enters the network \p at, perhaps
  /// still to come. Those of a connection arrive and are taken in the order of this event.
  virtual void messageSent(uint32_t connection, uint32_t step, Bytes size, SimTime at) {
    (void)connection, (void)step, (void)size, (void)at;
  }
  /// A receive may take it. With streaming its tail may still be on its way.
  virtual void messageArrives(uint32_t connection, SimTime now) { (void)connection, (void)now; }
  virtual void messageTaken(uint32_t connection, uint32_t step, SimTime now) {
    (void)connection, (void)step, (void)now;
  }

  /// One more slot of \p connection is in use, from now on.
  virtual void slotTaken(uint32_t connection, SimTime now) { (void)connection, (void)now; }
  /// The sender may use one slot again \p at, perhaps still to come.
  virtual void slotFreed(uint32_t connection, SimTime at) { (void)connection, (void)at; }

  /// \p bytes pass over \p link between \p begin and \p end. Messages share a link one after
  /// the other, but under `ideal` and `maxmin` at once.
  virtual void linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) {
    (void)link, (void)bytes, (void)begin, (void)end;
  }
};

} // namespace cclc

#endif // CCL_SIM_LISTENER_H
