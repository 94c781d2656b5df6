//===- Constraints.h - The limits of a destination --------------*- C++ -*-===//
//
// A destination of a plan is a machine, a runtime or an output format; the command line may add
// limits. Each limits some numbers of a plan, and the constraints of several destinations are
// combined by the stricter limit. The checkers of all kinds of plans and files pass the numbers
// that they find to check(), so that every rule has one message (Rules.def).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIMITS_CONSTRAINTS_H
#define CCL_LIMITS_CONSTRAINTS_H

#include "cclc/Support/Diagnostics.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <optional>
#include <string>

namespace cclc {

/// A number that a destination may limit.
enum class Limit : uint8_t {
#define CCL_LIMIT(Name) Name,
#include "cclc/Limits/Rules.def"
};

/// A number of a plan that must be within a limit.
enum class Rule : uint8_t {
#define CCL_RULE(Name, Limit, Message, Remedy) Name,
#include "cclc/Limits/Rules.def"
};

inline constexpr size_t numLimits = 0
#define CCL_LIMIT(Name) +1
#include "cclc/Limits/Rules.def"
    ;
inline constexpr size_t numRules = 0
#define CCL_RULE(Name, Limit, Message, Remedy) +1
#include "cclc/Limits/Rules.def"
    ;

/// The limit that \p rule compares with.
constexpr Limit limitOf(Rule rule) {
  constexpr Limit limits[] = {
#define CCL_RULE(Name, Limited, Message, Remedy) Limit::Limited,
#include "cclc/Limits/Rules.def"
  };
  return limits[static_cast<size_t>(rule)];
}

/// "Channels"; null-terminated, and equal for equal rules only.
const char *ruleName(Rule rule);

/// "illegal for msccl: WHAT", the form of all errors about destinations.
std::string illegalFor(StringRef destination, const llvm::Twine &what);

/// A violation of a rule.
struct Breach {
  Rule rule;
  std::string owner;        ///< the destination that sets the limit: "target ndv4", "msccl"
  std::string text, remedy; ///< the violation, with both numbers, and the remedy

  /// "illegal for msccl: 33 channels, the limit is 32; use fewer channels ..."
  std::string message() const;
};

class Constraints {
public:
  using Where = llvm::function_ref<std::string()>;

  /// Makes constraints without limits. \p owner is the name of the destination in messages.
  explicit Constraints(std::string owner = {}) : owner(std::move(owner)) {}

  /// Sets a limit, or lowers it.
  Constraints &atMost(Limit limit, std::optional<uint64_t> most);
  Constraints &forbid(Limit limit) { return atMost(limit, 0); }
  /// Combines each limit with that of \p other by the stricter one.
  Constraints &combine(const Constraints &other);
  /// The constraints with the limits \p kept only.
  Constraints only(std::initializer_list<Limit> kept) const;

  /// The limit; unset: unlimited.
  std::optional<uint64_t> most(Limit limit) const;
  /// A limit that must be set.
  uint32_t operator[](Limit limit) const;

  /// Whether \p found is within the limit of \p rule: a test without a text, for loops over steps.
  bool allows(Rule rule, uint64_t found) const {
    const std::optional<Bound> &bound = bounds[static_cast<size_t>(limitOf(rule))];
    return !bound || found <= bound->most;
  }

  /// The breach if \p found exceeds the limit of \p rule or is negative, which is possible in
  /// files. \p where returns the place for messages that contain one, and is called for a breach
  /// only.
  std::optional<Breach> check(Rule rule, int64_t found, Where where) const;
  std::optional<Breach> check(Rule rule, int64_t found) const;
  /// The same, reported at \p loc.
  LogicalResult check(Rule rule, int64_t found, Location loc, DiagnosticEngine &diags,
                      Where where) const;

private:
  struct Bound {
    uint64_t most;
    std::string owner;
  };

  std::string owner;
  std::array<std::optional<Bound>, numLimits> bounds;
};

} // namespace cclc

#endif // CCL_LIMITS_CONSTRAINTS_H
