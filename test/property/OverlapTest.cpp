//===- OverlapTest.cpp - Steps whose source and destination overlap -------===//
//
// A step that reads and writes partly overlapping ranges is malformed in every form
// of a plan, and no other step is malformed for this reason. Plans of random
// collectives have one step of one chunk, which is always well-formed; its count is
// then changed in the file. The offsets of cells are derived from the definition.
//
//===----------------------------------------------------------------------===//

#include "../support/RandomProgram.h"
#include "../unit/Plans.h"

#include "cclc/Formats/Msccl/Xml.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"

#include <regex>
#include <set>

using namespace cclc;
using namespace cclc::test;
using llvm::support::endian::read32le;
using llvm::support::endian::write32le;

namespace {
constexpr uint32_t scratch = 12; ///< as large as any other buffer

/// One step on one rank; if it receives or sends, a peer has the matching step.
struct Case {
  explicit Case(uint64_t seed);
  FailureOr<ExecPlan> plan(uint32_t count, DiagnosticEngine &diags) const;
  uint32_t chunksOf(Buffer buffer) const {
    return buffer == Buffer::Input    ? collective.inputChunks()
           : buffer == Buffer::Output ? collective.outputChunks()
                                      : scratch;
  }

  Random random;
  Collective collective;
  Placements placements;
  RankId rank;
  OpKind op;
  uint32_t count;
  Operand src, dst;
};

Collective randomCollective(Random &random) {
  uint32_t ranks = random.between(2, 3), chunks = random.between(1, 4);
  auto kind = static_cast<CollectiveKind>(random.below(unsigned(CollectiveKind::Custom) + 1));
  if (kind != CollectiveKind::Custom)
    return Collective(kind, ranks, chunks, RankId(random.below(ranks)));
  return Collective(ranks, {random.between(1, 5), random.between(1, 5), {}});
}

Case::Case(uint64_t seed)
    : random(seed), collective(randomCollective(random)),
      placements(std::array{Placements::inPlace(), Placements::outOfPlace(),
                            Placements::both()}[random.below(3)]),
      rank(random.below(collective.ranks())),
      op(std::array{OpKind::Copy, OpKind::Reduce, OpKind::RecvReduceCopy,
                    OpKind::RecvReduceCopySend}[random.below(4)]) {
  Buffer from = Buffer(random.below(3)), to = random.chance(40) ? from : Buffer(random.below(3));
  uint32_t room = std::min(chunksOf(from), chunksOf(to));
  count = random.between(1, room);
  src = Operand(from, random.below(chunksOf(from) - count + 1));
  dst = Operand(to, random.below(chunksOf(to) - count + 1));
  if (from == to && random.chance(20))
    dst = src;
}

FailureOr<ExecPlan> Case::plan(uint32_t count, DiagnosticEngine &diags) const {
  ProgramInfo info(collective);
  info.name = "p";
  info.placements = placements;
  LocId nowhere = LocTable::unknown();
  ExecPlanBuilder builder(std::move(info));
  builder.setSlots(Slots(8));
  RankId peer((rank.index() + 1) % collective.ranks());
  bool receives = traits(op).receives, sends = traits(op).sends;
  auto side = [](bool present, RankId id) {
    return present ? OptionalId<RankId>(id) : OptionalId<RankId>();
  };
  for (uint32_t r = 0; r < collective.ranks(); ++r) {
    builder.setScratch(RankId(r), scratch);
    Operand first(Buffer::Scratch, 0);
    if (RankId(r) == rank) {
      builder.beginThreadblock(rank, side(sends, peer), side(receives, peer), ChannelId(0));
      builder.addStep(Step(op, src, dst, count, nowhere, nowhere));
    } else if (RankId(r) == peer && receives) {
      builder.beginThreadblock(peer, rank, side(sends, rank), ChannelId(0));
      builder.addStep(Step(OpKind::Send, first, Operand(), count, nowhere, nowhere));
      if (sends)
        builder.addStep(Step(OpKind::Recv, Operand(), first, count, nowhere, nowhere));
    }
  }
  return std::move(builder).finish(diags);
}

// --- The expected result, from the definition --------------------------------------

/// Cells of a rank, as pairs of a memory and an offset.
std::set<std::pair<int, uint32_t>> cells(const Case &c, Placement placement, Operand operand) {
  using enum CollectiveKind;
  const CollectiveKind kind = c.collective.kind();
  int memory = int(operand.buffer());
  uint32_t offset = 0;
  bool onRootOnly = kind == Gather || kind == Scatter;
  if (operand.buffer() != Buffer::Scratch && placement == Placement::InPlace &&
      (!onRootOnly || c.rank == c.collective.root())) {
    memory = 0;
    bool partOfOutput = kind == AllGather || kind == Gather;
    bool partOfInput = kind == ReduceScatter || kind == Scatter;
    if (operand.buffer() == Buffer::Input ? partOfOutput : partOfInput)
      offset = c.rank.index() * c.collective.chunks();
  }
  std::set<std::pair<int, uint32_t>> result;
  for (uint32_t n = 0; n < c.count; ++n)
    result.emplace(memory, offset + operand.index() + n);
  return result;
}

bool overlapsPartly(const Case &c) {
  for (Placement placement : c.placements.list()) {
    auto read = cells(c, placement, c.src), written = cells(c, placement, c.dst);
    std::set<std::pair<int, uint32_t>> both = read;
    both.insert(written.begin(), written.end());
    if (read != written && both.size() < read.size() + written.size())
      return true;
  }
  return false;
}

// --- Files with another count --------------------------------------------------------

std::string inText(const ExecPlan &plan, uint32_t count) {
  static const std::regex range(R"(([ios])\[(\d+)\])");
  std::string result;
  SmallVector<StringRef, 32> lines;
  std::string text = textOf(Module(plan));
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines) {
    std::string changed = line.str();
    std::smatch match;
    for (std::string rest = changed; std::regex_search(rest, match, range) && count > 1;
         rest = match.suffix()) {
      unsigned from = std::stoul(match[2]);
      std::string to =
          match[1].str() + "[" + std::to_string(from) + ":" + std::to_string(from + count) + "]";
      changed = with(changed, match[0].str(), to);
    }
    result += changed + "\n";
  }
  return result;
}

