//===- SkewOption.h - Parsing --skew ----------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_SIMULATE_SKEWOPTION_H
#define CCL_TOOLS_CCL_SIM_SIMULATE_SKEWOPTION_H

#include "cclc/Sim/Engine.h"

namespace cclc {

/// The values of --skew, each one of
///
///   RANK=SECONDS              the rank starts SECONDS after the launch
///   RANK=xFACTOR              its engines take FACTOR times as long
///   random=SECONDS[:SEED]     every rank starts later by up to SECONDS, uniformly
///
/// in order; a later value overrides earlier ones for its ranks. Returns one entry per rank, or
/// none if \p texts is empty.
FailureOr<std::vector<Skew>> parseSkew(ArrayRef<std::string> texts, uint32_t ranks,
                                       DiagnosticEngine &diags);

/// Reports a factor without effect, because no engine of \p target takes time.
LogicalResult checkSkew(ArrayRef<Skew> skew, bool enginesTakeTime, StringRef target,
                        DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_SIMULATE_SKEWOPTION_H
