//===- AdvicePrograms.h - Other plans to try for --advise -------*- C++ -*-===//
//
// A plan of a bundled program records how it was compiled, apart from the optimisation of cclc.
// --advise compiles it again with one other choice at a time.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SEARCH_ADVISE_ADVICEPROGRAMS_H
#define CCL_LIB_SEARCH_ADVISE_ADVICEPROGRAMS_H

#include "AdviceTrial.h"

#include "cclc/Compiler/Compile.h"

namespace cclc {

/// A compilation of a bundled program.
struct ProgramCandidate {
  std::string subject; ///< as for OptionCandidate
  std::string action;
  const dsl::Declaration *program;
  CompileRequest request;
  /// Describes the difference of the runs; empty if the change has another effect than intended.
  std::function<std::string(const RunFigures &now, const RunFigures &then)> cause;
  uint32_t weight;

  /// The command of cclc, without its output.
  std::string command() const;
};

/// The choices of the compilation of \p request.placed.plan: optimisation, placement, protocol,
/// instances, parameters, and programs that use both directions of links. Adds to \p notes why
/// there are none. Candidates refer to \p request.programs.
std::vector<ProgramCandidate> programCandidates(const AdviceRequest &request, uint32_t dispatch,
                                                std::vector<std::string> &notes);

} // namespace cclc

#endif // CCL_LIB_SEARCH_ADVISE_ADVICEPROGRAMS_H
