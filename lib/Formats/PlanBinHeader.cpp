//===- PlanBinHeader.cpp - Reading the header of a binary plan ------------===//
//
// Reads collective, attributes, target, locations and generations. Every index is checked
// against the number of rows of its table, and every count against the limits of plans,
// before it is used or anything is allocated for it.
//
//===----------------------------------------------------------------------===//

#include "PlanBinTables.h"

#include "cclc/IR/Verifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::bin;
using llvm::formatv;

namespace {
class HeaderReader {
public:
  explicit HeaderReader(PlanBinTables &tables) : tables(tables) {}

  std::optional<ProgramInfo> read() {
    std::optional<Collective> collective = readCollective();
    if (!collective)
      return std::nullopt;
    ProgramInfo info(std::move(*collective));
    for (uint32_t r = 0; r < tables.rows(Table::Rotations); ++r)
      info.rotations.push_back(
          {tables.word(Table::Rotations, r),
           tables.word(Table::Rotations, r, 1),
           {tables.word(Table::Rotations, r, 2), tables.word(Table::Rotations, r, 3)}});
    if (failed(readInfo(info)) || failed(readTarget(info)) || failed(readLocations(info)) ||
        failed(readGenerations(info)))
      return std::nullopt;
    return info;
  }

private:
  std::optional<Collective> readCollective() {
    CollectiveKind kind;
    if (failed(tables.readNamed(kind, parseCollective, "collective", Table::Info, 0, KindWord,
                                "information")))
      return std::nullopt;
    uint32_t ranks = tables.infoWord(RanksWord), chunks = tables.infoWord(ChunksWord),
             root = tables.infoWord(RootWord);
    CustomSpec spec;
    spec.inputChunks = tables.infoWord(InputWord);
    spec.outputChunks = tables.infoWord(OutputWord);
    if (failed(tables.checkLimit("ranks", ranks, 1, maxRanks)))
      return std::nullopt;
    uint64_t most = mostChunks(kind, ranks, tables.rows(Table::Rotations) != 0);
    if (kind == CollectiveKind::Custom) {
      if (failed(tables.checkLimit("input chunks", spec.inputChunks, 0, most)) ||
          failed(tables.checkLimit("output chunks", spec.outputChunks, 0, most)) ||
          failed(readOutputs(spec, ranks)))
        return std::nullopt;
      return Collective(ranks, std::move(spec));
    }
    if (tables.rows(Table::Outputs) || tables.rows(Table::Contributions))
      return tables.error("only a custom collective has expected outputs"), std::nullopt;
    if (failed(tables.checkLimit("chunks", chunks, 1, most)) ||
        failed(tables.checkIndex("information", 0, "rank", root, ranks)))
      return std::nullopt;
    return Collective(kind, ranks, chunks, RankId(root));
  }

  LogicalResult readOutputs(CustomSpec &spec, uint32_t ranks) {
    uint32_t next = 0;
    for (uint32_t o = 0; o < tables.rows(Table::Outputs); ++o) {
      uint32_t count = tables.word(Table::Outputs, o, 2);
      if (count > tables.rows(Table::Contributions) - next)
        return tables.error(formatv("output {0} has {1} contributions, but {2} are left", o, count,
                                    tables.rows(Table::Contributions) - next));
      CustomSpec::Output &output = spec.outputs.emplace_back(CustomSpec::Output{
          RankId(tables.word(Table::Outputs, o)), tables.word(Table::Outputs, o, 1), {}});
      for (; count > 0; --count, ++next)
        output.contributions.push_back({RankId(tables.word(Table::Contributions, next)),
                                        tables.word(Table::Contributions, next, 1)});
    }
    if (next != tables.rows(Table::Contributions))
      return tables.error(formatv("{0} contributions belong to no output",
                                  tables.rows(Table::Contributions) - next));
    const char *fault = spec.findFault(ranks);
    return fault ? tables.error(fault) : success();
  }

