//===- TuneResult.cpp - Rankings of the candidates tried ------------------===//
//
// Of candidates with equal times, that with the fewest threadblocks and steps comes first, then
// that with the slots of the machine or with the smallest ones.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Tuner.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace cclc;

std::vector<size_t> TuneResult::ranking(uint64_t size) const {
  std::vector<size_t> order;
  for (size_t i = 0; i < tried.size(); ++i)
    if (tried[i].measure.time(size))
      order.push_back(i);
  auto keyOf = [&](size_t i) {
    const Measure &measure = tried[i].measure;
    const Variant &variant = tried[i].candidate.variant;
    return std::tuple(*measure.time(size), measure.threadblocks, measure.steps,
                      variant.slotSize.value_or(Bytes(0)), variant.slots.value_or(0), i);
  };
  llvm::sort(order, [&](size_t a, size_t b) { return keyOf(a) < keyOf(b); });
  return order;
}

std::vector<size_t> TuneResult::paretoFront(uint64_t size) const {
  std::vector<size_t> front;
  // Candidates come in the order of their time, so that only earlier ones can be better.
  for (size_t i : ranking(size)) {
    const Measure &own = tried[i].measure;
    if (llvm::none_of(front, [&](size_t other) {
          const Measure &better = tried[other].measure;
          return better.threadblocks <= own.threadblocks && better.channels <= own.channels;
        }))
      front.push_back(i);
  }
  return front;
}
