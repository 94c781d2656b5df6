//===- FixedChannels.h - Channels and threadblocks fixed by the user -*- C++ -*-===//

#ifndef CCL_LIB_SCHEDULE_FIXEDCHANNELS_H
#define CCL_LIB_SCHEDULE_FIXEDCHANNELS_H

#include "Claims.h"

namespace cclc::schedule {

/// Assigns fixed channels and threadblocks. Transfers that are connected by fixed threadblocks get
/// one channel, and the threadblocks get their peers. Channels are not fixed without \p
/// keepChannels. Fails if two directives contradict each other. Sets \p channelOf for every fixed
/// transfer.
LogicalResult placeFixed(const Transfers &transfers, bool keepChannels, Claims &claims,
                         std::vector<OptionalIndex> &channelOf, DiagnosticEngine &diags);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_FIXEDCHANNELS_H
