//===- SynthCommand.h - cclc synth ------------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_SYNTHCOMMAND_H
#define CCL_TOOLS_CCLC_SYNTHCOMMAND_H

#include "CompileArguments.h"
#include "TreeChoice.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/Compiler/RankGroup.h"
#include "cclc/Search/Synth/PathAlgorithm.h"
#include "cclc/Search/Synth/TreeAlgorithm.h"

namespace cclc {

/// Finds an algorithm for a machine, which is then compiled like any program.
class SynthCommand {
public:
  /// Adds the options to \p verb, with those of a compilation, which are stored in \p args.
  void addTo(CommandLine &verb, CompileArguments &args);
  /// Sets what the command line alone decides. Fails if it is unusable.
  LogicalResult begin(CompileArguments &args, DiagnosticEngine &diags);

  /// Finds the algorithm for the machine and the ranks of \p request. Fails if it is unusable.
  FailureOr<dsl::Declaration> synthesise(CompileRequest &request, DiagnosticEngine &diags);
  /// Whether the source of the program is written, instead of its plan.
  bool writesSource() const { return toSource; }
  void writeSource(raw_ostream &os) const;
  /// Prints the trees or paths and their load.
  void printSummary(raw_ostream &os) const;

private:
  FailureOr<dsl::Declaration> findTrees(const RankGroup &group, const CompileRequest &request,
                                        DiagnosticEngine &diags);
  /// Chooses the number of trees, of their chunks and of channels, and the order.
  void choose(const synth::TreeRequest &wanted, const synth::TransferGraph &graph,
              const Machine &machine, const CompileRequest &request);
  FailureOr<dsl::Declaration> findPaths(const RankGroup &group, const CompileRequest &request,
                                        DiagnosticEngine &diags);
  LogicalResult reportFewPeers(const RankGroup &group, StringRef algorithm,
                               DiagnosticEngine &diags) const;
  LogicalResult reportNoPath(const RankGroup &group, DiagnosticEngine &diags) const;

  std::string collectiveText, name, summary;
  std::string treesText() const;

  std::optional<uint64_t> count, chunks, root;
  Bytes buffer; ///< of small buffers
  bool toSource = false, isSmall = false, toNeighbours = false;
  std::optional<synth::TreeAlgorithm> trees;
  std::optional<synth::PathAlgorithm> paths;
  std::optional<TreeChoice::Known> chosen;
  double leastSecondsPerByte = 0;
};

} // namespace cclc

#endif // CCL_TOOLS_CCLC_SYNTHCOMMAND_H
