//===- PlanJsonHeader.cpp - Reading the header of a JSON plan -------------===//
//
// Hooks of the walker, one for each event, that switch on the object or key of the schema.
// Values that depend on each other, such as the ranks and chunks of a collective, are
// checked together at the end of their object, because keys come in any order.
//
//===----------------------------------------------------------------------===//

#include "PlanJsonHeader.h"

#include "cclc/Formats/PlanJson.h"
#include "cclc/IR/Verifier.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::json;
using llvm::formatv;

// --- Objects and arrays --------------------------------------------------------------

bool PlanHeader::addPhase(StringRef phaseName, std::optional<Gate> gate) {
  if (phases.size() == 0xffff)
    return at.error("too many phases");
  phases.push_back({phaseName.str(), gate});
  return true;
}

bool PlanHeader::beginObject(In object) {
  switch (object) {
  case In::Level:
    levels.emplace_back();
    return true;
  case In::Communicator:
    communicators.emplace_back();
    return true;
  case In::Call:
    calls.push_back({"", 0, LocTable::unknown()});
    callLocs.emplace_back();
    return true;
  case In::Phase:
    return addPhase("", Gate{0, 0, 0, {}});
  default:
    return true;
  }
}

void PlanHeader::beginArray(In array) {
  if (array == In::Contributions)
    spec.outputs.back().contributions.clear();
  if (array == In::Group)
    communicators.back().groups.emplace_back();
}

bool PlanHeader::endObject(In object) {
  switch (object) {
  case In::Collective:
    return finishCollective();
  case In::Level:
    return at.require({Key::LevelName, Key::LevelKind, Key::LevelWidth, Key::LevelHeight});
  case In::Communicator:
    return at.require({Key::CommName, Key::CommGroups});
  case In::Call:
    return at.require({Key::CallName, Key::CallGeneration});
  case In::Phase:
    return at.require({Key::PhaseName, Key::PhaseCall, Key::PhaseCommunicator, Key::PhaseStage,
                       Key::PhaseGeneration});
  default:
    return true;
  }
}

// --- The end -------------------------------------------------------------------------

bool PlanHeader::finishCollective() {
  if (!at.require({Key::CollKind, Key::CollRanks}))
    return false;
  if (kind == CollectiveKind::Custom) {
    if (!at.require({Key::CollInput, Key::CollOutput}))
      return false;
    if (const char *fault = spec.findFault(numRanks))
      return at.error(fault);
    collective.emplace(numRanks, std::move(spec));
    return true;
  }
  if (!at.require({Key::CollChunks}))
    return false;
  if (root >= numRanks)
    return at.error(formatv("the root, rank {0}, does not exist", root));
  collective.emplace(kind, numRanks, chunks, RankId(root));
  return true;
}

std::optional<ProgramInfo> PlanHeader::finish() {
  if (!at.require({Key::Format, Key::Version, Key::Name, Key::Collective, Key::Placements}))
    return std::nullopt;
  if (target.empty() && target != TargetStamp()) {
    at.error("target attributes without a target name");
    return std::nullopt;
  }
  ProgramInfo info(*collective);
  info.name = name;
  info.target = target;
  info.placements = Placements(inPlace, outOfPlace);
  info.protocol = protocol;
  info.instances = instances;
  info.minBytes = minBytes;
  info.maxBytes = maxBytes;
  info.parameters = parameters;
  info.geometry.levels = levels;
  info.placementOnTarget = endpoints;
  if (!endpoints.empty() && endpoints.size() != info.ranks()) {
    at.error("'endpoints' needs one entry a rank");
    return std::nullopt;
  }
  info.neighbours = neighbours;
  info.communicators = communicators;
  info.phases.insert(info.phases.end(), phases.begin(), phases.end());
  if (!finishLocations(info))
    return std::nullopt;
  info.calls = calls;
  return info;
}

