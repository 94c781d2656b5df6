// Fails in the way given by a parameter, or by MISBEHAVE before the body is executed.
#include "cclc/DSL/DSL.h"

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

using namespace cclc::dsl;

static bool asked(const char *what) {
  const char *how = std::getenv("MISBEHAVE");
  return how && std::strcmp(how, what) == 0;
}
static volatile int zero = 0;
static void crash() { *reinterpret_cast<volatile int *>(zero) = 1; }

static struct Static {
  Static() {
    if (asked("loaded"))
      crash();
    if (asked("thrown"))
      throw std::runtime_error("not today");
  }
  ~Static() {
    if (asked("unloaded"))
      crash();
  }
} instance;

static constexpr ChoiceParam end{
    "end", "", "crash", {"crash", "deep", "abort", "exit", "throw", "odd", "quick", "none"}};
static constexpr ChoiceParam loop{"loop", "", "none", {"operations", "calls", "caught", "silent", "none"}};
static constexpr IntParam undeclared{"undeclared", "", 1, 1, 2};

static int deep(int n) {
  volatile char block[1000];
  block[n % 1000] = char(n);
  return deep(n + 1) + block[n % 1000];
}

static void body(Program &p) {
  if (asked("early"))
    crash();
  auto how = p.get(end), ever = p.get(loop);
  ChunkRef c = p.chunk(0, Input, 0); // line 47
  if (ever == "operations")
    for (;;)
      p.chunk(0, Input, 0).copy(1, Output, 0); // line 50
  if (ever == "calls")
    for (;;)
      p.chunk(0, Input, 0); // line 53
  if (ever == "caught")
    for (;;)
      try {
        p.chunk(7, Input, 0); // line 57
      } catch (...) {
      }
  while (ever == "silent" && zero == 0) {
  }
  if (how == "crash")
    crash();
  if (how == "deep")
    deep(0);
  if (how == "abort")
    std::abort();
  if (how == "exit")
    std::exit(0);
  if (how == "quick")
    std::quick_exit(0);
  if (asked("_exit"))
    _exit(0);
  if (asked("_Exit"))
    std::_Exit(0);
  if (asked("fork")) {
    if (pid_t child = fork())
      waitpid(child, nullptr, 0);
    else
      _exit(3);
  }
  if (how == "throw")
    throw std::runtime_error("no idea");
  if (how == "odd")
    throw 3;
  if (asked("undeclared"))
    p.get(undeclared); // line 87
  if (asked("blocked") || asked("restored")) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    while (zero == 0 && asked("blocked")) {
    }
  }
  if (asked("moved") || asked("restored"))
    zero = chdir("/");
  if (asked("restored")) {
    close(2);
    p.chunk(9, Input, 0); // line 99
  }
  while (asked("memory"))
    std::memset(std::malloc(64 << 20), 1, 64 << 20);
  if (asked("alarm"))
    for (alarm(1); zero == 0;) {
    }
  for (int r = 0; r < p.ranks(); ++r)
    c.copy(r, Output, 0);
}

static int ranks(const ParamValues &values) {
  if (asked("ranks"))
    crash();
  return asked("derived") ? values.get(undeclared) : 2;
}

CCLC_PROGRAM(misbehaves) {
  if (asked("declared"))
    std::exit(3);
  d.collective(Broadcast).param(end).param(loop).ranksFrom(ranks).body(body);
  d.buffers(Buffers::OutOfPlace, Buffers::OutOfPlace);
}
