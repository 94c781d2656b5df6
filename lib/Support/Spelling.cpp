#include "cclc/Support/Spelling.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace cclc;

/// The number of insertions, removals, replacements and swaps of neighbours that turn \p a into
/// \p b.
static size_t distance(StringRef a, StringRef b) {
  std::vector<size_t> beforeLast, last, row(b.size() + 1); // rows of the table, by length of b
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    beforeLast = std::move(last);
    last = std::move(row);
    row.assign(b.size() + 1, i);
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], beforeLast[j - 2] + 1);
    }
  }
  return row.back();
}

std::string cclc::didYouMean(StringRef word, ArrayRef<std::string> candidates) {
  size_t least = std::max<size_t>(word.size() / 3, 1) + 1;
  std::string nearest;
  for (const std::string &candidate : candidates) {
    size_t changes = distance(word, candidate);
    if (changes < least) {
      least = changes;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
}

std::string cclc::unknownWord(StringRef kind, StringRef word, ArrayRef<std::string> known) {
  return ("unknown " + kind + " '" + word + "'" + didYouMean(word, known) + "; it must be one of " +
          llvm::join(known, ", "))
      .str();
}
