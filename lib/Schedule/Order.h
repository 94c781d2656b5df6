//===- Order.h - An order in which a program can execute --------*- C++ -*-===//

#ifndef CCL_LIB_SCHEDULE_ORDER_H
#define CCL_LIB_SCHEDULE_ORDER_H

#include "Assignment.h"
#include "ProgramGraph.h"

namespace cclc::schedule {

/// An instruction, or a part of one that was split.
struct Item {
  enum class Part : uint8_t {
    Whole, ///< all parts that are not separate items
    Send,  ///< the sending half of a fused instruction
    Recv,  ///< the receive, into separate scratch
  };
  InstrId instr;
  Part part;
};

struct Order {
  /// All instructions, in an order in which they can execute with the plan's slots.
  std::vector<Item> items;
  /// The instructions whose sending half, or whose receive, is a separate item.
  std::vector<bool> splitSend, splitRecv;
};

/// Orders the instructions by depth, then longest remaining path. Splits an instruction whenever
/// the emission would be blocked.
Order layOut(const ProgramGraph &graph, const ScheduleOptions &options,
             const Assignment &assignment);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_ORDER_H
