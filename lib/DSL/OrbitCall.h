//===- OrbitCall.h - A call of orbit() in progress --------------*- C++ -*-===//

#ifndef CCL_LIB_DSL_ORBITCALL_H
#define CCL_LIB_DSL_ORBITCALL_H

#include "cclc/Symmetry/RotationGroup.h"

namespace cclc::dsl {

struct OrbitCall {
  RotationGroup group;
  RotationGroup::Element by; ///< the renumbering of the current repetition
  uint64_t next = 0;         ///< the number of the next repetition
  uint32_t start;            ///< the time when the call began
  uint32_t repetitionStart;  ///< the time when the current repetition began
};

} // namespace cclc::dsl

#endif // CCL_LIB_DSL_ORBITCALL_H
