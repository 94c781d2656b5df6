//===- TuningFile.cpp - Tuning files as runtimes read them ----------------===//
//
// Every property of a call that depends on its bytes never falls when they grow. A rule is
// therefore in force for all sizes of some intervals, each of which begins where a condition of any
// rule begins or ends to hold: these sizes alone show which rules are in force.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/Selection/TuningFile.h"

#include "TuningReaders.h"

#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace cclc;
using llvm::formatv;

constexpr TuningReader readers[] = {{SelectingRuntime::Nccl},
                                    {SelectingRuntime::RcclTuner},
                                    {SelectingRuntime::OpenMpi},
                                    {SelectingRuntime::OpenMpi, true},
                                    {SelectingRuntime::Mpich}};

static std::string readerName(const TuningReader &reader) {
  return selectingRuntimeName(reader.runtime).str() + (reader.isOpenMpi6 ? "-6" : "");
}

std::string cclc::tuningReaderTitle(const TuningReader &reader) {
  std::string title = selectingRuntimeTitle(reader.runtime).str();
  if (reader.runtime == SelectingRuntime::OpenMpi)
    title += reader.isOpenMpi6 ? " 6.0" : " up to 5.0";
  return title;
}

std::optional<TuningReader> cclc::parseTuningReader(StringRef name) {
  const auto *found =
      llvm::find_if(readers, [&](const TuningReader &each) { return readerName(each) == name; });
  return found == std::end(readers) ? std::nullopt : std::optional(*found);
}

std::vector<std::string> cclc::tuningReaderNames() {
  std::vector<std::string> names;
  for (const TuningReader &reader : readers)
    names.push_back(readerName(reader));
  return names;
}

const NativeAlgorithm *cclc::findNamed(SelectingRuntime runtime, StringRef call, StringRef name) {
  const auto all = nativeAlgorithms(runtime);
  const auto *found = llvm::find_if(
      all, [&](const NativeAlgorithm &each) { return each.call == call && each.name == name; });
  return found == all.end() ? nullptr : found;
}

static uint64_t lowerPowerOfTwo(uint32_t ranks) { return llvm::bit_floor(ranks); }

static uint64_t valueOf(CallProperty property, const SelectionCall &call) {
  const NativeSite &site = call.site;
  const uint64_t elements = call.bytes / call.elementBytes;
  switch (property) {
  case CallProperty::Bytes:
    return call.bytes;
  case CallProperty::BytesOfRank:
    return call.bytes / site.ranks;
  case CallProperty::BytesOfAllRanks:
    return llvm::SaturatingMultiply<uint64_t>(call.bytes, site.ranks);
  case CallProperty::Elements:
    return elements;
  case CallProperty::ElementsOfRank:
    return elements / site.ranks;
  case CallProperty::FewElements:
    return elements >= lowerPowerOfTwo(site.ranks);
  case CallProperty::FewElementsOfRank:
    return elements / site.ranks >= lowerPowerOfTwo(site.ranks);
  case CallProperty::Ranks:
    return site.ranks;
  case CallProperty::Nodes:
    return site.nodes();
  case CallProperty::RanksPerNode:
    return site.ranksPerNode;
  case CallProperty::PowerOfTwo:
    return llvm::isPowerOf2_32(site.ranks);
  case CallProperty::OneNode:
    return site.nodes() == 1;
  case CallProperty::Scattered:
    return site.nodes() > 1 && site.ranksPerNode == 1;
  case CallProperty::Levels:
    return site.nodes() > 1 && site.ranksPerNode > 1;
  case CallProperty::One:
    return 1;
  }
  llvm_unreachable("unknown property");
}

