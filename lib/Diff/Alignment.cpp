#include "Alignment.h"

#include "Hash.h"

#include <algorithm>
#include <unordered_map>

using namespace cclc;
using namespace cclc::diff;

/// Makes every key unique by combining it with the number of its previous occurrences.
static std::vector<uint64_t> numbered(ArrayRef<uint64_t> keys) {
  std::unordered_map<uint64_t, uint32_t> met;
  std::vector<uint64_t> result;
  for (uint64_t key : keys)
    result.push_back(mixed(key, met[key]++));
  return result;
}

Alignment diff::align(ArrayRef<uint64_t> before, ArrayRef<uint64_t> after) {
  Alignment result;
  result.newOf.resize(before.size());
  result.inOrder.assign(before.size(), true);
  if (before == after) {
    for (uint32_t i = 0; i < before.size(); ++i)
      result.newOf[i] = i;
    return result;
  }
  std::unordered_map<uint64_t, uint32_t> places;
  std::vector<uint64_t> keys = numbered(after);
  for (uint32_t j = 0; j < keys.size(); ++j)
    places.emplace(keys[j], j);
  keys = numbered(before);
  // ends[n]: the old position with the lowest new position at the end of an ascending sequence of
  // length n + 1.
  std::vector<uint32_t> ends;
  std::vector<std::optional<uint32_t>> previous(before.size());
  for (uint32_t i = 0; i < keys.size(); ++i) {
    result.inOrder[i] = false;
    auto it = places.find(keys[i]);
    if (it == places.end())
      continue;
    result.newOf[i] = it->second;
    auto end =
        std::lower_bound(ends.begin(), ends.end(), it->second,
                         [&](uint32_t old, uint32_t place) { return *result.newOf[old] < place; });
    if (end != ends.begin())
      previous[i] = *std::prev(end);
    if (end == ends.end())
      ends.push_back(i);
    else
      *end = i;
  }
  if (!ends.empty())
    for (std::optional<uint32_t> i = ends.back(); i; i = previous[*i])
      result.inOrder[*i] = true;
  return result;
}
