//===- ClockOffset.h - The clocks of MPI processes --------------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_CLOCKOFFSET_H
#define CCL_LIB_RUN_MPI_CLOCKOFFSET_H

#include <mpi.h>

#include <chrono>

namespace cclc::run {

struct ClockOffset {
  std::chrono::nanoseconds ahead; ///< of the clock of process 0
  std::chrono::nanoseconds error; ///< at most this much
};

/// The offset of the steady clock of this process, measured by messages. All processes of \p comm
/// call it.
ClockOffset measureClockOffset(MPI_Comm comm);

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_CLOCKOFFSET_H
