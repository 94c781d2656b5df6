//===- Parameters.h - What several programs ask for -------------*- C++ -*-===//

#ifndef CCL_PROGRAMS_PARAMETERS_H
#define CCL_PROGRAMS_PARAMETERS_H

#include "cclc/DSL/DSL.h"

#include <string>

namespace cclc::dsl {

constexpr IntParam chunksParam(int value = 1,
                               const char *help = "chunks that the buffer is cut into") {
  return {.name = "chunks", .help = help, .value = value, .min = 1, .max = 1024};
}

constexpr IntParam channelsParam() {
  return {.name = "channels",
          .help = "channels that the chunks take turns on",
          .value = 1,
          .min = 1,
          .max = 32};
}

/// \p help says what the root has or gets.
constexpr IntParam rootParam(const char *help) {
  return {.name = "root", .help = help, .value = 0, .min = 0, .max = 65535};
}

/// The rank that \p root names; there has to be one.
inline int getRoot(Program &p, const IntParam &root,
                   std::source_location where = std::source_location::current()) {
  int rank = p.get(root);
  if (rank >= p.ranks())
    p.refuse("there is no rank " + std::to_string(rank) + " to be the root: there are " +
                 std::to_string(p.ranks()),
             where);
  return rank;
}

constexpr IntParam nodesParam(int value) {
  return {.name = "nodes",
          .help = "nodes; with --target those of the target",
          .value = value,
          .min = 1,
          .max = 1024};
}
constexpr IntParam ranksPerNodeParam(int value) {
  return {.name = "ranks_per_node",
          .help = "ranks of each node; with --target as the target has them",
          .value = value,
          .min = 1,
          .max = 1024};
}

// Of hierarchical communicators.
constexpr IntParam arityParam() {
  return {.name = "arity",
          .help = "groups that a range of ranks falls into",
          .value = 4,
          .min = 2,
          .max = 1024};
}
constexpr IntParam flatFallbackParam(int value) {
  return {.name = "flat_fallback",
          .help = "with fewer ranks than this, send directly; 0: never",
          .value = value,
          .min = 0,
          .max = 65536};
}

} // namespace cclc::dsl

#endif // CCL_PROGRAMS_PARAMETERS_H
