//===- Compile.cpp - The compilation of a program -------------------------===//
//
// A compilation is that of cclc (Compiler/Compile.h), with the same request.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/Compiler/Destination.h"
#include "cclc/Search/Tune/Search.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Tools/Synthesis/Synthesis.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::api;
using llvm::formatv;

namespace {
/// The request of options; errors are reported.
class Reader {
public:
  Reader(const CompileOptions &options, DiagnosticEngine &diags) : options(options), diags(diags) {}

  LogicalResult read(const std::string &folder, CompileRequest &request);
  /// Reads a number from 1 to \p most.
  void readNumber(const char *what, std::optional<uint32_t> number, std::optional<uint32_t> most,
                  std::optional<uint32_t> &value) {
    value = number;
    if (number == 0u || (most && number > *most))
      diags.error({}, formatv("{0} must be {1}, not {2}", what,
                              most ? formatv("1 to {0}", *most).str() : "at least 1", *number));
  }

private:
  void readAlgorithm(CompileRequest &request);
  void readEffort(CompileRequest &request);
  void readFusion(CompileRequest &request);
  void readDestination(CompileRequest &request);
  /// Reports an option whose \p text is none of \p known.
  template <class Value>
  void readWord(const char *kind, const std::optional<std::string> &text,
                std::optional<Value> (*parse)(StringRef), ArrayRef<std::string> known,
                std::optional<Value> &value) {
    if (!text)
      return;
    value = parse(*text);
    if (!value)
      diags.error({}, unknownWord(kind, *text, known));
  }
  const CompileOptions &options;
  DiagnosticEngine &diags;
};
} // namespace

void Reader::readAlgorithm(CompileRequest &request) {
  request.parameters.assign(options.parameters.begin(), options.parameters.end());
  request.ranks = options.ranks;
  request.endpoints = options.endpoints;
  readWord("protocol", options.protocol, parseProtocol, {"Simple", "LL", "LL128"},
           request.protocol);
  readNumber("the number of instances", options.instances, std::nullopt, request.instances);
  std::optional<InstanceLayout> layout;
  readWord<InstanceLayout>("layout of instances", options.instanceLayout, parseInstanceLayout,
                           {"blocked", "interleaved", "batched"}, layout);
  request.layout = layout.value_or(request.layout);
  readWord("placement", options.placement, parseRankPlacement, {"linear", "snake", "auto"},
           request.placement);
  request.slots = slotsOf(options.slots);
  if (options.slotSize == uint64_t(0))
    diags.error({}, "the size of a slot must be at least 1 byte");
  else if (options.slotSize)
    request.slotSize = Bytes(*options.slotSize);
  request.minBytes = options.minBytes;
  request.maxBytes = options.maxBytes;
  request.traceLimit = options.traceLimit;
}

void Reader::readEffort(CompileRequest &request) {
  request.optimisation = options.optimisation;
  if (options.optimisation > 3)
    diags.error({},
                formatv("the levels of optimisation are 0 to 3, not {0}", options.optimisation));
  readWord("goal", options.optimizeFor, parseGoal, {"balance", "path", "steps", "threadblocks"},
           request.goal);
  if (request.goal && options.optimisation < 2)
    diags.error({}, formatv("a goal needs level 2 or 3 of optimisation: level {0} makes one "
                            "schedule only",
                            options.optimisation));
  readNumber("the limit of channels", options.maxChannels, std::nullopt, request.maxChannels);
  readNumber("the limit of threadblocks", options.maxThreadblocks, std::nullopt,
             request.maxThreadblocks);
  request.aggregate = options.aggregate;
  readFusion(request);
  request.verify = options.verify;
  request.jobs = std::max(options.jobs, 1u);
  request.search = findFastest;
  request.userCode.isGuarded = options.guard;
  request.onStage = stagesOf(options.onProgress, options.cancellation);
}

void Reader::readFusion(CompileRequest &request) {
  if (!options.fuse)
    return;
  FusionOptions fusion = FusionOptions::none();
  for (const std::string &kind : *options.fuse)
    if (kind == "rcs")
      fusion.rcs = true;
    else if (kind == "rrcs")
      fusion.rrcs = true;
    else if (kind == "rrs")
      fusion.rrs = true;
    else
      diags.error({}, unknownWord("fused instruction", kind, {"rcs", "rrcs", "rrs"}));
  request.fusion = fusion;
  if (!options.fuse->empty() && options.optimisation < 1)
    diags.error({}, "fusion needs level 1 or higher of optimisation: level 0 does not fuse");
}

