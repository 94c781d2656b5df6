//===- Direction.h - Directions of neighbours -------------------*- C++ -*-===//
//
// Queues of AHBM are named by direction (KernBench ADR-0025): inside a cube, between the cubes of a
// SIP, between SIPs, and up and down a tree. Standard library only: users' programs include this
// header.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_DIRECTION_H
#define CCL_IR_DIRECTION_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace cclc {

enum class Direction : uint8_t {
  IntraN,
  IntraS,
  IntraE,
  IntraW,
  N,
  S,
  E,
  W,
  GlobalN,
  GlobalS,
  GlobalE,
  GlobalW,
  Parent,
  Child, ///< the only direction in which a rank may have several neighbours
};

/// "intra_N", "E", "global_W", "parent", ...
std::string_view directionName(Direction direction);
std::optional<Direction> parseDirection(std::string_view name);
/// If q is r's neighbour in one direction, r is q's neighbour in the opposite one.
Direction opposite(Direction direction);

} // namespace cclc

#endif // CCL_IR_DIRECTION_H
