//===- Remarks.h - Optimisation remarks -------------------------*- C++ -*-===//
//
// The remarks that `cclc --explain` prints. Passes emit a remark for every instruction that they
// transform or skip. Equal remarks on instructions of the same source lines are counted, so texts
// should not vary without need. Where a pass chooses among alternatives, it records them with their
// figures.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TRANSFORMS_PASS_REMARKS_H
#define CCL_TRANSFORMS_PASS_REMARKS_H

#include "cclc/Support/Location.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace cclc {

class Remarks {
public:
  enum class Kind : uint8_t { Done, Left };
  struct Remark {
    LocId at;
    Kind kind;
    std::string pass, what;
    /// The location of the other instruction involved.
    LocId other;
    friend auto operator<=>(const Remark &, const Remark &) = default;
  };
  /// An alternative with its figures.
  struct Choice {
    std::string what;
    std::vector<std::pair<std::string, std::string>> figures; ///< name and value
    bool taken = false;
  };
  struct Decision {
    std::string about;
    std::vector<Choice> choices;
  };

  void done(StringRef pass, LocId at, StringRef what, LocId other = LocTable::unknown()) {
    ++counts[{at, Kind::Done, pass.str(), what.str(), other}];
  }
  /// Records that \p pass did not apply, and why.
  void left(StringRef pass, LocId at, StringRef why, LocId other = LocTable::unknown()) {
    ++counts[{at, Kind::Left, pass.str(), why.str(), other}];
  }
  void decide(Decision decision) { theDecisions.push_back(std::move(decision)); }

  void append(const Remarks &other) {
    for (const auto &[remark, n] : other.counts)
      counts[remark] += n;
    theDecisions.insert(theDecisions.end(), other.theDecisions.begin(), other.theDecisions.end());
  }

  /// The remarks and their counts.
  const std::map<Remark, uint64_t> &all() const { return counts; }
  const std::vector<Decision> &decisions() const { return theDecisions; }

private:
  std::map<Remark, uint64_t> counts;
  std::vector<Decision> theDecisions;
};

} // namespace cclc

#endif // CCL_TRANSFORMS_PASS_REMARKS_H
