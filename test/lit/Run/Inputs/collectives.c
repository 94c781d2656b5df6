/* Calls the collectives of MPI with several types, sizes, roots and MPI_IN_PLACE, on the world and on a
   part of it, and compares with closed forms. Prints the number of wrong elements. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static long wrong;
static MPI_Comm comm;

static double value(int r, int i) { return (r * 7 + i * 3) % 50; }
static double sum(int i) {
  double s = 0;
  for (int r = 0; r < ranks; ++r)
    s += value(r, i);
  return s;
}
static void expect(double got, double want) { wrong += got != want; }

static void check(int n) {
  double *a = malloc(sizeof(double) * n * ranks), *b = malloc(sizeof(double) * n * ranks);
  int *c = malloc(sizeof(int) * n), *d = malloc(sizeof(int) * n);
  for (int root = 0; root < ranks; ++root) {
    for (int i = 0; i < n; ++i)
      a[i] = value(rank, i), c[i] = (int)value(rank, i);
    MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < n; ++i)
      expect(b[i], sum(i)), expect(a[i], value(rank, i));
    MPI_Allreduce(MPI_IN_PLACE, c, n, MPI_INT, MPI_MAX, comm);
    for (int i = 0; i < n; ++i) {
      double most = 0;
      for (int r = 0; r < ranks; ++r)
        most = value(r, i) > most ? value(r, i) : most;
      expect(c[i], most);
    }
    memset(b, 0, sizeof(double) * n);
    if (rank == root && root % 2) {
      memcpy(b, a, sizeof(double) * n);
      MPI_Reduce(MPI_IN_PLACE, b, n, MPI_DOUBLE, MPI_SUM, root, comm);
    } else {
      MPI_Reduce(a, rank == root ? b : NULL, n, MPI_DOUBLE, MPI_SUM, root, comm);
    }
    for (int i = 0; i < n; ++i)
      expect(b[i], rank == root ? sum(i) : 0), expect(a[i], value(rank, i));
    for (int i = 0; i < n; ++i)
      d[i] = rank == root ? 5 * i + root : -1;
    MPI_Bcast(d, n, MPI_INT, root, comm);
    for (int i = 0; i < n; ++i)
      expect(d[i], 5 * i + root);
  }
  MPI_Allgather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, comm);
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i)
      expect(b[r * n + i], value(r, i));
  memset(b, 0, sizeof(double) * n * ranks);
  memcpy(b + rank * n, a, sizeof(double) * n);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, n, MPI_DOUBLE, comm);
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i)
      expect(b[r * n + i], value(r, i));
  for (int i = 0; i < n * ranks; ++i)
    a[i] = value(rank, i);
  MPI_Reduce_scatter_block(a, b, n, MPI_DOUBLE, MPI_SUM, comm);
  for (int i = 0; i < n; ++i)
    expect(b[i], sum(rank * n + i));
  memcpy(b, a, sizeof(double) * n * ranks);
  MPI_Reduce_scatter_block(MPI_IN_PLACE, b, n, MPI_DOUBLE, MPI_SUM, comm);
  for (int i = 0; i < n; ++i)
    expect(b[i], sum(rank * n + i));
  MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, comm);
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i)
      expect(b[r * n + i], value(r, rank * n + i));
  memcpy(b, a, sizeof(double) * n * ranks);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, n, MPI_DOUBLE, comm);
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i)
      expect(b[r * n + i], value(r, rank * n + i));
  free(a), free(b), free(c), free(d);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  for (int part = 0; part < 2; ++part) {
    if (part == 0)
      comm = MPI_COMM_WORLD;
    else
      MPI_Comm_split(MPI_COMM_WORLD, world < 2, -world, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    check(1);
    check(37);
    check(5000);
    check(40000);
  }
  MPI_Comm_free(&comm);
  long all;
  MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (world == 0)
    printf("%ld wrong elements\n", all);
  MPI_Finalize();
  return 0;
}
