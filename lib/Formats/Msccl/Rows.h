//===- Rows.h - Converting a plan to rows -----------------------*- C++ -*-===//
//
// The writer and the checks of limits use these rows. A row differs from its step where the
// runtimes would execute the step differently: trailing nops of a threadblock, which they drop, are
// omitted, and a reduction publishes if the next one must not be merged into it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FORMATS_MSCCL_ROWS_H
#define CCL_LIB_FORMATS_MSCCL_ROWS_H

#include "Loader.h"

#include "cclc/IR/ExecPlan.h"

namespace cclc::msccl {

Header headerOf(const ExecPlan &plan, const MscclDialect &dialect);
/// The sizes of the buffers that the rank uses, and 0 for unused buffers.
Gpu gpuOf(const ExecPlan &plan, RankId rank);
/// The rows of threadblock number \p id, which are stored in \p rows.
Tb tbOf(const ExecPlan &plan, const Threadblock &tb, uint32_t id, std::vector<Row> &rows);

} // namespace cclc::msccl

#endif // CCL_LIB_FORMATS_MSCCL_ROWS_H
