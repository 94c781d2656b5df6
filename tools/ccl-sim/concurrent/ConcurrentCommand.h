//===- ConcurrentCommand.h - Plans that run at once -------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_CONCURRENT_CONCURRENTCOMMAND_H
#define CCL_TOOLS_CCL_SIM_CONCURRENT_CONCURRENTCOMMAND_H

#include "SimArguments.h"

namespace cclc {

/// One of the plans that run at once: PLAN@START[:FIRST_RANK].
struct PlacedFile {
  std::string file, title; ///< title: the whole value
  SimTime start;
  uint32_t firstRank = 0; ///< added to the endpoints of its ranks
  Bytes bytes;
};

/// The plans are sorted by start, first rank, file and size, so that nothing depends on the order
/// of the command line.
struct ConcurrentRequest {
  const SimArguments &args;
  std::vector<PlacedFile> plans;
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_CONCURRENT_CONCURRENTCOMMAND_H