/// The least bytes for which a property that depends on them is at least \p value.
static uint64_t firstBytes(CallProperty property, uint64_t value, const SelectionCall &call) {
  auto times = [](uint64_t a, uint64_t b) { return llvm::SaturatingMultiply(a, b); };
  const uint64_t ranks = call.site.ranks, element = call.elementBytes;
  switch (property) {
  case CallProperty::BytesOfRank:
    return times(value, ranks);
  case CallProperty::BytesOfAllRanks:
    return llvm::divideCeil(value, ranks);
  case CallProperty::Elements:
    return times(value, element);
  case CallProperty::ElementsOfRank:
    return times(times(value, ranks), element);
  case CallProperty::FewElements:
    return value * lowerPowerOfTwo(ranks) * element;
  case CallProperty::FewElementsOfRank:
    return value * lowerPowerOfTwo(ranks) * ranks * element;
  default:
    return value;
  }
}

static bool dependsOnBytes(CallProperty property) {
  return property <= CallProperty::FewElementsOfRank;
}

bool CallCondition::holds(const SelectionCall &call) const {
  const uint64_t value = valueOf(property, call);
  return (least <= value && value <= most) == isInside;
}

/// Whether any line has a comma that is not in a comment.
static bool hasRows(StringRef text) {
  return llvm::any_of(llvm::split(text, '\n'),
                      [](StringRef line) { return line.split('#').first.contains(','); });
}

FailureOr<TuningFile> TuningFile::read(StringRef text, const std::string &path,
                                       std::optional<TuningReader> reader,
                                       DiagnosticEngine &diags) {
  const bool isJson = text.ltrim().starts_with("{");
  std::optional<JsonNode> root;
  if (isJson) {
    FailureOr<JsonNode> node = readJsonNode(text, path, diags);
    if (failed(node))
      return failure();
    root = std::move(*node);
  }
  if (!reader && isJson)
    reader = root->find("collectives") ? TuningReader{SelectingRuntime::OpenMpi, true}
                                       : TuningReader{SelectingRuntime::Mpich};
  if (!reader)
    reader = TuningReader{hasRows(text) ? SelectingRuntime::Nccl : SelectingRuntime::OpenMpi};
  const bool takesJson = reader->isOpenMpi6 || reader->runtime == SelectingRuntime::Mpich;
  if (isJson && !takesJson)
    return diags.error({path}, formatv("{0} does not read JSON", tuningReaderTitle(*reader)));
  if (!isJson && reader->runtime == SelectingRuntime::Mpich)
    return diags.error({path}, "MPICH reads JSON, which begins with '{'");

  TuningRules rules = failure();
  switch (reader->runtime) {
  case SelectingRuntime::Nccl:
  case SelectingRuntime::RcclTuner:
    rules = readNcclRows(text, path, reader->runtime == SelectingRuntime::RcclTuner, diags);
    break;
  case SelectingRuntime::OpenMpi:
    rules = isJson ? readOpenMpiJson(*root, path, diags)
                   : readOpenMpiRules(text, path, reader->isOpenMpi6, diags);
    break;
  case SelectingRuntime::Mpich:
    rules = readMpichTree(*root, path, diags);
    break;
  }
  if (failed(rules))
    return failure();
  return TuningFile(*reader, std::move(*rules));
}

/// Of several algorithms with one name, that whose conditions hold.
const NativeAlgorithm *TuningFile::algorithmOf(const TuningRule &rule,
                                               const SelectionCall &call) const {
  for (const NativeAlgorithm &each : nativeAlgorithms(how.runtime))
    if (each.call == rule.call && each.name == rule.algorithm && each.guard.admits(call.site) &&
        (!each.onOneChannel || rule.channels == 1u))
      return &each;
  return findNamed(how.runtime, rule.call, rule.algorithm);
}

/// Whether NCCL and RCCL, which skip rows that they cannot execute, have the algorithm.
static bool isLegal(const TuningReader &how, const TuningRule &rule,
                    const NativeAlgorithm *algorithm, const NativeSite &site) {
  if (how.runtime != SelectingRuntime::Nccl && how.runtime != SelectingRuntime::RcclTuner)
    return true;
  return algorithm && algorithm->guard.admits(site) && algorithm->has(rule.protocol);
}

