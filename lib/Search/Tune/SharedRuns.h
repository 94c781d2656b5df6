//===- SharedRuns.h - Results of equal plans --------------------*- C++ -*-===//

#ifndef CCL_LIB_SEARCH_TUNE_SHAREDRUNS_H
#define CCL_LIB_SEARCH_TUNE_SHAREDRUNS_H

#include "Trial.h"

#include <mutex>

namespace cclc {

/// The results of the candidates of all families. Of those with equal runs, such as equal plans,
/// one is simulated. What is found here does not change the outcome of a search, only its cost.
class SharedRuns {
public:
  /// Takes the result of \p size over from a trial with an equal run.
  void adopt(Trial &trial, uint64_t size) const;
  void publish(const Trial &trial, uint64_t size);

private:
  mutable std::mutex mutex;
  std::map<std::string, Measure> results; ///< by Trial::runKey()
};

} // namespace cclc

#endif // CCL_LIB_SEARCH_TUNE_SHAREDRUNS_H
