//===- ClockOffset.cpp - Comparing clocks by messages ---------------------===//
//
// Process 0 asks each other process for its time, and takes the answer with the shortest round
// trip: the clock was read between question and answer, so half of the round trip is the largest
// error (Cristian, "Probabilistic Clock Synchronization", Distributed Computing 3, 1989). Processes
// of one machine share a clock, and find an offset within that error.
//
//===----------------------------------------------------------------------===//

#include "ClockOffset.h"

#include <algorithm>
#include <cstdint>

using namespace cclc;
using namespace cclc::run;
using std::chrono::nanoseconds;

namespace {
int64_t now() { return std::chrono::steady_clock::now().time_since_epoch() / nanoseconds(1); }
} // namespace

ClockOffset run::measureClockOffset(MPI_Comm comm) {
  constexpr int rounds = 50, tag = 0;
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  int64_t result[2] = {0, 0}; // ahead, error
  if (rank != 0) {
    for (int round = 0; round < rounds; ++round) {
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, tag, comm, MPI_STATUS_IGNORE);
      int64_t time = now();
      MPI_Send(&time, 1, MPI_INT64_T, 0, tag, comm);
    }
    MPI_Recv(result, 2, MPI_INT64_T, 0, tag, comm, MPI_STATUS_IGNORE);
    return {nanoseconds(result[0]), nanoseconds(result[1])};
  }
  for (int other = 1; other < ranks; ++other) {
    int64_t shortest = INT64_MAX;
    for (int round = 0; round < rounds; ++round) {
      int64_t begin = now(), theirs;
      MPI_Send(nullptr, 0, MPI_BYTE, other, tag, comm);
      MPI_Recv(&theirs, 1, MPI_INT64_T, other, tag, comm, MPI_STATUS_IGNORE);
      int64_t roundTrip = now() - begin;
      if (roundTrip >= shortest)
        continue;
      shortest = roundTrip;
      result[0] = theirs - (begin + roundTrip / 2);
      result[1] = (roundTrip + 1) / 2;
    }
    MPI_Send(result, 2, MPI_INT64_T, other, tag, comm);
  }
  return {nanoseconds(0), nanoseconds(0)};
}
