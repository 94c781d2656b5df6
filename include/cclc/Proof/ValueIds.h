//===- ValueIds.h - Numbers of symbolic values and writers ------*- C++ -*-===//

#ifndef CCL_PROOF_VALUEIDS_H
#define CCL_PROOF_VALUEIDS_H

#include "cclc/Support/Ids.h"

namespace cclc {

/// The operation, instruction or step that wrote a cell or computed a value.
CCL_DEFINE_ID(WriterId, "");

CCL_DEFINE_ID(ValueId, "v");

/// \p length values, which have successive ids from \p first on or are all undefined.
struct ValueRun {
  ValueId first;
  uint32_t length;
};

} // namespace cclc

#endif // CCL_PROOF_VALUEIDS_H
