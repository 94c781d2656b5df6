/* ContractTypes.c - Derived types and operators of the application
 *
 * Sections 4.1, 5.9.5 and 5.9.7: processes may have different types with equal signatures, types
 * with gaps and absolute addresses, pairs, and operators that do not commute.
 */

#include "Contract.h"

#include <math.h>

enum { n = 40, most = 8 * n };
static int a[most], b[most];

static void clear(void) {
  for (int i = 0; i < most; ++i)
    a[i] = b[i] = -1;
}

static void bcasts(const char *name, MPI_Datatype type, int count, int stride, int mixed) {
  for (int root = 0; root < ranks; ++root) {
    begin("bcast of %s from %d", name, root);
    clear();
    int derived = !mixed || rank % 2;
    int step = derived ? stride : 1;
    if (rank == root)
      for (int i = 0; i < n; ++i)
        a[i * step] = 3 * i + root;
    MPI_Bcast(a, derived ? count : n, derived ? type : MPI_INT, root, MPI_COMM_WORLD);
    int right = 1;
    for (int i = 0; i < n; ++i) {
      right &= a[i * step] == 3 * i + root;
      right &= step == 1 || a[i * step + 1] == -1;
    }
    report(right ? "right" : "wrong");
  }
}

static void blocks(const char *name, MPI_Datatype type, int stride) {
  begin("allgather of %s", name);
  clear();
  for (int i = 0; i < n; ++i)
    a[i * stride] = 100 * rank + i;
  MPI_Allgather(a, 1, type, b, n, MPI_INT, MPI_COMM_WORLD);
  int right = 1;
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i)
      right &= b[r * n + i] == 100 * r + i;
  report(right ? "right" : "wrong");
  begin("alltoall of integers to %s", name);
  MPI_Datatype spaced;
  MPI_Type_create_resized(type, 0, (MPI_Aint)(2 * n * sizeof(int)), &spaced);
  MPI_Type_commit(&spaced);
  clear();
  for (int i = 0; i < n * ranks; ++i)
    a[i] = 1000 * rank + i;
  MPI_Alltoall(a, n, MPI_INT, b, 1, spaced, MPI_COMM_WORLD);
  right = 1;
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i)
      right &= b[r * 2 * n + i * stride] == 1000 * r + rank * n + i;
  report(right ? "right" : "wrong");
  begin("allgather in place of %s", name);
  clear();
  for (int i = 0; i < n; ++i)
    b[rank * 2 * n + i * stride] = 100 * rank + i;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 1, spaced, MPI_COMM_WORLD);
  right = 1;
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i)
      right &= b[r * 2 * n + i * stride] == 100 * r + i;
  report(right ? "right" : "wrong");
  MPI_Type_free(&spaced);
}

/* A type of absolute addresses, whose buffer is MPI_BOTTOM, in every second process. */
static void bottom(void) {
  MPI_Datatype absolute;
  MPI_Aint address;
  int length = n;
  MPI_Get_address(a, &address);
  MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  for (int root = 0; root < ranks; ++root) {
    begin("bcast of absolute addresses from %d", root);
    clear();
    if (rank == root)
      for (int i = 0; i < n; ++i)
        a[i] = i + root;
    if (rank % 2)
      MPI_Bcast(MPI_BOTTOM, 1, absolute, root, MPI_COMM_WORLD);
    else
      MPI_Bcast(a, n, MPI_INT, root, MPI_COMM_WORLD);
    report(a[0] == root && a[n - 1] == n - 1 + root ? "right" : "wrong");
  }
  MPI_Type_free(&absolute);
}

/* Types that are freed and made again have the handles of others. */
static void reusedHandles(void) {
  int right = 1;
  begin("types made and freed");
  for (int round = 1; round < 30; ++round) {
    MPI_Datatype type;
    MPI_Type_contiguous(round, MPI_INT, &type);
    MPI_Type_commit(&type);
    clear();
    if (rank == 0)
      for (int i = 0; i < round; ++i)
        a[i] = i + round;
    MPI_Bcast(a, 1, type, 0, MPI_COMM_WORLD);
    right &= a[round - 1] == 2 * round - 1 && a[round] == -1;
    MPI_Type_free(&type);
  }
  report(right ? "right" : "wrong");
}

/* The matrix product of {{1, x}, {0, 1}}-like pairs (p, q): (p, q)(r, s) = (p r, p s + q). */
static void compose(void *left, void *right, int *count, MPI_Datatype *type) {
  long *l = left, *r = right;
  (void)type;
  for (int i = 0; i < *count; ++i) {
    long p = l[2 * i] * r[2 * i], q = l[2 * i] * r[2 * i + 1] + l[2 * i + 1];
    r[2 * i] = p, r[2 * i + 1] = q;
  }
}