bool TuningFile::isInForce(const TuningRule &rule, const SelectionCall &call) const {
  return rule.collective == call.collective && (call.call.empty() || rule.call == call.call) &&
         rule.dropped.empty() &&
         llvm::all_of(rule.conditions,
                      [&](const CallCondition &condition) { return condition.holds(call); }) &&
         isLegal(how, rule, algorithmOf(rule, call), call.site);
}

/// \p call of the first collective of the runtime with its CollectiveKind.
static SelectionCall namedCall(SelectingRuntime runtime, SelectionCall call) {
  for (const NativeAlgorithm &each : nativeAlgorithms(runtime))
    if (call.call.empty() && each.collective == call.collective)
      call.call = each.call;
  return call;
}

Selected TuningFile::select(const SelectionCall &request) const {
  const SelectionCall call = namedCall(how.runtime, request);
  for (const TuningRule &rule : list)
    if (isInForce(rule, call))
      return {&rule, rule.algorithm.empty() ? nullptr : algorithmOf(rule, call), rule.channels};
  // The example plugin of NCCL sets 1 channel for all calls.
  const bool isNccl = how.runtime == SelectingRuntime::Nccl;
  return {.channels = isNccl ? std::optional(1u) : std::nullopt};
}

std::vector<TuningFile::Unused> TuningFile::unusedRules(SelectionCall call) const {
  call = namedCall(how.runtime, call);
  std::vector<const TuningRule *> candidates;
  std::set<uint64_t> sizes = {0};
  for (const TuningRule &rule : list) {
    if (rule.collective != call.collective || rule.call != call.call || rule.isImplicit)
      continue;
    candidates.push_back(&rule);
    for (const CallCondition &condition : rule.conditions)
      if (dependsOnBytes(condition.property)) {
        sizes.insert(firstBytes(condition.property, condition.least, call));
        if (condition.most != UINT64_MAX)
          sizes.insert(firstBytes(condition.property, condition.most + 1, call));
      }
  }
  std::set<const TuningRule *> used;
  for (uint64_t size : sizes) {
    call.bytes = size;
    used.insert(select(call).rule);
  }
  std::vector<Unused> unused;
  for (const TuningRule *rule : candidates)
    if (!used.contains(rule))
      unused.push_back({rule, reasonOf(*rule, call, sizes)});
  return unused;
}

/// The calls that a condition on \p property, which depends on no bytes, is for.
static std::string othersText(CallProperty property) {
  switch (property) {
  case CallProperty::Ranks:
    return "it is for other numbers of ranks";
  case CallProperty::Nodes:
    return "it is for other numbers of nodes";
  case CallProperty::One:
    return "it is for other operators, buffers or groups of calls";
  default:
    return "it is for communicators with other ranks or nodes";
  }
}

std::string TuningFile::reasonOf(const TuningRule &rule, SelectionCall call,
                                 const std::set<uint64_t> &sizes) const {
  if (!rule.dropped.empty())
    return rule.dropped;
  for (const CallCondition &condition : rule.conditions)
    if (!dependsOnBytes(condition.property) && !condition.holds(call))
      return othersText(condition.property);
  const NativeAlgorithm *algorithm = algorithmOf(rule, call);
  if (!isLegal(how, rule, algorithm, call.site))
    return formatv("{0} has no {1} with {2} for {3} of {4} in {5}",
                   selectingRuntimeTitle(how.runtime), rule.algorithm,
                   StringRef(protocolName(rule.protocol)).lower(), rule.call,
                   counted(call.site.ranks, "rank"), counted(call.site.nodes(), "node"));
  for (uint64_t size : sizes) {
    call.bytes = size;
    if (!llvm::all_of(rule.conditions,
                      [&](const CallCondition &condition) { return condition.holds(call); }))
      continue;
    const TuningRule *other = select(call).rule;
    return formatv("line {0} comes first", other->loc.line);
  }
  return "no size fulfils it";
}
