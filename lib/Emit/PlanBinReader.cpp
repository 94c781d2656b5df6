//===- PlanBinReader.cpp - A plan from tables of words --------------------===//
//
// The header says how many rows each table has. As the file must have exactly the
// length that follows, no table is larger than what was read, and nothing is
// allocated for rows that are not there.
//
//===----------------------------------------------------------------------===//

#include "cclc/Emit/PlanBin.h"
#include "cclc/IR/Verifier.h"

#include "PlanBinLayout.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::bin;
using llvm::formatv;

namespace {
class PlanBinReader {
public:
  PlanBinReader(StringRef bytes, StringRef fileName, DiagnosticEngine &diags)
      : bytes(bytes), diags(diags) {
    positions.file = fileName.str();
  }

  FailureOr<ExecPlan> read() {
    if (failed(findTables()) || failed(readStrings()))
      return failure();
    std::optional<Collective> collective = readCollective();
    if (!collective)
      return failure();
    ProgramInfo info(std::move(*collective));
    if (failed(readInfo(info)) || failed(readTarget(info)) || failed(readLocations(info)) ||
        failed(readGenerations(info)) || failed(readShapes(info)))
      return failure();
    ExecPlanBuilder builder(std::move(info));
    builder.setSlots(slots);
    if (failed(readThreadblocks(builder)))
      return failure();
    return std::move(builder).finish(diags, &positions);
  }

private:
  // --- The file ------------------------------------------------------------------------

  DiagnosticEngine::InFlight error(const llvm::Twine &text) {
    return diags.error({positions.file}, text);
  }

  uint32_t wordAt(size_t offset) const {
    return llvm::support::endian::read32le(bytes.data() + offset);
  }
  /// None of a table that the version of the file does not have.
  uint32_t rows(Table table) const {
    return size_t(table) < tablesOf(version) ? wordAt(magicBytes + 4 + 4 * size_t(table)) : 0;
  }
  size_t rowAt(Table table, uint32_t row) const {
    return begin[size_t(table)] + size_t(row) * rowBytes[size_t(table)];
  }
  uint32_t word(Table table, uint32_t row, uint32_t index = 0) const {
    return wordAt(rowAt(table, row) + 4 * size_t(index));
  }
  uint32_t infoWord(InfoWord index) const { return word(Table::Info, 0, index); }
  uint64_t infoSize(InfoWord index) const {
    return infoWord(index) | uint64_t(word(Table::Info, 0, index + 1)) << 32;
  }

  LogicalResult findTables() {
    if (bytes.size() >= magicBytes + 4) {
      version = wordAt(magicBytes);
      if (version == 0 || version > planBinVersion)
        return error(formatv("version {0} is not known: this tool reads up to {1}", version,
                             planBinVersion));
    }
    if (bytes.size() < headerBytes(version) + checksumBytes)
      return error(formatv("cut off: {0} bytes are less than the {1} of header and checksum",
                           bytes.size(), headerBytes(version) + checksumBytes));
    uint64_t end = headerBytes(version);
    for (size_t table = 0; table < numTables; ++table) {
      begin[table] = end;
      end += uint64_t(rows(Table(table))) * rowBytes[table];
    }
    if (end + checksumBytes != bytes.size())
      return error(formatv("damaged: the tables that the header counts make a file of {0} bytes, "
                           "but it has {1}",
                           end + checksumBytes, bytes.size()));
    uint32_t stored = wordAt(end),
             actual = llvm::crc32(llvm::arrayRefFromStringRef(bytes.drop_back(checksumBytes)));
    if (stored != actual)
      return error(formatv("damaged: the checksum is {0:x-8}, but that of the contents is {1:x-8}",
                           stored, actual));
    return rows(Table::Info) == 1
               ? success()
               : error(formatv("one row of information is needed, not {0}", rows(Table::Info)));
  }

  LogicalResult readStrings() {
    StringRef text = bytes.substr(begin[size_t(Table::Text)], rows(Table::Text));
    for (uint32_t s = 0; s < rows(Table::Strings); ++s) {
      uint32_t length = word(Table::Strings, s);
      if (length > text.size())
        return error(formatv("string {0} has {1} bytes, but {2} are left", s, length, text.size()));
      strings.push_back(text.take_front(length));
      text = text.drop_front(length);
    }
    return text.empty() ? success() : error(formatv("{0} bytes are in no string", text.size()));
  }

