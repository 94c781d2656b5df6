//===- MscclppMachine.h - An emulation of the MSCCL++ executor --*- C++ -*-===//
//
// Executes a plan of MSCCL++ as the executor does, thread by thread, under a random schedule, for
// several launches with new inputs. It shares no code with the proof: memory is values, ordering is
// what happens. Threadblocks have two threads. A write becomes visible to other threads at a random
// later time, to its threadblock at the next nop, and to others at a release; packets carry the
// number of the launch; proxies transfer data at any time after they were told.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TEST_SUPPORT_MSCCLPPMACHINE_H
#define CCL_TEST_SUPPORT_MSCCLPPMACHINE_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::test {

struct MachineOptions {
  uint64_t seed = 1;
  uint32_t launches = 3;
  /// Granules of 16 bytes of a chunk, and of `bytesOfPieces` bytes of a pipeline.
  uint32_t granules = 2, granulesOfPieces = 1;
  uint64_t bytesOfPieces = 1;
};

/// Executes \p plan, which the limits of the executor permit. Returns what went wrong: "", or a
/// description of the first wrong output, or of a deadlock.
std::string runMscclpp(const mscclpp::Plan &plan, const MachineOptions &options);

} // namespace cclc::test

#endif // CCL_TEST_SUPPORT_MSCCLPPMACHINE_H
