//===- OpenMpiCollectives.h - The collectives of Open MPI -------*- C++ -*-===//

#ifndef CCL_LIB_FORMATS_SELECTION_OPENMPICOLLECTIVES_H
#define CCL_LIB_FORMATS_SELECTION_OPENMPICOLLECTIVES_H

#include "cclc/IR/CollectiveKind.h"
#include "cclc/Support/LLVM.h"

namespace cclc {

/// A collective, whose index is its number in coll_base_functions.h.
struct OpenMpiCollective {
  StringRef name;
  std::optional<CollectiveKind> kind = {}; ///< unset: rules of it are not converted
};

inline constexpr OpenMpiCollective openMpiCollectives[] = {
    {"allgather", CollectiveKind::AllGather},
    {"allgatherv"},
    {"allreduce", CollectiveKind::AllReduce},
    {"alltoall", CollectiveKind::AllToAll},
    {"alltoallv"},
    {"alltoallw"},
    {"barrier"},
    {"bcast", CollectiveKind::Broadcast},
    {"exscan"},
    {"gather", CollectiveKind::Gather},
    {"gatherv"},
    {"reduce", CollectiveKind::Reduce},
    {"reduce_scatter", CollectiveKind::ReduceScatter},
    {"reduce_scatter_block", CollectiveKind::ReduceScatter},
    {"scan"},
    {"scatter", CollectiveKind::Scatter},
    {"scatterv"},
    {"neighbor_allgather"},
    {"neighbor_allgatherv"},
    {"neighbor_alltoall"},
    {"neighbor_alltoallv"},
    {"neighbor_alltoallw"},
};

} // namespace cclc

#endif // CCL_LIB_FORMATS_SELECTION_OPENMPICOLLECTIVES_H
