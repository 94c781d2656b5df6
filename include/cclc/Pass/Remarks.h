//===- Remarks.h - What passes did and did not, and why ---------*- C++ -*-===//
//
// What `cclc --explain` prints. Passes say of every instruction what became of it,
// in as few different words as possible: what is said of instructions of the same
// source lines is counted. Where a pass had a choice, it says what there was to
// choose from.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PASS_REMARKS_H
#define CCL_PASS_REMARKS_H

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
    /// Of the other instruction that it is about.
    LocId other;
    friend auto operator<=>(const Remark &, const Remark &) = default;
  };
  /// One of the ways that there were, with what it costs.
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
  /// What \p pass could have done but did not.
  void left(StringRef pass, LocId at, StringRef why, LocId other = LocTable::unknown()) {
    ++counts[{at, Kind::Left, pass.str(), why.str(), other}];
  }
  void decide(Decision decision) { theDecisions.push_back(std::move(decision)); }

  void append(const Remarks &other) {
    for (const auto &[remark, n] : other.counts)
      counts[remark] += n;
    theDecisions.insert(theDecisions.end(), other.theDecisions.begin(), other.theDecisions.end());
  }

  /// How often each was said.
  const std::map<Remark, uint64_t> &all() const { return counts; }
  const std::vector<Decision> &decisions() const { return theDecisions; }

private:
  std::map<Remark, uint64_t> counts;
  std::vector<Decision> theDecisions;
};

} // namespace cclc

#endif // CCL_PASS_REMARKS_H
