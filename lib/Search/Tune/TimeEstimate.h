//===- TimeEstimate.h - Times of sizes that were not simulated --*- C++ -*-===//
//
// What the results of a candidate say about its time with another size. The search drops a
// candidate where they leave no prospect of a faster plan. A lower bound depends on little. An
// expectation uses steady sizes alone: with several pieces of the buffer the plan is pipelined, and
// every further piece takes the same time.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SEARCH_TUNE_TIMEESTIMATE_H
#define CCL_LIB_SEARCH_TUNE_TIMEESTIMATE_H

#include "cclc/Search/Tune/Measure.h"

namespace cclc {

/// The time that a candidate needs at least with \p size, by its load and its smaller sizes.
SimTime leastTime(const Measure &measure, uint64_t size);

/// The time with \p size by the growth between the two largest simulated sizes below it, less a
/// margin for what is not steady. Unset without steady sizes, or with one size, which does not show
/// how much of its time the fill of the pipeline takes.
std::optional<SimTime> expectedTime(const Measure &measure, uint64_t size);

/// The time of \p measure with \p size if its ratio to \p similar is that of the largest smaller
/// size with which both were simulated. Unset without such a size that is steady.
std::optional<SimTime> expectedTime(const Measure &measure, const Measure &similar, uint64_t size);

/// Whether \p time is less than \p other by one percent: a smaller gain does not justify more
/// parallelism.
bool isClearlyFaster(SimTime time, SimTime other);

/// What \p time becomes with \p doublings more of a property whose last doubling reduced it from
/// \p before: gains do not increase. Without \p before each one halves it.
SimTime afterDoublings(SimTime time, std::optional<SimTime> before, unsigned doublings);

} // namespace cclc

#endif // CCL_LIB_SEARCH_TUNE_TIMEESTIMATE_H
