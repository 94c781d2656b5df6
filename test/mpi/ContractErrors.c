/* ContractErrors.c - Errors of collectives
 *
 * Sections 8.3 and 8.4: an error calls the handler of the communicator, once, and its code is
 * returned. All processes make the same wrong call, except where the case says so.
 */

#include "Contract.h"

static MPI_Comm comm;
static int a[64], b[64];
static int handled, handledClass;

static void handler(MPI_Comm *where, int *code, ...) {
  (void)where;
  ++handled;
  MPI_Error_class(*code, &handledClass);
}

/* The calls of the six collectives, on one or two buffers. */
enum { Allreduce, Reduce, ReduceScatter, Bcast, Allgather, Alltoall, numCollectives };
static const char *const names[] = {"allreduce", "reduce",    "reduce_scatter_block",
                                    "bcast",     "allgather", "alltoall"};

static int call(int which, const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                int root, MPI_Comm where) {
  switch (which) {
  case Allreduce:
    return MPI_Allreduce(send, recv, count, type, op, where);
  case Reduce:
    return MPI_Reduce(send, recv, count, type, op, root, where);
  case ReduceScatter:
    return MPI_Reduce_scatter_block(send, recv, count, type, op, where);
  case Bcast:
    return MPI_Bcast(recv, count, type, root, where);
  case Allgather:
    return MPI_Allgather(send, count, type, recv, count, type, where);
  default:
    return MPI_Alltoall(send, count, type, recv, count, type, where);
  }
}

/* Makes another communicator, with a plan in use for each collective. The old one is not freed: its
 * messages could arrive in a new one. */
static void renew(void) {
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
  for (int which = 0; which < numCollectives; ++which)
    call(which, a, b, 1, MPI_INT, MPI_SUM, 0, comm);
}

/* Reports the class, and whether the handler got it once. An error in some processes leaves
 * messages behind, so that each case has a communicator of its own. */
static void expectHandled(int code) {
  char text[64];
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS)
    MPI_Error_class(code, &class);
  const char *called = handled == 0                                   ? "not handled"
                       : handled > 1                                  ? "handled twice"
                       : code == MPI_SUCCESS || class == handledClass ? "handled"
                                                                      : "another class";
  snprintf(text, sizeof(text), "%s, %s", errorName(code), called);
  handled = 0;
  report(text);
  renew();
}

static int reduces(int which) { return which <= ReduceScatter; }

static void wrongArguments(int which) {
  const char *name = names[which];
  MPI_Datatype open;
  MPI_Type_vector(2, 1, 2, MPI_INT, &open);
#ifdef OPEN_MPI
  if (which != Allgather) /* Open MPI 4.1 accesses the communicator and the type. */
#endif
  {
    begin("%s of a null communicator", name);
    expectHandled(call(which, a, b, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_NULL));
    begin("%s of a null type", name);
    expectHandled(call(which, a, b, 1, MPI_DATATYPE_NULL, MPI_SUM, 0, comm));
  }
#ifndef MPICH_VERSION /* MPICH 4.0 accesses the memory. */
  begin("%s of a negative count", name);
  expectHandled(call(which, a, b, -1, MPI_INT, MPI_SUM, 0, comm));
#endif
  if (!reduces(which)) {
    begin("%s of an uncommitted type", name);
    expectHandled(call(which, a, b, 1, open, MPI_SUM, 0, comm));
  }
#ifdef MPICH_VERSION
  if (which != Bcast) /* MPICH 4.0 accesses the memory. */
#endif
  {
    begin("%s to memory in place", name);
    expectHandled(call(which, a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, 0, comm));
  }
  if (reduces(which)) {
    begin("%s of a null operator", name);
    expectHandled(call(which, a, b, 1, MPI_INT, MPI_OP_NULL, 0, comm));
    begin("%s of real numbers by a bitwise operator", name);
    expectHandled(call(which, a, b, 1, MPI_DOUBLE, MPI_BAND, 0, comm));
    begin("%s of bytes by a sum", name);
    expectHandled(call(which, a, b, 1, MPI_BYTE, MPI_SUM, 0, comm));
    begin("%s of pairs by a sum", name);
    expectHandled(call(which, a, b, 1, MPI_2INT, MPI_SUM, 0, comm));
    begin("%s of integers by minloc", name);
    expectHandled(call(which, a, b, 1, MPI_INT, MPI_MINLOC, 0, comm));
    begin("%s of a derived type by a sum", name);
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair), MPI_Type_commit(&pair);
    expectHandled(call(which, a, b, 1, pair, MPI_SUM, 0, comm));
    MPI_Type_free(&pair);
  }
  if (which == Reduce || which == Bcast)
    for (int root = -3; root <= ranks; root += ranks + 3) {
      begin("%s from root %s", name, root < 0 ? "-3" : "R");
      expectHandled(call(which, a, b, 1, MPI_INT, MPI_SUM, root, comm));
    }
#ifdef MPICH_VERSION
  if (which != Allgather) /* MPICH rejects it in the process with rank 0 alone. */
