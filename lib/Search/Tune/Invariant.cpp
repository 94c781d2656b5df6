//===- Invariant.cpp - The choice of one reduction order ------------------===//
//
// A first search compares the plans of all orders, each of which is uniform over the elements. It
// drops plans of one order in favour of another one, so the orders that are the best of a size, and
// the one that is the best for all sizes so far, are searched again, each for itself. Results of
// the first search are not computed again.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Invariant.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace cclc;

/// The mean logarithm of the best times with \p order; unset if no plan of it runs with a size.
static std::optional<double> meanOf(const TuneResult &result, uint64_t order,
                                    ArrayRef<uint64_t> sizes) {
  double sum = 0;
  for (uint64_t size : sizes) {
    std::optional<SimTime> best;
    for (const Tried &tried : result.tried)
      if (tried.measure.order == order)
        if (std::optional<SimTime> time = tried.measure.time(size))
          best = std::min(best.value_or(*time), *time);
    if (!best)
      return std::nullopt;
    sum += std::log(double(std::max<int64_t>(best->picoseconds(), 1)));
  }
  return sum / double(sizes.size());
}

/// The orders to search, in the order of the sizes that they are the best of.
static std::vector<uint64_t> promisingOrders(const TuneResult &result, ArrayRef<uint64_t> sizes) {
  std::vector<uint64_t> orders;
  auto add = [&](uint64_t order) {
    if (!llvm::is_contained(orders, order))
      orders.push_back(order);
  };
  for (uint64_t size : sizes)
    if (std::vector<size_t> ranking = result.ranking(size); !ranking.empty())
      add(*result.tried[ranking.front()].measure.order);
  std::optional<double> least;
  std::optional<uint64_t> best;
  for (const Tried &tried : result.tried)
    if (tried.measure.order)
      if (std::optional<double> mean = meanOf(result, *tried.measure.order, sizes))
        if (!least || *mean < *least) {
          least = mean;
          best = tried.measure.order;
        }
  if (best)
    add(*best);
  return orders;
}

FailureOr<TuneResult> cclc::tuneInvariant(const CandidateSpace &space, const MeasureStore &store,
                                          const TuneOptions &options, DiagnosticEngine &diags) {
  FailureOr<TuneResult> first = tune(space, store, options, diags);
  if (failed(first))
    return failure();
  // The caller reports a size that no plan at all runs with.
  std::vector<uint64_t> sizes;
  llvm::copy_if(space.problem.sizes, std::back_inserter(sizes),
                [&](uint64_t size) { return !first->ranking(size).empty(); });
  if (sizes.empty())
    return std::move(*first);
  std::map<std::string, Measure> known;
  for (const Tried &tried : first->tried)
    known[tried.candidate.command()] = tried.measure;
  TuneOptions restricted = options;
  restricted.known = &known;
  std::optional<TuneResult> best;
  std::optional<double> least;
  for (uint64_t order : promisingOrders(*first, sizes)) {
    restricted.order = order;
    FailureOr<TuneResult> found = tune(space, store, restricted, diags);
    if (failed(found))
      return failure();
    std::optional<double> mean = meanOf(*found, order, sizes);
    if (mean && (!least || *mean < *least)) {
      least = mean;
      best = std::move(*found);
    }
  }
  if (best)
    return std::move(*best);
  if (options.shards == 1) // of several, each has a part of the plans
    return diags.error({}, "no reduction order has a plan for every size; tune for fewer sizes, or "
                           "without --invariant");
  return std::move(*first);
}
