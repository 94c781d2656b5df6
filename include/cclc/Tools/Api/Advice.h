//===- Advice.h - Changes that make a run faster ----------------*- C++ -*-===//

#ifndef CCLC_API_ADVICE_H
#define CCLC_API_ADVICE_H

#include <cstdint>
#include <string>
#include <vector>

namespace cclc::api {

/// A change that a user can make. It was proved and simulated: its time is no estimate.
struct AdvisedChange {
  std::string action; ///< "Use 8 slots on each connection"
  std::string cause;  ///< "few slots: sends wait for one of 2 slots"
  /// "ccl-sim": `change` has options in addition to those of the run; "cclc": a command that
  /// compiles the plan for the next run with the same options.
  std::string tool;
  std::string change;            ///< "--slots 8", quoted for a shell
  int64_t before = 0, after = 0; ///< in picoseconds
  double gain = 0;               ///< the part of the time that it saves
};

struct Advice {
  /// Those that save at least 1 %, one for each choice, the largest gain first.
  std::vector<AdvisedChange> changes;
  std::vector<std::string> notes; ///< a limit that is reached, and changes that were not tried
};

} // namespace cclc::api

#endif // CCLC_API_ADVICE_H
