//===- CandidateSpace.cpp - Ladders and alternatives of programs ----------===//
//
// A parameter of a bundled program is recognised by its name and type: they use the same names for
// the same things (programs/Parameters.h). What a number of a user's program means is unknown: it
// is doubled. The nodes come from the target, and the root stays rank 0, because the user of a
// collective determines it. Alternatives are tried one at a time, or all together in an exhaustive
// search.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/CandidateSpace.h"

#include "EmittedPlan.h"
#include "Neighbourhood.h"
#include "cclc/Search/Synth/TreeAlgorithm.h"
#include "cclc/UserPrograms/FindProgram.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace cclc;
using dsl::ParamSpec;
using llvm::formatv;

namespace {
/// A property of which each value is twice the one below.
struct Ladder {
  StringRef name;
  uint32_t highest;
};
constexpr Ladder ladders[] = {{"chunks", 256},  {"channels", 32}, {"streams", 16},
                              {"pipeline", 16}, {"rings", 64},    {"parts", 64}};
constexpr uint32_t maxInstances = 32;
/// The sizes of slots that all programs are tried with, as multiples of the target's: the overhead
/// of a slot is negligible with large ones, and small ones pipeline small buffers.
constexpr uint64_t slotFactors[] = {256, 16, 1};
/// The limits of the sizes that are tried for the best plans.
constexpr uint64_t smallestSlot = 256, largestSlot = uint64_t(16) << 20;

/// Parameters whose values are not varied.
constexpr StringRef fixedParameters[] = {"root", "nodes", "ranks_per_node", "flat_fallback",
                                         "stride"};
/// The highest value of other numbers of users' programs.
constexpr uint32_t highestOfUser = 256;
/// The values of other numbers that are tried beside the default.
constexpr int alternatives[] = {2, 3, 4, 8};
/// A number with up to this many values is tried with each one in an exhaustive search.
constexpr int fewValues = 16;

bool isFixed(const ParamSpec &spec) { return llvm::is_contained(fixedParameters, spec.name); }

/// The highest value of the ladder of a parameter; unset if it has none.
std::optional<uint32_t> ladderOf(const Candidate &candidate, const ParamSpec &spec) {
  if (spec.type != ParamSpec::Type::Int)
    return std::nullopt;
  const Ladder *found = llvm::find_if(ladders, [&](auto &each) { return each.name == spec.name; });
  if (found != std::end(ladders))
    return found->highest;
  return candidate.version.empty() || isFixed(spec) ? std::nullopt : std::optional(highestOfUser);
}

/// The numbers of \p spec, which \p ranks limits, that an exhaustive search tries beside a ladder.
std::vector<std::string> allNumbers(const ParamSpec &spec, bool hasLadder, uint32_t ranks) {
  std::set<int64_t> values = {spec.min}; // 0 often means all
  int64_t number = 0;
  if (!StringRef(spec.value).getAsInteger(10, number))
    values.insert(number);
  int64_t most = hasLadder ? int64_t(spec.max) : std::min<int64_t>(spec.max, ranks);
  if (!hasLadder || most - spec.min < fewValues)
    for (int64_t value = spec.min; value <= most; ++value)
      values.insert(value);
  std::vector<std::string> texts;
  for (int64_t value : values)
    texts.push_back(std::to_string(value));
  return texts;
}

/// The values of a parameter that are tried beside its default; the default may be one of them in
/// an exhaustive search.
std::vector<std::string> alternativesTo(const Candidate &candidate, const ParamSpec &spec,
                                        uint32_t ranks, bool exhaustive = false) {
  std::vector<std::string> values;
  const bool hasLadder = ladderOf(candidate, spec).has_value();
  if ((hasLadder && !exhaustive) || isFixed(spec))
    return values;
  switch (spec.type) {
  case ParamSpec::Type::Int:
    if (exhaustive)
      values = allNumbers(spec, hasLadder, ranks);
    else
      for (int value : alternatives)
        if (value >= spec.min && value <= spec.max && uint32_t(value) <= ranks)
          values.push_back(std::to_string(value));
    break;
  case ParamSpec::Type::Bool:
    values = {"yes", "no"};
    for (std::string &value : values)
      spec.accept(value);
    break;
  case ParamSpec::Type::Choice:
    values = spec.choices;
    break;
  }
  if (!exhaustive)
    llvm::erase(values, spec.value);
  return values;
}

/// \p lowest with other values of its parameters: of one at a time, or of all together.
std::vector<Candidate> withAlternatives(const Candidate &lowest, uint32_t ranks, bool exhaustive) {
  std::vector<Candidate> all = {lowest};
  for (const ParamSpec &spec : lowest.program->params()) {
    const size_t before = exhaustive ? all.size() : 1;
    for (const std::string &value : alternativesTo(lowest, spec, ranks, exhaustive))
      for (size_t i = 0; i < before && value != lowest.valueOf(spec); ++i)
        all.push_back(all[i].with(spec, value));
  }
  return all;
}

/// Divisions of the ranks into groups, for programs with nodes.
std::vector<Candidate> groupings(const Candidate &candidate, uint32_t ranks) {
  const ParamSpec *nodes = nullptr, *perNode = nullptr;
  for (const ParamSpec &spec : candidate.program->params()) {
    if (spec.name == "nodes")
      nodes = &spec;
    if (spec.name == "ranks_per_node")
      perNode = &spec;
  }
  std::vector<Candidate> found;
  for (uint32_t n = 1; nodes && perNode && n <= ranks; ++n)
    if (ranks % n == 0)
      found.push_back(
          candidate.with(*nodes, std::to_string(n)).with(*perNode, std::to_string(ranks / n)));
  return found;
}

uint64_t numberOf(const std::string &text) {
  uint64_t number = 0;
  return StringRef(text).getAsInteger(10, number) ? 0 : number;
}

/// The choices of a search for a collective.
SearchSpace allOf(const TuneProblem &problem) {
  SearchSpace all;
  for (unsigned p = 0; p < numProtocols; ++p)
    if (problem.machine.protocols[p])
      all.protocols.push_back(static_cast<Protocol>(p));
  if (all.protocols.empty())
    all.protocols.push_back(Protocol::Simple);
  all.placement = problem.group.empty() && problem.runtime->placesRanks() &&
                  mayGainByPlacement(problem.machine);
  all.choosesSlots = problem.runtime->choosesSlots();
  if (problem.runtime->form == RuntimeForm::Choices)
    all.goal = all.aggregate = all.fusion = all.instances = all.sharing = false;
  return all;
}
} // namespace

