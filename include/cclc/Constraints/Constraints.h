//===- Constraints.h - What a destination accepts ---------------*- C++ -*-===//
//
// A destination is what a plan is for: a machine, a runtime, an output format, and with
// them the command line. Each limits some numbers of a plan; constraints of several
// combine to the stricter ones. The checker of any kind of plan or file gives the
// numbers that it finds to check(), so that every rule has one message (Rules.def).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_CONSTRAINTS_CONSTRAINTS_H
#define CCL_CONSTRAINTS_CONSTRAINTS_H

#include "cclc/Support/Diagnostics.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <optional>
#include <string>

namespace cclc {

/// A number that a destination may limit.
enum class Limit : uint8_t {
#define CCL_LIMIT(Name) Name,
#include "cclc/Constraints/Rules.def"
};

/// A number of a plan that must be within a limit.
enum class Rule : uint8_t {
#define CCL_RULE(Name, Limit, Message, Remedy) Name,
#include "cclc/Constraints/Rules.def"
};

inline constexpr size_t numLimits = 0
#define CCL_LIMIT(Name) +1
#include "cclc/Constraints/Rules.def"
    ;
inline constexpr size_t numRules = 0
#define CCL_RULE(Name, Limit, Message, Remedy) +1
#include "cclc/Constraints/Rules.def"
    ;

/// "Channels"; null-terminated, and equal for equal rules only.
const char *ruleName(Rule rule);

/// "illegal for msccl: WHAT": how every refusal of a destination begins.
std::string illegalFor(StringRef destination, const llvm::Twine &what);

/// A rule that a plan breaks.
struct Breach {
  Rule rule;
  std::string owner;        ///< who sets the limit: "target ndv4", "msccl"
  std::string text, remedy; ///< what is wrong, with both numbers, and how to mend it

  /// "illegal for msccl: 33 channels, the limit is 32; use fewer channels ..."
  std::string message() const;
};

class Constraints {
public:
  using Where = llvm::function_ref<std::string()>;

  /// No limits. \p owner is the destination as messages call it.
  explicit Constraints(std::string owner = {}) : owner(std::move(owner)) {}

  /// Sets a limit, or lowers it.
  Constraints &atMost(Limit limit, std::optional<uint64_t> most);
  Constraints &forbid(Limit limit) { return atMost(limit, 0); }
  /// Takes the stricter one of each limit.
  Constraints &combine(const Constraints &other);
  /// These limits alone.
  Constraints only(std::initializer_list<Limit> kept) const;

  /// Unset: any number.
  std::optional<uint64_t> most(Limit limit) const;
  /// Of a limit that the destination is known to have.
  uint32_t operator[](Limit limit) const;

  /// The breach if \p found is more than the limit of \p rule, or negative, as it may be in a
  /// file. \p where names the place of rules that say one, and is called for a breach only.
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

#endif // CCL_CONSTRAINTS_CONSTRAINTS_H
