/* Soak.c - Many calls on communicators that are made and freed
 *
 * usage: Soak CALLS COMMUNICATORS COUNTS
 *
 * Calls all collectives with 1 to COUNTS numbers, and replaces a communicator every 100 calls.
 * Prints whether the results are right, and whether the memory of every process has grown by less
 * than 8 MiB since a fifth of the calls.
 */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { mostCommunicators = 1000, mostRanks = 16 };

static uint64_t state = 88172645463325252u;
static uint64_t chosen(uint64_t below) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state % below;
}

static long residentBytes(void) {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%ld %ld", &pages, &resident) != 2)
    resident = 0;
  if (file)
    fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

/* Calls the collective `which`. Returns whether the last element is right. */
static int call(int which, int count, int root, int *in, int *out, MPI_Comm comm, int rank,
                int ranks) {
  int sum = ranks * (ranks - 1) / 2 + ranks * (count - 1);
  for (int i = 0; i < count; ++i)
    in[i] = rank + i;
  switch (which) {
  case 0:
    MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);
    return out[count - 1] == sum;
  case 1:
    MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, comm);
    return rank != root || out[count - 1] == sum;
  case 2:
    MPI_Bcast(in, count, MPI_INT, root, comm);
    return in[count - 1] == root + count - 1;
  case 3:
    MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm);
    return out[ranks * count - 1] == ranks - 1 + count - 1;
  case 4:
    for (int i = 0; i < count * ranks; ++i)
      in[i] = rank;
    MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
    return out[ranks * count - 1] == ranks - 1 && out[0] == 0;
  default:
    for (int i = 0; i < count * ranks; ++i)
      in[i] = rank;
    MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, comm);
    return out[count - 1] == ranks * (ranks - 1) / 2;
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  long calls = argc > 4 ? atol(argv[1]) : 0, half = 0, begin = residentBytes();
  int number = argc > 4 ? atoi(argv[2]) : 0, counts = argc > 4 ? atoi(argv[3]) : 0;
  int rank, ranks, wrong = 0, anyWrong;
  static MPI_Comm comms[mostCommunicators];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (calls < 1 || number < 1 || number > mostCommunicators || counts < 1 || ranks > mostRanks)
    MPI_Abort(MPI_COMM_WORLD, 2);
  int *in = calloc((size_t)counts * ranks, sizeof(int));
  int *out = calloc((size_t)counts * ranks, sizeof(int));
  for (int c = 0; c < number; ++c)
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comms[c]);
  for (long i = 0; i < calls; ++i) {
    if (i == calls / 2)
      half = residentBytes();
    if (i % 100 == 99) {
      int c = (int)chosen(number);
      MPI_Comm_free(&comms[c]);
      MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comms[c]);
    }
    int which = (int)chosen(6), count = 1 + (int)chosen(counts), root = (int)chosen(ranks);
    wrong |= !call(which, count, root, in, out, comms[chosen(number)], rank, ranks);
  }
  long end = residentBytes(), grown[] = {end - begin, end - half}, most[2];
  MPI_Reduce(grown, most, 2, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&wrong, &anyWrong, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%ld calls: %s, memory %s the limit, %s\n", calls, anyWrong ? "wrong" : "right",
           most[0] <= atol(argv[4]) << 20 ? "within" : "beyond",
           most[1] < 8 << 20 ? "flat" : "growing");
    fprintf(stderr, "%ld KiB since MPI_Init, of these %ld KiB in the second half\n", most[0] >> 10,
            most[1] >> 10);
  }
  for (int c = 0; c < number; ++c)
    MPI_Comm_free(&comms[c]);
  free(in), free(out);
  MPI_Finalize();
  return 0;
}
