//===- Conditions.h - What a run was changed by -----------------*- C++ -*-===//
//
// Options that change the times of a plan beside its target (TargetStamp). Every
// form of a result states them, so that a time made under changed conditions cannot
// be taken for one of the target as it is.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_CONDITIONS_H
#define CCL_SIM_CONDITIONS_H

#include "cclc/Support/LLVM.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc {

/// The values of options, as on the command line.
struct RunConditions {
  std::vector<std::string> skew;
  std::optional<std::string> schedule;

  /// "--skew 3=x2 --schedule random:1"; empty where nothing was changed.
  std::string text() const {
    std::string result;
    auto add = [&](StringRef option, StringRef value) {
      result += (result.empty() ? "" : " ") + option.str() + " " + value.str();
    };
    for (const std::string &value : skew)
      add("--skew", value);
    if (schedule)
      add("--schedule", *schedule);
    return result;
  }
  /// The same for the end of a sentence: ", with --skew 3=x2", or nothing.
  std::string phrase() const {
    std::string changed = text();
    return changed.empty() ? changed : ", with " + changed;
  }
};

} // namespace cclc

#endif // CCL_SIM_CONDITIONS_H
