/* Calls the collectives of MPI with several types, sizes, roots and MPI_IN_PLACE, on the world and on a
   part of it, and compares with closed forms. Prints the number of wrong elements. With an argument, only
   small sizes: MPICH 4.0 fails in large reductions in place to another process than 0. */
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

static void add_ints(void *in, void *inout, int *count, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    ((int *)inout)[i] += ((int *)in)[i];
}

/* Odd ranks have the data at every second place, even ranks side by side: the signatures are equal. */
static void check_types(int n) {
  MPI_Datatype sparse;
  MPI_Type_vector(n, 1, 2, MPI_INT, &sparse);
  MPI_Type_commit(&sparse);
  int step = rank % 2 ? 2 : 1, blocks = ranks * 2 * n;
  int *a = calloc(blocks, sizeof(int)), *b = calloc(blocks, sizeof(int));
  for (int root = 0; root < ranks; ++root) {
    for (int i = 0; i < n; ++i)
      a[i * step] = rank == root ? 7 * i + root : -1;
    MPI_Bcast(a, step == 2 ? 1 : n, step == 2 ? sparse : MPI_INT, root, comm);
    for (int i = 0; i < n; ++i)
      expect(a[i * step], 7 * i + root);
  }
  for (int i = 0; i < n; ++i)
    a[i * step] = rank * 1000 + i;
  MPI_Allgather(a, step == 2 ? 1 : n, step == 2 ? sparse : MPI_INT, b, n, MPI_INT, comm);
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i)
      expect(b[r * n + i], r * 1000 + i);
  MPI_Type_free(&sparse);
  struct {
    double value;
    int rank;
  } mine = {rank % 2, rank}, most;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  expect(most.rank, 1);
  MPI_Bcast(&mine, 1, MPI_DOUBLE_INT, ranks - 1, comm);
  expect(mine.rank, ranks - 1);
  MPI_Op op;
  MPI_Op_create(add_ints, 1, &op);
  for (int i = 0; i < n; ++i)
    a[i] = rank + i;
  MPI_Allreduce(a, b, n, MPI_INT, op, comm);
  for (int i = 0; i < n; ++i)
    expect(b[i], ranks * (ranks - 1) / 2 + ranks * i);
  MPI_Op_free(&op);
  free(a), free(b);
}

/* Between the lower and the upper half of the world. */
static void check_groups(int world, int size) {
  MPI_Comm half, both;
  int upper = world >= size / 2, sum = -1;
  MPI_Comm_split(MPI_COMM_WORLD, upper, world, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 1, &both);
  MPI_Allreduce(&world, &sum, 1, MPI_INT, MPI_SUM, both);
  int want = 0;
  for (int r = 0; r < size; ++r)
    want += (r >= size / 2) != upper ? r : 0;
  expect(sum, want);
  MPI_Comm_free(&both), MPI_Comm_free(&half);
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
    if (argc == 1) {
      check(5000);
      check(40000);
    }
    check_types(100);
  }
  MPI_Comm_free(&comm);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check_groups(world, ranks);
  long all;
  MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (world == 0)
    printf("%ld wrong elements\n", all);
  MPI_Finalize();
  return 0;
}
