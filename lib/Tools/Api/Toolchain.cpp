//===- Toolchain.cpp - Programs, machines, compilation --------------------===//
//
// A compilation is that of cclc (Compiler/Compile.h), with the same request.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Api/Toolchain.h"

#include "Access.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/DSL/Registry.h"
#include "cclc/Search/Tune/Search.h"
#include "cclc/Support/Spelling.h"
#include "cclc/UserPrograms/FindProgram.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::api;
using llvm::formatv;

Toolchain::Toolchain(std::string targets) : folder(std::move(targets)) {
  auto programs = std::make_shared<dsl::ProgramRegistry>();
  dsl::registerAllPrograms(*programs);
  registry = std::move(programs);
}

std::vector<std::string> Toolchain::programs() const {
  std::vector<std::string> names;
  for (const dsl::Declaration &program : registry->all())
    names.push_back(program.name());
  return names;
}

std::vector<std::string> Toolchain::targets() const {
  std::vector<std::string> names;
  for (auto &[name, description] : listTargets(folder))
    names.push_back(name);
  return names;
}

Result<Plan> Toolchain::compile(const std::string &program, const CompileOptions &options) const {
  if (const dsl::Declaration *found = registry->find(program))
    return compile(*found, options);
  DiagnosticEngine diags;
  diags.error({}, unknownProgram(program, programs(), *registry));
  return Failed{diags};
}

static LogicalResult readOptions(const CompileOptions &options, const std::string &folder,
                                 CompileRequest &request, DiagnosticEngine &diags) {
  request.parameters.assign(options.parameters.begin(), options.parameters.end());
  request.ranks = options.ranks;
  if (options.target) {
    FailureOr<TargetRequest> target = requestOf(*options.target, folder, diags);
    if (failed(target))
      return failure();
    request.target = std::move(*target);
  }
  if (options.protocol)
    request.protocol = parseProtocol(*options.protocol);
  if (options.protocol && !request.protocol)
    return diags.error({}, unknownWord("protocol", *options.protocol, {"Simple", "LL", "LL128"}));
  if (options.instances == 0u)
    return diags.error({}, "the number of instances must be at least 1");
  request.instances = options.instances;
  std::optional<InstanceLayout> layout = parseInstanceLayout(options.instanceLayout);
  if (!layout)
    return diags.error({}, unknownWord("layout of instances", options.instanceLayout,
                                       {"blocked", "interleaved", "batched"}));
  request.layout = *layout;
  request.endpoints = options.endpoints;
  request.slots = slotsOf(options.slots);
  request.jobs = std::max(options.jobs, 1u);
  request.onStage = stagesOf(options.onProgress, options.cancellation);
  if (options.optimisation > 3)
    return diags.error(
        {}, formatv("the levels of optimisation are 0 to 3, not {0}", options.optimisation));
  request.optimisation = options.optimisation;
  request.userCode.isGuarded = options.guard;
  request.minBytes = options.minBytes;
  request.maxBytes = options.maxBytes;
  request.search = findFastest;
  return success();
}

Result<Plan> Toolchain::compile(const dsl::Declaration &program,
                                const CompileOptions &options) const {
  return unlessCancelled([&]() -> Result<Plan> {
    DiagnosticEngine diags;
    CompileRequest request;
    if (failed(readOptions(options, folder, request, diags)))
      return Failed{diags};
    FailureOr<Compiled> compiled = cclc::compile(program, request, diags);
    if (failed(compiled))
      return Failed{diags};
    for (const auto &text : {compiled->equalRoutes, compiled->otherOrder})
      if (text)
        diags.warning({}, *text);
    return {PlanAccess::make({std::move(compiled->plan), "", true, folder}), messagesOf(diags)};
  });
}
