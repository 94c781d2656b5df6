//===- PlanJsonHeader.cpp - Attributes and tables of a JSON plan ----------===//
//
// The types of the schema of the header, innermost first. Values that depend on each other, such as
// the ranks and chunks of a collective, are checked together at the end of their object, because
// keys have any order.
//
//===----------------------------------------------------------------------===//

#include "PlanJsonReader.h"

#include "cclc/IR/Verifier.h"
#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

#include <array>

using namespace cclc;
using namespace cclc::json;
using llvm::formatv;

// --- The collective ------------------------------------------------------------------

static CustomSpec::Output &output(Reader &at) { return at.spec.outputs.back(); }
static Contribution &summand(Reader &at) { return output(at).contributions.back(); }

static constexpr Value contributionValues[] = {
    number([](Reader &at, uint64_t n) {
      output(at).contributions.push_back({RankId(0), 0});
      return at.store(summand(at).rank, n, maxCells);
    }),
    number(storeNumber<summand, &Contribution::index, maxCells>),
};
static constexpr Type contribution = tuple(contributionValues, 2);
static constexpr Type contributions = list(child(contribution), 1);

static constexpr Value expectRowValues[] = {
    number([](Reader &at, uint64_t n) {
      at.spec.outputs.push_back({RankId(0), 0, {}});
      return at.store(output(at).rank, n, maxCells);
    }),
    number(storeNumber<output, &CustomSpec::Output::index, maxCells>),
    child(contributions),
};
static constexpr Type expectRow = tuple(expectRowValues, 3), expect = list(child(expectRow));

template <uint32_t CustomSpec::*Chunks> static bool readCustomChunks(Reader &at, uint64_t n) {
  return at.store(at.spec.*Chunks, n, maxCells / std::max(at.numRanks, 1u));
}

static bool readRanks(Reader &at, uint64_t n) {
  return n == 0 ? at.error("a collective has at least one rank")
                : at.store(at.numRanks, n, maxRanks);
}

static bool readChunks(Reader &at, uint64_t n) {
  if (n == 0)
    return at.error("a collective has at least one chunk");
  if (at.numRanks == 0)
    return at.error("'ranks' must come before 'chunks'");
  return at.store(at.chunks, n, mostChunks(at.kind, at.numRanks, !at.info.rotations.empty()));
}

static constexpr Value collectiveValues[] = {
    text("kind",
         [](Reader &at, StringRef name) {
           auto kind = parseCollective(std::string_view(name));
           return at.storeNamed(at.kind, kind, "collective", name);
         }),
    number("ranks", readRanks),
    number("chunks", readChunks),
    number("root", storeNumber<self, &Reader::root, maxRanks>),
    number("input", readCustomChunks<&CustomSpec::inputChunks>),
    number("output", readCustomChunks<&CustomSpec::outputChunks>),
    child("expect", expect),
};

static bool endCollective(Reader &at) {
  if (!at.require({"kind", "ranks"}))
    return false;
  if (at.kind == CollectiveKind::Custom) {
    if (!at.require({"input", "output"}))
      return false;
    if (const char *fault = at.spec.findFault(at.numRanks))
      return at.error(fault);
    at.info.collective = Collective(at.numRanks, std::move(at.spec));
    return true;
  }
  if (!at.require({"chunks"}))
    return false;
  if (at.root >= at.numRanks)
    return at.error(formatv("the root, rank {0}, does not exist", at.root));
  at.info.collective = Collective(at.kind, at.numRanks, at.chunks, RankId(at.root));
  return true;
}

static constexpr Type collective = object(collectiveValues, nullptr, endCollective);

// --- Rotations -----------------------------------------------------------------------

static RotationFactor &newestRotation(Reader &at) { return at.info.rotations.back(); }
template <unsigned Of> static bool readChunkStride(Reader &at, uint64_t n) {
  return at.store(newestRotation(at).chunkStride[Of], n, maxCells);
}
static constexpr Value rotationValues[] = {
    number("ranks", storeNumber<newestRotation, &RotationFactor::size, maxRanks>),
    number("stride", storeNumber<newestRotation, &RotationFactor::rankStride, maxRanks>),
    number("input", readChunkStride<0>),
    number("output", readChunkStride<1>),
};
static constexpr Type rotation = object(
    rotationValues,
    [](Reader &at) {
      at.info.rotations.push_back({0, 0});
      return true;
    },
    requireAll);
static constexpr Type rotations = list(child(rotation), 1);

// --- Placements and parameters -------------------------------------------------------

static bool readPlacement(Reader &at, StringRef text) {
  if (text == "in_place")
    return at.inPlace = true;
  if (text == "out_of_place")
    return at.outOfPlace = true;
  return at.error("a placement " + mustBeOneOf(std::array{"in_place", "out_of_place"}, text));
}
static constexpr Value placementsValues[] = {text(readPlacement), text(readPlacement)};
static constexpr Type placements = tuple(placementsValues, 1);

