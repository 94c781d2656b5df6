//===- NativeCollective.h - The collectives of the MPI library --*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_NATIVECOLLECTIVE_H
#define CCL_LIB_RUN_MPI_NATIVECOLLECTIVE_H

#include "cclc/Run/PreparedPlan.h"

#include <mpi.h>

namespace cclc::run {

/// Whether MPI has the collective, type and operator of the plan.
bool hasNativeCollective(const PreparedPlan &plan);

/// The collectives of MPI by one of their names.
struct MpiFunctions {
  decltype(&MPI_Allreduce) allreduce;
  decltype(&MPI_Reduce) reduce;
  decltype(&MPI_Reduce_scatter_block) reduce_scatter_block;
  decltype(&MPI_Scan) scan;
  decltype(&MPI_Exscan) exscan;
  decltype(&MPI_Allgather) allgather;
  decltype(&MPI_Alltoall) alltoall;
  decltype(&MPI_Bcast) bcast;
  decltype(&MPI_Gather) gather;
  decltype(&MPI_Scatter) scatter;
};
/// MPI_..., which libccl-mpi has as well, and PMPI_..., which the library alone has.
extern const MpiFunctions applicationFunctions, libraryFunctions;

/// Calls the collective of \p plan once on the buffers of \p rank.
void callCollective(const MpiFunctions &functions, const PreparedPlan &plan, RankId rank,
                    const RankBuffers &buffers, MPI_Comm comm);

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_NATIVECOLLECTIVE_H