  LogicalResult readInfo(ProgramInfo &info) {
    if (failed(tables.readString(info.name, Table::Info, 0, NameWord, "information")))
      return failure();
    uint32_t flags = tables.infoWord(FlagsWord);
    if (flags > allFlags(tables.fileVersion()) || !(flags & (inPlaceFlag | outOfPlaceFlag)))
      return tables.error(formatv("the flags cannot be {0}", flags));
    info.placements = Placements(flags & inPlaceFlag, flags & outOfPlaceFlag);
    for (auto [attribute, place] : llvm::zip(headerAttributes, infoPlaces))
      if ((flags & place.flag) == place.flag && failed(readAttribute(info, attribute, place)))
        return failure();
    for (uint32_t p = 0; p < tables.rows(Table::Parameters); ++p) {
      std::string key, value;
      if (failed(tables.readString(key, Table::Parameters, p, 0, "parameter")) ||
          failed(tables.readString(value, Table::Parameters, p, 1, "parameter")))
        return failure();
      for (const auto &other : info.parameters)
        if (other.first == key)
          return tables.error("duplicate parameter '" + key + "'");
      info.parameters.emplace_back(std::move(key), std::move(value));
    }
    for (uint32_t o = 0; o < tables.rows(Table::Options); ++o)
      if (failed(tables.readString(info.options.emplace_back(), Table::Options, o, 0, "option")))
        return failure();
    if (failed(tables.checkLimit("phases", tables.rows(Table::Phases), 0, 0xffff)))
      return failure();
    for (uint32_t p = 0; p < tables.rows(Table::Phases); ++p) {
      Phase &phase = info.phases.emplace_back();
      if (failed(tables.readString(phase.name, Table::Phases, p, 0, "phase")))
        return failure();
    }
    return success();
  }

  LogicalResult readAttribute(ProgramInfo &info, const HeaderAttribute &attribute,
                              InfoPlace place) {
    uint64_t value = tables.infoWord(place.word);
    if (place.words == 2)
      value |= uint64_t(tables.word(Table::Info, 0, place.word + 1)) << 32;
    if (attribute.kind == HeaderAttribute::Kind::Protocol) {
      StringRef name;
      if (failed(tables.readString(name, Table::Info, 0, place.word, "information")))
        return failure();
      HeaderAttribute::Value parsed = attribute.parse(name);
      if (!parsed)
        return tables.error(llvm::Twine("unknown ") + attribute.key + " '" + name + "'");
      value = *parsed;
    } else if (attribute.kind == HeaderAttribute::Kind::Number &&
               failed(tables.checkLimit(attribute.key, value, attribute.least, attribute.most))) {
      return failure();
    }
    attribute.set(info, value);
    return success();
  }

  LogicalResult readStamp(TargetStamp &stamp) {
    if (failed(tables.checkLimit("targets", tables.rows(Table::Target), 0, 1)))
      return failure();
    for (uint32_t t = 0; t < tables.rows(Table::Target); ++t)
      if (failed(tables.readString(stamp.hash, Table::Target, t, 0, "target")) ||
          failed(tables.readString(stamp.document, Table::Target, t, 1, "target")))
        return failure();
    for (uint32_t s = 0; s < tables.rows(Table::Settings); ++s)
      if (failed(
              tables.readString(stamp.settings.emplace_back(), Table::Settings, s, 0, "setting")))
        return failure();
    return !stamp.empty() || stamp == TargetStamp()
               ? success()
               : tables.error("target attributes without a target name");
  }

  LogicalResult readTarget(ProgramInfo &info) {
    if (failed(tables.readString(info.target.name, Table::Info, 0, TargetWord, "information")) ||
        failed(readStamp(info.target)))
      return failure();
    for (uint32_t l = 0; l < tables.rows(Table::Levels); ++l) {
      GridLevel &level = info.geometry.levels.emplace_back();
      level.width = tables.word(Table::Levels, l, 2);
      level.height = tables.word(Table::Levels, l, 3);
      if (failed(tables.readString(level.name, Table::Levels, l, 0, "level")) ||
          failed(tables.readNamed(level.kind, parseGridKind, "grid kind", Table::Levels, l, 1,
                                  "level")) ||
          failed(tables.checkLimit("width", level.width, 0, maxRanks)) ||
          failed(tables.checkLimit("height", level.height, 0, maxRanks)))
        return failure();
    }
    uint32_t endpoints = tables.rows(Table::Endpoints);
    if (endpoints && endpoints != info.ranks())
      return tables.error(formatv("{0} endpoints for {1} ranks", endpoints, info.ranks()));
    for (uint32_t r = 0; r < endpoints; ++r)
      info.placementOnTarget.push_back(tables.word(Table::Endpoints, r));
    return success();
  }

