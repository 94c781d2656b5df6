//===- Stats.h - What a compilation made ------------------------*- C++ -*-===//

#ifndef CCL_REPORT_STATS_H
#define CCL_REPORT_STATS_H

#include "cclc/Compiler/Compile.h"

namespace cclc {

/// Steps of each kind, threadblocks, channels, messages, the proof and what each
/// pass did: the same for the same input.
void printStats(const Compiled &compiled, raw_ostream &os);
/// The same as one JSON object; docs/CommandGuide/cclc.md documents the keys.
void writeStatsJson(const Compiled &compiled, raw_ostream &os);
/// How long each pass took.
void printTimings(const Compiled &compiled, raw_ostream &os);

} // namespace cclc

#endif // CCL_REPORT_STATS_H