FailureOr<CandidateSpace> CandidateSpace::create(const TuneProblem &problem,
                                                 const dsl::ProgramRegistry &registry,
                                                 ArrayRef<std::string> names,
                                                 DiagnosticEngine &diags) {
  CandidateSpace space(problem, allOf(problem));
  space.collective = &problem;
  const std::string kind(collectiveName(problem.collective));
  const std::string treesName = kind + "_trees", pathsName = kind + "_paths";
  std::vector<std::string> all = {treesName, pathsName};
  for (const dsl::Declaration &program : registry.all())
    all.push_back(registry.nameOf(program));
  for (const std::string &name : names)
    if (!llvm::is_contained(all, name))
      return diags.error({}, unknownProgram(name, all, registry));
  if (std::optional<SelectingRuntime> runtime = parseSelectingRuntime(problem.runtime->name)) {
    if (failed(space.addNatives(*runtime, registry, names, diags)))
      return failure();
    return space;
  }
  for (const dsl::Declaration &program : registry.all())
    if (program.collective() == problem.collective &&
        (names.empty() || llvm::is_contained(names, registry.nameOf(program)))) {
      if (names.empty() && program.needsSwitches() && !problem.machine.switches) {
        space.omitted.push_back(registry.nameOf(program));
        continue;
      }
      if (names.empty() && problem.inOnePiece && program.buffers() == dsl::Buffers::OutOfPlace)
        continue; // a kernel has one tensor
      space.programs.push_back({&program});
      if (const dsl::ProgramFile *file = registry.fileOf(program)) {
        space.programs.back().source = file->name;
        space.programs.back().version = file->version;
      }
    }
  if (names.empty() || llvm::is_contained(names, treesName))
    space.addTrees(problem);
  if (names.empty() || llvm::is_contained(names, pathsName))
    space.addPaths(problem);
  if (space.programs.empty() && space.trees.empty())
    return diags.error({}, formatv("{0} implements {1}; 'cclc list' shows the collective of every "
                                   "program",
                                   names.empty() ? "no bundled program" : "none of the programs",
                                   collectiveName(problem.collective)));
  return space;
}

