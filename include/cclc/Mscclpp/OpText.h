//===- OpText.h - Operations of MSCCL++ plans in words ----------*- C++ -*-===//

#ifndef CCL_MSCCLPP_OPTEXT_H
#define CCL_MSCCLPP_OPTEXT_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// "put i[3] -> r1:o[3]", "signal r1, r2", "barrier 0 of 4 threadblocks": \p op with the objects
/// that its numbers refer to. Operations of a rank with equal texts have the same effect. A second
/// channel to a rank is "r1#1".
std::string operationText(const Plan &plan, const Threadblock &tb, const Operation &op);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_OPTEXT_H
