/* The time of small calls of MPI collectives: of each, the least of 200 means of 500 calls on one
 * double, in nanoseconds. utils/compare_calls.py runs it with and without libccl-mpi.so. */

#include <mpi.h>
#include <stdio.h>

enum { rounds = 200, calls = 500, most = 64 };

static double in[most], out[most];

static void allreduce(void) { MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void reduceScatter(void) {
  MPI_Reduce_scatter_block(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void allgather(void) {
  MPI_Allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void alltoall(void) { MPI_Alltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, MPI_COMM_WORLD); }
static void reduce(void) { MPI_Reduce(in, out, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); }
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void broadcast(void) { MPI_Bcast(in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); }

static const struct {
  const char *name;
  void (*call)(void);
} collectives[] = {{"all-reduce", allreduce}, {"reduce-scatter", reduceScatter},
                   {"all-gather", allgather}, {"all-to-all", alltoall},
                   {"reduce", reduce},        {"broadcast", broadcast},
                   {"barrier", barrier}};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > most)
    MPI_Abort(MPI_COMM_WORLD, 2);
  for (unsigned c = 0; c < sizeof(collectives) / sizeof(collectives[0]); ++c) {
    double least = 1e9;
    for (int round = 0; round < rounds; ++round) {
      PMPI_Barrier(MPI_COMM_WORLD);
      double begin = MPI_Wtime();
      for (int call = 0; call < calls; ++call)
        collectives[c].call();
      double mine = MPI_Wtime() - begin, longest;
      PMPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (longest < least)
        least = longest;
    }
    if (rank == 0)
      printf("%s %.1f\n", collectives[c].name, least / calls * 1e9);
  }
  MPI_Finalize();
  return 0;
}
