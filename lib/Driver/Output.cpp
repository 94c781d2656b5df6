#include "Output.h"

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

/// Fails where the last write did, a full disk for one.
static LogicalResult closed(llvm::raw_fd_ostream &os, StringRef path, DiagnosticEngine &diags) {
  os.flush();
  if (!os.has_error())
    return success();
  std::string why = os.error().message();
  os.clear_error();
  return diags.error({}, "cannot write '" + path + "': " + why);
}

LogicalResult cclc::writeFile(StringRef path, llvm::function_ref<void(raw_ostream &)> write,
                              DiagnosticEngine &diags) {
  if (path == "-") {
    write(llvm::outs());
    return closed(llvm::outs(), "standard output", diags);
  }
  auto cannot = [&](const std::string &why) {
    return diags.error({}, "cannot write '" + path + "': " + why);
  };
  // Devices and pipes are written as they are.
  if (fs::exists(path) && !fs::is_regular_file(path)) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (error)
      return cannot(error.message());
    write(os);
    return closed(os, path, diags);
  }
  llvm::Expected<fs::TempFile> temp =
      fs::TempFile::create(path + ".%%%%%%.tmp", fs::all_read | fs::all_write);
  if (!temp)
    return cannot(llvm::toString(temp.takeError()));
  LogicalResult written = success();
  {
    llvm::raw_fd_ostream os(temp->FD, /*shouldClose=*/false);
    write(os);
    written = closed(os, path, diags);
  }
  if (failed(written)) {
    llvm::consumeError(temp->discard());
    return failure();
  }
  if (llvm::Error error = temp->keep(path))
    return cannot(llvm::toString(std::move(error)));
  return success();
}

Progress::Progress(StringRef tool)
    : tool(tool.str()), onTerminal(llvm::sys::Process::StandardErrIsDisplayed()) {}

void Progress::stage(const llvm::Twine &what) {
  if (!onTerminal)
    return;
  llvm::errs() << "\r\033[K" << tool << ": " << what << " ...";
  shown = true;
}

void Progress::clear() {
  if (shown)
    llvm::errs() << "\r\033[K";
  shown = false;
}

static bool wantsColors() {
  const char *noColor = std::getenv("NO_COLOR");
  return !(noColor && *noColor);
}

void cclc::report(const DiagnosticEngine &diags, StringRef tool) {
  diags.print(llvm::errs(), tool, llvm::sys::Process::StandardErrHasColors() && wantsColors());
}

ExitCode cclc::defect(const DiagnosticEngine &diags, StringRef tool) {
  report(diags, tool);
  llvm::errs() << tool << ": this is a defect of " << tool
               << ", not of your input: please report it with the command and its files\n";
  return ExitCode::Internal;
}

#if !defined(__SANITIZE_ADDRESS__)
/// Says so when an assertion or the operating system ends the tool.
static void catchCrashes(StringRef tool) {
  static char message[160];
  std::snprintf(
      message, sizeof(message),
      "\n%s: crashed; unless a program of your own did this, it is a defect of %s: please "
      "report it with the command and its files\n",
      tool.str().c_str(), tool.str().c_str());
  // Its own stack, for crashes that come from too little of it.
  static char stack[1 << 16];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  action.sa_handler = [](int) {
    ssize_t written = write(STDERR_FILENO, message, std::strlen(message));
    (void)written;
    _exit(static_cast<int>(ExitCode::Internal));
  };
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    sigaction(signal, &action, nullptr);
}
#else
static void catchCrashes(StringRef) {}
#endif

int cclc::guarded(StringRef tool, const std::function<ExitCode()> &run) {
  catchCrashes(tool);
  // Levels are freed as the next one is made: the next one may have the same pages
  // instead of new ones from the system.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
  llvm::outs().enable_colors(llvm::sys::Process::StandardOutHasColors() && wantsColors());
  try {
    return static_cast<int>(run());
  } catch (const std::bad_alloc &) {
    llvm::errs() << tool << ": error: out of memory: the input is too large for this machine\n";
    return static_cast<int>(ExitCode::Unusable);
  } catch (const std::exception &error) {
    DiagnosticEngine diags;
    diags.error({}, std::string("internal error: ") + error.what());
    return static_cast<int>(defect(diags, tool));
  }
}

Resources Resources::find(const char *argv0) {
  // The address tells the executable where /proc is not mounted.
  static int anchor;
  std::string tool = fs::getMainExecutable(argv0, &anchor);
  StringRef prefix = llvm::sys::path::parent_path(llvm::sys::path::parent_path(tool));
  return {(prefix + "/share/cclc/targets").str(), (prefix + "/include").str(),
          (prefix + "/share/cclc/report.html").str()};
}
