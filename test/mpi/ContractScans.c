/* ContractScans.c - Scans, inclusive and exclusive
 *
 * Section 5.11: the result of a process is the reduction over the processes up to it, or before it.
 * An exclusive scan defines nothing for the first process, and leaves its buffer as it is in place.
 * Operands are such that all orders of a reduction have the same result.
 */

#include "Contract.h"

enum { most = 3000 };

struct Scan {
  const char *name;
  int isExclusive;
};
static const struct Scan scans[] = {{"scan", 0}, {"exscan", 1}};

static int call(const struct Scan *scan, const void *send, void *recv, int count, MPI_Datatype type,
                MPI_Op op, MPI_Comm comm) {
  return scan->isExclusive ? MPI_Exscan(send, recv, count, type, op, comm)
                           : MPI_Scan(send, recv, count, type, op, comm);
}

static int operand(int r, int i) { return (r * 5 + i * 3) % 4 + i % 2; }

enum Op { Sum, Prod, Min, Max, Xor, numOps };
static const char *const opNames[] = {"sum", "prod", "min", "max", "bxor"};

static int combined(enum Op op, int a, int b) {
  switch (op) {
  case Sum:
    return a + b;
  case Prod:
    return a * b;
  case Min:
    return b < a ? b : a;
  case Max:
    return b > a ? b : a;
  default:
    return a ^ b;
  }
}

static int in[most], out[most];
static double realIn[most], realOut[most];

static void tryOne(const struct Scan *scan, enum Op op, int count, int isReal, int inPlace,
                   MPI_Comm comm, const char *where) {
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BXOR};
  int me, right = 1;
  MPI_Comm_rank(comm, &me);
  begin("%s%s %s of %d %s, %s", scan->name, inPlace ? " in place" : "", opNames[op], count,
        isReal ? "double" : "int", where);
  for (int i = 0; i < count; ++i) {
    in[i] = operand(me, i), realIn[i] = in[i];
    out[i] = inPlace ? in[i] : -1, realOut[i] = out[i];
  }
  const void *send = inPlace ? MPI_IN_PLACE : isReal ? (const void *)realIn : in;
  void *recv = isReal ? (void *)realOut : out;
  call(scan, send, recv, count, isReal ? MPI_DOUBLE : MPI_INT, ops[op], comm);
  const int last = me - scan->isExclusive;
  for (int i = 0; i < count; ++i) {
    int wanted = operand(0, i);
    for (int r = 1; r <= last; ++r)
      wanted = combined(op, wanted, operand(r, i));
    int got = isReal ? (int)realOut[i] : out[i];
    right &= in[i] == operand(me, i) && realIn[i] == in[i];
    right &= (last < 0 && !inPlace) || got == wanted;
  }
  report(right ? "right" : "wrong");
}

static void results(MPI_Comm comm, const char *where) {
  const int counts[] = {0, 1, 7, 100, most};
  for (int s = 0; s < 2; ++s)
    for (int c = 0; c < 5; ++c)
      for (int op = 0; op < numOps; ++op)
        for (int isReal = 0; isReal < (op == Xor ? 1 : 2); ++isReal)
          for (int inPlace = 0; inPlace < 2; ++inPlace)
            tryOne(&scans[s], (enum Op)op, counts[c], isReal, inPlace, comm, where);
}

/* Composes x -> a x + b, which does not commute. */
static void compose(void *first, void *second, int *length, MPI_Datatype *type) {
  (void)type;
  int *f = first, *g = second;
  for (int i = 0; i < *length; ++i, f += 2, g += 2)
    g[1] = g[0] * f[1] + g[1], g[0] *= f[0];
}

static void operatorsOfTheApplication(void) {
  MPI_Datatype pair;
  MPI_Op op;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(compose, 0, &op);
  for (int s = 0; s < 2; ++s) {
    int mine[2] = {rank + 2, 2 * rank + 1}, got[2] = {0, 0}, wanted[2] = {1, 0};
    begin("%s by an operator of the application", scans[s].name);
    call(&scans[s], mine, got, 1, pair, op, MPI_COMM_WORLD);
    for (int r = 0; r <= rank - scans[s].isExclusive; ++r)
      wanted[1] = (r + 2) * wanted[1] + 2 * r + 1, wanted[0] *= r + 2;
    int isDefined = rank >= scans[s].isExclusive;
    report(!isDefined || (got[0] == wanted[0] && got[1] == wanted[1]) ? "right" : "wrong");
  }
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
}

static void groups(void) {
  MPI_Comm comm, between;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  results(comm, "reversed");
  MPI_Comm_free(&comm);
  results(MPI_COMM_SELF, "alone");
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm);
  MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &between);
  MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
#ifdef OPEN_MPI /* Open MPI 4.1 accesses a null pointer in an exclusive scan. */
  const int kinds = 1;
#else
  const int kinds = 2;
#endif
  for (int s = 0; s < kinds; ++s) {
    begin("%s between two groups", scans[s].name);
    report(errorName(call(&scans[s], in, out, 1, MPI_INT, MPI_SUM, between)));
  }
  MPI_Comm_free(&between);
  MPI_Comm_free(&comm);
}

/* Wrong arguments of all processes, in a communicator whose scans are executed by plans. */
static void errors(const struct Scan *scan) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  call(scan, in, out, 9, MPI_INT, MPI_SUM, comm);
#define EXPECT(WHAT, SEND, RECV, COUNT, TYPE, OP, COMM)                                            \
  begin("%s of %s", scan->name, WHAT);                                                             \
  report(errorName(call(scan, SEND, RECV, COUNT, TYPE, OP, COMM)))
  EXPECT("a null communicator", in, out, 9, MPI_INT, MPI_SUM, MPI_COMM_NULL);
  EXPECT("a null type", in, out, 9, MPI_DATATYPE_NULL, MPI_SUM, comm);
  EXPECT("a null operator", in, out, 9, MPI_INT, MPI_OP_NULL, comm);
  EXPECT("real numbers by a bitwise operator", in, out, 9, MPI_DOUBLE, MPI_BAND, comm);
  EXPECT("integers by minloc", in, out, 9, MPI_INT, MPI_MINLOC, comm);
  EXPECT("bytes by a sum", in, out, 9, MPI_BYTE, MPI_SUM, comm);
  EXPECT("one buffer for input and output", out, out, 9, MPI_INT, MPI_SUM, comm);
#ifdef MPICH_VERSION
  EXPECT("no input", NULL, out, 9, MPI_INT, MPI_SUM, comm);
  EXPECT("no output", in, NULL, 9, MPI_INT, MPI_SUM, comm);
#else /* MPICH 4.0 ends the process. */
  EXPECT("a negative count", in, out, -1, MPI_INT, MPI_SUM, comm);
  if (scan->isExclusive) { /* which the first process does not have */
    EXPECT("an output where there is one", in, rank ? out : NULL, 9, MPI_INT, MPI_SUM, comm);
  }
#endif
#ifdef OPEN_MPI
  if (!scan->isExclusive) /* Open MPI 4.1 accesses the memory. */
#endif
  {
    EXPECT("an output in place", in, MPI_IN_PLACE, 9, MPI_INT, MPI_SUM, comm);
  }
  MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
  startContract(&argc, &argv);
  /* For calls without a communicator. */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  results(MPI_COMM_WORLD, "all");
  operatorsOfTheApplication();
  groups();
  for (int s = 0; s < 2; ++s)
    errors(&scans[s]);
  MPI_Finalize();
  return 0;
}
