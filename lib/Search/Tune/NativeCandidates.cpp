//===- NativeCandidates.cpp - The algorithms of a runtime -----------------===//
//
// There are few, so that all are candidates of a search.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/NativeCandidates.h"

#include "cclc/Search/Tune/CandidateSpace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

static constexpr uint32_t mostChannelsTried = 32, mostChunksTried = 64;

static const dsl::ParamSpec *findParameter(const dsl::Declaration &program, StringRef name) {
  auto found = llvm::find_if(program.params(),
                             [&](const dsl::ParamSpec &spec) { return name == spec.name; });
  return found == program.params().end() ? nullptr : &*found;
}

/// 1, 2, 4, ... up to \p most.
static std::vector<uint64_t> doublings(uint64_t most) {
  std::vector<uint64_t> values;
  for (uint64_t value = 1; value <= most; value *= 2)
    values.push_back(value);
  return values;
}

static std::vector<Protocol> protocolsOf(const NativeChoice &choice, const Machine &machine) {
  if (choice.protocol)
    return {*choice.protocol};
  std::vector<Protocol> protocols;
  for (unsigned p = 0; p < numProtocols; ++p)
    if (machine.protocols[p] && choice.algorithm->has(static_cast<Protocol>(p)))
      protocols.push_back(static_cast<Protocol>(p));
  return protocols.empty() ? std::vector{Protocol::Simple} : protocols;
}

NativeSite cclc::siteOf(const TuneProblem &problem) {
  return {problem.ranks(), problem.ranksPerNode(), problem.machine.switches.has_value()};
}

std::vector<NativeChoice> cclc::nativeChoices(const TuneProblem &problem,
                                              SelectingRuntime runtime) {
  std::vector<NativeChoice> choices;
  StringRef first; // of several collectives of the runtime with one kind
  for (const NativeAlgorithm &each : nativeAlgorithms(runtime)) {
    if (each.collective != problem.collective)
      continue;
    first = first.empty() ? each.call : first;
    auto isModel = [&](const NativeChoice &other) {
      return other.algorithm->program == each.program;
    };
    if (each.call == first && each.isModelled() && each.guard.admits(siteOf(problem)) &&
        llvm::none_of(choices, isModel))
      choices.push_back({&each});
  }
  return choices;
}

std::vector<Candidate> cclc::candidatesOf(const NativeChoice &choice, const TuneProblem &problem,
                                          SelectingRuntime runtime,
                                          const dsl::ProgramRegistry &programs) {
  const NativeAlgorithm &algorithm = *choice.algorithm;
  const dsl::Declaration *program = programs.find(algorithm.program.str());
  Candidate base{program};
  for (const NativeSetting &setting : algorithm.settings)
    base = base.with(*findParameter(*program, setting.name), setting.value.str());
  const dsl::ParamSpec *chunksOf = findParameter(*program, "chunks");
  const uint32_t each = std::max(algorithm.channelsPerInstance, 1u);
  const uint32_t most = std::min(mostNativeChannels(runtime), mostChannelsTried);
  std::vector<uint64_t> copies = {std::max(choice.channels.value_or(1) / each, 1u)};
  if (!choice.channels && algorithm.channelsPerInstance > 0 && !algorithm.onOneChannel)
    copies = doublings(std::max(most / each, 1u));
  std::vector<uint64_t> chunks = {choice.chunks.value_or(0)};
  if (!choice.chunks && algorithm.division != NativeDivision::None)
    chunks = doublings(mostChunksTried);
  std::vector<Candidate> candidates;
  for (Protocol protocol : protocolsOf(choice, problem.machine))
    for (uint64_t copy : copies)
      for (uint64_t chunk : chunks) {
        Candidate &candidate =
            candidates.emplace_back(chunk ? base.with(*chunksOf, std::to_string(chunk)) : base);
        candidate.variant.protocol = protocol;
        candidate.variant.instances = copy;
        if (algorithm.channelsParameter.empty())
          continue;
        const uint64_t inside = std::min<uint64_t>(copy, problem.ranksPerNode());
        candidate = candidate.with(*findParameter(*program, algorithm.channelsParameter),
                                   std::to_string(inside));
        candidate.variant.instances = copy / inside;
      }
  return candidates;
}

/// The value of a number of \p candidate; 1 if its program has no parameter \p name.
static uint64_t numberOf(const Candidate &candidate, StringRef name) {
  uint64_t number = 1;
  if (const dsl::ParamSpec *spec = findParameter(*candidate.program, name))
    StringRef(candidate.valueOf(*spec)).getAsInteger(10, number);
  return std::max<uint64_t>(number, 1);
}

uint64_t cclc::segmentsOf(const NativeAlgorithm &algorithm, const Candidate &candidate) {
  return algorithm.division == NativeDivision::Segments ? numberOf(candidate, "chunks") : 1;
}

uint64_t cclc::channelsOf(const NativeAlgorithm &algorithm, const Candidate &candidate) {
  return uint64_t(candidate.variant.instances) * std::max(algorithm.channelsPerInstance, 1u) *
         numberOf(candidate, algorithm.channelsParameter);
}

LogicalResult CandidateSpace::addNatives(SelectingRuntime runtime,
                                         const dsl::ProgramRegistry &registry,
                                         ArrayRef<std::string> names, DiagnosticEngine &diags) {
  for (const NativeChoice &choice : nativeChoices(*collective, runtime))
    if (names.empty() || llvm::is_contained(names, choice.algorithm->program))
      llvm::append_range(natives, candidatesOf(choice, *collective, runtime, registry));
  llvm::SetVector<StringRef> others;
  for (const NativeAlgorithm &each : nativeAlgorithms(runtime))
    if (each.collective == collective->collective && each.guard.admits(siteOf(*collective)) &&
        !each.isModelled())
      others.insert(each.name);
  for (StringRef name : others)
    notModelled.push_back(name.str());
  if (natives.empty())
    return diags
        .error({}, formatv("{0} has no algorithm of {1} that is modelled{2}; search with --runtime "
                           "sim",
                           selectingRuntimeTitle(runtime), collectiveName(collective->collective),
                           names.empty() ? "" : " and among the programs"))
        .as(Failure::Unfit);
  return success();
}
