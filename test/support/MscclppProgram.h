//===- MscclppProgram.h - Plans of MSCCL++ as small instructions -*- C++ -*-===//
//
// The instructions of MscclppMachine.h: one for every 8 bytes of data, one for every signal, wait,
// and so on, for each thread of each threadblock.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TEST_SUPPORT_MSCCLPPPROGRAM_H
#define CCL_TEST_SUPPORT_MSCCLPPPROGRAM_H

#include "MscclppMachine.h"

#include <map>

namespace cclc::test::machine {

constexpr uint32_t numThreads = 2;

/// 8 bytes in the memory of a rank. Scratch is relative to the half of the launch.
struct Address {
  uint32_t rank = 0;
  uint64_t atom = 0;
  bool isScratch = false;
};
struct Source {
  Address address;
  bool packet = false, waits = false;
};
struct Destination {
  Address address;
  bool packet = false;
};

enum class Kind { Data, Nop, Signal, Wait, Barrier, Push };
/// Data stores the sum of all sources in all destinations; Push tells a proxy to copy each source
/// to the destination of the same number.
struct Instruction {
  Kind kind;
  std::vector<Source> sources = {};
  std::vector<Destination> destinations = {};
  uint32_t counter = 0, participants = 0; ///< of Signal, Wait, Barrier and Push
  bool relaxed = false, throughSwitch = false;
  uint32_t channel = 0; ///< of Push: the port channel of the rank
  bool signals = false, flushes = false;
};

/// The counter of a signal on a channel without another end.
constexpr uint32_t noCounter = ~0u;

struct MachineProgram {
  struct Block {
    uint32_t rank;
    std::vector<Instruction> threads[numThreads];
  };
  std::vector<Block> blocks;
  std::vector<int64_t> counters;           ///< initial values
  std::vector<uint64_t> scratchAt, halfOf; ///< by rank: atoms before and in a half of scratch
};

MachineProgram translate(const mscclpp::Plan &plan, const MachineOptions &options);

} // namespace cclc::test::machine

#endif // CCL_TEST_SUPPORT_MSCCLPPPROGRAM_H
