//===- LinkChanges.cpp - Changing links by name ---------------------------===//
//
// Applies changes of bandwidth, propagation and presence to links after the machine of any family
// has been built. Reads the options that change links or other values.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "cclc/Target/Loader.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace cclc;
using llvm::formatv;

namespace {

/// Whether \p name matches \p pattern, in which * matches any text.
bool matches(StringRef name, StringRef pattern) {
  SmallVector<StringRef, 4> texts;
  pattern.split(texts, '*');
  if (texts.size() == 1)
    return name == pattern;
  if (!name.consume_front(texts.front()) || !name.consume_back(texts.back()))
    return false;
  // Matching each text at its first occurrence leaves most of the name to the others.
  for (StringRef text : ArrayRef(texts).drop_front().drop_back()) {
    size_t at = name.find(text);
    if (at == StringRef::npos)
      return false;
    name = name.drop_front(at + text.size());
  }
  return true;
}

/// FROM->TO, or FROM<->TO for both directions.
struct Pattern {
  StringRef from, to;
  bool bothWays = false;

  static std::optional<Pattern> parse(StringRef text) {
    for (bool both : {true, false}) {
      auto [from, to] = text.split(both ? "<->" : "->");
      if (!from.trim().empty() && !to.trim().empty())
        return Pattern{from.trim(), to.trim(), both};
    }
    return std::nullopt;
  }

  /// \p parallel is the number of the link, 0 without parallel links. Without a number, the pattern
  /// matches all of these.
  bool matches(StringRef a, StringRef b, uint32_t parallel) const {
    auto oneWay = [&](StringRef x, StringRef y) {
      return ::matches(x, from) &&
             (::matches(y, to) || (parallel && ::matches(numbered(y, parallel), to)));
    };
    return oneWay(a, b) || (bothWays && oneWay(b, a));
  }

  static std::string numbered(StringRef node, uint32_t parallel) {
    return formatv("{0}#{1}", node, parallel);
  }
};

/// The links whose names are most similar to \p text, the most similar first.
std::string similarLinks(StringRef text, const Machine &machine) {
  std::vector<std::pair<unsigned, std::string>> names;
  for (uint32_t l = 0; l < machine.links().size(); ++l) {
    const Link &link = machine.links()[l];
    std::string name =
        machine.nodes()[link.from.index()].name + "->" + machine.linkEndName(LinkId(l));
    names.emplace_back(text.edit_distance(name), std::move(name));
  }
  size_t shown = std::min<size_t>(names.size(), 3);
  std::partial_sort(names.begin(), names.begin() + shown, names.end());
  std::string list;
  for (size_t i = 0; i < shown; ++i)
    list += (i ? ", " : "") + names[i].second;
  return list;
}
} // namespace

void cclc::changeLinks(JsonObject &file, MachineBuilder &builder) {
  for (JsonObject &change : file.objects("link_changes")) {
    std::string text;
    std::optional<Bandwidth> rate;
    std::optional<SimTime> propagation;
    std::optional<bool> present;
    change.requireText("links", text);
    change.showAs("links." + text);
    if (change.isGiven("bandwidth"))
      change.rate("bandwidth", rate.emplace());
    if (change.isGiven("propagation"))
      change.time("propagation", propagation.emplace());
    if (change.isGiven("present"))
      change.onOff("present", present.emplace(true));
    change.finish();
    std::optional<Pattern> pattern = Pattern::parse(text);
    if (!pattern)
      return change.error("", "is not of the form NODE->NODE or NODE<->NODE");
    bool found = false;
    for (uint32_t l = 0; l < builder.machine.links().size(); ++l) {
      Link &link = builder.link(LinkId(l));
      if (!pattern->matches(builder.machine.nodes()[link.from.index()].name,
                            builder.machine.nodes()[link.to.index()].name, link.parallel))
        continue;
      found = true;
      link.bandwidth = rate.value_or(link.bandwidth);
      link.propagation = propagation.value_or(link.propagation);
      link.present = present.value_or(link.present);
    }
    if (!found && builder.machine.links().empty())
      return change.error("", "is not a link: the target has no links");
    if (!found)
      return change.error("",
                          "is not a link; similar ones are " + similarLinks(text, builder.machine));
  }
}

bool cclc::namesLinks(StringRef path) { return path.starts_with("links.") && path.contains("->"); }

FailureOr<TargetOverride> cclc::parseOverride(StringRef text, DiagnosticEngine &diags) {
  auto [path, value] = text.split('=');
  if (namesLinks(text)) // names of nodes may contain any character
    std::tie(path, value) = text.rsplit('=');
  if (path.empty() || value.empty())
    return diags.error({}, "--set takes PATH=VALUE, not '" + text + "'");
  return TargetOverride{path.str(), value.str()};
}

LogicalResult cclc::parseOverrides(ArrayRef<std::string> texts,
                                   std::vector<TargetOverride> &overrides,
                                   DiagnosticEngine &diags) {
  for (const std::string &text : texts) {
    FailureOr<TargetOverride> change = parseOverride(text, diags);
    if (failed(change))
      return failure();
    overrides.push_back(*change);
  }
  return success();
}