/// Plans choose their slots if no user and no runtime has.
CandidateSpace::CandidateSpace(const SearchProblem &problem, SearchSpace space)
    : problem(problem), open(std::move(space)) {
  open.choosesSlots &= problem.machine.hasSlotsOfPlans() && !problem.machine.hasSlotSettings() &&
                       !problem.slots && !problem.onlyMscclpp;
}

CandidateSpace CandidateSpace::ofProgram(const SearchProblem &problem, const Candidate &start,
                                         const SearchSpace &open) {
  CandidateSpace space(problem, open);
  space.start = start;
  return space;
}

/// \p candidate with slots that are not set if they are those of the machine. If a plan is executed
/// in one piece, the size of its slots is that of its largest message.
static Candidate withSlots(Candidate candidate, uint32_t number, uint64_t size,
                           const SearchProblem &problem) {
  const QueueModel &queue = problem.machine.queue;
  const bool isUsualNumber = number == queue.slots;
  candidate.variant.slots = isUsualNumber ? std::nullopt : std::optional(number);
  candidate.variant.slotSize = std::nullopt;
  if (!problem.inOnePiece && (!isUsualNumber || Bytes(size) != queue.slotSize))
    candidate.variant.slotSize = Bytes(size);
  return candidate;
}

/// Trees on as many channels as the machine has: if all are apart, they may gain where a few
/// channels do not.
std::optional<Candidate> CandidateSpace::onMostChannels(const Candidate &candidate) const {
  std::optional<Candidate> most;
  for (const ParamSpec &spec : candidate.program->params())
    if (auto highest = ladderOf(candidate, spec); highest && problem.machine.limits.channels)
      for (uint32_t value = 2; value <= *highest; value *= 2)
        if (Candidate next = candidate.with(spec, std::to_string(value)); hasChannels(next))
          most.emplace(std::move(next));
  return most;
}

