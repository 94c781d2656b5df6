//===- TreeChoice.h - The number of trees of cclc synth ---------*- C++ -*-===//

#ifndef CCL_LIB_TOOLS_SYNTHESIS_TREECHOICE_H
#define CCL_LIB_TOOLS_SYNTHESIS_TREECHOICE_H

#include "cclc/Compiler/Compile.h"
#include "cclc/Search/Synth/TreeAlgorithm.h"

namespace cclc {

/// Trees, and what is known of their choice.
struct TreeChoice {
  synth::TreeAlgorithm trees;
  struct Known {
    /// Unset if the user chose it.
    std::optional<uint32_t> channels;
    bool ordered = false;
    /// What was simulated: the time of the plan, and that of the fewest trees on channels that the
    /// compiler chooses.
    Bytes buffer;
    SimTime chosen, fewest;
  };
  /// Unset if nothing can be simulated.
  std::optional<Known> known;
};

/// The trees whose plan is the fastest with the largest size of \p compilation (default: 256 MiB),
/// among \p fewest, more trees of \p search, and those of \p fewest with several chunks each, on
/// several numbers of channels and in both orders unless \p compilation sets them. With 1 KiB, the
/// plan may take 10 % longer than that of \p fewest.
TreeChoice chooseTrees(const synth::TreeAlgorithm &fewest, synth::TreeSearch &search,
                       const synth::TransferGraph &graph, const Machine &machine,
                       const CompileRequest &compilation);

} // namespace cclc

#endif // CCL_LIB_TOOLS_SYNTHESIS_TREECHOICE_H
