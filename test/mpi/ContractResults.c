/* ContractResults.c - Results of collectives
 *
 * Sections 5.4 to 5.10: types, operators, roots, counts, and MPI_IN_PLACE. Operands are such that
 * all orders of a reduction have the same result; the expected one is computed from the definition.
 */

#include "Contract.h"

#include <stdint.h>

enum { most = 4096 };
static const int counts[] = {0, 1, 7, 1000};

/* Operand i of process r: small, so that all sums and products are exact. */
static int operand(int r, int i) { return (r * 5 + i * 3) % 4 + (i % 2); }

static int expected(MPI_Op op, int i) {
  int result = operand(0, i);
  for (int r = 1; r < ranks; ++r) {
    int other = operand(r, i);
    result = op == MPI_SUM    ? result + other
             : op == MPI_PROD ? result * other
             : op == MPI_MIN  ? (other < result ? other : result)
                              : (other > result ? other : result);
  }
  return result;
}

/* A type of MPI, and its elements as numbers. */
struct Type {
  MPI_Datatype type;
  const char *name;
  int size;
  void (*store)(void *array, int i, int number);
  int (*load)(const void *array, int i);
};

#define ACCESS(NAME, C)                                                                            \
  static void store##NAME(void *array, int i, int number) { ((C *)array)[i] = (C)number; }         \
  static int load##NAME(const void *array, int i) { return (int)((const C *)array)[i]; }
ACCESS(Float, float)
ACCESS(Double, double)
ACCESS(Int, int)
ACCESS(Long, long)
ACCESS(Short, short)
ACCESS(Unsigned, unsigned)
ACCESS(Int8, int8_t)
ACCESS(Uint8, uint8_t)
ACCESS(Int64, int64_t)
ACCESS(Uint64, uint64_t)

#define TYPE(MPI, NAME, C) {MPI, #MPI, sizeof(C), store##NAME, load##NAME}

static double input[most], output[most];

static const char *verdict(const struct Type *type, MPI_Op op, int first, int count) {
  for (int i = 0; i < count; ++i)
    if (type->load(output, i) != expected(op, first + i))
      return "wrong";
  return "right";
}

static void fill(const struct Type *type, void *array, int count) {
  for (int i = 0; i < count; ++i)
    type->store(array, i, operand(rank, i));
}

static const char *inputVerdict(const struct Type *type, int count) {
  for (int i = 0; i < count; ++i)
    if (type->load(input, i) != operand(rank, i))
      return "input changed";
  return "right";
}

static void reportBoth(const char *result, const char *unchanged) {
  report(strcmp(result, "right") ? result : unchanged);
}

static void reductions(const struct Type *type, MPI_Op op, const char *opName, int count) {
  fill(type, input, count * ranks);
  begin("allreduce %s %s %d", type->name, opName, count);
  MPI_Allreduce(input, output, count, type->type, op, MPI_COMM_WORLD);
  reportBoth(verdict(type, op, 0, count), inputVerdict(type, count));
  begin("allreduce in place %s %s %d", type->name, opName, count);
  fill(type, output, count);
  MPI_Allreduce(MPI_IN_PLACE, output, count, type->type, op, MPI_COMM_WORLD);
  report(verdict(type, op, 0, count));
  begin("reduce_scatter_block %s %s %d", type->name, opName, count);
  MPI_Reduce_scatter_block(input, output, count, type->type, op, MPI_COMM_WORLD);
  reportBoth(verdict(type, op, rank * count, count), inputVerdict(type, count * ranks));
  begin("reduce_scatter_block in place %s %s %d", type->name, opName, count);
  fill(type, output, count * ranks);
  MPI_Reduce_scatter_block(MPI_IN_PLACE, output, count, type->type, op, MPI_COMM_WORLD);
  report(verdict(type, op, rank * count, count));
  for (int root = 0; root < ranks; ++root) {
    begin("reduce to %d %s %s %d", root, type->name, opName, count);
    memset(output, 77, sizeof(output));
    MPI_Reduce(input, rank == root ? output : NULL, count, type->type, op, root, MPI_COMM_WORLD);
    reportBoth(rank == root ? verdict(type, op, 0, count) : "right", inputVerdict(type, count));
#ifdef MPICH_VERSION /* MPICH 4.0 accesses the address MPI_IN_PLACE. */
    if (root > 0 && count > 512)
      continue;
#endif
    begin("reduce in place to %d %s %s %d", root, type->name, opName, count);
    fill(type, output, count);
    MPI_Reduce(rank == root ? MPI_IN_PLACE : output, rank == root ? output : input, count,
               type->type, op, root, MPI_COMM_WORLD);
    report(rank == root ? verdict(type, op, 0, count) : "right");
  }
}

