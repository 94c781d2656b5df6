//===- Candidate.cpp - Candidates as commands and requests ----------------===//
//
// The command of a candidate is its key: it lists each option that differs from the default of
// cclc, in a fixed order. The request is the same compilation within the toolchain.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Candidate.h"

#include "cclc/Formats/Msccl/Dialect.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

std::string Candidate::valueOf(const dsl::ParamSpec &spec) const {
  for (const auto &[name, value] : parameters)
    if (name == spec.name)
      return value;
  return spec.value;
}

Candidate Candidate::with(const dsl::ParamSpec &spec, const std::string &value) const {
  Candidate changed = *this;
  changed.parameters.clear();
  for (const dsl::ParamSpec &each : program->params()) {
    std::string set = each.name == spec.name ? value : valueOf(each);
    if (set != each.value)
      changed.parameters.emplace_back(each.name, set);
  }
  return changed;
}

std::string Candidate::command() const {
  std::string text = source.empty() ? program->name() : source;
  for (const auto &[name, value] : parameters)
    text += formatv(" -p {0}={1}", name, value);
  if (variant.protocol != Protocol::Simple)
    text += formatv(" --protocol {0}", protocolName(variant.protocol));
  if (variant.slots)
    text += formatv(" --slots {0}", *variant.slots);
  if (variant.slotSize)
    text += formatv(" --slot-size {0}", variant.slotSize->count());
  if (variant.instances != 1)
    text += formatv(" --instances {0}", variant.instances);
  if (variant.sharing != 1)
    text += formatv(" --threadblock-group {0}", variant.sharing);
  for (const std::string &option : optionsOf(variant))
    text += " " + option;
  return text;
}

std::string cclc::scheduleTitle(const Variant &variant) {
  std::string text;
  if (variant.maxChannels)
    text += ", at most " + counted(*variant.maxChannels, "channel");
  if (variant.aggregate)
    text += ", aggregated";
  if (variant.fusion == FusionOptions::none())
    text += ", not fused";
  return text;
}

std::string cclc::slotsTitle(const Variant &variant) {
  if (!variant.slotSize)
    return variant.slots ? ", " + counted(*variant.slots, "slot") : "";
  return formatv(", {0}slots of {1}", variant.slots ? std::to_string(*variant.slots) + " " : "",
                 sizeText(*variant.slotSize));
}

std::string Candidate::title() const {
  std::string text = source.empty() ? program->name() : source;
  for (const auto &[name, value] : parameters)
    text += formatv(" {0}={1}", name, value);
  if (variant.protocol != Protocol::Simple)
    text += formatv(", {0}", protocolName(variant.protocol));
  text += slotsTitle(variant);
  if (variant.instances != 1)
    text += formatv(", {0} instances", variant.instances);
  if (variant.sharing != 1)
    text += formatv(", groups of {0} threadblocks", variant.sharing);
  if (variant.placement != RankPlacement::Linear)
    text += formatv(", placed {0}", rankPlacementName(variant.placement));
  if (!variant.goal)
    text += ", no alternatives";
  else if (*variant.goal != ScheduleGoal::Balance)
    text += formatv(", goal {0}", goalName(*variant.goal));
  return text + scheduleTitle(variant);
}

CompileRequest Candidate::request(const TuneProblem &problem) const {
  CompileRequest request;
  request.parameters = parameters;
  if (!version.empty())
    request.userFile = source;
  // A parameter that has only one value is not set.
  if (program->buffers() == dsl::Buffers::Both)
    request.parameters.emplace_back("buffers", problem.isInPlace() ? "in_place" : "out_of_place");
  if (program->mapper() != problem.mapper)
    request.parameters.emplace_back("mapper", mapperName(problem.mapper));
  request.userCode.isGuarded = problem.guardsPrograms;
  request.target = problem.target;
  if (problem.group.empty())
    request.ranks = problem.ranks();
  request.endpoints = problem.group;
  request.placement = variant.placement;
  // The range of sizes of a plan is chosen after the search, and must not change it.
  request.placementBytes = anyBuffer;
  request.placements = problem.placements.get();
  request.instances = variant.instances;
  request.sharing = variant.sharing;
  request.protocol = variant.protocol;
  if (variant.slots)
    request.slots = Slots(*variant.slots);
  request.slotSize = variant.slotSize;
  if (problem.inOnePiece)
    request.slotSize = Bytes(); // a slot holds the largest message, whatever its size is
  request.optimisation = variant.goal ? 2 : 1;
  request.goal = variant.goal;
  request.maxChannels = variant.maxChannels;
  request.fusion = variant.fusion;
  request.aggregate = variant.aggregate;
  request.dialect = findMscclDialect(problem.runtime->name);
  request.lowerFused = request.dialect && !request.dialect->fusedOps;
  request.mscclpp = request.onlyMscclpp = problem.onlyMscclpp;
  request.ahbmModule = problem.runtime->form == RuntimeForm::Module;
  return request;
}
