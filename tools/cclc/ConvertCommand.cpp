//===- ConvertCommand.cpp - cclc convert ----------------------------------===//
//
// Reads the options of a conversion, checks those that need a certain output, and writes the
// result.
//
//===----------------------------------------------------------------------===//

#include "ConvertCommand.h"

#include "cclc/Compiler/ConvertPlan.h"
#include "cclc/Compiler/Variant.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Tools/Cli/Files.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

void ConvertCommand::addTo(CommandLine &verb, MessageForm &format) {
  verb.positional("FILE", file, "a plan in any form; - reads standard input", true);
  verb.option("-o,--output", "FILE", output, "write the plan to FILE (default: -, stdout)");
  verb.choice("--emit", planFormatNames(), emit,
              "choose the form of the result (default: by the ending of FILE, else json)");
  verb.choice("--xml-dialect", {"msccl", "rccl", "msccl-executor"}, dialect,
              "write XML for this runtime (default: msccl)");
  verb.number("--world-size", 1, 1 << 16, worldSize,
              "set the world size of an algorithm module (default: the number of SIPs)");
  verb.number(
      "--threadblock-group", 1, maxSharing, sharing,
      "share the operations of each threadblock of MSCCL++ among N threadblocks, of a plan of "
      "steps (default: 1)");
  verb.flag("--no-verify", noVerify, "disable the proofs of the plan and of the result");
  verb.messages(format);
}

ExitCode ConvertCommand::run(const std::string &targetDir, Progress &progress,
                             DiagnosticEngine &diags) const {
  std::string to = output.value_or("-");
  NamedFiles files;
  files.input("FILE", file);
  files.output("-o", to);
  if (failed(files.check(diags)))
    return ExitCode::Unusable;
  ConvertRequest request;
  request.format = emit ? findPlanFormat(*emit) : &planFormatForFile(to);
  request.dialect = findMscclDialect(dialect.value_or("msccl"));
  request.prove = !noVerify;
  request.worldSize = worldSize;
  request.targetDir = targetDir;
  StringRef name = planFileName(file);
  request.onStage = [&](StringRef stage) { progress.stage(name + ": " + stage); };
  if (dialect && !request.format->hasDialects) {
    diags.error({}, "--xml-dialect needs --emit=xml");
    return ExitCode::Unusable;
  }
  if (worldSize && !request.format->ahbm.write) {
    diags.error({}, "--world-size needs --emit=ahbm-module");
    return ExitCode::Unusable;
  }
  if (sharing && !request.format->mscclpp.write) {
    diags.error({}, "--threadblock-group needs --emit=mscclpp");
    return ExitCode::Unusable;
  }
  request.sharing = sharing.value_or(1);
  auto text = openPlanFile(file, diags);
  if (failed(text))
    return ExitCode::Unusable;
  FailureOr<std::string> bytes = convertText((*text)->getBuffer(), name, request, diags);
  if (failed(bytes))
    return exitCodeOf(diags.failure());
  if (failed(writeFile(to, [&](raw_ostream &os) { os << *bytes; }, diags)))
    return ExitCode::Unusable;
  return ExitCode::Success;
}
