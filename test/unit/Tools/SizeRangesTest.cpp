//===- SizeRangesTest.cpp - The file used for each size -------------------===//

#include "cclc/Tools/Lint/SizeRanges.h"

#include <catch2/catch.hpp>

using namespace cclc;

namespace {
MscclLint file(std::optional<int64_t> low, std::optional<int64_t> high, int64_t inPlace = 1,
               int64_t outOfPlace = 0) {
  MscclLint lint;
  lint.use.emplace();
  lint.use->collective = "allreduce";
  lint.use->ranks = 8;
  lint.use->inPlace = inPlace;
  lint.use->outOfPlace = outOfPlace;
  lint.use->minBytes = low;
  lint.use->maxBytes = high;
  lint.verdicts.assign(mscclDialects().size(), MscclVerdict::Loads);
  return lint;
}

/// "0-9:0 20-any:1 gap 10-19 overlap 5-6:0,1" for the only table.
std::string rangesOf(std::vector<MscclLint> files, StringRef dialect) {
  std::vector<SizeRanges> tables = sizeRanges(files, *findMscclDialect(dialect));
  REQUIRE(tables.size() == 1);
  auto text = [](const SizeRange &range) {
    return std::to_string(range.from) + "-" + (range.to ? std::to_string(*range.to) : "any");
  };
  std::string all;
  for (const SizeRange &range : tables[0].ranges)
    all += text(range) + ":" + std::to_string(range.file) + " ";
  for (const SizeRange &gap : tables[0].gaps)
    all += "gap " + text(gap) + " ";
  for (const SizeRange &overlap : tables[0].overlaps)
    all += "overlap " + text(overlap) + ":" + std::to_string(overlap.file) + "," +
           std::to_string(overlap.other) + " ";
  return StringRef(all).rtrim().str();
}
} // namespace

TEST_CASE("the ends of ranges follow the convention of the runtime", "[lint]") {
  // Written for inclusive ends: with exclusive ends one byte is not covered.
  CHECK(rangesOf({file(0, 9), file(10, 19)}, "rccl") == "0-9:0 10-19:1");
  CHECK(rangesOf({file(0, 9), file(10, 19)}, "msccl") == "0-8:0 10-18:1 gap 9-9");
  // In the opposite case the ranges overlap by one.
  CHECK(rangesOf({file(0, 10), file(10, 20)}, "msccl") == "0-9:0 10-19:1");
  CHECK(rangesOf({file(0, 10), file(10, 20)}, "rccl") == "0-10:0 10-20:1 overlap 10-10:0,1");
}

TEST_CASE("ranges are sorted, and compared with the one that has the largest end", "[lint]") {
  CHECK(rangesOf({file(50, 60), file(0, 9), file(20, 0)}, "rccl") ==
        "0-9:1 20-any:2 50-60:0 gap 10-19 overlap 50-60:0,2");
  CHECK(rangesOf({file(0, 0), file(0, 0)}, "rccl") == "0-any:0 0-any:1 overlap 0-any:0,1");
  CHECK(rangesOf({file(0, 90), file(10, 20), file(80, 100), file(102, 0)}, "rccl") ==
        "0-90:0 10-20:1 80-100:2 102-any:3 gap 101-101 overlap 10-20:0,1 overlap 80-90:0,2");
  // Files that are never used are ignored; a file without an end has one for msccl.
  CHECK(rangesOf({file(0, 0), file({}, {})}, "msccl") == "0-134217727:1");
}

TEST_CASE("files for different calls do not overlap", "[lint]") {
  MscclLint refused = file(0, 9);
  refused.verdicts.assign(refused.verdicts.size(), MscclVerdict::Refuses);
  CHECK(rangesOf({refused, file(5, 9)}, "rccl") == "5-9:1");
  std::vector<MscclLint> files = {file(0, 9, 1, 0), file(0, 9, 0, 1), file(0, 9, 1, 1)};
  const MscclDialect &rccl = *findMscclDialect("rccl");
  std::vector<SizeRanges> tables = sizeRanges(files, rccl);
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].placement == Placement::InPlace);
  CHECK(tables[0].overlaps.size() == 1);
  CHECK(tables[1].placement == Placement::OutOfPlace);
  CHECK(tables[1].overlaps.size() == 1);
  files[1].use->ranks = 4;
  files[2].use->collective = "reduce";
  CHECK(sizeRanges(files, rccl).size() == 4);
}

TEST_CASE("the largest numbers are no end", "[lint]") {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  CHECK(rangesOf({file(0, most)}, "rccl") == "0-any:0");
  CHECK(rangesOf({file(0, most)}, "msccl") == "0-any:0");
  CHECK(rangesOf({file(0, 9), file(10, most)}, "rccl") == "0-9:0 10-any:1");
  SizeTables tables;
  SizeRange range;
  range.to = ~uint64_t(0);
  tables.add("mscclpp", "allreduce", 8, Placement::InPlace, range);
  CHECK_FALSE(tables.take()[0].ranges[0].to);
}
