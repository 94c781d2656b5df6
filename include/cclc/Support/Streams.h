//===- Streams.h - Standard input, output and error -------------*- C++ -*-===//
//
// Everything a tool prints goes to llvm::outs() and llvm::errs(). Lost output is an error with a
// message of one line and exit code 2, whichever part of a tool wrote it. If the reader of a pipe
// closes it early, the exit code is 2 as well, because the output is incomplete, but there is no
// message.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_STREAMS_H
#define CCL_SUPPORT_STREAMS_H

#include "cclc/Support/Diagnostics.h"

namespace llvm {
class raw_fd_ostream;
} // namespace llvm

namespace cclc {

/// Opens those of the descriptors 0 to 2 that are closed; otherwise the next file to be opened
/// would get one of these numbers. Writing to a closed standard output still fails.
LogicalResult openStandardStreams();

/// Whether standard error is a terminal that interprets escape sequences. That of TERM=dumb, or
/// without TERM, shows them. Async-signal-safe.
bool errorsTakeEscapes();

/// Flushes \p os, and fails if a write to it failed: a full disk, for example. \p what
/// names it in the message.
LogicalResult finishStream(llvm::raw_fd_ostream &os, const llvm::Twine &what,
                           DiagnosticEngine &diags);

/// From here on, output to descriptor 2 is kept in memory, so that the output of compilers and of
/// users' programs cannot get into a report that standard error has.
void captureStandardError();
/// Ends this, and returns the output.
std::string takeCapturedError();
/// Ends this, and writes the output to standard error if \p print. Async-signal-safe.
void endCapturedError(bool print);

/// During its lifetime, output to descriptor 1 goes to stderr, so that output of a user's program
/// cannot get into the plan.
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