bool PlanHeader::finishLocations(ProgramInfo &info) {
  for (const Loc &loc : locs) {
    if (loc.file >= files.size())
      return at.error(
          formatv("a location names file {0}, but there are {1}", loc.file, files.size()));
    locIds.push_back(info.locs.append(info.locs.internFile(files[loc.file]), loc.line, loc.column));
  }
  for (size_t c = 0; c < calls.size(); ++c)
    if (callLocs[c]) {
      if (*callLocs[c] >= locIds.size())
        return at.error(formatv("there is no location {0}", *callLocs[c]));
      calls[c].loc = locIds[*callLocs[c]];
    }
  return true;
}

// --- Numbers -------------------------------------------------------------------------

bool PlanHeader::numberOfElement(uint64_t n) {
  Frame &frame = at.top();
  switch (frame.in) {
  case In::Endpoints:
    endpoints.push_back(0);
    return at.store(endpoints.back(), n, ~uint32_t(0) - 1);
  case In::Neighbour:
    if (!at.limited(n, maxRanks))
      return false;
    if (frame.index == 0)
      neighbours.push_back({RankId(n), Direction::E, RankId(0)});
    else
      neighbours.back().peer = RankId(n);
    return true;
  case In::Group:
    if (!at.limited(n, maxRanks))
      return false;
    communicators.back().groups.back().push_back(RankId(n));
    return true;
  case In::ExpectRow:
    if (frame.index == 0)
      spec.outputs.push_back({RankId(0), 0, {}});
    if (!at.limited(n, maxCells))
      return false;
    if (frame.index == 0)
      spec.outputs.back().rank = RankId(n);
    else
      spec.outputs.back().index = n;
    return true;
  case In::Contribution: {
    if (!at.limited(n, maxCells))
      return false;
    auto &list = spec.outputs.back().contributions;
    if (frame.index == 0)
      list.push_back({RankId(n), 0});
    else
      list.back().index = n;
    return true;
  }
  case In::Location: {
    if (frame.index == 0)
      locs.emplace_back();
    Loc &loc = locs.back();
    return at.store(frame.index == 0   ? loc.file
                    : frame.index == 1 ? loc.line
                                       : loc.column,
                    n, ~uint32_t(0));
  }
  default:
    llvm_unreachable("the schema has no number here");
  }
}

bool PlanHeader::numberOfCollective(uint64_t n) {
  switch (at.top().key) {
  case Key::CollRanks:
    if (n == 0)
      return at.error("a collective has at least one rank");
    return at.store(numRanks, n, maxRanks);
  case Key::CollChunks:
    if (n == 0)
      return at.error("a collective has at least one chunk");
    if (numRanks == 0)
      return at.error("'ranks' must come before 'chunks'");
    return at.store(chunks, n, maxCells / numRanks);
  case Key::CollRoot:
    return at.store(root, n, maxRanks);
  case Key::CollInput:
    return at.store(spec.inputChunks, n, maxCells / std::max(numRanks, 1u));
  case Key::CollOutput:
    return at.store(spec.outputChunks, n, maxCells / std::max(numRanks, 1u));
  default:
    llvm_unreachable("the schema has no number here");
  }
}

/// Handles a number of a call or of a phase.
bool PlanHeader::numberOfGenerations(uint64_t n) {
  switch (at.top().key) {
  case Key::CallGeneration:
    if (n == 0)
      return at.error("generations count from 1");
    return at.store(calls.back().generation, n, maxGeneration);
  case Key::CallLoc:
    callLocs.back() = 0;
    return at.store(*callLocs.back(), n, ~uint32_t(0));
  case Key::PhaseCall:
    return at.store(phases.back().gate->call, n, ~uint32_t(0));
  case Key::PhaseCommunicator:
    return at.store(phases.back().gate->communicator, n, ~uint32_t(0));
  case Key::PhaseStage:
    return at.store(phases.back().gate->stage, n, Gate::numStages - 1);
  case Key::PhaseGeneration:
    if (n == 0)
      return at.error("generations count from 1");
    return at.store(phases.back().gate->generation.emplace(), n, maxPhaseGeneration);
  default:
    llvm_unreachable("the schema has no number here");
  }
}