  LogicalResult readLocations(ProgramInfo &info) {
    std::vector<FileId> files;
    for (uint32_t f = 0; f < tables.rows(Table::Files); ++f) {
      StringRef name;
      if (failed(tables.readString(name, Table::Files, f, 0, "file")))
        return failure();
      files.push_back(info.locs.internFile(name));
    }
    for (uint32_t l = 0; l < tables.rows(Table::Locations); ++l) {
      uint32_t file = tables.word(Table::Locations, l);
      if (failed(tables.checkIndex("location", l + 1, "file", file, files.size())))
        return failure();
      info.locs.append(files[file], tables.word(Table::Locations, l, 1),
                       tables.word(Table::Locations, l, 2));
    }
    return success();
  }

  LogicalResult readGenerations(ProgramInfo &info) {
    for (uint32_t n = 0; n < tables.rows(Table::Neighbours); ++n) {
      Direction direction;
      if (failed(tables.readNamed(direction, parseDirection, "direction", Table::Neighbours, n, 1,
                                  "neighbour")))
        return failure();
      info.neighbours.push_back({RankId(tables.word(Table::Neighbours, n)), direction,
                                 RankId(tables.word(Table::Neighbours, n, 2))});
    }
    uint32_t nextGroup = 0, nextMember = 0;
    for (uint32_t c = 0; c < tables.rows(Table::Communicators); ++c) {
      Communicator &communicator = info.communicators.emplace_back();
      if (failed(tables.readString(communicator.name, Table::Communicators, c, 0, "communicator")))
        return failure();
      uint32_t groups = tables.word(Table::Communicators, c, 1);
      if (groups > tables.rows(Table::Groups) - nextGroup)
        return tables.error(formatv("communicator {0} has {1} groups, but {2} are left", c, groups,
                                    tables.rows(Table::Groups) - nextGroup));
      for (; groups > 0; --groups, ++nextGroup) {
        uint32_t size = tables.word(Table::Groups, nextGroup);
        if (size > tables.rows(Table::Members) - nextMember)
          return tables.error(formatv("group {0} has {1} ranks, but {2} are left", nextGroup, size,
                                      tables.rows(Table::Members) - nextMember));
        std::vector<RankId> &group = communicator.groups.emplace_back();
        for (; size > 0; --size, ++nextMember)
          group.push_back(RankId(tables.word(Table::Members, nextMember)));
      }
    }
    if (nextGroup != tables.rows(Table::Groups) || nextMember != tables.rows(Table::Members))
      return tables.error("groups or ranks that belong to no communicator");
    for (uint32_t c = 0; c < tables.rows(Table::Calls); ++c) {
      StringRef name;
      uint32_t loc = tables.word(Table::Calls, c, 2);
      if (failed(tables.readString(name, Table::Calls, c, 0, "call")) ||
          failed(tables.checkIndex("call", c, "location", loc, info.locs.entries().size())) ||
          failed(
              tables.checkLimit("generation", tables.word(Table::Calls, c, 1), 1, maxGeneration)))
        return failure();
      info.calls.push_back({name.str(), tables.word(Table::Calls, c, 1), LocId(loc)});
    }
    uint32_t after = 0;
    for (uint32_t g = 0; g < tables.rows(Table::Gates); ++g) {
      uint32_t phase = tables.word(Table::Gates, g), generation = tables.word(Table::Gates, g, 4);
      if (failed(tables.checkIndex("gate", g, "phase", phase, info.phases.size())))
        return failure();
      if (phase < after)
        return tables.error(formatv("gate {0}: its phase {1} does not ascend", g, phase));
      after = phase + 1;
      if (generation == none)
        return tables.error(formatv("gate {0}: its phase {1} has no generation", g, phase));
      if (failed(tables.checkLimit("generation", generation, 1, maxPhaseGeneration)))
        return failure();
      info.phases[phase].gate =
          Gate{tables.word(Table::Gates, g, 1), tables.word(Table::Gates, g, 2),
               tables.word(Table::Gates, g, 3), generation};
    }
    return success();
  }

  PlanBinTables &tables;
};
} // namespace

std::optional<ProgramInfo> bin::readHeader(PlanBinTables &tables) {
  return HeaderReader(tables).read();
}
