//===- SizeRanges.cpp - Gaps and overlaps of ranges of sizes --------------===//
//
// The ranges of a table are sorted by their begin. Each is compared with the preceding one that
// ends last: if it begins later, there may be a gap, otherwise both overlap.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Lint/SizeRanges.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace cclc;

static bool endsBefore(const SizeRange &a, uint64_t size) { return a.to && *a.to < size; }

static void findGapsAndOverlaps(SizeRanges &table) {
  llvm::sort(table.ranges, [](const SizeRange &a, const SizeRange &b) {
    return std::pair(a.from, a.file) < std::pair(b.from, b.file);
  });
  const SizeRange *furthest = nullptr;
  for (const SizeRange &range : table.ranges) {
    if (furthest && endsBefore(*furthest, range.from)) {
      if (*furthest->to + 1 < range.from)
        table.gaps.push_back({{*furthest->to + 1, range.from - 1}});
    } else if (furthest) {
      std::optional<uint64_t> end = !furthest->to ? range.to
                                    : !range.to   ? furthest->to
                                                  : std::min(*furthest->to, *range.to);
      table.overlaps.push_back({{range.from, end},
                                std::min(furthest->file, range.file),
                                std::max(furthest->file, range.file)});
    }
    if (!furthest || (furthest->to && (!range.to || *range.to > *furthest->to)))
      furthest = &range;
  }
}

void SizeTables::add(StringRef runtime, StringRef collective, int64_t ranks, Placement placement,
                     const SizeRange &range) {
  // Runtimes write the largest number for no limit, some less one.
  constexpr uint64_t most = std::numeric_limits<int64_t>::max() - 1;
  SizeRanges &table = tables[{collective.str(), ranks, placement}];
  table.ranges.push_back(range);
  if (range.to && *range.to >= most)
    table.ranges.back().to = std::nullopt;
  table.runtime = runtime;
  table.collective = collective;
  table.ranks = ranks;
  table.placement = placement;
}

std::vector<SizeRanges> SizeTables::take() {
  std::vector<SizeRanges> result;
  for (auto &[key, table] : tables) {
    findGapsAndOverlaps(table);
    result.push_back(std::move(table));
  }
  return result;
}

std::vector<SizeRanges> cclc::sizeRanges(ArrayRef<MscclLint> files, const MscclDialect &dialect) {
  SizeTables tables;
  size_t d = &dialect - mscclDialects().data();
  for (size_t f = 0; f < files.size(); ++f) {
    if (!files[f].use || files[f].verdicts[d] == MscclVerdict::Refuses)
      continue;
    const MscclUse &use = *files[f].use;
    std::optional<MscclRange> sizes = use.sizes(dialect);
    if (!sizes)
      continue;
    for (Placement placement : {Placement::InPlace, Placement::OutOfPlace})
      if (use.worksIn(placement, dialect))
        tables.add(dialect.name, use.collective, use.ranks, placement, {*sizes, f});
  }
  return tables.take();
}
