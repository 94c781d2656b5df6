//===- Run.h - Execute plans by threads -------------------------*- C++ -*-===//

#ifndef CCLC_API_RUN_H
#define CCLC_API_RUN_H

#include "cclc/Tools/Api/Plan.h"

#include <chrono>
#include <cstddef>
#include <span>

namespace cclc::api {

/// The memory of a rank. In place, both are part of one buffer, as the collective defines.
struct RankMemory {
  void *input = nullptr, *output = nullptr;
};

struct RunOptions {
  std::string type = "f32";
  std::string op = "sum";
  std::optional<unsigned> threads = {}; ///< unset: one for each processor
  double timeoutSeconds = 10;           ///< without any step, the execution is given up
};

/// Proves \p plan and executes it once on the memory of the caller, which has the results
/// afterwards.
/// \p elements is the size of the buffer that --bytes refers to; it must be divisible by the number
/// of the collective's blocks. Fails if the plan is wrong, or if it does not support the placement.
Result<std::chrono::nanoseconds> run(const Plan &plan, std::span<const RankMemory> memory,
                                     uint64_t elements, const RunOptions &options = {});

/// The memory of a rank, with its sizes; no input where the collective has none.
struct RankBuffers {
  std::span<std::byte> input, output;
};

/// The same on memory of known sizes, from which the number of elements follows. Fails as well if
/// the sizes are not those of the collective, or if the memory of two ranks overlaps.
Result<std::chrono::nanoseconds> run(const Plan &plan, std::span<const RankBuffers> memory,
                                     const RunOptions &options = {});

/// Proves \p plan, executes it once on data of a test, under every placement of the plan, and
/// compares all outputs with the definition of the collective. Fails if they differ.
Result<std::chrono::nanoseconds> runTest(const Plan &plan, uint64_t bytes,
                                         const RunOptions &options = {});

} // namespace cclc::api

#endif // CCLC_API_RUN_H
