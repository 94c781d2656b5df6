/* ContractBarrier.c - Barriers
 *
 * Section 5.3: no process leaves a barrier before all processes of the group have entered it. The
 * processes of one machine share a clock, by which each enters and leaves.
 */

#include "Contract.h"

#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void pause(double seconds) {
  for (double end = now() + seconds; now() < end;)
    ;
}

/* Each process is late in turn. */
static const char *tryBarrier(MPI_Comm comm, int rounds) {
  int me, size, right = 1;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  for (int round = 0; round < rounds; ++round) {
    if (round % size == me)
      pause(0.002);
    double entered = now();
    if (MPI_Barrier(comm) != MPI_SUCCESS)
      return "failed";
    double left = now(), last;
    PMPI_Allreduce(&entered, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
    right &= left >= last;
  }
  return right ? "right" : "wrong";
}

static void groups(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  begin("barrier of a duplicate");
  report(tryBarrier(comm, 20));
  MPI_Comm_free(&comm);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  begin("barrier of a reversed group");
  report(tryBarrier(comm, 20));
  MPI_Comm_free(&comm);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm);
  begin("barrier of every second process");
  report(tryBarrier(comm, 20));
  MPI_Comm between;
  MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &between);
  begin("barrier between two groups");
  report(MPI_Barrier(between) == MPI_SUCCESS ? "right" : "failed");
  MPI_Comm_free(&between);
  MPI_Comm_free(&comm);
  begin("barrier of one process");
  report(tryBarrier(MPI_COMM_SELF, 3));
}

/* A message that is sent before a barrier can be received after it, and the reverse. */
static void messages(void) {
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  int out = rank, in = -1, right = 1;
  for (int round = 0; round < 50; ++round) {
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, previous, round, MPI_COMM_WORLD, &requests[0]);
    if (round % 2)
      MPI_Isend(&out, 1, MPI_INT, next, round, MPI_COMM_WORLD, &requests[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (round % 2 == 0)
      MPI_Isend(&out, 1, MPI_INT, next, round, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    right &= in == previous;
  }
  begin("barriers between messages");
  report(right ? "right" : "wrong");
}

int main(int argc, char **argv) {
  startContract(&argc, &argv);
  begin("barrier of all processes");
  report(tryBarrier(MPI_COMM_WORLD, 200));
  groups();
  messages();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  begin("barrier of no communicator");
  report(errorName(MPI_Barrier(MPI_COMM_NULL)));
  MPI_Finalize();
  return 0;
}
