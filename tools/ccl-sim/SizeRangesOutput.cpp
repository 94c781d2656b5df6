//===- SizeRangesOutput.cpp - Ranges of sizes as text and as JSON ---------===//
//
// Tables of a single file are in the JSON only: they have neither gaps nor overlaps.
//
//===----------------------------------------------------------------------===//

#include "SizeRangesOutput.h"

#include "cclc/Support/Printable.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

static std::string rangeText(const SizeRange &range) {
  return formatv("{0,14} .. {1,14}", range.from, range.to ? std::to_string(*range.to) : "any");
}

void cclc::printSizes(ArrayRef<SizeRanges> tables, ArrayRef<std::string> files, raw_ostream &os) {
  for (const SizeRanges &table : tables) {
    if (table.ranges.size() < 2)
      continue;
    os << formatv("\nsizes of {0} over {1} ranks {2} for {3}\n", printable(table.collective),
                  table.ranks, placementText(table.placement), table.runtime);
    for (const SizeRange &range : table.ranges)
      os << rangeText(range) << "  " << printable(files[range.file]) << '\n';
    for (const SizeRange &gap : table.gaps)
      os << rangeText(gap) << "  gap: no file\n";
    for (const SizeRange &overlap : table.overlaps)
      os << rangeText(overlap) << "  overlap: " << files[overlap.file] << " or "
         << files[overlap.other] << ", the first one found\n";
  }
}

static ordered_json rangesJson(ArrayRef<SizeRange> ranges, ArrayRef<std::string> files,
                               unsigned number) {
  ordered_json all = ordered_json::array();
  for (const SizeRange &range : ranges) {
    ordered_json one;
    one["from"] = range.from;
    one["to"] = range.to ? ordered_json(*range.to) : ordered_json(nullptr);
    if (number >= 1)
      one["file"] = files[range.file];
    if (number >= 2)
      one["other"] = files[range.other];
    all.push_back(std::move(one));
  }
  return all;
}

ordered_json cclc::sizesJson(ArrayRef<SizeRanges> tables, ArrayRef<std::string> files) {
  ordered_json all = ordered_json::array();
  for (const SizeRanges &table : tables) {
    ordered_json one;
    one["runtime"] = table.runtime;
    one["collective"] = table.collective;
    one["ranks"] = table.ranks;
    one["placement"] = table.placement == Placement::InPlace ? "in_place" : "out_of_place";
    one["ranges"] = rangesJson(table.ranges, files, 1);
    one["gaps"] = rangesJson(table.gaps, files, 0);
    one["overlaps"] = rangesJson(table.overlaps, files, 2);
    all.push_back(std::move(one));
  }
  return all;
}
