//===- DumpOptions.h - Options of the --dump graphs -------------*- C++ -*-===//
//
// --dump-chunk-dag, --dump-inst-dag and --dump-schedule with their filters. The output is DOT
// source, or a picture rendered by Graphviz if it is installed.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCLC_DUMPOPTIONS_H
#define CCL_TOOLS_CCLC_DUMPOPTIONS_H

#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Tools/Cli/Files.h"

#include "cclc/Support/Diagnostics.h"
#include "cclc/Views/Dot/Filter.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc {

class DumpOptions {
public:
  void addTo(CommandLine &line);
  void addTo(NamedFiles &files) const;
  LogicalResult check(DiagnosticEngine &diags) const;
  bool any() const { return anyProgram() || schedule; }
  /// Whether there is a graph of a stage before the plan.
  bool anyProgram() const { return chunkDag || instDag; }

  LogicalResult write(const ChunkProgram &program, DiagnosticEngine &diags) const;
  LogicalResult write(const InstrProgram &program, DiagnosticEngine &diags) const;
  LogicalResult write(const ExecPlan &plan, DiagnosticEngine &diags) const;

private:
  template <class Program>
  LogicalResult writeTo(const std::optional<std::string> &file, const Program &program,
                        DiagnosticEngine &diags) const;

  std::optional<std::string> chunkDag, instDag, schedule;
  DotFilter filter;
};

/// Writes the DOT source that \p write produces to \p path; if \p path ends in .svg, .pdf or .png,
/// Graphviz renders it.
LogicalResult writeGraph(StringRef path, llvm::function_ref<void(raw_ostream &)> write,
                         DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCLC_DUMPOPTIONS_H
