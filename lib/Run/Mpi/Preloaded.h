//===- Preloaded.h - What libccl-mpi has for ccl-run ------------*- C++ -*-===//
//
// ccl-run measures plans as applications execute them: with libccl-mpi preloaded, by calls of MPI's
// functions. It finds these functions by their names.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_PRELOADED_H
#define CCL_LIB_RUN_MPI_PRELOADED_H

#include <cstdint>

extern "C" {
/// As run::usePlan().
bool cclc_use_plan(const char *file);
/// As run::callsByPlans().
uint64_t cclc_calls_by_plans();
}

#endif // CCL_LIB_RUN_MPI_PRELOADED_H
