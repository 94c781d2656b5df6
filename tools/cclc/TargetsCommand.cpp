#include "TargetsCommand.h"

#include "Listings.h"
#include "cclc/Report/MachineDescription.h"

#include "cclc/Target/Loader.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

void TargetsCommand::addTo(CommandLine &verb) {
  verb.flag("--json", json, "print JSON");
  describing.emplace(
      verb.command("describe", "describe a machine: levels, links, routes and limits"));
  describing->positional("NAME|FILE", target, "a bundled target or a target file", true);
  describing->list("--set", "PATH=VALUE", sets, "override a value of the target");
  describing->number("--ranks", 1, 1 << 16, ranks,
                     "set the number of ranks of a target without a fixed size");
  describing->flag("--json", json, "print JSON");
}

ExitCode TargetsCommand::describe(const std::string &targetDir, DiagnosticEngine &diags) const {
  TargetRequest request{target, targetDir, {}, std::nullopt};
  if (ranks)
    request.ranks = uint32_t(*ranks);
  std::string resolved;
  if (failed(parseOverrides(sets, request.overrides, diags)))
    return ExitCode::Unusable;
  FailureOr<Machine> machine = loadTarget(request, diags, &resolved);
  if (failed(machine))
    return ExitCode::Unusable;
  MachineDescription description = cclc::describe(*machine, resolved);
  if (json)
    writeDescriptionJson(*machine, description, llvm::outs());
  else
    printDescription(*machine, description, llvm::outs());
  return ExitCode::Success;
}

ExitCode TargetsCommand::run(const std::string &targetDir, DiagnosticEngine &diags) const {
  if (describing->chosen())
    return describe(targetDir, diags);
  printTargets(targetDir, json, llvm::outs());
  return ExitCode::Success;
}
