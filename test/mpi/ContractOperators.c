/* ContractOperators.c - Every operator with every type
 *
 * Section 5.9.2: the operators of MPI and the types that they take; others are errors. The expected
 * data are those of MPI_Reduce_local, which has no communication: of the inputs, in the order of
 * the ranks. Values are small integers where sums are rounded.
 */

#include "Contract.h"

#include <stdint.h>

enum { n = 60, widest = 16 };

/* How values are made, and which bytes are data. */
enum Kind { Integers, Reals, Truths, Pairs };

struct Type {
  const char *name;
  MPI_Datatype type;
  enum Kind kind;
  int part;  /* bytes of a number, or of the value of a pair */
  int place; /* of a pair: bytes of the place */
};

static void store(char *to, int size, int isReal, long value) {
  if (isReal && size == 4)
    memcpy(to, &(float){(float)value}, 4);
  else if (isReal)
    memcpy(to, &(double){(double)value}, 8);
  else
    memcpy(to, &value, (size_t)size);
}

static void fill(const struct Type *type, int extent, int isSum, char *data) {
  unsigned state = 77u * (unsigned)rank + 5;
  memset(data, 0, (size_t)n * widest);
  for (int i = 0; i < n; ++i, data += extent) {
    state = state * 1664525u + 1013904223u;
    long bits = state >> 8;
    int isReal = type->kind == Reals || strstr(type->name, "FLOAT") ||
                 strstr(type->name, "DOUBLE") || strstr(type->name, "REAL");
    if (type->kind == Pairs) { /* with equal values */
      store(data, type->part, isReal, bits % 3);
      store(data + (type->place < type->part ? type->part : type->place), type->place,
            isReal && strchr(type->name, '2'), bits % 5);
    } else if (type->kind == Truths) {
      store(data, type->part, 0, bits % 2);
    } else {
      for (int at = 0; at < extent; at += type->part)
        store(data + at, type->part, isReal,
              isReal                    ? bits % 9 - 4 + at
              : isSum && type->part < 4 ? bits % 60
                                        : bits * 2654435761L);
    }
  }
}

static int equal(const struct Type *type, int extent, const char *a, const char *b) {
  int right = 1;
  int second = type->place < type->part ? type->part : type->place;
  for (int i = 0; i < n; ++i, a += extent, b += extent)
    right &= type->kind != Pairs ? !memcmp(a, b, (size_t)extent)
                                 : !memcmp(a, b, (size_t)type->part) &&
                                       !memcmp(a + second, b + second, (size_t)type->place);
  return right;
}

static char mine[n * widest], out[n * widest], wanted[n * widest], all[16][n * widest];

static void tryOne(const struct Type *type, const char *name, MPI_Op op) {
  MPI_Aint lowest, extent;
  if (type->kind == Reals && (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR))
    return;
  MPI_Type_get_extent(type->type, &lowest, &extent);
  fill(type, (int)extent, op == MPI_SUM, mine);
  MPI_Allgather(mine, sizeof(mine), MPI_BYTE, all, sizeof(mine), MPI_BYTE, MPI_COMM_WORLD);
  memcpy(wanted, all[ranks - 1], sizeof(wanted));
  int allowed = 1;
  for (int r = ranks - 2; r >= 0 && allowed; --r)
    allowed = MPI_Reduce_local(all[r], wanted, n, type->type, op) == MPI_SUCCESS;

  begin("allreduce of %s by %s", type->name, name);
  memset(out, 0, sizeof(out));
  int code = MPI_Allreduce(mine, out, n, type->type, op, MPI_COMM_WORLD);
  if (code != MPI_SUCCESS || !allowed) {
    report(allowed ? "refused" : errorName(code));
    return;
  }
  report(equal(type, (int)extent, out, wanted) ? "right" : "wrong");

  begin("reduce of %s by %s", type->name, name);
  MPI_Reduce(mine, out, n, type->type, op, ranks - 1, MPI_COMM_WORLD);
  report(rank < ranks - 1 || equal(type, (int)extent, out, wanted) ? "right" : "wrong");

  /* Of the first processes, up to this one and before it. */
  for (int isExclusive = 0; isExclusive < 2; ++isExclusive) {
    const int last = rank - isExclusive;
    begin("%s of %s by %s", isExclusive ? "exscan" : "scan", type->name, name);
    if (isExclusive)
      MPI_Exscan(mine, out, n, type->type, op, MPI_COMM_WORLD);
    else
      MPI_Scan(mine, out, n, type->type, op, MPI_COMM_WORLD);
    memcpy(wanted, all[last < 0 ? 0 : last], sizeof(wanted));
    for (int r = last - 1; r >= 0; --r)
      MPI_Reduce_local(all[r], wanted, n, type->type, op);
    report(last < 0 || equal(type, (int)extent, out, wanted) ? "right" : "wrong");
  }
}