static constexpr Type parameters = map(
    [](Reader &at, StringRef name) {
      for (const auto &[key, value] : at.info.parameters)
        if (key == name)
          return at.error("duplicate parameter '" + llvm::Twine(name) + "'");
      at.parameter = name.str();
      return true;
    },
    text([](Reader &at, StringRef value) {
      at.info.parameters.emplace_back(at.parameter, value.str());
      return true;
    }));

static constexpr Type options = list(text([](Reader &at, StringRef option) {
  at.info.options.push_back(option.str());
  return true;
}));

// --- Target and geometry -------------------------------------------------------------

static TargetStamp &target(Reader &at) { return at.info.target; }
static constexpr Type settings = list(text([](Reader &at, StringRef text) {
  target(at).settings.push_back(text.str());
  return true;
}));

static GridLevel &newestLevel(Reader &at) { return at.info.geometry.levels.back(); }
static constexpr Value levelValues[] = {
    text("level", storeText<newestLevel, &GridLevel::name>),
    text("kind",
         [](Reader &at, StringRef name) {
           auto kind = parseGridKind(std::string_view(name));
           return at.storeNamed(newestLevel(at).kind, kind, "grid kind", name);
         }),
    number("width", storeNumber<newestLevel, &GridLevel::width, maxRanks>),
    number("height", storeNumber<newestLevel, &GridLevel::height, maxRanks>),
};
static constexpr Type level = object(
    levelValues,
    [](Reader &at) {
      at.info.geometry.levels.emplace_back();
      return true;
    },
    requireAll);
static constexpr Type geometry = list(child(level));

static constexpr Type endpoints = list(number([](Reader &at, uint64_t n) {
  return at.store(at.info.placementOnTarget.emplace_back(), n, ~uint32_t(0) - 1);
}));

static Neighbour &newestNeighbour(Reader &at) { return at.info.neighbours.back(); }
static constexpr Value neighbourValues[] = {
    number([](Reader &at, uint64_t n) {
      at.info.neighbours.push_back({RankId(0), Direction::E, RankId(0)});
      return at.store(newestNeighbour(at).rank, n, maxRanks);
    }),
    text([](Reader &at, StringRef name) {
      auto direction = parseDirection(std::string_view(name));
      return at.storeNamed(newestNeighbour(at).direction, direction, "direction", name);
    }),
    number(storeNumber<newestNeighbour, &Neighbour::peer, maxRanks>),
};
static constexpr Type neighbour = tuple(neighbourValues, 3), neighbours = list(child(neighbour));

// --- Communicators, calls and phases -------------------------------------------------

static Communicator &newestCommunicator(Reader &at) { return at.info.communicators.back(); }
static bool readMember(Reader &at, uint64_t n) {
  return at.store(newestCommunicator(at).groups.back().emplace_back(0), n, maxRanks);
}
static constexpr Type group = list(number(readMember), 1, [](Reader &at) {
  newestCommunicator(at).groups.emplace_back();
  return true;
});
static constexpr Type groups = list(child(group));
static constexpr Value communicatorValues[] = {
    text("communicator", storeText<newestCommunicator, &Communicator::name>),
    child("groups", groups),
};
static constexpr Type communicator = object(
    communicatorValues,
    [](Reader &at) {
      at.info.communicators.emplace_back();
      return true;
    },
    requireAll);
static constexpr Type communicators = list(child(communicator));

static bool storeGeneration(Reader &at, uint32_t &generation, uint64_t n, uint32_t most) {
  return n == 0 ? at.error("generations count from 1") : at.store(generation, n, most);
}

static Call &newestCall(Reader &at) { return at.info.calls.back(); }
static constexpr Value callValues[] = {
    text("collective", storeText<newestCall, &Call::collective>),
    number("generation",
           [](Reader &at, uint64_t n) {
             return storeGeneration(at, newestCall(at).generation, n, maxGeneration);
           }),
    number("loc",
           [](Reader &at, uint64_t n) {
             return at.store(at.callLocs.back().emplace(), n, ~uint32_t(0));
           }),
};
static constexpr Type call = object(
    callValues,
    [](Reader &at) {
      at.info.calls.push_back({"", 0, LocTable::unknown()});
      at.callLocs.emplace_back();
      return true;
    },
    [](Reader &at) { return at.require({"collective", "generation"}); });
static constexpr Type calls = list(child(call));

static bool addPhase(Reader &at, StringRef name, std::optional<Gate> gate) {
  if (at.info.phases.size() > 0xffff)
    return at.error("too many phases");
  at.info.phases.push_back({name.str(), gate});
  return true;
}

static Phase &newestPhase(Reader &at) { return at.info.phases.back(); }
static Gate &gate(Reader &at) { return *newestPhase(at).gate; }
static constexpr Value phaseValues[] = {
    text("phase", storeText<newestPhase, &Phase::name>),
    number("call", storeNumber<gate, &Gate::call>),
    number("communicator", storeNumber<gate, &Gate::communicator>),
    number("stage", storeNumber<gate, &Gate::stage, Gate::numStages - 1>),
    number("generation",
           [](Reader &at, uint64_t n) {
             return storeGeneration(at, gate(at).generation.emplace(), n, maxPhaseGeneration);
           }),
};
static constexpr Type phase =
    object(phaseValues, [](Reader &at) { return addPhase(at, "", Gate{0, 0, 0, {}}); }, requireAll);
