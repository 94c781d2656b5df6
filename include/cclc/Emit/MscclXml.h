//===- MscclXml.h - MSCCL-IR files ------------------------------*- C++ -*-===//
//
// The format of the MSCCL runtimes:
//
//   algo  name proto nchannels nchunksperloop ngpus coll inplace outofplace ...
//    gpu  id i_chunks o_chunks s_chunks
//     tb  id send recv chan
//      step  s type srcbuf srcoff dstbuf dstoff cnt depid deps hasdep
//
// Operands that a step does not use are informational and may say anything; the
// local operands are those of Ops.def. A collective that is not known, or is
// called custom, has no post-condition.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_EMIT_MSCCLXML_H
#define CCL_EMIT_MSCCLXML_H

#include "cclc/Emit/MscclDialect.h"
#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// Reads the files of any MSCCL runtime. Errors carry line and column.
FailureOr<ExecPlan> readMscclXml(StringRef text, StringRef fileName, DiagnosticEngine &diags);

/// Whether the runtime would load the plan and execute what stands in it. Reports the first limit
/// that is exceeded, with the value and a remedy.
LogicalResult checkMscclLimits(const ExecPlan &plan, const MscclDialect &dialect,
                               DiagnosticEngine &diags);

/// Writes a plan that checkMscclLimits accepted: no prolog, one element a line, attributes
/// in the runtime's order.
void writeMscclXml(const ExecPlan &plan, const MscclDialect &dialect, raw_ostream &os);

} // namespace cclc

#endif // CCL_EMIT_MSCCLXML_H
