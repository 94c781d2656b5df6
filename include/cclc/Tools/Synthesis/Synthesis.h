//===- Synthesis.h - Algorithms for the links of a machine ------*- C++ -*-===//
//
// The work of `cclc synth`.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_SYNTHESIS_SYNTHESIS_H
#define CCL_TOOLS_SYNTHESIS_SYNTHESIS_H

#include "cclc/Compiler/Compile.h"
#include "cclc/Search/Synth/PathAlgorithm.h"
#include "cclc/Search/Synth/TreeAlgorithm.h"

namespace cclc {

struct RankGroup;

/// Each member is an option of `cclc synth`.
struct SynthesisRequest {
  std::string collective;
  std::optional<uint32_t> trees, chunks, root;
  bool isSmall = false;      ///< --latency
  bool toNeighbours = false; ///< --neighbours
};

/// Finds an algorithm for a machine, which is then compiled like any program.
class Synthesis {
public:
  explicit Synthesis(SynthesisRequest how) : how(std::move(how)) {}

  /// Finds the algorithm for the machine and the ranks of \p request, whose number it sets. Fails
  /// if the request is unusable.
  FailureOr<dsl::Declaration> find(CompileRequest &request, DiagnosticEngine &diags);

  // Of the algorithm that was found:
  void writeSource(raw_ostream &os) const;
  /// Prints the trees or paths and their load.
  void printSummary(raw_ostream &os) const;

private:
  LogicalResult check(const CompileRequest &compilation, DiagnosticEngine &diags) const;
  FailureOr<dsl::Declaration> findTrees(const RankGroup &group, const CompileRequest &request,
                                        DiagnosticEngine &diags);
  /// Chooses the number of trees, of their chunks and of channels, and the order.
  void choose(synth::TreeSearch &search, const synth::TransferGraph &graph, const Machine &machine,
              const CompileRequest &request);
  FailureOr<dsl::Declaration> findPaths(const RankGroup &group, const CompileRequest &request,
                                        DiagnosticEngine &diags);
  LogicalResult reportFewPeers(const RankGroup &group, StringRef algorithm,
                               DiagnosticEngine &diags) const;
  LogicalResult reportNoPath(const RankGroup &group, DiagnosticEngine &diags) const;
  std::string treesText() const;

  SynthesisRequest how;
  std::string name, summary;
  Bytes buffer; ///< of small buffers
  std::optional<synth::TreeAlgorithm> trees;
  std::optional<synth::PathAlgorithm> paths;
  std::string choice; ///< of the trees, in the summary
  double leastSecondsPerByte = 0;
};

} // namespace cclc

#endif // CCL_TOOLS_SYNTHESIS_SYNTHESIS_H
