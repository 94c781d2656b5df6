//===- OwnPlans.h - The plans that a process announces ----------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_OWNPLANS_H
#define CCL_LIB_RUN_MPI_OWNPLANS_H

#include "JobAgreement.h"
#include "PlanFolder.h"

namespace cclc::run {

/// What the variables of this process say, until MPI is initialised.
struct OwnPlans {
  DiagnosticEngine diags; ///< errors of the variables and of the folder
  std::optional<PlanFolder> folder;
  uint64_t memory = uint64_t(64) << 20; ///< CCL_MPI_MEMORY
  Announcement announcement;
  bool isPublished = false;

  /// Reads the folder, and publishes the announcement in the job.
  OwnPlans();
  /// Why no plan can be used in the job, if so. To be called once, after MPI_Init.
  std::optional<Disagreement> compare(int ranks) const;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_OWNPLANS_H
