//===- Lift.h - Lifting a plan of MSCCL++ to a program ----------*- C++ -*-===//
//
// The inverse of MscclppEmit, for plans of any origin: the copies and reductions that the
// operations perform, in an order in which they can complete. Nothing of the synchronisation
// remains: the plan is free of races, so that whatever it orders, the data order as well, and the
// compiler schedules the program anew.
//
//   * Packets are chunks of a scratch buffer of their own. In a proved plan no cell that is written
//     as a packet is read in another form.
//   * Sums keep the order of their operands, and so the bits of their results.
//   * Transfers between two ranks that different threadblocks perform use different channels.
//   * A pipeline is one pass over its chunks, and each share of an operation is an operation.
//   * What an operation performs on a switch is marked, as multicast() and reduceFrom() of a
//     program are (Directive::inSwitch).
//   * The levels of the geometry are nodes and GPUs if the channels show equal nodes (Nodes.h).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_LIFT_LIFT_H
#define CCL_MSCCLPP_LIFT_LIFT_H

#include "cclc/IR/ChunkProgram.h"
#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// The program of \p plan, which must be proved. Its locations are the operations of the file. A
/// plan that was not proved is refused if it deadlocks; otherwise its program may be another one.
FailureOr<ChunkProgram> lift(const Plan &plan, DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_LIFT_LIFT_H
