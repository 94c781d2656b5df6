//===- Output.cpp - Start and end of a tool -------------------------------===//
//
// Before a tool runs, handlers for crashes, interrupts and failed allocations are installed, on a
// separate stack. At the end standard output is flushed and checked, since a full disk is an error.
// Also implements progress on terminals, and finds the files installed beside the tool.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Cli/Output.h"

#include "cclc/Support/Interrupts.h"
#include "cclc/Support/Streams.h"
#include "cclc/Support/Temporary.h"
#include "cclc/UserPrograms/UserCode.h"

#include "cclc/Support/Annotations.h"
#include "cclc/Support/Junit.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Printable.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <unistd.h>

using namespace cclc;
namespace fs = llvm::sys::fs;

Progress::Progress(StringRef tool) : tool(tool.str()), onTerminal(errorsTakeEscapes()) {}

/// \p line as it fits on one line of the terminal, without escapes.
static std::string fitted(const std::string &line) {
  const unsigned columns = llvm::sys::Process::StandardErrColumns();
  return printable(line).substr(0, columns > 1 ? columns - 1 : 79);
}

void Progress::stage(const llvm::Twine &what, ArrayRef<std::string> lines) {
  if (!onTerminal)
    return;
  clear();
  for (const std::string &line : lines)
    llvm::errs() << fitted(line) << '\n';
  llvm::errs() << fitted((tool + ": " + what + " ...").str());
  above = lines.size();
  shown = true;
}

void Progress::clear() {
  if (!shown)
    return;
  llvm::errs() << '\r';
  if (above > 0)
    llvm::errs() << "\033[" << above << 'A';
  llvm::errs() << (above > 0 ? "\033[J" : "\033[K");
  shown = false;
  above = 0;
}

static bool wantsColors() {
  const char *noColor = std::getenv("NO_COLOR");
  return !(noColor && *noColor);
}

void cclc::report(const DiagnosticEngine &all, StringRef tool, MessageForm form,
                  ArrayRef<std::string> inputs) {
  const DiagnosticEngine diags = all.withoutRepeats();
  switch (form) {
  case MessageForm::Text:
    return diags.print(llvm::errs(), tool,
                       llvm::sys::Process::StandardErrHasColors() && wantsColors());
  case MessageForm::Github:
    return annotate(llvm::errs(), tool, diags);
  case MessageForm::Junit: {
    JunitSuite suite(tool.str());
    suite.add(inputs, diags);
    suite.setOutput(takeCapturedError());
    return suite.write(llvm::errs());
  }
  }
}

void cclc::keepReportWhole(MessageForm form) {
  if (form == MessageForm::Junit)
    captureStandardError();
}

ExitCode cclc::defect(const DiagnosticEngine &diags, StringRef tool) {
  report(diags, tool);
  llvm::errs() << tool << ": this is a defect of " << tool
               << ", not of your input: please report it with the command and its files\n";
  return ExitCode::Internal;
}

#if !defined(CCLC_SANITIZED)
/// Installs handlers that print a message if an assertion or a signal ends the tool.
static void catchCrashes(StringRef tool) {
  static char message[160];
  std::snprintf(
      message, sizeof(message),
      "\n%s: crashed; this is a defect of %s: please report it with the command and its files\n",
      tool.str().c_str(), tool.str().c_str());
  // A separate stack, so that a stack overflow can be reported.
  static char stack[1 << 16];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  action.sa_handler = [](int) {
    endCapturedError(/*print=*/true);
    ssize_t written = write(STDERR_FILENO, message, std::strlen(message));
    (void)written;
    endProcess(static_cast<int>(ExitCode::Internal));
  };
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    sigaction(signal, &action, nullptr);
}
#else
static void catchCrashes(StringRef) {}
#endif

static void printExceeded(StringRef tool, const MemoryExceeded &exceeded) {
  llvm::errs() << tool << ": error: " << exceeded.text() << '\n';
}

/// Ends the tool when an allocation fails where no exception is allowed.
static void catchFailedAllocations(StringRef tool) {
  static std::string name;
  name = tool.str();
  std::set_terminate([] {
    try {
      if (std::exception_ptr thrown = std::current_exception())
        std::rethrow_exception(thrown);
    } catch (const MemoryExceeded &exceeded) {
      endCapturedError(/*print=*/true);
      printExceeded(name, exceeded);
      removeTemporaries();
      endProcess(static_cast<int>(ExitCode::Unusable));
    } catch (...) {
      std::abort();
    }
    std::abort();
  });
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { throw std::bad_alloc(); });
}

static ExitCode runCaught(StringRef tool, const std::function<ExitCode()> &run) {
  try {
    return run();
  } catch (const MemoryExceeded &exceeded) {
    printExceeded(tool, exceeded);
    return ExitCode::Unusable;
  } catch (const std::bad_alloc &) {
    llvm::errs() << tool << ": error: out of memory: the input is too large for this machine\n";
    return ExitCode::Unusable;
  } catch (const std::exception &error) {
    DiagnosticEngine diags;
    diags.error({}, std::string("internal error: ") + error.what());
    return defect(diags, tool);
  }
}

/// Flushes standard output. Returns \p code, or an error code if output was lost.
static ExitCode finishStandardStreams(StringRef tool, ExitCode code) {
  DiagnosticEngine diags;
  bool written = succeeded(finishStream(llvm::outs(), "standard output", diags));
  report(diags, tool);
  written &= !llvm::errs().has_error();
  llvm::errs().clear_error();
  return written ? code : std::max(code, ExitCode::Unusable);
}

int cclc::guarded(StringRef tool, const std::function<ExitCode()> &run) {
  if (failed(openStandardStreams()))
    return static_cast<int>(ExitCode::Unusable);
  catchCrashes(tool);
  catchInterrupts();
  catchFailedAllocations(tool);
  // A program level is freed while the next one is built, which can then reuse its pages instead of
  // new ones from the system.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
  llvm::outs().enable_colors(llvm::sys::Process::StandardOutHasColors() && wantsColors());
  ExitCode code = runCaught(tool, run);
  endCapturedError(/*print=*/true); // of a tool that ended without a report
  code = finishStandardStreams(tool, code);
  beginUnloading();
  return static_cast<int>(code);
}

Resources Resources::find(const char *argv0) {
  // The address of this object locates the executable if /proc is not mounted.
  static int anchor;
  std::string tool = fs::getMainExecutable(argv0, &anchor);
  StringRef prefix = llvm::sys::path::parent_path(llvm::sys::path::parent_path(tool));
  return {(prefix + "/share/cclc/targets").str(),
          (prefix + "/include").str(),
          (prefix + "/share/cclc/report.html").str(),
          (prefix + "/share/cclc/tune.html").str(),
          (prefix + "/lib/cclc").str(),
          (llvm::sys::path::parent_path(tool) + "/ccl-run").str()};
}
