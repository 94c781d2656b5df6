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

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// Reads the files of any MSCCL runtime. Errors carry line and column.
FailureOr<ExecPlan> readMscclXml(StringRef text, StringRef fileName, DiagnosticEngine &diags);

/// Whether microsoft/msccl would load the plan: steps, threadblocks, channels and
/// counts within its limits. Reports the limit and the value.
LogicalResult checkMscclLimits(const ExecPlan &plan, DiagnosticEngine &diags);

/// Writes the dialect of microsoft/msccl, which checkMscclLimits accepted: no
/// prolog, one element a line, attributes in the runtime's order.
void writeMscclXml(const ExecPlan &plan, raw_ostream &os);

} // namespace cclc

#endif // CCL_EMIT_MSCCLXML_H