  // --- Rows ----------------------------------------------------------------------------

  /// An index of \p what into something of \p size entries.
  LogicalResult checkIndex(const char *what, uint32_t row, const char *of, uint32_t index,
                           uint64_t size) {
    if (index < size)
      return success();
    return error(
        formatv("{0} {1}: there is no {2} {3}: the file has {4}", what, row, of, index, size));
  }

  /// The string that stands in a word of a row.
  LogicalResult readString(StringRef &to, Table table, uint32_t row, uint32_t index,
                           const char *what) {
    uint32_t number = word(table, row, index);
    if (failed(checkIndex(what, row, "string", number, strings.size())))
      return failure();
    to = strings[number];
    return success();
  }

  LogicalResult checkLimit(const char *what, uint64_t value, uint64_t least, uint64_t most) {
    if (value >= least && value <= most)
      return success();
    return error(formatv("{0}: {1} is not between {2} and {3}", what, value, least, most));
  }

  std::optional<Collective> readCollective() {
    StringRef name;
    if (failed(readString(name, Table::Info, 0, KindWord, "information")))
      return std::nullopt;
    std::optional<CollectiveKind> kind = parseCollective(std::string_view(name));
    uint32_t ranks = infoWord(RanksWord), chunks = infoWord(ChunksWord), root = infoWord(RootWord);
    CustomSpec spec;
    spec.inputChunks = infoWord(InputWord);
    spec.outputChunks = infoWord(OutputWord);
    if (!kind)
      return error("unknown collective '" + name + "'"), std::nullopt;
    if (failed(checkLimit("ranks", ranks, 1, maxRanks)))
      return std::nullopt;
    uint64_t most = maxCells / ranks;
    if (*kind == CollectiveKind::Custom) {
      if (failed(checkLimit("input chunks", spec.inputChunks, 0, most)) ||
          failed(checkLimit("output chunks", spec.outputChunks, 0, most)) ||
          failed(readOutputs(spec, ranks)))
        return std::nullopt;
      return Collective(ranks, std::move(spec));
    }
    if (rows(Table::Outputs) || rows(Table::Contributions))
      return error("only a custom collective has expected outputs"), std::nullopt;
    if (failed(checkLimit("chunks", chunks, 1, most)) ||
        failed(checkIndex("information", 0, "rank", root, ranks)))
      return std::nullopt;
    return Collective(*kind, ranks, chunks, RankId(root));
  }

  LogicalResult readOutputs(CustomSpec &spec, uint32_t ranks) {
    uint32_t next = 0;
    for (uint32_t o = 0; o < rows(Table::Outputs); ++o) {
      uint32_t count = word(Table::Outputs, o, 2);
      if (count > rows(Table::Contributions) - next)
        return error(formatv("output {0} has {1} contributions, but {2} are left", o, count,
                             rows(Table::Contributions) - next));
      CustomSpec::Output &output = spec.outputs.emplace_back(
          CustomSpec::Output{RankId(word(Table::Outputs, o)), word(Table::Outputs, o, 1), {}});
      for (; count > 0; --count, ++next)
        output.contributions.push_back(
            {RankId(word(Table::Contributions, next)), word(Table::Contributions, next, 1)});
    }
    if (next != rows(Table::Contributions))
      return error(
          formatv("{0} contributions are of no output", rows(Table::Contributions) - next));
    const char *fault = spec.findFault(ranks);
    return fault ? error(fault) : success();
  }

