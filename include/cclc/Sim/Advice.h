//===- Advice.h - Changes that make a run faster ----------------*- C++ -*-===//
//
// The result of `ccl-sim --advise`. Every row is a change that a user can make, and its time is
// that of a run with the change, not an estimate. A resource that a user cannot change is no
// advice: its effect is that of `--what-if`.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_ADVICE_H
#define CCL_SIM_ADVICE_H

#include "cclc/Support/Units.h"

#include <string>
#include <vector>

namespace cclc {

struct Advice {
  /// How the change is made.
  enum class Tool {
    Simulator, ///< options that are added to those of this run
    Compiler,  ///< a command that compiles the plan for the next run, with the options of this one
  };
  std::string cause;  ///< "few slots: sends wait for one of 2 slots"
  std::string action; ///< "Use 8 slots"
  Tool tool = Tool::Simulator;
  std::string change; ///< "--slots 8", quoted for a shell
  SimTime time;       ///< with the change
};

struct AdviceResult {
  bool requested = false;
  std::vector<Advice> rows;       ///< in descending order of the gain, weighted by the kind
  std::vector<std::string> notes; ///< limits that were reached, and changes that were not tried
};

} // namespace cclc

#endif // CCL_SIM_ADVICE_H