std::string inJson(const ExecPlan &plan, uint32_t count) {
  return std::regex_replace(jsonOf(plan), std::regex(R"(\{"op":"\w+",)"),
                            "$&\"cnt\":" + std::to_string(count) + ",");
}

std::string inXml(const ExecPlan &plan, uint32_t count) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeMscclXml(plan, *findMscclDialect("msccl"), os);
  return std::regex_replace(text, std::regex("cnt=\"1\""), "cnt=\"" + std::to_string(count) + "\"");
}

/// An XML file has one placement, and omits the sizes of buffers that its steps do not use.
bool isInXml(const ExecPlan &plan) {
  if (plan.info().placements == Placements::both())
    return false;
  DiagnosticEngine diags;
  FailureOr<ExecPlan> read = readPlan(inXml(plan, 1), "p", diags);
  return succeeded(read) && read->info().collective == plan.info().collective;
}

/// The words that contain counts are those that differ between two plans whose operands are the
/// same cells, which are well-formed with any count.
std::string inBinary(const Case &c, const ExecPlan &plan, uint32_t count) {
  std::string bytes = binaryOf(plan);
  Case same = c;
  same.dst = same.src;
  DiagnosticEngine diags;
  std::string one = binaryOf(*same.plan(1, diags)), more = binaryOf(*same.plan(count, diags));
  REQUIRE(one.size() == bytes.size());
  REQUIRE(more.size() == bytes.size());
  size_t checksum = bytes.size() - 4;
  for (size_t at = 0; at < checksum; ++at)
    if (one[at] != more[at])
      bytes[at] = more[at];
  write32le(bytes.data() + checksum,
            llvm::crc32(llvm::arrayRefFromStringRef(StringRef(bytes).take_front(checksum))));
  return bytes;
}

/// True if \p file is read; otherwise the error must be that of overlaps.
bool reads(const std::string &file) {
  DiagnosticEngine diags;
  bool read = succeeded(readPlan(file, "p", diags));
  INFO(file << textOf(diags));
  CHECK(read != diags.hasErrors());
  if (!read)
    CHECK(StringRef(diags.all().front().text).ends_with("the chunks of one step have no order"));
  return read;
}
} // namespace

TEST_CASE("partial overlaps, and no other operands, are malformed in every form", "[property]") {
  uint32_t malformed = 0, identical = 0, inXmlToo = 0;
  for (uint32_t seed = 0; seed < scaled(1500); ++seed) {
    Case c(seed);
    DiagnosticEngine diags;
    FailureOr<ExecPlan> plan = c.plan(1, diags);
    REQUIRE(succeeded(plan));
    const bool right = !overlapsPartly(c);
    INFO("seed " << seed << ", count " << c.count << "\n" << textOf(Module(*plan)));
    CHECK(succeeded(c.plan(c.count, diags)) == right);
    CHECK(reads(inText(*plan, c.count)) == right);
    CHECK(reads(inJson(*plan, c.count)) == right);
    CHECK(reads(inBinary(c, *plan, c.count)) == right);
    if (isInXml(*plan)) {
      CHECK(reads(inXml(*plan, c.count)) == right);
      ++inXmlToo;
    }
    malformed += !right;
    identical += right && c.count > 1 && c.src == c.dst;
  }
  CHECK(malformed > 100);
  CHECK(identical > 100);
  CHECK(inXmlToo > 300);
}