int main(int argc, char **argv) {
  startContract(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const struct Type types[] = {{"SIGNED_CHAR", MPI_SIGNED_CHAR, Integers, 1, 0},
                               {"UNSIGNED_CHAR", MPI_UNSIGNED_CHAR, Integers, 1, 0},
                               {"CHAR", MPI_CHAR, Integers, 1, 0},
                               {"SHORT", MPI_SHORT, Integers, 2, 0},
                               {"UNSIGNED_SHORT", MPI_UNSIGNED_SHORT, Integers, 2, 0},
                               {"INT", MPI_INT, Integers, 4, 0},
                               {"UNSIGNED", MPI_UNSIGNED, Integers, 4, 0},
                               {"LONG", MPI_LONG, Integers, sizeof(long), 0},
                               {"UNSIGNED_LONG", MPI_UNSIGNED_LONG, Integers, sizeof(long), 0},
                               {"LONG_LONG", MPI_LONG_LONG, Integers, 8, 0},
                               {"UNSIGNED_LONG_LONG", MPI_UNSIGNED_LONG_LONG, Integers, 8, 0},
                               {"INT8_T", MPI_INT8_T, Integers, 1, 0},
                               {"INT16_T", MPI_INT16_T, Integers, 2, 0},
                               {"INT32_T", MPI_INT32_T, Integers, 4, 0},
                               {"INT64_T", MPI_INT64_T, Integers, 8, 0},
                               {"UINT8_T", MPI_UINT8_T, Integers, 1, 0},
                               {"UINT16_T", MPI_UINT16_T, Integers, 2, 0},
                               {"UINT32_T", MPI_UINT32_T, Integers, 4, 0},
                               {"UINT64_T", MPI_UINT64_T, Integers, 8, 0},
                               {"AINT", MPI_AINT, Integers, sizeof(MPI_Aint), 0},
                               {"OFFSET", MPI_OFFSET, Integers, sizeof(MPI_Offset), 0},
                               {"COUNT", MPI_COUNT, Integers, sizeof(MPI_Count), 0},
                               {"INTEGER", MPI_INTEGER, Integers, 4, 0},
                               {"WCHAR", MPI_WCHAR, Integers, 4, 0},
                               {"BYTE", MPI_BYTE, Integers, 1, 0},
                               {"C_BOOL", MPI_C_BOOL, Truths, 1, 0},
                               {"LOGICAL", MPI_LOGICAL, Truths, 4, 0},
                               {"FLOAT", MPI_FLOAT, Reals, 4, 0},
                               {"DOUBLE", MPI_DOUBLE, Reals, 8, 0},
                               {"REAL", MPI_REAL, Reals, 4, 0},
                               {"DOUBLE_PRECISION", MPI_DOUBLE_PRECISION, Reals, 8, 0},
                               {"C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, Reals, 4, 0},
                               {"C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, Reals, 8, 0},
                               {"COMPLEX", MPI_COMPLEX, Reals, 4, 0},
                               {"DOUBLE_COMPLEX", MPI_DOUBLE_COMPLEX, Reals, 8, 0},
                               {"FLOAT_INT", MPI_FLOAT_INT, Pairs, 4, 4},
                               {"DOUBLE_INT", MPI_DOUBLE_INT, Pairs, 8, 4},
                               {"LONG_INT", MPI_LONG_INT, Pairs, sizeof(long), 4},
                               {"SHORT_INT", MPI_SHORT_INT, Pairs, 2, 4},
                               {"2INT", MPI_2INT, Pairs, 4, 4},
                               {"2INTEGER", MPI_2INTEGER, Pairs, 4, 4},
                               {"2REAL", MPI_2REAL, Pairs, 4, 4},
                               {"2DOUBLE_PRECISION", MPI_2DOUBLE_PRECISION, Pairs, 8, 8}};
  const struct {
    const char *name;
    MPI_Op op;
  } ops[] = {{"sum", MPI_SUM},   {"prod", MPI_PROD},     {"min", MPI_MIN},
             {"max", MPI_MAX},   {"band", MPI_BAND},     {"bor", MPI_BOR},
             {"bxor", MPI_BXOR}, {"land", MPI_LAND},     {"lor", MPI_LOR},
             {"lxor", MPI_LXOR}, {"minloc", MPI_MINLOC}, {"maxloc", MPI_MAXLOC}};
  for (size_t t = 0; t < sizeof(types) / sizeof(*types); ++t)
    for (size_t o = 0; o < sizeof(ops) / sizeof(*ops); ++o)
      if (types[t].type != MPI_DATATYPE_NULL)
        tryOne(&types[t], ops[o].name, ops[o].op);
  MPI_Finalize();
  return 0;
}
