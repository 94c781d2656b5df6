//===- WatchFaults.cpp - Waits of MPI processes whose peer is at fault ----===//
//
// usage: mpirun -n 3 watch-faults FAULT
//
// All ranks wait for a last message of rank 1, with a time limit of 0.4 seconds. A fault of which
// rank 1 recovers must not end the others, however late it is; otherwise the report must name what
// is known of it. No result depends on how long anything takes.
//
//===----------------------------------------------------------------------===//

#include "MpiWatch.h"
#include "Watchdog.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace cclc::run;
using Clock = MpiWatch::Clock;

namespace {
constexpr double limit = 0.4;

void forSeconds(double seconds, void (*act)(MpiWatch &), MpiWatch &watch) {
  for (Clock::time_point begin = Clock::now();
       Clock::now() - begin < std::chrono::duration<double>(seconds);)
    act(watch);
}

/// What rank 1 does before its last message.
struct Fault {
  const char *name;
  void (*happen)(MpiWatch &);
};

const Fault faults[] = {
    {"computes", [](MpiWatch &watch) { forSeconds(3 * limit, [](MpiWatch &) {}, watch); }},
    {"answers",
     [](MpiWatch &watch) {
       forSeconds(3 * limit, [](MpiWatch &waiting) { waiting.answer(); }, watch);
     }},
    // Each wait ends within the limit, and all together do not.
    {"begins",
     [](MpiWatch &watch) {
       for (int i = 0; i < 6; ++i) {
         Clock::time_point begin = Clock::now();
         watch.wait([&] { return Clock::now() - begin > std::chrono::duration<double>(limit / 4); },
                    "another wait");
       }
     }},
    {"waits", [](MpiWatch &watch) { watch.wait([] { return false; }, "another wait"); }},
    {"sleeps",
     [](MpiWatch &) {
       while (true)
         pause();
     }},
    {"stops", [](MpiWatch &) { std::raise(SIGSTOP); }},
    {"dies", [](MpiWatch &) { std::raise(SIGKILL); }},
};
} // namespace

int main(int argc, char **argv) {
  MPI_Init(nullptr, nullptr);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    Watchdog watchdog(100); // Open MPI's launcher sends SIGTERM when a process is killed
    // Outside of the execution of a plan the limit is ten times as long.
    MpiWatch watch(MPI_COMM_WORLD, limit / 10);
    watch.barrier();
    for (const Fault &fault : faults)
      if (rank == 1 && argc == 2 && std::strcmp(argv[1], fault.name) == 0)
        fault.happen(watch);
    for (int other : {0, 2}) {
      MPI_Request last;
      if (rank == 1)
        MPI_Isend(nullptr, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD, &last);
      else if (rank == other)
        MPI_Irecv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &last);
      else
        continue;
      watch.wait(last, "the last message");
    }
    std::printf("rank %d has the last message\n", rank);
  }
  MPI_Finalize();
}