void Reader::readDestination(CompileRequest &request) {
  const PlanFormat *form = findPlanFormat(options.form);
  const MscclDialect *dialect = findMscclDialect(options.dialect);
  if (!form || form->ahbm.write)
    diags.error({}, form ? "a plan is converted to an algorithm module, not compiled to one"
                         : "unknown form '" + options.form + "' of plans" +
                               didYouMean(options.form, planFormatNames()));
  else if (!dialect)
    diags.error({}, "unknown dialect '" + options.dialect + "' of MSCCL XML");
  else
    setDestination(*form, *dialect, request);
  if (options.threadblockGroup && !request.mscclpp)
    diags.error({}, "a group of threadblocks applies to the form mscclpp");
  readNumber("a group of threadblocks", options.threadblockGroup, maxSharing, request.sharing);
  if (options.instanceLayout != "blocked" && !options.instances && options.optimisation < 3 &&
      !request.mscclpp)
    diags.error({}, "a layout of instances needs their number: there is one copy");
  if (options.fusedOps && options.fusedOps != "keep" && options.fusedOps != "lower")
    diags.error({},
                unknownWord("treatment of fused receives", *options.fusedOps, {"keep", "lower"}));
  else if (options.fusedOps)
    request.lowerFused = options.fusedOps == "lower";
}

LogicalResult Reader::read(const std::string &folder, CompileRequest &request) {
  if (options.target) {
    FailureOr<TargetRequest> target = requestOf(*options.target, folder, diags);
    if (succeeded(target))
      request.target = std::move(*target);
  }
  readAlgorithm(request);
  readEffort(request);
  readDestination(request);
  return success(!diags.hasErrors());
}

LogicalResult api::readOptions(const CompileOptions &options, const std::string &folder,
                               CompileRequest &request, DiagnosticEngine &diags) {
  return Reader(options, diags).read(folder, request);
}

/// Compiles a program, and returns the warnings as well.
static Result<Plan> compiled(const dsl::Declaration &program, const CompileRequest &request,
                             const std::string &folder, DiagnosticEngine &diags) {
  FailureOr<Compiled> compiled = cclc::compile(program, request, diags);
  if (failed(compiled))
    return Failed{diags};
  for (const auto &text : {compiled->equalRoutes, compiled->otherOrder})
    if (text)
      diags.warning({}, *text);
  PlanAccess::Content content{std::move(compiled->plan), "", true, folder};
  if (compiled->mscclpp)
    content.plan = std::move(*compiled->mscclpp);
  return {PlanAccess::make(std::move(content)), messagesOf(diags)};
}

Result<Plan> Toolchain::compile(const dsl::Declaration &program,
                                const CompileOptions &options) const {
  return unlessCancelled([&]() -> Result<Plan> {
    DiagnosticEngine diags;
    CompileRequest request;
    if (failed(readOptions(options, folder, request, diags)))
      return Failed{diags};
    return compiled(program, request, folder, diags);
  });
}

Result<api::Synthesis> Toolchain::synthesise(const std::string &collective,
                                             const CompileOptions &compilation,
                                             const SynthOptions &options) const {
  return unlessCancelled([&]() -> Result<api::Synthesis> {
    DiagnosticEngine diags;
    CompileRequest request;
    Reader reader(compilation, diags);
    SynthesisRequest how{collective, {}, {}, options.root, options.latency, options.neighbours};
    reader.readNumber("the number of trees", options.trees, 64, how.trees);
    reader.readNumber("the number of chunks of a tree", options.chunks, 64, how.chunks);
    if (failed(reader.read(folder, request)))
      return Failed{diags};
    if (request.onStage)
      request.onStage("find trees");
    cclc::Synthesis synthesis(std::move(how));
    FailureOr<dsl::Declaration> program = synthesis.find(request, diags);
    if (failed(program))
      return Failed{diags};
    Result<Plan> plan = compiled(*program, request, folder, diags);
    if (!plan)
      return {plan.failure(), plan.messages()};
    api::Synthesis found{*plan, {}, {}};
    llvm::raw_string_ostream source(found.source), summary(found.summary);
    synthesis.writeSource(source);
    synthesis.printSummary(summary);
    return {std::move(found), plan.messages()};
  });
}
