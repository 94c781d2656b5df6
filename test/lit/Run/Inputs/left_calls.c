/* Calls on several communicators, of which not all processes have all: the processes must leave the
 * same calls to the MPI library, and wait for each other in the same ones. Three processes; the
 * portfolio has a plan for few bytes that sums of floats do not use, and another one for 2 MiB. */

#include <mpi.h>
#include <stdio.h>

static int data[524288], sums[524288];

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, wrong = 0;
  MPI_Comm pair;
  MPI_Request request;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 2, rank, &pair);
  for (int i = 0; i < 524288; ++i)
    data[i] = rank + i;
  float in = (float)rank + 1, out = 0, two[2] = {1, 2}, twoSums[2];
  MPI_Allreduce(&in, &out, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(two, twoSums, 2, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  wrong += out != 6 || twoSums[1] != 6;
  /* Processes have not agreed on the plan for 2 MiB yet. */
  MPI_Iallreduce(data, sums, 524288, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  wrong += sums[7] != 24;
  if (rank < 2) {
    MPI_Allreduce(&in, &out, 1, MPI_FLOAT, MPI_SUM, pair);
    wrong += out != 3;
  }
  MPI_Allreduce(&in, &out, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  wrong += out != 6;
  printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return 0;
}