  LogicalResult readInfo(ProgramInfo &info) {
    StringRef name, protocol;
    if (failed(readString(name, Table::Info, 0, NameWord, "information")) ||
        failed(readString(protocol, Table::Info, 0, ProtocolWord, "information")))
      return failure();
    std::optional<Protocol> parsed = parseProtocol(protocol);
    if (!parsed)
      return error("unknown protocol '" + protocol + "'");
    uint32_t flags = infoWord(FlagsWord), count = infoWord(SlotsWord);
    if (flags > allFlags || !(flags & (inPlaceFlag | outOfPlaceFlag)))
      return error(formatv("the flags cannot be {0}", flags));
    if (flags & slotsFlag)
      slots = count ? Slots(count) : Slots::unlimited();
    info.name = name.str();
    info.placements = Placements(flags & inPlaceFlag, flags & outOfPlaceFlag);
    info.protocol = *parsed;
    info.instances = infoWord(InstancesWord);
    info.minBytes = infoSize(MinBytesWord);
    if (flags & maxBytesFlag)
      info.maxBytes = infoSize(MaxBytesWord);
    for (uint32_t p = 0; p < rows(Table::Parameters); ++p) {
      StringRef key, value;
      if (failed(readString(key, Table::Parameters, p, 0, "parameter")) ||
          failed(readString(value, Table::Parameters, p, 1, "parameter")))
        return failure();
      for (const auto &other : info.parameters)
        if (other.first == key)
          return error("parameter '" + key + "' stands here twice");
      info.parameters.emplace_back(key.str(), value.str());
    }
    if (failed(checkLimit("phases", rows(Table::Phases), 0, 0xffff)))
      return failure();
    for (uint32_t p = 0; p < rows(Table::Phases); ++p) {
      StringRef phase;
      if (failed(readString(phase, Table::Phases, p, 0, "phase")))
        return failure();
      info.phases.push_back({phase.str()});
    }
    return checkLimit("instances", info.instances, 1, 1 << 16);
  }

  LogicalResult readTarget(ProgramInfo &info) {
    StringRef target;
    if (failed(readString(target, Table::Info, 0, TargetWord, "information")))
      return failure();
    info.target = target.str();
    for (uint32_t l = 0; l < rows(Table::Levels); ++l) {
      StringRef name, kindName;
      if (failed(readString(name, Table::Levels, l, 0, "level")) ||
          failed(readString(kindName, Table::Levels, l, 1, "level")))
        return failure();
      std::optional<GridKind> kind = parseGridKind(std::string_view(kindName));
      if (!kind)
        return error("unknown grid kind '" + kindName + "'");
      uint32_t width = word(Table::Levels, l, 2), height = word(Table::Levels, l, 3);
      if (failed(checkLimit("width", width, 0, maxRanks)) ||
          failed(checkLimit("height", height, 0, maxRanks)))
        return failure();
      info.geometry.levels.push_back({name.str(), *kind, width, height});
    }
    uint32_t endpoints = rows(Table::Endpoints);
    if (endpoints && endpoints != info.ranks())
      return error(formatv("{0} endpoints for {1} ranks", endpoints, info.ranks()));
    for (uint32_t r = 0; r < endpoints; ++r)
      info.placementOnTarget.push_back(word(Table::Endpoints, r));
    return success();
  }

  LogicalResult readLocations(ProgramInfo &info) {
    std::vector<uint32_t> files;
    for (uint32_t f = 0; f < rows(Table::Files); ++f) {
      StringRef name;
      if (failed(readString(name, Table::Files, f, 0, "file")))
        return failure();
      files.push_back(info.locs.internFile(name));
    }
    for (uint32_t l = 0; l < rows(Table::Locations); ++l) {
      uint32_t file = word(Table::Locations, l);
      if (failed(checkIndex("location", l + 1, "file", file, files.size())))
        return failure();
      info.locs.append(files[file], word(Table::Locations, l, 1), word(Table::Locations, l, 2));
    }
    return success();
  }

