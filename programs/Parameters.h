//===- Parameters.h - Parameters that several programs share ----*- C++ -*-===//

#ifndef CCL_PROGRAMS_PARAMETERS_H
#define CCL_PROGRAMS_PARAMETERS_H

#include "cclc/DSL/DSL.h"

#include <string>

namespace cclc::dsl {

constexpr IntParam chunksParam(int value = 1, const char *help = "number of chunks of the buffer") {
  return {.name = "chunks", .help = help, .value = value, .min = 1, .max = 1024};
}

/// Separate sums may be in different threadblocks, which reduce at the same time.
constexpr IntParam partsParam() {
  return {.name = "parts",
          .help = "number of chunks that each chunk of the algorithm is reduced in",
          .value = 1,
          .min = 1,
          .max = 64};
}

constexpr IntParam channelsParam() {
  return {.name = "channels",
          .help = "number of channels; chunks are assigned round-robin",
          .value = 1,
          .min = 1,
          .max = 32};
}

/// \p help describes the role of the root.
constexpr IntParam rootParam(const char *help) {
  return IntParam{.name = "root", .help = help, .value = 0, .min = 0, .max = 65535}.fixed();
}

/// The value of \p root; refuses a rank that does not exist.
inline int getRoot(Program &p, const IntParam &root,
                   SourceLocation where = SourceLocation::current()) {
  int rank = p.get(root);
  if (rank >= p.ranks())
    p.refuse("root " + std::to_string(rank) + " is out of range: the number of ranks is " +
                 std::to_string(p.ranks()),
             where);
  return rank;
}

constexpr IntParam nodesParam(int value) {
  return IntParam{.name = "nodes",
                  .help = "number of nodes; with --target, the default is that of the target",
                  .value = value,
                  .min = 1,
                  .max = 1024}
      .fixed();
}
constexpr IntParam ranksPerNodeParam(int value) {
  return IntParam{.name = "ranks_per_node",
                  .help = "ranks per node; with --target, the default is that of the target",
                  .value = value,
                  .min = 1,
                  .max = 1024}
      .fixed();
}

// Parameters of hierarchical communicators.
constexpr IntParam arityParam() {
  return IntParam{.name = "arity",
                  .help = "number of groups that a range of ranks is divided into",
                  .value = 4,
                  .min = 2,
                  .max = 1024}
      .tuned({2, 3, 4, 8});
}
constexpr IntParam flatFallbackParam(int value) {
  return IntParam{.name = "flat_fallback",
                  .help = "with fewer ranks than this, send directly; 0: never",
                  .value = value,
                  .min = 0,
                  .max = 65536}
      .fixed();
}

} // namespace cclc::dsl

#endif // CCL_PROGRAMS_PARAMETERS_H
