/* Calls whose record is known: of all ranks, of pairs, and of two groups. */
#include <mpi.h>
#include <stdlib.h>

static double in[1 << 12], out[1 << 12];

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 7; ++i)
    MPI_Allreduce(in, out, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(in, out, 100, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(in, out, 10, MPI_LONG_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i)
    MPI_Bcast(in, 25, MPI_BYTE, 1, MPI_COMM_WORLD);
  MPI_Allgather(in, 6, MPI_INT, out, 6, MPI_INT, MPI_COMM_WORLD);

  /* Two communicators of two ranks each: their first ranks are 0 and 2. */
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  for (int i = 0; i < 5; ++i)
    MPI_Alltoall(in, 4, MPI_FLOAT, out, 4, MPI_FLOAT, pair);

  /* No rank is in no group, and one rank is in no record. */
  MPI_Comm both;
  MPI_Intercomm_create(pair, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 0, &both);
  MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, both);
  MPI_Allreduce(in, out, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  MPI_Allreduce(in, out, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  /* A failed call. */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Bcast(in, 25, MPI_BYTE, ranks, MPI_COMM_WORLD);

  /* Sizes of a loop: more than are recorded as they are. */
  for (int size = 1; argc > 1 && size < atoi(argv[1]); ++size)
    MPI_Bcast(in, size, MPI_BYTE, 0, pair);
  MPI_Comm_free(&both);
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return 0;
}
