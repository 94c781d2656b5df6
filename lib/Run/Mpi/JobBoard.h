//===- JobBoard.h - Texts that the processes of a job publish ---*- C++ -*-===//
//
// MPI has no way to learn whether other processes take part in a collective of a library: one that
// does not would pair it with its own next collective, or leave the others waiting. The launcher
// has a table for what processes need of each other before they can communicate.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_JOBBOARD_H
#define CCL_LIB_RUN_MPI_JOBBOARD_H

#include <optional>
#include <string>
#include <vector>

namespace cclc::run {

/// To be called before MPI_Init, which waits for all processes. \p text has letters, digits and
/// hyphens. Returns false if the launcher has no table.
bool publishInJob(const std::string &text);

/// The texts of the processes of MPI_COMM_WORLD, by rank; none for those that have published none
/// before MPI_Init. To be called after it, once, and only if the own text is published.
std::vector<std::optional<std::string>> publishedInJob(int ranks);

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_JOBBOARD_H
