#include "SizeRanges.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

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

std::vector<SizeRanges> cclc::sizeRanges(ArrayRef<MscclLint> files, const MscclDialect &dialect) {
  std::map<std::tuple<std::string, int64_t, Placement>, SizeRanges> tables;
  size_t d = &dialect - mscclDialects().data();
  for (size_t f = 0; f < files.size(); ++f) {
    if (!files[f].use || files[f].verdicts[d] == MscclVerdict::Refuses)
      continue;
    const MscclUse &use = *files[f].use;
    std::optional<MscclRange> sizes = use.sizes(dialect);
    if (!sizes)
      continue;
    SizeRange range{*sizes, f};
    for (Placement placement : {Placement::InPlace, Placement::OutOfPlace})
      if (use.worksIn(placement, dialect)) {
        SizeRanges &table = tables[{use.collective, use.ranks, placement}];
        table.ranges.push_back(range);
        table.dialect = &dialect;
        table.collective = use.collective;
        table.ranks = use.ranks;
        table.placement = placement;
      }
  }
  std::vector<SizeRanges> result;
  for (auto &[key, table] : tables) {
    findGapsAndOverlaps(table);
    result.push_back(std::move(table));
  }
  return result;
}
