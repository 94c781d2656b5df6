//===- Transport.h - The choice of a transport ------------------*- C++ -*-===//
//
// MPI libraries differ in their binary interface, so ccl-run links none. Each has a module of its
// own, which is loaded when the launcher of that library has started the process, or by name.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_RUN_TRANSPORT_H
#define CCL_TOOLS_CCL_RUN_TRANSPORT_H

#include "cclc/Run/ThreadGroup.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc {

/// A transport by name: "threads", or the MPI library of a module.
struct TransportChoice {
  std::string name = "threads";
  bool sharesMemory = false; ///< processes of a node do
  bool isMpi() const { return name != "threads"; }

  /// \p text is "threads", or "mpi" or "node" with the name of the library or without, as in
  /// "mpi:openmpi"; without a text, the launcher decides.
  static FailureOr<TransportChoice> parse(const std::optional<std::string> &text,
                                          DiagnosticEngine &diags);
};

/// Loads the module of the MPI library from \p folder and joins its job. \p threads applies to
/// threads, and \p processes to processes.
FailureOr<std::unique_ptr<run::Group>> createGroup(const TransportChoice &choice, StringRef folder,
                                                   run::ThreadChoice threads,
                                                   const run::ProcessChoice &processes,
                                                   DiagnosticEngine &diags);

/// Begins the program \p argv again with libccl-mpi from the folder \p modules, for the portfolio
/// in
/// \p plans, unless it is preloaded. To be called before createGroup().
LogicalResult preload(const TransportChoice &choice, StringRef modules, const std::string &plans,
                      char **argv, DiagnosticEngine &diags);

/// Makes the MPI library take \p algorithm for \p collective, by its own variables. To be called
/// before createGroup().
LogicalResult forceAlgorithm(const TransportChoice &choice, const Collective &collective,
                             StringRef algorithm, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_RUN_TRANSPORT_H
