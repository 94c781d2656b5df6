//===- NativeCandidates.cpp - The algorithms of a runtime as candidates ---===//
//
// A runtime with choices has few of them: its algorithms with the protocols, channels and segments
// that its files set. All are candidates.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/CandidateSpace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

/// The largest number of parallel instances, and of segments of a message, that are tried.
static constexpr uint32_t mostInstances = 32, maxSegments = 256;

/// \p candidate with the parameter \p name, which its program has.
static Candidate withParameter(const Candidate &candidate, StringRef name, StringRef value) {
  for (const dsl::ParamSpec &spec : candidate.program->params())
    if (spec.name == name)
      return candidate.with(spec, value.str());
  return candidate;
}

/// \p algorithm, which \p program models, with all values of the files of \p runtime.
static std::vector<Candidate> candidatesOf(const NativeAlgorithm &algorithm,
                                           const dsl::Declaration &program,
                                           ArrayRef<Protocol> protocols, SelectingRuntime runtime) {
  Candidate first{&program};
  for (const NativeSetting &setting : algorithm.settings)
    first = withParameter(first, setting.name, setting.value);
  const uint32_t channels = algorithm.channelsPerInstance;
  const uint32_t most = channels ? mostNativeChannels(runtime) / channels : 1;
  const uint32_t segments = algorithm.division == NativeDivision::Segments ? maxSegments : 1;
  std::vector<Candidate> all;
  for (uint32_t parts = 1; parts <= segments; parts *= 2)
    for (Protocol protocol : protocols)
      for (uint32_t instances = 1; instances <= std::min(most, mostInstances); instances *= 2) {
        if (!algorithm.has(protocol))
          continue;
        Candidate &candidate = all.emplace_back(first);
        if (algorithm.division != NativeDivision::None)
          candidate = withParameter(candidate, "chunks", std::to_string(parts));
        candidate.variant.protocol = protocol;
        candidate.variant.instances = instances;
      }
  return all;
}

LogicalResult CandidateSpace::addNatives(SelectingRuntime runtime,
                                         const dsl::ProgramRegistry &registry,
                                         ArrayRef<std::string> names, DiagnosticEngine &diags) {
  const NativeSite site{collective->ranks(), collective->ranksPerNode(),
                        collective->nodes == 1 && problem.machine.switches.has_value()};
  llvm::SetVector<StringRef> unmodelled;
  std::vector<std::string> added; // programs, of which the first algorithm is preferred
  for (const NativeAlgorithm &algorithm : nativeAlgorithms(runtime)) {
    if (algorithm.collective != collective->collective || !algorithm.guard.admits(site))
      continue;
    if (!algorithm.isModelled()) {
      unmodelled.insert(algorithm.name);
      continue;
    }
    const std::string program = algorithm.program.str();
    if (llvm::is_contained(added, program) ||
        (!names.empty() && !llvm::is_contained(names, program)))
      continue;
    added.push_back(program);
    for (const dsl::Declaration &each : registry.all())
      if (registry.nameOf(each) == program)
        llvm::append_range(natives, candidatesOf(algorithm, each, open.protocols, runtime));
  }
  for (StringRef name : unmodelled)
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
