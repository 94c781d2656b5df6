//===- DirectionQueues.h - The queues of a PE -------------------*- C++ -*-===//
//
// A PE of AHBM has a queue for every direction of its neighbour table (KernBench ADR-0025): four
// inside its cube, four to other cubes of its SIP and four to other SIPs. A queue joins it to one
// other PE and has a ring of slots both ways. The numbers are keys of a target, unlimited if they
// are missing; docs/machine-model.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TARGET_DIRECTIONQUEUES_H
#define CCL_TARGET_DIRECTIONQUEUES_H

#include "cclc/Support/Units.h"

#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>
#include <string>

namespace cclc {

/// The queues of the directions intra_N/S/E/W, of N/S/E/W, and of global_N/S/E/W.
enum class QueueGroup : uint8_t { Intra, Cube, Global };
inline constexpr size_t numQueueGroups = 3;

/// "intra", "cube", "global", as in target files.
llvm::StringRef queueGroupName(QueueGroup group);

/// The messages that their receivers fetch with one-sided reads, on other machines.
enum class OneSidedReads : uint8_t {
  Off,
  Scratch, ///< those of connections whose receives only store, in scratch
  All,
};

struct DirectionQueues {
  /// The number of queues of a PE, by QueueGroup; unset: unlimited.
  std::array<std::optional<uint32_t>, numQueueGroups> number;
  /// Whether connections share queues if there are too few.
  bool multiplex = false;
  /// The time in which a shared queue changes from one connection to another.
  SimTime switchTime;

  bool areLimited() const;
  /// "4 intra, 4 cube, 4 global"; empty if all are unlimited.
  std::string text() const;
};

} // namespace cclc

#endif // CCL_TARGET_DIRECTIONQUEUES_H