static void operators(void) {
  MPI_Datatype pair;
  MPI_Op op;
  MPI_Type_contiguous(2, MPI_LONG, &pair), MPI_Type_commit(&pair);
  for (int commutes = 0; commutes < 2; ++commutes) {
    MPI_Op_create(compose, 0, &op);
    long in[2 * n], out[2 * n], p = 1, q = 0;
    for (int r = 0; r < ranks; ++r)
      q = p * (r + 1) + q, p = p * 2;
    for (int i = 0; i < n; ++i)
      in[2 * i] = 2, in[2 * i + 1] = rank + 1;
    begin("allreduce of pairs by an operator that does not commute, %d", commutes);
    MPI_Allreduce(in, out, n, pair, op, MPI_COMM_WORLD);
    report(out[2 * n - 2] == p && out[2 * n - 1] == q ? "right" : "wrong");
    begin("reduce of pairs by an operator that does not commute, %d", commutes);
    MPI_Reduce(in, out, n, pair, op, ranks - 1, MPI_COMM_WORLD);
    report(rank < ranks - 1 || (out[0] == p && out[1] == q) ? "right" : "wrong");
    MPI_Op_free(&op);
  }
  MPI_Type_free(&pair);
  struct {
    double value;
    int index;
  } mine = {rank == 1 ? 5.0 : 2.0, rank}, found;
  begin("allreduce by maxloc");
  MPI_Allreduce(&mine, &found, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  report(found.value == 5 && found.index == 1 ? "right" : "wrong");
  begin("allreduce by minloc");
  MPI_Allreduce(&mine, &found, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  report(found.value == 2 && found.index == 0 ? "right" : "wrong");
  begin("bcast of a pair with a gap");
  found.index = rank == 0 ? 9 : 0;
  MPI_Bcast(&found, 1, MPI_DOUBLE_INT, 0, MPI_COMM_WORLD);
  report(found.index == 9 ? "right" : "wrong");
}

static void otherOperators(void) {
  static const struct {
    const char *name;
    int first, others, want;
  } cases[] = {{"band", 6, 3, 2}, {"bor", 6, 3, 7}, {"land", 6, 0, 0}, {"lor", 0, 3, 1}};
  MPI_Op ops[] = {MPI_BAND, MPI_BOR, MPI_LAND, MPI_LOR};
  for (int i = 0; i < 4; ++i) {
    int in = rank == 0 ? cases[i].first : cases[i].others, out = -1;
    begin("allreduce by %s", cases[i].name);
    MPI_Allreduce(&in, &out, 1, MPI_INT, ops[i], MPI_COMM_WORLD);
    report(out == cases[i].want ? "right" : "wrong");
  }
  begin("allreduce of complex numbers");
  double in[2] = {1, rank}, out[2];
  MPI_Allreduce(in, out, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
  report(out[0] == ranks && out[1] == ranks * (ranks - 1) / 2 ? "right" : "wrong");
  begin("allreduce of long double");
  long double longIn = rank + 1, longOut;
  MPI_Allreduce(&longIn, &longOut, 1, MPI_LONG_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  report(longOut == ranks ? "right" : "wrong");
  begin("allreduce of a bool");
  _Bool yes = rank == 1, any = 0;
  MPI_Allreduce(&yes, &any, 1, MPI_C_BOOL, MPI_LOR, MPI_COMM_WORLD);
  report(any ? "right" : "wrong");
}

int main(int argc, char **argv) {
  startContract(&argc, &argv);
  MPI_Datatype dense, sparse;
  MPI_Type_contiguous(n, MPI_INT, &dense), MPI_Type_commit(&dense);
  MPI_Type_vector(n, 1, 2, MPI_INT, &sparse), MPI_Type_commit(&sparse);
  bcasts("integers", MPI_INT, n, 1, 0);
  bcasts("a dense type", dense, 1, 1, 0);
  bcasts("a sparse type", sparse, 1, 2, 0);
  bcasts("integers and a dense type", dense, 1, 1, 1);
  bcasts("integers and a sparse type", sparse, 1, 2, 1);
  blocks("a dense type", dense, 1);
  blocks("a sparse type", sparse, 2);
  bottom();
  reusedHandles();
  operators();
  otherOperators();
  MPI_Type_free(&dense);
  MPI_Type_free(&sparse);
  MPI_Finalize();
  return 0;
}
