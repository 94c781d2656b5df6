//===- Constraints.cpp - The table of rules and its messages --------------===//
//
// Rules.def gives each rule a limit, a message and a remedy. Limits of several destinations
// are combined by their minimum, which keeps the owner of the smaller limit for the
// message.
//
//===----------------------------------------------------------------------===//

#include "cclc/Limits/Constraints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
struct RuleText {
  const char *name, *message, *remedy;
};
} // namespace

static constexpr RuleText texts[] = {
#define CCL_RULE(Name, Limited, Message, Remedy) {#Name, Message, Remedy},
#include "cclc/Limits/Rules.def"
};

static const RuleText &textOf(Rule rule) { return texts[static_cast<size_t>(rule)]; }

const char *cclc::ruleName(Rule rule) { return textOf(rule).name; }

std::string cclc::illegalFor(StringRef destination, const llvm::Twine &what) {
  return ("illegal for " + destination + ": " + what).str();
}

std::string Breach::message() const { return illegalFor(owner, text + "; " + remedy); }

Constraints &Constraints::atMost(Limit limit, std::optional<uint64_t> most) {
  std::optional<Bound> &bound = bounds[static_cast<size_t>(limit)];
  if (most && (!bound || *most < bound->most))
    bound = {*most, owner};
  return *this;
}

Constraints &Constraints::combine(const Constraints &other) {
  for (size_t limit = 0; limit < numLimits; ++limit) {
    const std::optional<Bound> &theirs = other.bounds[limit];
    if (theirs && (!bounds[limit] || theirs->most < bounds[limit]->most))
      bounds[limit] = theirs;
  }
  return *this;
}

Constraints Constraints::only(std::initializer_list<Limit> kept) const {
  Constraints result(owner);
  for (Limit limit : kept)
    result.bounds[static_cast<size_t>(limit)] = bounds[static_cast<size_t>(limit)];
  return result;
}

std::optional<uint64_t> Constraints::most(Limit limit) const {
  const std::optional<Bound> &bound = bounds[static_cast<size_t>(limit)];
  return bound ? std::optional(bound->most) : std::nullopt;
}

uint32_t Constraints::operator[](Limit limit) const {
  assert(most(limit) && "the destination has no such limit");
  return *most(limit);
}

std::optional<Breach> Constraints::check(Rule rule, int64_t found, Where where) const {
  const RuleText &text = textOf(rule);
  const std::optional<Bound> &bound = bounds[static_cast<size_t>(limitOf(rule))];
  if (!bound || (found >= 0 && uint64_t(found) <= bound->most))
    return std::nullopt;
  return Breach{rule, bound->owner, formatv(text.message, found, bound->most, where()),
                formatv(text.remedy, found, bound->most)};
}

std::optional<Breach> Constraints::check(Rule rule, int64_t found) const {
  return check(rule, found, [] { return std::string(); });
}

LogicalResult Constraints::check(Rule rule, int64_t found, Location loc, DiagnosticEngine &diags,
                                 Where where) const {
  std::optional<Breach> breach = check(rule, found, where);
  return breach ? diags.error(std::move(loc), breach->message()) : success();
}
