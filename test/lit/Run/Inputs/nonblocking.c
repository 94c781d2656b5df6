/* nonblocking.c - Iterations with non-blocking all-reduces
 *
 * usage: nonblocking ITERATIONS WARMUPS
 *
 * Each iteration begins an all-reduce and a barrier, computes, and completes them. WARMUPS blocking all-reduces come
 * before.
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  enum { count = 100 };
  int rank, ranks, wrong = 0;
  double mine[count], sum[count];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < count; ++i)
    mine[i] = rank + i;
  for (int w = 0; w < atoi(argv[2]); ++w) {
    MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int n = 0; n < atoi(argv[1]); ++n) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    volatile double work = 0;
    MPI_Iallreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 1000 * (n % 3); ++i)
      work += i;
    MPI_Waitall(2, requests, statuses);
    for (int i = 0; i < count; ++i)
      wrong += sum[i] != ranks * i + ranks * (ranks - 1) / 2;
  }
  if (rank == 0)
    printf("%d wrong elements\n", wrong);
  MPI_Finalize();
  return 0;
}
