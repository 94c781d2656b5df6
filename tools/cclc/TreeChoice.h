//===- TreeChoice.h - The number of trees of cclc synth ---------*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_TREECHOICE_H
#define CCL_TOOLS_CCLC_TREECHOICE_H

#include "cclc/Compiler/Compile.h"
#include "cclc/Synth/TreeAlgorithm.h"

namespace cclc {

/// The trees whose plan is the fastest with the largest size of \p compilation (default: 256 MiB),
/// among \p fewest, more trees of \p request, and those of \p fewest with several chunks each. With
/// 1 KiB, the plan may take 10 % longer than that of \p fewest.
synth::TreeAlgorithm chooseTrees(const synth::TreeAlgorithm &fewest, synth::TreeRequest request,
                                 const synth::TransferGraph &graph, const Machine &machine,
                                 const CompileRequest &compilation);

} // namespace cclc

#endif // CCL_TOOLS_CCLC_TREECHOICE_H
