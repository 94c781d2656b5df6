//===- Folding.cpp - Folding equal differences of many ranks --------------===//
//
// The key of a difference is its text with every number replaced by '#', its aspect, and
// whether it was added, removed or changed; differences of one key are folded into the
// first. Attributes of the plan keep their numbers, which are part of names. One pass with
// a hash table, in the order of the differences.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <unordered_map>

using namespace cclc;
using namespace cclc::diff;

std::string Fold::textOf(const Difference &d) {
  std::string text = d.subject;
  if (!d.field.empty())
    text += " " + d.field;
  if (d.before.empty() || d.after.empty())
    return text + ": " + d.before + d.after;
  return text + ": " + d.before + " -> " + d.after;
}

/// \p text with every number replaced, so that texts that differ only in numbers are equal.
static std::string shapeOf(StringRef text) {
  std::string shape;
  for (char c : text)
    if (!llvm::isDigit(c))
      shape += c;
    else if (shape.empty() || shape.back() != '#')
      shape += '#';
  return shape;
}

/// "1-3, 5"; only the first ones of many ranges.
static std::string rangesText(ArrayRef<uint32_t> numbers) {
  constexpr unsigned shown = 8;
  std::string text;
  unsigned ranges = 0;
  for (size_t i = 0; i < numbers.size();) {
    if (ranges++ == shown)
      return text + ", ...";
    size_t j = i;
    while (j + 1 < numbers.size() && numbers[j + 1] == numbers[j] + 1)
      ++j;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (j > i)
      text += (j == i + 1 ? ", " : "-") + std::to_string(numbers[j]);
    i = j + 1;
  }
  return text;
}

std::string Fold::tail() const {
  if (count == 1)
    return "";
  if (ranks.empty() || ranks.size() == 1)
    return llvm::formatv("; {0} more like this", count - 1);
  if (same && count == ranks.size())
    return "; the same on " + std::string(ranks.size() == 2 ? "rank " : "ranks ") +
           rangesText(ArrayRef(ranks).drop_front());
  return llvm::formatv("; {0} more like this on ranks {1}", count - 1, rangesText(ranks));
}

std::vector<Fold> diff::foldDifferences(const PlanDiff &diff, bool strict) {
  std::vector<Fold> folds;
  std::unordered_map<std::string, size_t> places;
  std::vector<std::string> texts;
  forEachDifference(diff, strict, [&](const Difference &d) {
    std::string text = Fold::textOf(d);
    // Entries of the header with similar names are different attributes.
    bool named = d.aspect == Aspect::Attribute && !d.rank;
    std::string shape = named ? text : shapeOf(text);
    shape += '\0';
    shape += aspectName(d.aspect);
    shape += d.before.empty() ? '+' : d.after.empty() ? '-' : '~';
    auto [it, added] = places.try_emplace(std::move(shape), folds.size());
    if (added) {
      folds.emplace_back().first = d;
      texts.push_back(text);
      if (d.rank)
        folds.back().ranks.push_back(d.rank->index());
      return;
    }
    Fold &fold = folds[it->second];
    ++fold.count;
    fold.same &= text == texts[it->second];
    if (d.rank && fold.ranks.back() != d.rank->index())
      fold.ranks.push_back(d.rank->index());
  });
  for (Fold &fold : folds) {
    std::sort(fold.ranks.begin(), fold.ranks.end());
    fold.ranks.erase(std::unique(fold.ranks.begin(), fold.ranks.end()), fold.ranks.end());
    // The first rank is the one that is shown.
    if (fold.same && fold.first.rank && fold.count == fold.ranks.size()) {
      auto shown = std::find(fold.ranks.begin(), fold.ranks.end(), fold.first.rank->index());
      std::rotate(fold.ranks.begin(), shown, shown + 1);
    }
  }
  return folds;
}
