/* All-reduces, broadcasts and all-to-alls of random sizes on the world and its halves, of which each process
   executes different ones: usage: shared CALLS MOST_ELEMENTS. All values are exact. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned state = 1;
static unsigned next(unsigned limit) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % limit;
}

int main(int argc, char **argv) {
  int rank, ranks, wrong = 0, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm comms[3] = {MPI_COMM_WORLD};
  MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2, rank, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[2]);
  int calls = argc > 1 ? atoi(argv[1]) : 1000, most = argc > 2 ? atoi(argv[2]) : 1000;
  double *send = malloc(ranks * most * sizeof(double)), *recv = malloc(ranks * most * sizeof(double));
  for (int call = 0; call < calls; ++call) {
    unsigned which = next(3), kind = next(3), skipped = next(ranks);
    int count = 1 + next(most), me, size;
    MPI_Comm comm = comms[which];
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    /* One of the two halves leaves the call out, so that executions in memory differ. */
    if ((which == 1 && (rank < ranks / 2) == (int)(skipped % 2)) || (which == 2 && rank % 2 == (int)(skipped % 2)))
      continue;
    for (int i = 0; i < count * size; ++i)
      send[i] = call % 97 + me * 1000 + i % 89;
    if (kind == 0) {
      MPI_Allreduce(send, recv, count, MPI_DOUBLE, MPI_SUM, comm);
      for (int i = 0; i < count; ++i)
        wrong += recv[i] != size * (call % 97 + i % 89) + 1000.0 * size * (size - 1) / 2;
    } else if (kind == 1) {
      int root = skipped % size;
      MPI_Bcast(send, count, MPI_DOUBLE, root, comm);
      for (int i = 0; i < count; ++i)
        wrong += send[i] != call % 97 + root * 1000 + i % 89;
    } else {
      MPI_Alltoall(send, count, MPI_DOUBLE, recv, count, MPI_DOUBLE, comm);
      for (int i = 0; i < count * size; ++i)
        wrong += recv[i] != call % 97 + i / count * 1000 + (me * count + i % count) % 89;
    }
  }
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d wrong elements\n", all);
  MPI_Finalize();
  return 0;
}
