//===- Xml.h - MSCCL-IR files -----------------------------------*- C++ -*-===//
//
// The format of the MSCCL runtimes:
//
//   algo  name proto nchannels nchunksperloop ngpus coll inplace outofplace ...
//    gpu  id i_chunks o_chunks s_chunks
//     tb  id send recv chan
//      step  s type srcbuf srcoff dstbuf dstoff cnt depid deps hasdep
//
// Operands that a step does not use (Ops.def) are informational and not checked. A collective that
// is unknown or named custom has no post-condition.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_MSCCL_XML_H
#define CCL_FORMATS_MSCCL_XML_H

#include "cclc/Formats/Msccl/Dialect.h"
#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// Reads the files of any MSCCL runtime. Errors carry line and column.
FailureOr<ExecPlan> readMscclXml(StringRef text, StringRef fileName, DiagnosticEngine &diags);

/// Checks that the runtime would load the plan and execute it as written. Reports the first
/// violated rule; lower bounds over all assignments (PlanBounds.cpp) are checked before the numbers
/// of ranks and threadblocks.
LogicalResult checkMscclLimits(const ExecPlan &plan, const MscclDialect &dialect,
                               DiagnosticEngine &diags);

/// Writes a plan that checkMscclLimits accepted: no prolog, one element per line, attributes in the
/// runtime's order.
void writeMscclXml(const ExecPlan &plan, const MscclDialect &dialect, raw_ostream &os);

} // namespace cclc

#endif // CCL_FORMATS_MSCCL_XML_H
