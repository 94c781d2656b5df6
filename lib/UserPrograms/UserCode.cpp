//===- UserCode.cpp - Signals, timers and exits of a user program ---------===//
//
// During the lifetime of a UserCodeScope, handlers for crash signals, a thread that measures the
// time, atexit() and replacements of _exit() and _Exit() turn any end of the process into one
// diagnostic. Handlers format the line in a fixed buffer, without malloc, and write it with
// write(2). They run on the alternate stack that the tool has set (Tools/Cli/Output.cpp), so that a
// stack overflow is reported as well. A timer would not do in place of the thread: a program may
// block or ignore its signal, or use it. What else belongs to the process is restored: the folder
// and the standard streams.
//
//===----------------------------------------------------------------------===//

#include "cclc/UserPrograms/UserCode.h"

#include "ProcessState.h"
#include "Watchdog.h"

#include "cclc/Support/Temporary.h"

#include "cclc/Support/Annotations.h"
#include "cclc/Support/Streams.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <pthread.h>
#include <unistd.h>

using namespace cclc;

namespace {
/// The state that a signal handler reads.
struct Running {
  UserCode code;
  const char *where = ""; ///< empty for the body
  const dsl::TraceCursor *reached = nullptr;
  std::string late;       ///< ": it ran for more than 60 s ..."
  uintptr_t stackEnd = 0; ///< its lowest byte
  pid_t process = 0;
};
std::atomic<const Running *> current;
std::mutex oneScope;

constexpr const char *unloading = "as it was unloaded";

/// A line that is formatted without malloc.
class Line {
public:
  explicit Line(MessageForm form) : form(form) {}
  Line &operator<<(const char *mark) {
    for (; *mark; ++mark)
      add(*mark);
    return *this;
  }
  /// Appends a text, escaping characters that would end the line or the property.
  Line &escaped(const char *text, bool property = false) {
    for (; *text && size < sizeof(this->text) - roomToEnd; ++text)
      if (const char *escape = escapeOf(*text, property))
        *this << escape;
      else
        add(static_cast<unsigned char>(*text) < 0x20 || *text == 0x7f ? '?' : *text);
    return *this;
  }
  Line &operator<<(unsigned number) {
    char digits[16];
    char *begin = digits + sizeof(digits);
    *--begin = '\0';
    do
      *--begin = char('0' + number % 10);
    while (number /= 10);
    return *this << begin;
  }
  void print() const {
    ssize_t written = write(STDERR_FILENO, text, size);
    (void)written;
  }

private:
  void add(char c) {
    if (size < sizeof(text))
      text[size++] = c;
  }

  const char *escapeOf(char c, bool property) const {
    switch (form) {
    case MessageForm::Text:
      return nullptr;
    case MessageForm::Github:
      return annotationEscape(c, property);
    case MessageForm::Junit:
      return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : nullptr;
    }
    return nullptr;
  }

  static constexpr size_t roomToEnd = 256; ///< a long name is cut

