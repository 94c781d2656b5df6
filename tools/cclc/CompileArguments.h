//===- CompileArguments.h - The command line of a compilation ---*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_COMPILEARGUMENTS_H
#define CCL_TOOLS_CCLC_COMPILEARGUMENTS_H

#include "DumpOptions.h"
#include "cclc/Tools/Cli/CommandLine.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/Formats/PlanFormat.h"

namespace cclc {

/// The command line before its values are parsed.
struct CompileArguments {
  std::string program;
  std::vector<std::string> parameters, sets;
  std::optional<std::string> layout, target, endpoints, output, emit, dialectName, protocol, slots,
      slotSize, placement, minBytes, maxBytes, golden, fuse, fusedOps, level, goal, printAfter,
      rolled;
  std::optional<uint64_t> ranks, instances, sharing, maxChannels, maxThreadblocks, jobs, traceLimit,
      traceSeconds, worldSize;
  bool aggregate = false, noFuse = false, verifyEach = false, noVerify = false, timePasses = false,
       printAfterAll = false, locations = false;
  std::string stats, explain;
  MessageForm format = MessageForm::Text;
  DumpOptions dumps;

  void addTo(CommandLine &line);
  /// Adds all options but the program; \p forms are the values of --emit.
  void addOptions(CommandLine &line, std::vector<std::string> forms);
  /// Adds only --trace-timeout, for commands that trace without compiling.
  void addTraceTimeout(CommandLine &line);

  /// The format of the plan, by --emit or the name of the file.
  const PlanFormat &form() const;
  /// The runtime of the XML.
  const MscclDialect &dialect() const;
  /// Whether a plan is written, that is, unless only statistics or graphs are requested.
  bool writesPlan() const;
  /// Sets the slots of \p request that are given.
  LogicalResult readSlots(CompileRequest &request, DiagnosticEngine &diags) const;

private:
  void addAlgorithm(CommandLine &line);
  void addOutput(CommandLine &line, std::vector<std::string> forms);
  void addOptimisation(CommandLine &line);
  void addInsight(CommandLine &line);
};

} // namespace cclc

#endif // CCL_TOOLS_CCLC_COMPILEARGUMENTS_H