  LogicalResult readGenerations(ProgramInfo &info) {
    for (uint32_t n = 0; n < rows(Table::Neighbours); ++n) {
      StringRef name;
      if (failed(readString(name, Table::Neighbours, n, 1, "neighbour")))
        return failure();
      std::optional<Direction> direction = parseDirection(std::string_view(name));
      if (!direction)
        return error("unknown direction '" + name + "'");
      info.neighbours.push_back(
          {RankId(word(Table::Neighbours, n)), *direction, RankId(word(Table::Neighbours, n, 2))});
    }
    uint32_t nextGroup = 0, nextMember = 0;
    for (uint32_t c = 0; c < rows(Table::Communicators); ++c) {
      StringRef name;
      if (failed(readString(name, Table::Communicators, c, 0, "communicator")))
        return failure();
      Communicator &communicator = info.communicators.emplace_back();
      communicator.name = name.str();
      uint32_t groups = word(Table::Communicators, c, 1);
      if (groups > rows(Table::Groups) - nextGroup)
        return error(formatv("communicator {0} has {1} groups, but {2} are left", c, groups,
                             rows(Table::Groups) - nextGroup));
      for (; groups > 0; --groups, ++nextGroup) {
        uint32_t size = word(Table::Groups, nextGroup);
        if (size > rows(Table::Members) - nextMember)
          return error(formatv("group {0} has {1} ranks, but {2} are left", nextGroup, size,
                               rows(Table::Members) - nextMember));
        std::vector<RankId> &group = communicator.groups.emplace_back();
        for (; size > 0; --size, ++nextMember)
          group.push_back(RankId(word(Table::Members, nextMember)));
      }
    }
    if (nextGroup != rows(Table::Groups) || nextMember != rows(Table::Members))
      return error("there are groups or ranks of no communicator");
    for (uint32_t c = 0; c < rows(Table::Calls); ++c) {
      StringRef name;
      uint32_t loc = word(Table::Calls, c, 2);
      if (failed(readString(name, Table::Calls, c, 0, "call")) ||
          failed(checkIndex("call", c, "location", loc, info.locs.entries().size())) ||
          failed(checkLimit("generation", word(Table::Calls, c, 1), 0, maxGeneration)))
        return failure();
      info.calls.push_back({name.str(), word(Table::Calls, c, 1), LocId(loc)});
    }
    uint32_t after = 0;
    for (uint32_t g = 0; g < rows(Table::Gates); ++g) {
      uint32_t phase = word(Table::Gates, g), generation = word(Table::Gates, g, 4);
      if (failed(checkIndex("gate", g, "phase", phase, info.phases.size())))
        return failure();
      if (phase < after)
        return error(formatv("gate {0}: its phase {1} does not ascend", g, phase));
      after = phase + 1;
      Gate gate{word(Table::Gates, g, 1), word(Table::Gates, g, 2), word(Table::Gates, g, 3), {}};
      if (generation != none)
        gate.generation = generation;
      info.phases[phase].gate = gate;
    }
    return success();
  }

  LogicalResult readShapes(const ProgramInfo &info) {
    std::vector<OpKind> ops;
    for (uint32_t o = 0; o < rows(Table::Ops); ++o) {
      StringRef name;
      if (failed(readString(name, Table::Ops, o, 0, "instruction")))
        return failure();
      std::optional<OpKind> op = parseOpKind(name);
      if (!op)
        return error("unknown instruction '" + name + "'");
      ops.push_back(*op);
    }
    shapes.reserve(rows(Table::Shapes));
    for (uint32_t s = 0; s < rows(Table::Shapes); ++s) {
      uint32_t what = word(Table::Shapes, s), count = word(Table::Shapes, s, 1);
      uint32_t op = what & 0xff, flags = what >> 8 & 0xff, phase = what >> 16;
      uint32_t loc = word(Table::Shapes, s, 2), sendLoc = word(Table::Shapes, s, 3);
      uint32_t numLocs = info.locs.entries().size();
      if (failed(checkIndex("shape", s, "instruction", op, ops.size())) ||
          failed(checkIndex("shape", s, "phase", phase, info.phases.size())) ||
          failed(checkIndex("shape", s, "location", loc, numLocs)) ||
          failed(checkIndex("shape", s, "location", sendLoc, numLocs)) ||
          failed(checkLimit("count", count, 0, maxCells)))
        return failure();
      if (flags > publishesFlag)
        return error(formatv("shape {0}: the flags cannot be {1}", s, flags));
      if (loc != 0 && sendLoc == 0)
        return error(formatv("shape {0}: its sending half has no location", s));
      Step step(ops[op], {}, {}, ops[op] == OpKind::Nop ? 0 : count, LocId(loc), LocId(sendLoc));
      step.phase = phase;
      step.publishes = flags & publishesFlag;
      shapes.push_back(step);
    }
    return success();
  }