  MessageForm form;
  char text[4096];
  size_t size = 0;
};

/// Writes the beginning of an error at \p file, or of the tool if \p file is empty.
void beginError(Line &line, MessageForm form, const char *file, unsigned number) {
  if (form == MessageForm::Github) {
    line << "::error ";
    if (*file)
      (line << "file=").escaped(file, /*property=*/true) << ",";
    if (number)
      line << "line=" << number << ",";
    line << "title=cclc::";
    return;
  }
  const char *named = *file ? file : "cclc";
  if (form == MessageForm::Junit)
    (line << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"cclc\" "
             "tests=\"1\" failures=\"1\" errors=\"0\">\n<testcase classname=\"cclc\" name=\"")
            .escaped(named)
        << "\"><failure message=\"";
  line.escaped(named);
  if (number)
    line << ":" << number;
  line << (form == MessageForm::Junit ? ": " : ": error: ");
}

/// Ends the error that beginError() began.
void endError(Line &line, MessageForm form) {
  line << (form == MessageForm::Junit ? "\"/></testcase>\n</testsuite>\n</testsuites>\n" : "\n");
}

/// "FILE:LINE: error: program 'ring' ENDED after this call of the DSL: WHY".
[[noreturn]] void end(const Running &now, const char *ended, const char *why, Failure kind) {
  dsl::SourceLocation where = now.reached ? now.reached->get() : dsl::SourceLocation();
  const MessageForm form = now.code.options.form;
  endCapturedError(/*print=*/false);
  Line line(form);
  if (errorsTakeEscapes())
    line << "\r\033[K"; // overwrites the progress line
  beginError(line, form, where.line ? where.file : now.code.file.c_str(), where.line);
  line.escaped(now.code.name.c_str()) << ended << " "
                                      << (!now.reached ? now.where
                                          : where.line ? "after this call of the DSL"
                                                       : "before its first call of the DSL");
  line.escaped(why);
  endError(line, form);
  line.print();
  removeTemporaries();
  endProcess(now.code.options.exitStatus ? now.code.options.exitStatus(kind) : EXIT_FAILURE);
}

void onCrash(int signal, siginfo_t *info, void *) {
  const Running &now = *current;
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  constexpr uintptr_t near = 1 << 20;
  bool overflow =
      signal == SIGSEGV && address + near > now.stackEnd && address < now.stackEnd + near;
  end(now, " crashed",
      overflow                                ? ": stack overflow; check for infinite recursion"
      : signal == SIGFPE                      ? ": arithmetic error, such as a division by 0"
      : signal == SIGILL                      ? ": illegal instruction"
      : signal == SIGABRT                     ? ": it was aborted"
      : signal == SIGSEGV || signal == SIGBUS ? ": invalid access to memory"
      : signal == SIGALRM                     ? ": a signal of alarm() or of a timer"
                                              : ": it was ended by a signal",
      Failure::Unusable);
}

/// Called when the program calls exit(). Child processes of the program may call it as well and
/// end.
void onExit() {
  if (const Running *now = current; now && now->where != unloading && now->process == getpid())
    end(*now, " called exit()", "", Failure::Unusable);
}

uintptr_t findStackEnd() {
  pthread_attr_t attributes;
  void *lowest = nullptr;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
  }
  return reinterpret_cast<uintptr_t>(lowest);
}

std::pair<int, struct sigaction> replaceAction(int signal, const struct sigaction &action) {
  std::pair<int, struct sigaction> before{signal, {}};
  sigaction(signal, &action, &before.second);
  return before;
}
} // namespace

// The C library calls no handlers for these two, so they are replaced: symbols of a user's program
// are resolved in the tool before the C library.
extern "C" void _exit(int code) {
  if (const Running *now = current; now && now->process == getpid())
    end(*now, " called _exit()", "", Failure::Unusable);
  endProcess(code);
}
extern "C" void _Exit(int code) noexcept { _exit(code); }

UserCodeScope::UserCodeScope(const UserCode &code, const char *where,
                             const dsl::TraceCursor *reached)
    : alone(oneScope) {
  static const bool registered =
      std::atexit(onExit) == 0 && std::at_quick_exit(onExit) == 0; // once
  (void)registered;
  // Never destroyed, because destructors of the program may still need it.
  static Running &running = *new Running;
  running = {code,
             where,
             reached,
             ": it ran for more than " + std::to_string(code.options.seconds) +
                 " s; check for an infinite loop, or raise the limit with --trace-timeout SECONDS",
             findStackEnd(),
             getpid()};
  current = &running;
  if (!code.file.empty()) {
    state = std::make_unique<ProcessState>();
    struct sigaction action{};
    action.sa_sigaction = onCrash;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESETHAND;
    for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM, SIGVTALRM, SIGPROF,
                       SIGTRAP, SIGSYS, SIGUSR1, SIGUSR2})
      before.push_back(replaceAction(signal, action));
  }
  watch = std::make_unique<Watchdog>(std::chrono::seconds(code.options.seconds), [] {
    end(*current, " was stopped", running.late.c_str(), Failure::Wrong);
  });
}

UserCodeScope::~UserCodeScope() {
  watch.reset();
  for (const auto &[signal, action] : before)
    sigaction(signal, &action, nullptr);
  current = nullptr;
}

LogicalResult cclc::runUserCode(const UserCode &code, const char *where,
                                llvm::function_ref<void()> run, DiagnosticEngine &diags) {
  auto scoped = [&] {
    std::optional<UserCodeScope> scope;
    if (code.options.isGuarded)
      scope.emplace(code, where);
    run();
  };
  if (std::optional<std::string> what = dsl::thrownBy(scoped))
    return diags.error({code.file}, code.name + " ended with an exception " + where + *what);
  return success();
}

// These objects are needed until the last destructor of the program has run.

static const UserCode *loaded = nullptr;

void cclc::expectUnloading(const UserCode &code) { loaded = new UserCode(code); }

void cclc::beginUnloading() {
  // Never destroyed; volatile keeps it reachable for leak checkers.
  static const UserCodeScope *volatile last;
  last = loaded ? new UserCodeScope(*loaded, unloading) : nullptr;
  (void)last;
}
