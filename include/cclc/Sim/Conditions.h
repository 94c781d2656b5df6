//===- Conditions.h - Options that change times -----------------*- C++ -*-===//
//
// Options other than the target (TargetStamp) that change the times of a plan. All output formats
// state them, so that such a time is not mistaken for that of the unchanged target.
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

  /// "--skew 3=x2 --schedule random:1"; empty if there are none.
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
  /// The same for the end of a sentence: ", with --skew 3=x2", or "".
  std::string phrase() const {
    std::string changed = text();
    return changed.empty() ? changed : ", with " + changed;
  }
};

} // namespace cclc

#endif // CCL_SIM_CONDITIONS_H
