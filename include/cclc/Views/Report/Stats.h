//===- Stats.h - Plan statistics --------------------------------*- C++ -*-===//

#ifndef CCL_VIEWS_REPORT_STATS_H
#define CCL_VIEWS_REPORT_STATS_H

#include "cclc/Compiler/Compile.h"

namespace cclc {

/// Prints steps of each kind, threadblocks, channels, messages, the proof and the counters of the
/// passes. The output is deterministic.
void printStats(const Compiled &compiled, raw_ostream &os);
/// The same as one JSON object; docs/CommandGuide/cclc.md documents the keys.
void writeStatsJson(const Compiled &compiled, raw_ostream &os);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_STATS_H