/* Element i of the block from process `from` to process `to`. */
static int element(int from, int to, int i) { return (from * 11 + to * 5 + i) % 100; }

static void movements(const struct Type *type, int count) {
  for (int root = 0; root < ranks; ++root) {
    begin("bcast from %d %s %d", root, type->name, count);
    for (int i = 0; i < count; ++i)
      type->store(output, i, rank == root ? element(root, 0, i) : 0);
    MPI_Bcast(output, count, type->type, root, MPI_COMM_WORLD);
    int right = 1;
    for (int i = 0; i < count; ++i)
      right &= type->load(output, i) == element(root, 0, i);
    report(right ? "right" : "wrong");
  }
  for (int inPlace = 0; inPlace < 2; ++inPlace)
    for (int all = 0; all < 2; ++all) {
      const char *name = all ? "alltoall" : "allgather";
      begin("%s%s %s %d", name, inPlace ? " in place" : "", type->name, count);
      char *send = (char *)(inPlace ? output : input);
      memset(output, 0, sizeof(output));
      for (int block = 0; block < (all ? ranks : 1); ++block)
        for (int i = 0; i < count; ++i)
          type->store(send + (inPlace && !all ? rank : block) * count * type->size, i,
                      element(rank, all ? block : 0, i));
      const void *from = inPlace ? MPI_IN_PLACE : input;
      /* In place, count and type of the input mean nothing. */
      int sendCount = inPlace ? -4 : count;
      MPI_Datatype sendType = inPlace ? MPI_DATATYPE_NULL : type->type;
      if (all)
        MPI_Alltoall(from, sendCount, sendType, output, count, type->type, MPI_COMM_WORLD);
      else
        MPI_Allgather(from, sendCount, sendType, output, count, type->type, MPI_COMM_WORLD);
      int right = 1;
      for (int block = 0; block < ranks; ++block)
        for (int i = 0; i < count; ++i)
          right &= type->load((char *)output + block * count * type->size, i) ==
                   element(block, all ? rank : 0, i);
      report(right ? "right" : "wrong");
    }
}

int main(int argc, char **argv) {
  startContract(&argc, &argv);
  const struct Type types[] = {
      TYPE(MPI_FLOAT, Float, float),
      TYPE(MPI_DOUBLE, Double, double),
      TYPE(MPI_INT, Int, int),
      TYPE(MPI_LONG, Long, long),
      TYPE(MPI_SHORT, Short, short),
      TYPE(MPI_UNSIGNED, Unsigned, unsigned),
      TYPE(MPI_SIGNED_CHAR, Int8, int8_t),
      TYPE(MPI_UINT8_T, Uint8, uint8_t),
      TYPE(MPI_INT64_T, Int64, int64_t),
      TYPE(MPI_UINT64_T, Uint64, uint64_t),
  };
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
  const char *const opNames[] = {"sum", "prod", "min", "max"};
  enum { numTypes = sizeof(types) / sizeof(types[0]), numCounts = sizeof(counts) / sizeof(int) };
  for (int t = 0; t < numTypes; ++t)
    for (int c = 0; c < numCounts; ++c) {
      /* All operators with one count, and all counts with one operator. */
      for (int op = 0; op < 4; ++op)
        if (op == t % 4 || c == 2)
          reductions(&types[t], ops[op], opNames[op], counts[c]);
      if (t < 4)
        movements(&types[t], counts[c]);
    }
  MPI_Finalize();
  return 0;
}