bool PlanHeader::onNumber(uint64_t n) {
  switch (at.top().in) {
  case In::Plan:
  case In::Level:
    break;
  case In::Collective:
    return numberOfCollective(n);
  case In::Call:
  case In::Phase:
    return numberOfGenerations(n);
  default:
    return numberOfElement(n);
  }
  switch (at.top().key) {
  case Key::Version:
    if (n == 0 || n > planJsonVersion)
      return at.error(
          formatv("version {0} is not supported: this tool reads up to {1}", n, planJsonVersion));
    return true;
  case Key::Instances:
    if (n == 0)
      return at.error("a plan has at least one instance");
    return at.store(instances, n, 1 << 16);
  case Key::Slots:
    if (n == 0)
      return at.error("a connection has at least one slot");
    if (!at.limited(n, ~uint32_t(0)))
      return false;
    theSlots = ::cclc::Slots(n);
    return true;
  case Key::MinBytes:
    minBytes = n;
    return true;
  case Key::MaxBytes:
    maxBytes = n;
    return true;
  case Key::LevelWidth:
    return at.store(levels.back().width, n, maxRanks);
  case Key::LevelHeight:
    return at.store(levels.back().height, n, maxRanks);
  default:
    llvm_unreachable("the schema has no number here");
  }
}

// --- Strings -------------------------------------------------------------------------

bool PlanHeader::onParameter(StringRef parameter) {
  for (const auto &[key, value] : parameters)
    if (key == parameter)
      return at.error("duplicate parameter '" + llvm::Twine(parameter) + "'");
  parameterName = parameter.str();
  return true;
}

/// Handles a string in an array or among the parameters.
bool PlanHeader::stringOfElement(StringRef text) {
  switch (at.top().in) {
  case In::Parameters:
    parameters.emplace_back(parameterName, text.str());
    return true;
  case In::Placements:
    if (text == "in_place")
      return inPlace = true;
    if (text == "out_of_place")
      return outOfPlace = true;
    return at.error("a placement is in_place or out_of_place, not '" + text + "'");
  case In::Neighbour: {
    std::optional<Direction> direction = parseDirection(std::string_view(text));
    if (!direction)
      return at.error("unknown direction '" + text + "'");
    neighbours.back().direction = *direction;
    return true;
  }
  case In::TargetSettings:
    target.settings.push_back(text.str());
    return true;
  case In::Phases:
    return addPhase(text, std::nullopt);
  case In::Files:
    files.push_back(text.str());
    return true;
  default:
    llvm_unreachable("the schema has no string here");
  }
}

bool PlanHeader::onString(StringRef text) {
  switch (at.top().key) {
  case Key::None:
  case Key::Parameter:
    return stringOfElement(text);
  case Key::Format:
    return text == "cclc-plan" || at.error("the format is '" + text + "', not 'cclc-plan'");
  case Key::Name:
    name = text.str();
    return true;
  case Key::Target:
    target.name = text.str();
    return true;
  case Key::TargetHash:
    target.hash = text.str();
    return true;
  case Key::TargetMachine:
    target.document = text.str();
    return true;
  case Key::Protocol: {
    std::optional<::cclc::Protocol> parsed = parseProtocol(text);
    if (!parsed)
      return at.error("unknown protocol '" + text + "'");
    protocol = *parsed;
    return true;
  }
  case Key::Slots:
    if (text != "inf")
      return at.error("'slots' takes a number or \"inf\"");
    theSlots = ::cclc::Slots::unlimited();
    return true;
  case Key::CollKind: {
    std::optional<CollectiveKind> parsed = parseCollective(std::string_view(text));
    if (!parsed)
      return at.error("unknown collective '" + text + "'");
    kind = *parsed;
    return true;
  }
  case Key::CommName:
    communicators.back().name = text.str();
    return true;
  case Key::CallName:
    calls.back().collective = text.str();
    return true;
  case Key::PhaseName:
    phases.back().name = text.str();
    return true;
  case Key::LevelName:
    levels.back().name = text.str();
    return true;
  case Key::LevelKind: {
    std::optional<GridKind> parsed = parseGridKind(std::string_view(text));
    if (!parsed)
      return at.error("unknown grid kind '" + text + "'");
    levels.back().kind = *parsed;
    return true;
  }
  default:
    llvm_unreachable("the schema has no string here");
  }
}
