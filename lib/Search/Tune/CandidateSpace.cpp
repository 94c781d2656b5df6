//===- CandidateSpace.cpp - Ladders and alternatives of programs ----------===//
//
// The nodes come from the target, and the root stays rank 0, because the user of a collective
// determines it. Alternatives are tried one at a time, or all together in an exhaustive search.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/CandidateSpace.h"

#include "EmittedPlan.h"
#include "Neighbourhood.h"
#include "ParameterValues.h"
#include "cclc/Search/Synth/TreeAlgorithm.h"
#include "cclc/UserPrograms/FindProgram.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace cclc;
using dsl::ParamSpec;
using llvm::formatv;

namespace {
/// Of the search from the foot of the ladders, and of the neighbours of a plan.
constexpr uint32_t maxInstances = 32, maxInstancesNearby = 256;
/// The sizes of slots that all programs are tried with, as multiples of the target's: the overhead
/// of a slot is negligible with large ones, and small ones pipeline small buffers.
constexpr uint64_t slotFactors[] = {256, 16, 1};
/// The limits of the sizes that are tried for the best plans.
constexpr uint64_t smallestSlot = 256, largestSlot = uint64_t(16) << 20;

/// \p lowest with other values of its parameters: of one at a time, or of all together.
std::vector<Candidate> withAlternatives(const Candidate &lowest, const ParameterValues &values,
                                        bool exhaustive) {
  std::vector<Candidate> all = {lowest};
  for (const ParamSpec &spec : lowest.program->params()) {
    const size_t before = exhaustive ? all.size() : 1;
    for (const std::string &value : values.others(spec, exhaustive))
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
  CandidateSpace space(problem, allOf(problem),
                       ParameterValues(problem.parameters, problem.ranks()));
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
  std::vector<const dsl::Declaration *> declarations;
  for (const Candidate &each : space.programs)
    declarations.push_back(each.program);
  for (const Trees &each : space.trees)
    declarations.push_back(each.program.get());
  if (failed(space.values->check(declarations, diags)))
    return failure();
  return space;
}

CandidateSpace::~CandidateSpace() = default;
CandidateSpace::CandidateSpace(CandidateSpace &&) noexcept = default;

/// Plans choose their slots if no user and no runtime has.
CandidateSpace::CandidateSpace(const SearchProblem &problem, SearchSpace space,
                               ParameterValues values)
    : problem(problem), open(std::move(space)),
      values(std::make_unique<const ParameterValues>(std::move(values))) {
  open.choosesSlots &= problem.machine.hasSlotsOfPlans() && !problem.machine.hasSlotSettings() &&
                       !problem.slots && !problem.onlyMscclpp;
}

CandidateSpace CandidateSpace::ofProgram(const SearchProblem &problem, const Candidate &start,
                                         const SearchSpace &open) {
  CandidateSpace space(problem, open, ParameterValues({}, 0));
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
    if (auto ladder = values->ladder(spec); ladder && problem.machine.limits.channels)
      for (uint32_t value = 2; value <= ladder->highest; value *= 2)
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
    const Candidate candidate = values->lowest({each.program.get(), each.source});
    const ArrayRef<Protocol> own = each.protocol ? ArrayRef(*each.protocol) : protocols;
    if (exhaustive) {
      for (const Candidate &variant : withAlternatives(candidate, *values, true))
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
        for (const std::string &value : values->others(spec))
          add(candidate.with(spec, value), large);
  }
  for (const Candidate &each : programs) {
    const Candidate lowest = values->lowest(each);
    std::vector<Candidate> variants = withAlternatives(lowest, *values, exhaustive);
    // The messages of large buffers fit in slots if they are divided into many chunks.
    if (problem.inOnePiece && !exhaustive)
      for (const ParamSpec &spec : each.program->params())
        if (auto ladder = values->ladder(spec); ladder && spec.name == "chunks")
          variants.push_back(lowest.with(spec, std::to_string(ladder->highest)));
    // The default of a user's program may be on no ladder.
    if (!each.version.empty() && !exhaustive && collective->parameters.empty() &&
        each.command() != lowest.command())
      variants.push_back(each);
    if (problem.machine.geometry().levels.size() < 2)
      if (std::vector<Candidate> grouped = groupings(lowest, ranks); !grouped.empty()) {
        variants.clear();
        for (const Candidate &each : grouped)
          llvm::append_range(variants, exhaustive ? withAlternatives(each, *values, true)
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

std::vector<CandidateSpace::Neighbour>
CandidateSpace::neighbours(const Candidate &candidate, int step, uint32_t mostInstances) const {
  std::vector<Neighbour> found;
  if (!natives.empty())
    return found;
  auto next = [&](uint64_t value, uint64_t least, uint64_t most) -> std::optional<uint64_t> {
    uint64_t other = step > 0 ? value * 2 : value / 2;
    return other >= least && other <= most && other != value ? std::optional(other) : std::nullopt;
  };
  ArrayRef<ParamSpec> specs = candidate.program->params();
  for (size_t i = 0; i < specs.size() && !start; ++i)
    if (auto ladder = values->ladder(specs[i]))
      if (auto value = next(numberOf(candidate.valueOf(specs[i])), ladder->lowest, ladder->highest))
        found.push_back({i, candidate.with(specs[i], std::to_string(*value))});
  auto addNext = [&](size_t ladder, uint32_t Variant::*property, uint32_t most) {
    if (auto value = next(candidate.variant.*property, 1, most)) {
      found.push_back({ladder, candidate});
      found.back().candidate.variant.*property = *value;
    }
  };
  if (open.instances)
    addNext(specs.size(), &Variant::instances, mostInstances);
  if (EmittedPlan::isShared(problem) && open.sharing)
    addNext(specs.size() + 1, &Variant::sharing, maxSharing);
  llvm::erase_if(found, [&](const Neighbour &each) { return !hasChannels(each.candidate); });
  return found;
}

std::vector<CandidateSpace::Neighbour> CandidateSpace::above(const Candidate &candidate) const {
  return neighbours(candidate, 1, maxInstances);
}

std::vector<CandidateSpace::Neighbour> CandidateSpace::below(const Candidate &candidate) const {
  return neighbours(candidate, -1, maxInstances);
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

std::vector<Candidate> CandidateSpace::moves(const Candidate &candidate, uint32_t channels) const {
  std::vector<Candidate> all;
  if (!natives.empty()) // these are all that the files of the runtime may set
    return all;
  for (int step : {1, -1})
    for (Neighbour &each : neighbours(candidate, step, maxInstancesNearby))
      all.push_back(std::move(each.candidate));
  if (!start)
    for (const ParamSpec &spec : candidate.program->params())
      if (!values->ladder(spec))
        for (const std::string &value : values->nextTo(spec, candidate.valueOf(spec)))
          all.push_back(candidate.with(spec, value));
  for (Axis axis : {Axis::Placement, Axis::SlotSize, Axis::SlotsBetween, Axis::Slots, Axis::Goal,
                    Axis::Channels, Axis::Aggregation, Axis::Fusion, Axis::Protocol}) {
    std::vector<Candidate> others = variants(candidate, axis, channels);
    if (axis == Axis::Channels && !others.empty()) // one step; the others are further ones
      others.resize(1, others.front());
    llvm::append_range(all, std::move(others));
  }
  return all;
}

Candidate CandidateSpace::combined(const Candidate &origin, const Candidate &first,
                                   const Candidate &second) {
  Candidate both = first;
  for (const ParamSpec &spec : origin.program->params())
    if (second.valueOf(spec) != origin.valueOf(spec))
      both = both.with(spec, second.valueOf(spec));
  auto take = [&](auto Variant::*property) {
    if (second.variant.*property != origin.variant.*property)
      both.variant.*property = second.variant.*property;
  };
  take(&Variant::instances);
  take(&Variant::sharing);
  take(&Variant::aggregate);
  take(&Variant::fusion);
  take(&Variant::goal);
  take(&Variant::maxChannels);
  take(&Variant::protocol);
  take(&Variant::placement);
  take(&Variant::slots);
  take(&Variant::slotSize);
  return both;
}