#endif
    if (which != Bcast) {
      begin("%s of aliased buffers", name);
      expectHandled(call(which, a, a, 2, MPI_INT, MPI_SUM, 0, comm));
      begin("%s of an aliased element", name);
      expectHandled(call(which, a, a, 1, MPI_INT, MPI_SUM, 0, comm));
      begin("%s of no aliased elements", name);
      expectHandled(call(which, a, a, 0, MPI_INT, MPI_SUM, 0, comm));
    }
  if (which == Allgather) {
    begin("%s of the own block", name);
    expectHandled(call(which, b + rank, b, 1, MPI_INT, MPI_SUM, 0, comm));
  }
#ifdef MPICH_VERSION /* Open MPI accesses the memory. */
  begin("%s to null", name);
  expectHandled(call(which, a, NULL, 1, MPI_INT, MPI_SUM, 0, comm));
  if (which != Bcast) {
    begin("%s from null", name);
    expectHandled(call(which, NULL, b, 1, MPI_INT, MPI_SUM, 0, comm));
  }
#endif
  MPI_Type_free(&open);
}

static void wrongPairs(void) {
#ifndef MPICH_VERSION /* MPICH 4.0 accesses the memory. */
  begin("reduce in place, but not at the root");
  expectHandled(MPI_Reduce(rank ? MPI_IN_PLACE : a, b, 1, MPI_INT, MPI_SUM, rank ? 0 : -7, comm));
#endif
  begin("allgather to a null type");
  expectHandled(MPI_Allgather(a, 1, MPI_INT, b, 1, MPI_DATATYPE_NULL, comm));
#ifndef OPEN_MPI
  begin("allgather of a null type to integers");
  expectHandled(MPI_Allgather(a, 1, MPI_DATATYPE_NULL, b, 1, MPI_INT, comm));
#endif
#ifndef MPICH_VERSION
  begin("allgather of a negative count");
  expectHandled(MPI_Allgather(a, -1, MPI_INT, b, 1, MPI_INT, comm));
#endif
  begin("alltoall of a null type to integers");
  expectHandled(MPI_Alltoall(a, 1, MPI_DATATYPE_NULL, b, 1, MPI_INT, comm));
#ifndef MPICH_VERSION
  begin("alltoall of a negative count");
  expectHandled(MPI_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, comm));
#endif
  begin("alltoall of unequal amounts");
  expectHandled(MPI_Alltoall(a, 2, MPI_INT, b, 1, MPI_INT, comm));
}

#ifdef OPEN_MPI
/* Of a broadcast, the others expect less than the root sends. MPICH 4.0 calls the handler of
 * MPI_COMM_WORLD as well if a plan receives the message. */
static void truncation(void) {
  for (int root = 0; root < 2; ++root) {
    begin("bcast from root %d of more than is expected", root);
    int code = MPI_Bcast(a, rank == root ? 3 : 2, MPI_INT, root, comm);
    int once = handled == (code != MPI_SUCCESS);
    handled = 0;
    report(!once ? "not handled once" : errorName(code));
    begin("bcast after that");
    for (int i = 0; i < 8; ++i)
      a[i] = rank == root ? i + 1 : 0;
    code = MPI_Bcast(a, 8, MPI_INT, root, comm);
    handled = 0;
    report(code != MPI_SUCCESS ? errorName(code) : a[7] == 8 ? "right" : "wrong");
  }
}

#endif

static void handlers(void) {
  MPI_Errhandler mine, found;
  MPI_Comm derived;
  MPI_Comm_create_errhandler(handler, &mine);
  MPI_Comm_split(comm, 0, rank, &derived);
  begin("a derived communicator has the handler");
  expectHandled(MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, derived));
  MPI_Comm_set_errhandler(derived, MPI_ERRORS_RETURN);
  begin("a communicator whose errors are returned");
  expectHandled(MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, derived));
  begin("a communicator whose handler was set again");
  MPI_Comm_set_errhandler(derived, mine);
  expectHandled(MPI_Bcast(a, 1, MPI_INT, ranks, derived));
  begin("the handler remains after calls");
  MPI_Comm_get_errhandler(derived, &found);
  report(found == mine ? "the same" : "another");
  begin("right calls do not call the handler");
  int code = MPI_Allreduce(a, b, 8, MPI_INT, MPI_SUM, derived);
  report(code == MPI_SUCCESS && !handled ? "right" : "wrong");
  MPI_Errhandler_free(&found);
  MPI_Errhandler_free(&mine);
  MPI_Comm_free(&derived);
}

int main(int argc, char **argv) {
  startContract(&argc, &argv);
  MPI_Errhandler returns;
  MPI_Comm_create_errhandler(handler, &returns);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, returns);
  renew();
  for (int which = 0; which < numCollectives; ++which)
    wrongArguments(which);
  wrongPairs();
  handlers();
#ifdef OPEN_MPI
  truncation();
#endif
  MPI_Errhandler_free(&returns);
  MPI_Finalize();
  return 0;
}
