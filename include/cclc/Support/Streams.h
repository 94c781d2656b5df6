//===- Streams.h - Standard input, output and error -------------*- C++ -*-===//
//
// Everything a tool prints goes to llvm::outs() and llvm::errs(). Output that is
// lost is an error, with one line and exit code 2, whichever part of a tool wrote
// it. A reader that closes a pipe early has seen enough: the exit code is 2 as
// well, because the output is incomplete, but there is no message.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_STREAMS_H
#define CCL_SUPPORT_STREAMS_H

#include "cclc/Support/Diagnostics.h"

namespace llvm {
class raw_fd_ostream;
} // namespace llvm

namespace cclc {

/// Opens those of the descriptors 0 to 2 that are closed, or the next file that is
/// opened would become one of them. Writing to a closed standard output still fails.
void openStandardStreams();

/// Flushes \p os, and fails if a write to it failed: a full disk, for example. \p what
/// names it in the message.
LogicalResult finishStream(llvm::raw_fd_ostream &os, const llvm::Twine &what,
                           DiagnosticEngine &diags);

/// While it lives, whatever is written to descriptor 1 goes to stderr: what a user's
/// program prints must not get into the plan.
class DivertedStdout {
public:
  DivertedStdout();
  ~DivertedStdout();
  DivertedStdout(const DivertedStdout &) = delete;
  DivertedStdout &operator=(const DivertedStdout &) = delete;

private:
  int saved;
};

} // namespace cclc

#endif // CCL_SUPPORT_STREAMS_H
