//===- Rows.h - A plan as the rows of a file --------------------*- C++ -*-===//
//
// What the writer writes and the limits are checked on. A row differs from its step
// where the runtimes would understand the step differently: the last nops of a threadblock,
// which they drop, are left out, and a reduction publishes where the next one must not be
// merged into it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCL_ROWS_H
#define CCL_LIB_MSCCL_ROWS_H

#include "Loader.h"

#include "cclc/IR/ExecPlan.h"

namespace cclc::msccl {

Header headerOf(const ExecPlan &plan, const MscclDialect &dialect);
/// The size of every buffer that the rank uses, and 0 of one that it does not.
Gpu gpuOf(const ExecPlan &plan, RankId rank);
/// The rows of a threadblock, whose number \p id is; \p rows is where they are kept.
Tb tbOf(const ExecPlan &plan, const Threadblock &tb, uint32_t id, std::vector<Row> &rows);

} // namespace cclc::msccl

#endif // CCL_LIB_MSCCL_ROWS_H
