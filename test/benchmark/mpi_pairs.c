/* Times of MPI calls by their names beside those of the MPI library, in one job.
 *
 * usage: mpi_pairs in-place|out-of-place ROUNDS BYTES...
 *
 * Each round calls a collective by its name MPI_..., which libccl-mpi.so interposes, and by its
 * name PMPI_..., which is the library's; which of them comes first alternates. A line has the
 * collective, the bytes of its larger buffer, and for each round the two times of a call in
 * nanoseconds, those of the slowest rank. The calls of a round follow each other without a barrier.
 * utils/compare_calls.py runs it. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { roundNs = 200000, mostCalls = 500 };

static float *in, *out;
static void *sent;    /* in, or MPI_IN_PLACE */
static int all, each; /* elements of the larger buffer, and of one rank's part of it */
static void *reduced; /* what the root of a reduction sends */

#define CALL(PREFIX, NAME, ...) PREFIX##_##NAME(__VA_ARGS__, MPI_COMM_WORLD)
#define CALLS(PREFIX, NAME)                                                                        \
  static void NAME(int collective) {                                                               \
    switch (collective) {                                                                          \
    case 0:                                                                                        \
      CALL(PREFIX, Allreduce, sent, out, all, MPI_FLOAT, MPI_SUM);                                 \
      break;                                                                                       \
    case 1:                                                                                        \
      CALL(PREFIX, Reduce_scatter_block, sent, out, each, MPI_FLOAT, MPI_SUM);                     \
      break;                                                                                       \
    case 2:                                                                                        \
      CALL(PREFIX, Allgather, sent, each, MPI_FLOAT, out, each, MPI_FLOAT);                        \
      break;                                                                                       \
    case 3:                                                                                        \
      CALL(PREFIX, Alltoall, sent, each, MPI_FLOAT, out, each, MPI_FLOAT);                         \
      break;                                                                                       \
    case 4:                                                                                        \
      CALL(PREFIX, Reduce, reduced, out, all, MPI_FLOAT, MPI_SUM, 0);                              \
      break;                                                                                       \
    case 5:                                                                                        \
      CALL(PREFIX, Bcast, in, all, MPI_FLOAT, 0);                                                  \
      break;                                                                                       \
    case 6:                                                                                        \
      PREFIX##_Barrier(MPI_COMM_WORLD);                                                            \
      break;                                                                                       \
    }                                                                                              \
  }
CALLS(MPI, byName)
CALLS(PMPI, byLibrary)

static const char *const names[] = {"allreduce", "reducescatter", "allgather", "alltoall",
                                    "reduce",    "broadcast",     "barrier"};
enum { barrier = 6 };

/* The time of a call in nanoseconds, of the slowest rank. */
static double timeOf(void (*call)(int), int collective, int calls) {
  PMPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i)
    call(collective);
  double mine = (MPI_Wtime() - begin) / calls * 1e9, slowest;
  PMPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static void compare(int collective, int rounds, int rank) {
  double first = timeOf(byName, collective, 3), second = timeOf(byLibrary, collective, 3);
  double calls = roundNs / (first > second ? first : second);
  int count = calls < 2 ? 2 : calls > mostCalls ? mostCalls : (int)calls;
  if (rank == 0)
    printf("%s %d", names[collective], (int)(all * sizeof(float)));
  for (int round = -2; round < rounds; ++round) {
    double named = 0, library = 0;
    for (int turn = 0; turn < 2; ++turn)
      if ((turn + round) & 1)
        named = timeOf(byName, collective, count);
      else
        library = timeOf(byLibrary, collective, count);
    if (rank == 0 && round >= 0)
      printf(" %.1f %.1f", named, library);
  }
  if (rank == 0)
    printf("\n");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size, rounds = argc > 3 ? atoi(argv[2]) : 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rounds < 1) {
    fprintf(stderr, "usage: mpi_pairs in-place|out-of-place ROUNDS BYTES...\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int inPlace = !strcmp(argv[1], "in-place");
  for (int i = 3; i < argc; ++i) {
    each = (int)(strtol(argv[i], NULL, 10) / (long)sizeof(float)) / size;
    all = each * size;
    in = calloc((size_t)all, sizeof(float));
    out = calloc((size_t)all, sizeof(float));
    if (all == 0 || !in || !out)
      MPI_Abort(MPI_COMM_WORLD, 2);
    for (int element = 0; element < all; ++element) /* pages that are not written are one page */
      in[element] = out[element] = 1;
    sent = inPlace ? MPI_IN_PLACE : in;
    reduced = inPlace && rank == 0 ? MPI_IN_PLACE : in;
    for (int collective = 0; collective < (i == 3 ? barrier + 1 : barrier); ++collective)
      compare(collective, rounds, rank);
    free(in);
    free(out);
  }
  MPI_Finalize();
  return 0;
}
