//===- PlanHash.h - Recognising equal plans ---------------------*- C++ -*-===//

#ifndef CCL_LIB_SEARCH_TUNE_PLANHASH_H
#define CCL_LIB_SEARCH_TUNE_PLANHASH_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Target/Machine.h"

namespace cclc {

/// A hash of all that an execution of \p plan on \p machine depends on. Names, parameters, source
/// locations and phases without gates are left out, so that programs and options with the same plan
/// agree.
std::string hashOfPlan(const ExecPlan &plan, const Machine &machine);

} // namespace cclc

#endif // CCL_LIB_SEARCH_TUNE_PLANHASH_H
