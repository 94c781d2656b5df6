//===- Order.h - An order in which a program can execute --------*- C++ -*-===//

#ifndef CCL_LIB_SCHEDULE_ORDER_H
#define CCL_LIB_SCHEDULE_ORDER_H

#include "Assignment.h"

namespace cclc::schedule {

/// An instruction, or a part of one that had to be taken apart.
struct Item {
  enum class Part : uint8_t {
    Whole, ///< everything that was not taken out
    Send,  ///< the sending half of a fused instruction
    Recv,  ///< the receive, into scratch of its own
  };
  InstrId instr;
  Part part;
};

struct Order {
  /// Every instruction, in an order in which the plan's slots allow all of it to
  /// execute.
  std::vector<Item> items;
  /// Instructions whose sending half, or whose receive, became an item of its
  /// own.
  std::vector<bool> splitSend, splitRecv;
};

/// Lays out the instructions by depth, then longest remaining path. Un-fuses one
/// instruction wherever nothing could go on.
Order layOut(const InstrProgram &program, const ScheduleOptions &options,
             const Assignment &assignment);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_ORDER_H
