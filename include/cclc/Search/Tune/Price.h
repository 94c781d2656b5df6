//===- Price.h - What a tuning file costs -----------------------*- C++ -*-===//
//
// A tuning file selects among the algorithms of a runtime. Each of them that is modelled is a
// bundled program, with the protocol, channels and division of the message that the file sets. What
// it leaves to the runtime is taken as the fastest that the model finds.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_TUNE_PRICE_H
#define CCL_SEARCH_TUNE_PRICE_H

#include "cclc/DSL/Registry.h"
#include "cclc/Formats/Selection/TuningFile.h"
#include "cclc/Search/Tune/Candidate.h"

namespace cclc {

/// An algorithm of a runtime with its settings, as text, and its time; without one, the reason.
struct NativeTime {
  std::string title; ///< "ring, ll, 8 channels"
  std::optional<SimTime> time = {};
  std::string reason = {};
};

/// What a file costs with one size.
struct SizePrice {
  uint64_t bytes;
  const TuningRule *rule = nullptr; ///< that in force; null: none
  NativeTime chosen = {};           ///< what the runtime executes
  NativeTime best = {};             ///< the fastest that any file could select
};

/// The prices of the sizes of \p problem. \p file has to outlive them.
std::vector<SizePrice> priceFile(const TuneProblem &problem, const TuningFile &file,
                                 const dsl::ProgramRegistry &programs, unsigned jobs);

/// The calls of \p problem without their bytes.
SelectionCall selectionCall(const TuneProblem &problem);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_PRICE_H
