//===- CallArguments.h - Arguments that MPI rejects -------------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_CALLARGUMENTS_H
#define CCL_LIB_RUN_MPI_CALLARGUMENTS_H

#include "CollectiveCall.h"

namespace cclc::run {

/// Whether the MPI library reports an error of the buffers, counts or types of \p call in this
/// process, which is \p rank of its communicator. Types that plans reduce, the operator and the
/// root are right. \p messages has the same processes, and returns errors.
bool isRejected(const CollectiveCall &call, int rank, MPI_Comm messages);

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_CALLARGUMENTS_H
