//===- NativeCollective.h - The collectives of the MPI library --*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_NATIVECOLLECTIVE_H
#define CCL_LIB_RUN_MPI_NATIVECOLLECTIVE_H

#include "cclc/Run/PreparedPlan.h"

#include <mpi.h>

namespace cclc::run {

/// Whether MPI has the collective, type and operator of the plan.
bool hasNativeCollective(const PreparedPlan &plan);

/// Calls it once on the buffers of \p rank.
void callNativeCollective(const PreparedPlan &plan, RankId rank, const RankBuffers &buffers,
                          MPI_Comm comm);

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_NATIVECOLLECTIVE_H
