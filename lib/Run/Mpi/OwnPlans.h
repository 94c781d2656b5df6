//===- OwnPlans.h - The plans that a process announces ----------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_OWNPLANS_H
#define CCL_LIB_RUN_MPI_OWNPLANS_H

#include "JobAgreement.h"
#include "PlanFolder.h"

namespace cclc::run {

/// What all processes of the job have announced.
struct JobPlans {
  std::optional<Disagreement> disagreement; ///< why no plan can be used, if so
  bool records = false;                     ///< whether all record their calls
};

/// What the variables of this process say, until MPI is initialised.
struct OwnPlans {
  DiagnosticEngine diags; ///< errors of the variables and of the folder
  std::optional<PlanFolder> folder;
  uint64_t memory = uint64_t(64) << 20; ///< CCL_MPI_MEMORY
  bool sharesMemory = true;             ///< unless CCL_MPI_SHARED is "off"
  std::string recordPath;               ///< CCL_MPI_RECORD; may be empty
  Announcement announcement;
  bool isPublished = false;

  /// Reads the folder, and publishes the announcement in the job.
  OwnPlans();
  /// To be called once, after MPI_Init.
  JobPlans compare(int ranks) const;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_OWNPLANS_H
