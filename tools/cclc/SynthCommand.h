//===- SynthCommand.h - cclc synth ------------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_SYNTHCOMMAND_H
#define CCL_TOOLS_CCLC_SYNTHCOMMAND_H

#include "CompileArguments.h"

#include "cclc/Tools/Synthesis/Synthesis.h"

namespace cclc {

/// Finds an algorithm for a machine, which is then compiled like any program.
class SynthCommand {
public:
  /// Adds the options to \p verb, with those of a compilation, which are stored in \p args.
  void addTo(CommandLine &verb, CompileArguments &args);
  /// Takes --emit=cpp, which is no form of plans.
  void begin(CompileArguments &args);

  /// Finds the algorithm for the machine and the ranks of \p compilation. Fails if it is unusable.
  FailureOr<dsl::Declaration> synthesise(CompileRequest &compilation, DiagnosticEngine &diags);
  /// Whether the source of the program is written, instead of its plan.
  bool writesSource() const { return toSource; }
  const Synthesis &result() const { return *found; }

private:
  SynthesisRequest request;
  std::optional<uint64_t> trees, chunks, root;
  bool toSource = false;
  std::optional<Synthesis> found;
};

} // namespace cclc

#endif // CCL_TOOLS_CCLC_SYNTHCOMMAND_H
