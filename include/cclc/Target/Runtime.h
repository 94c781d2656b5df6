//===- Runtime.h - What executes plans on a machine -------------*- C++ -*-===//
//
// A runtime executes plans in a form of its own, or chooses among algorithms that it has. The form
// limits the plans and determines their times, so that a search is for one runtime.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TARGET_RUNTIME_H
#define CCL_TARGET_RUNTIME_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

/// The form of what a runtime loads.
enum class RuntimeForm : uint8_t {
  Steps,   ///< plans as they are, without limits
  Xml,     ///< MSCCL XML, in the dialect of the runtime's name
  Mscclpp, ///< plans of MSCCL++
  Module,  ///< algorithm modules of AHBM with their install plans
  Choices, ///< a table of choices among the runtime's own algorithms
};

struct Runtime {
  StringRef name;    ///< value of --runtime and of the key `runtime` of targets
  StringRef product; ///< the repository or program
  RuntimeForm form;
  StringRef extension; ///< of its plans, with the dot; empty: it has tables of choices

  /// Whether it executes the steps of a plan, which files in its form have.
  bool executesSteps() const { return form == RuntimeForm::Steps || form == RuntimeForm::Xml; }
  /// Whether a plan determines the endpoints of its ranks; otherwise the runtime numbers them.
  bool placesRanks() const { return form == RuntimeForm::Steps; }
  /// Whether a plan determines the slots of its connections.
  bool choosesSlots() const { return form == RuntimeForm::Steps || form == RuntimeForm::Module; }
};

/// Null for an unknown name.
const Runtime *findRuntime(StringRef name);
/// The runtime of machines that name none: the simulator.
const Runtime &simulatorRuntime();
/// The names of all runtimes, in the order of the documents.
std::vector<std::string> runtimeNames();

} // namespace cclc

#endif // CCL_TARGET_RUNTIME_H