  LogicalResult readThreadblocks(ExecPlanBuilder &builder) {
    uint32_t ranks = builder.info().ranks();
    if (rows(Table::Ranks) != ranks)
      return error(formatv("the collective has {0} ranks, but the plan lists {1}", ranks,
                           rows(Table::Ranks)));
    builder.reserveSteps(rows(Table::Steps));
    uint32_t tb = 0;
    for (uint32_t r = 0; r < ranks; ++r) {
      builder.setScratch(RankId(r), word(Table::Ranks, r));
      uint32_t count = word(Table::Ranks, r, 1);
      if (count > rows(Table::Threadblocks) - tb)
        return error(formatv("rank {0} has {1} threadblocks, but {2} are left", r, count,
                             rows(Table::Threadblocks) - tb));
      for (; count > 0; --count, ++tb)
        if (failed(readThreadblock(builder, RankId(r), tb)))
          return failure();
    }
    if (tb != rows(Table::Threadblocks))
      return error(formatv("{0} threadblocks are of no rank", rows(Table::Threadblocks) - tb));
    if (nextStep != rows(Table::Steps))
      return error(formatv("{0} steps are in no threadblock", rows(Table::Steps) - nextStep));
    if (nextWait != rows(Table::Waits))
      return error(formatv("wait {0}: its step {1} does not ascend, or does not exist", nextWait,
                           word(Table::Waits, nextWait)));
    return success();
  }

  LogicalResult readThreadblock(ExecPlanBuilder &builder, RankId rank, uint32_t tb) {
    uint32_t send = word(Table::Threadblocks, tb), recv = word(Table::Threadblocks, tb, 1);
    uint32_t channel = word(Table::Threadblocks, tb, 2), count = word(Table::Threadblocks, tb, 3);
    for (uint32_t peer : {send, recv})
      if (peer != none &&
          failed(checkIndex("threadblock", tb, "rank", peer, builder.info().ranks())))
        return failure();
    if (failed(checkLimit("channel", channel, 0, maxChannels - 1)))
      return failure();
    if (count > rows(Table::Steps) - nextStep)
      return error(formatv("threadblock {0} has {1} steps, but {2} are left", tb, count,
                           rows(Table::Steps) - nextStep));
    auto peer = [](uint32_t rank) {
      return rank == none ? OptionalId<RankId>() : OptionalId<RankId>(RankId(rank));
    };
    builder.beginThreadblock(rank, peer(send), peer(recv), ChannelId(channel));
    for (uint32_t end = nextStep + count; nextStep < end; ++nextStep)
      if (failed(readStep(builder)))
        return failure();
    return success();
  }

  LogicalResult readStep(ExecPlanBuilder &builder) {
    uint32_t shape = word(Table::Steps, nextStep), src = word(Table::Steps, nextStep, 1),
             dst = word(Table::Steps, nextStep, 2);
    if (failed(checkIndex("step", nextStep, "shape", shape, shapes.size())))
      return failure();
    for (uint32_t operand : {src, dst})
      if (operand != none && operand >> 30 > uint32_t(Buffer::Scratch))
        return error(formatv("step {0}: there is no buffer 3", nextStep));
    auto operand = [](uint32_t bits) {
      return bits == none ? Operand() : Operand(Buffer(bits >> 30), bits & Operand::maxIndex);
    };
    Step &step = builder.addStep(shapes[shape]);
    step.src = operand(src);
    step.dst = operand(dst);
    if (nextWait == rows(Table::Waits) || word(Table::Waits, nextWait) != nextStep)
      return success();
    uint32_t tb = word(Table::Waits, nextWait, 1);
    if (failed(checkLimit("threadblock of a wait", tb, 0, none - 1)))
      return failure();
    step.setWait(Wait{ThreadblockId(tb), StepIndex(word(Table::Waits, nextWait, 2))});
    ++nextWait;
    return success();
  }

  StringRef bytes;
  DiagnosticEngine &diags;
  PlanPositions positions; ///< the name of the file only
  uint32_t version = planBinVersion;
  std::array<size_t, numTables> begin{};
  std::vector<StringRef> strings;
  std::optional<Slots> slots;
  std::vector<Step> shapes;
  uint32_t nextStep = 0, nextWait = 0;
};
} // namespace

bool cclc::looksLikePlanBin(StringRef bytes) {
  return bytes.starts_with(StringRef(magic, magicBytes));
}

FailureOr<ExecPlan> cclc::readPlanBin(StringRef bytes, StringRef fileName,
                                      DiagnosticEngine &diags) {
  return PlanBinReader(bytes, fileName, diags).read();
}