static constexpr Type phases =
    list({.text = [](Reader &at, StringRef name) { return addPhase(at, name, std::nullopt); },
          .child = &phase});

// --- Files and locations -------------------------------------------------------------

static constexpr Type files = list(text([](Reader &at, StringRef text) {
  at.files.push_back(text.str());
  return true;
}));

static bool readLocation(Reader &at, uint64_t n) {
  return at.store(at.locs.back()[at.index()], n, ~uint32_t(0));
}
static constexpr Value locationValues[] = {number(readLocation), number(readLocation),
                                           number(readLocation)};
static constexpr Type location = tuple(locationValues, 2, [](Reader &at) {
  at.locs.emplace_back();
  return true;
});
static constexpr Type locations = list(child(location));

bool PlanJsonReader::storeLoc(LocId &place, uint64_t number) {
  if (number >= locIds.size())
    return error(formatv("there is no location {0}", number));
  place = locIds[number];
  return true;
}

bool PlanJsonReader::finishLocations() {
  for (auto [file, line, column] : locs) {
    if (file >= files.size())
      return error(formatv("a location names file {0}, but there are {1}", file, files.size()));
    locIds.push_back(info.locs.append(info.locs.internFile(files[file]), line, column));
  }
  for (size_t c = 0; c < info.calls.size(); ++c)
    if (callLocs[c] && !storeLoc(info.calls[c].loc, *callLocs[c]))
      return false;
  return true;
}

// --- The plan ------------------------------------------------------------------------

static bool readNumber(Reader &at, uint64_t n) {
  const HeaderAttribute &attribute = *at.current().ofHeader;
  if (n < attribute.least)
    return at.error(attribute.tooSmall);
  if (!at.limited(n, attribute.most))
    return false;
  attribute.set(at.info, n);
  return true;
}

static bool readName(Reader &at, StringRef text) {
  const HeaderAttribute &attribute = *at.current().ofHeader;
  if (attribute.kind == HeaderAttribute::Kind::Slots && text != "inf")
    return at.error("'slots' takes a number or \"inf\"");
  HeaderAttribute::Value value = attribute.parse(text);
  if (!value)
    return at.error(llvm::Twine("unknown ") + attribute.key + " '" + text + "'");
  attribute.set(at.info, *value);
  return true;
}

static bool readFormat(Reader &at, StringRef text) {
  return text == "cclc-plan" || at.error("the format is '" + text + "', not 'cclc-plan'");
}

static bool readVersion(Reader &at, uint64_t n) {
  return (n > 0 && n <= planVersion) ||
         at.error(
             formatv("version {0} is not supported: this tool reads up to {1}", n, planVersion));
}

static ProgramInfo &info(Reader &at) { return at.info; }
static constexpr auto planValues = [] {
  constexpr Value structure[] = {
      text("format", readFormat),
      number("version", readVersion),
      text("name", storeText<info, &ProgramInfo::name>),
      child("rotations", rotations),
      child("collective", collective),
      child("placements", placements),
      text("target", storeText<target, &TargetStamp::name>),
      text("target_hash", storeText<target, &TargetStamp::hash>),
      child("target_settings", settings),
      text("target_machine", storeText<target, &TargetStamp::document>),
      child("parameters", parameters),
      child("options", options),
      child("geometry", geometry),
      child("endpoints", endpoints),
      child("neighbours", neighbours),
      child("communicators", communicators),
      child("calls", calls),
      child("phases", phases),
      child("files", files),
      child("locations", locations),
      child("ranks", ranksType),
  };
  std::array<Value, std::size(headerAttributes) + std::size(structure)> values{};
  Value *next = values.data();
  for (const HeaderAttribute &attribute : headerAttributes) {
    if (attribute.kind != HeaderAttribute::Kind::Protocol)
      next->number = readNumber;
    if (attribute.kind != HeaderAttribute::Kind::Number)
      next->text = readName;
    next->key = attribute.key;
    next++->ofHeader = &attribute;
  }
  std::copy(std::begin(structure), std::end(structure), next);
  return values;
}();

static bool endPlan(Reader &at) {
  return at.require({"ranks"}) &&
         (at.nextRank == at.builder->info().listedRanks() ||
          at.error(formatv("the collective has {0} ranks, but the plan lists {1}",
                           at.builder->info().ranks(), at.nextRank)));
}

constexpr Type json::planType = object(planValues, nullptr, endPlan, "a plan");

bool PlanJsonReader::finishHeader() {
  if (!require({"format", "version", "name", "collective", "placements"}))
    return false;
  if (info.target.empty() && info.target != TargetStamp())
    return error("target attributes without a target name");
  if (!info.placementOnTarget.empty() && info.placementOnTarget.size() != info.ranks())
    return error("'endpoints' needs one entry a rank");
  info.placements = Placements(inPlace, outOfPlace);
  if (!finishLocations())
    return false;
  builder.emplace(std::move(info));
  return true;
}