std::vector<Candidate> CandidateSpace::roots(bool exhaustive) const {
  if (start) {
    std::vector<Candidate> roots = {*start};
    llvm::append_range(roots, variants(*start, Axis::Protocol, 0));
    return roots;
  }
  if (!natives.empty())
    return natives;
  std::vector<Candidate> roots;
  const uint32_t ranks = collective->ranks();
  SmallVector<RankPlacement, 2> placements = {RankPlacement::Linear};
  if (collective->group.empty() && collective->runtime->placesRanks() && hasGrid(problem.machine))
    placements.push_back(RankPlacement::Snake);
  const QueueModel &queue = problem.machine.queue;
  // If slots hold the largest buffer, larger ones change no message.
  std::vector<uint64_t> factors;
  llvm::copy_if(slotFactors, std::back_inserter(factors), [&](uint64_t factor) {
    return factor == 1 || (open.choosesSlots && !problem.inOnePiece &&
                           queue.slotSize.count() * factor / 16 < problem.sizes.back());
  });
  auto add = [&](const Candidate &candidate, ArrayRef<Protocol> protocols) {
    for (Protocol protocol : protocols)
      for (uint64_t factor : factors)
        for (RankPlacement placement : placements) {
          roots.push_back(
              withSlots(candidate, queue.slots, queue.slotSize.count() * factor, problem));
          roots.back().variant.protocol = protocol;
          roots.back().variant.placement = placement;
        }
  };
  const ArrayRef<Protocol> protocols = open.protocols;
  for (const Trees &each : trees) {
    const Candidate candidate{each.program.get(), each.source};
    const ArrayRef<Protocol> own = each.protocol ? ArrayRef(*each.protocol) : protocols;
    if (exhaustive) {
      for (const Candidate &variant : withAlternatives(candidate, ranks, true))
        add(variant, own);
      continue;
    }
    add(candidate, own);
    if (std::optional<Candidate> apart = onMostChannels(candidate))
      add(*apart, own);
    // Turns keep links busy with large buffers, for which LL is no protocol.
    SmallVector<Protocol, 3> large;
    llvm::copy_if(own, std::back_inserter(large), [](Protocol p) { return p != Protocol::LL; });
    for (const ParamSpec &spec : each.program->params())
      if (spec.name == synth::takesTurns.name)
        for (const std::string &value : alternativesTo(candidate, spec, ranks))
          add(candidate.with(spec, value), large);
  }
  for (const Candidate &each : programs) {
    const dsl::Declaration *program = each.program;
    Candidate lowest = each;
    for (const ParamSpec &spec : program->params())
      if (ladderOf(lowest, spec))
        lowest = lowest.with(spec, std::to_string(std::max(spec.min, 1)));
    std::vector<Candidate> variants = withAlternatives(lowest, ranks, exhaustive);
    // The messages of large buffers fit in slots if they are divided into many chunks.
    if (problem.inOnePiece && !exhaustive)
      for (const ParamSpec &spec : program->params())
        if (auto highest = ladderOf(lowest, spec); highest && spec.name == "chunks")
          variants.push_back(
              lowest.with(spec, std::to_string(std::min<int64_t>(spec.max, *highest))));
    // The default of a user's program may be on no ladder.
    if (!each.version.empty() && !exhaustive && each.command() != lowest.command())
      variants.push_back(each);
    if (problem.machine.geometry().levels.size() < 2)
      if (std::vector<Candidate> grouped = groupings(lowest, ranks); !grouped.empty()) {
        variants.clear();
        for (const Candidate &each : grouped)
          llvm::append_range(variants, exhaustive ? withAlternatives(each, ranks, true)
                                                  : std::vector<Candidate>{each});
      }
    for (const Candidate &variant : variants)
      add(variant, protocols);
  }
  return roots;
}

/// Whether the machine has the channels that \p candidate assigns its trees to; otherwise its plan
/// is one with other channels, which another candidate has.
bool CandidateSpace::hasChannels(const Candidate &candidate) const {
  const std::optional<uint32_t> most = problem.machine.limits.channels;
  if (!most || problem.onlyMscclpp || candidate.source.empty() || !candidate.version.empty())
    return true;
  const bool isTwofold = candidate.program->collective() == CollectiveKind::AllReduce;
  for (const auto &[name, value] : candidate.parameters)
    if (name == synth::channelsOfTrees.name)
      return numberOf(value) * candidate.variant.instances * (isTwofold ? 2 : 1) <= *most;
  return true;
}

std::vector<CandidateSpace::Neighbour> CandidateSpace::neighbours(const Candidate &candidate,
                                                                  int step) const {
  std::vector<Neighbour> found;
  if (!natives.empty())
    return found;
  auto next = [&](uint64_t value, uint64_t least, uint64_t most) -> std::optional<uint64_t> {
    uint64_t other = step > 0 ? value * 2 : value / 2;
    return other >= least && other <= most && other != value ? std::optional(other) : std::nullopt;
  };
  ArrayRef<ParamSpec> specs = candidate.program->params();
  for (size_t i = 0; i < specs.size() && !start; ++i)
    if (auto highest = ladderOf(candidate, specs[i]))
      if (auto value = next(numberOf(candidate.valueOf(specs[i])), std::max(specs[i].min, 1),
                            std::min<uint64_t>(specs[i].max, *highest)))
        found.push_back({i, candidate.with(specs[i], std::to_string(*value))});
  auto addNext = [&](size_t ladder, uint32_t Variant::*property, uint32_t most) {
    if (auto value = next(candidate.variant.*property, 1, most)) {
      found.push_back({ladder, candidate});
      found.back().candidate.variant.*property = *value;
    }
  };
  if (open.instances)
    addNext(specs.size(), &Variant::instances, maxInstances);
  if (EmittedPlan::isShared(problem) && open.sharing)
    addNext(specs.size() + 1, &Variant::sharing, maxSharing);
  llvm::erase_if(found, [&](const Neighbour &each) { return !hasChannels(each.candidate); });
  return found;
}

