//===- FixedChannels.h - What the user fixed --------------------*- C++ -*-===//

#ifndef CCL_LIB_SCHEDULE_FIXEDCHANNELS_H
#define CCL_LIB_SCHEDULE_FIXEDCHANNELS_H

#include "Claims.h"

namespace cclc::schedule {

/// Fixed channels, and threadblocks with a number: transfers joined through such get one channel,
/// and the threadblocks their peers. Fails where two directives contradict each other.
/// \p channelOf is set for every transfer that is fixed.
LogicalResult placeFixed(const Transfers &transfers, Claims &claims,
                         std::vector<uint32_t> &channelOf, DiagnosticEngine &diags);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_FIXEDCHANNELS_H
