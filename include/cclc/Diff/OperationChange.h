//===- OperationChange.h - A difference of operations -----------*- C++ -*-===//

#ifndef CCL_DIFF_OPERATIONCHANGE_H
#define CCL_DIFF_OPERATIONCHANGE_H

#include "cclc/Support/Ids.h"
#include "cclc/Support/Location.h"

#include <string>

namespace cclc::diff {

/// A change of the operations of plans of MSCCL++: of the number of one kind on a rank, or an
/// operation that is changed or in only one of the plans.
struct OperationChange {
  RankId rank;
  std::string subject;       ///< "put", or "tb1 op 3"
  std::string before, after; ///< empty if missing
  Location location;
  bool isKind = false;
};

} // namespace cclc::diff

#endif // CCL_DIFF_OPERATIONCHANGE_H