unsigned CandidateSpace::stepsAbove(const Candidate &candidate, size_t ladder) const {
  unsigned steps = 0;
  for (std::optional<Candidate> next = candidate; next; steps += next.has_value()) {
    std::vector<Neighbour> higher = above(*next);
    next.reset();
    for (Neighbour &each : higher)
      if (each.ladder == ladder)
        next.emplace(std::move(each.candidate));
  }
  return steps;
}

ArrayRef<CandidateSpace::Axis> CandidateSpace::axes() const {
  static constexpr Axis all[] = {Axis::Placement, Axis::SlotSize,    Axis::Slots,  Axis::Goal,
                                 Axis::Channels,  Axis::Aggregation, Axis::Fusion, Axis::Protocol};
  // The roots of a collective have all protocols. Limits of channels gain little there, because
  // programs with fewer channels are tried as well.
  static constexpr Axis some[] = {Axis::Placement, Axis::SlotSize,    Axis::Slots,
                                  Axis::Goal,      Axis::Aggregation, Axis::Fusion};
  return start ? ArrayRef(all) : ArrayRef(some);
}

std::vector<Candidate> CandidateSpace::variants(const Candidate &candidate, Axis axis,
                                                uint32_t channels) const {
  std::vector<Candidate> all;
  auto add = [&](auto Variant::*property, auto value) {
    if (candidate.variant.*property == value)
      return;
    all.push_back(candidate);
    all.back().variant.*property = value;
  };
  const QueueModel &queue = problem.machine.queue;
  const uint32_t slots = candidate.variant.slots.value_or(queue.slots);
  const uint64_t slotSize = candidate.variant.slotSize.value_or(queue.slotSize).count();
  auto addSlotSize = [&](uint64_t size) {
    if (open.choosesSlots && !problem.inOnePiece && size >= smallestSlot && size <= largestSlot)
      all.push_back(withSlots(candidate, slots, size, problem));
  };
  switch (axis) {
  case Axis::Protocol:
    for (Protocol protocol : open.protocols)
      add(&Variant::protocol, protocol);
    break;
  case Axis::Placement:
    for (RankPlacement placement :
         {RankPlacement::Linear, RankPlacement::Snake, RankPlacement::Auto})
      if (open.placement)
        add(&Variant::placement, placement);
    break;
  case Axis::SlotSize:
    for (auto [numerator, denominator] : {std::pair(1, 4), {1, 2}, {2, 1}, {4, 1}})
      addSlotSize(slotSize * numerator / denominator);
    break;
  case Axis::SlotsBetween:
    for (uint64_t quarters : {3, 6})
      addSlotSize(slotSize * quarters / 4);
    break;
  case Axis::Slots:
    if (open.choosesSlots)
      for (uint32_t number : {slots / 2, slots * 2})
        if (number > 0)
          all.push_back(withSlots(candidate, number, slotSize, problem));
    break;
  case Axis::Goal:
    if (!open.goal)
      break;
    for (ScheduleGoal goal : {ScheduleGoal::Balance, ScheduleGoal::Path, ScheduleGoal::Steps,
                              ScheduleGoal::Threadblocks})
      // The other goals rarely gain where other programs are tried as well.
      if (start || goal == ScheduleGoal::Balance || goal == ScheduleGoal::Path)
        add(&Variant::goal, std::optional(goal));
    add(&Variant::goal, std::optional<ScheduleGoal>());
    break;
  case Axis::Channels:
    for (uint32_t most = channels / 2; most > 0; most /= 2)
      add(&Variant::maxChannels, std::optional(most));
    break;
  case Axis::Aggregation:
    if (open.aggregate)
      add(&Variant::aggregate, !candidate.variant.aggregate);
    break;
  case Axis::Fusion:
    if (open.fusion)
      add(&Variant::fusion, candidate.variant.fusion == FusionOptions::none()
                                ? FusionOptions()
                                : FusionOptions::none());
    break;
  }
  return all;
}
