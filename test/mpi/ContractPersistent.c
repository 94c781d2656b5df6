/* ContractPersistent.c - Persistent collectives
 *
 * MPI 4.0, section 6.13: the processes of a communicator make the requests in the same order, and
 * start each as often as they want, in another order than others. Open MPI 4 has the functions with
 * other names. Those of MPICH 4.0 send old data again, and some abort, so that none is left to
 * them.
 */

#include "Contract.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(NAME) MPIX_##NAME##_init
#else
#define INIT(NAME) MPI_##NAME##_init
#endif

enum { most = 2048, numKinds = 11, mostRanks = 16 };
static const char *const kinds[numKinds] = {"allreduce", "reduce",   "reduce_scatter_block",
                                            "bcast",     "gather",   "scatter",
                                            "allgather", "alltoall", "scan",
                                            "exscan",    "barrier"};

struct Operation {
  int kind, count, root, me, size;
  long send[most * 2], recv[most * 2];
  MPI_Request request;
};

static struct Operation *make(int kind, int count, int root, MPI_Comm comm) {
  struct Operation *o = calloc(1, sizeof(*o));
  o->kind = kind;
  o->count = count;
  o->root = root;
  MPI_Comm_rank(comm, &o->me);
  MPI_Comm_size(comm, &o->size);
  long *s = o->send, *d = o->recv;
  MPI_Request *r = &o->request;
  const MPI_Info i = MPI_INFO_NULL;
  switch (kind) {
  case 0:
    INIT(Allreduce)(s, d, count, MPI_LONG, MPI_SUM, comm, i, r);
    break;
  case 1:
    INIT(Reduce)(s, d, count, MPI_LONG, MPI_SUM, root, comm, i, r);
    break;
  case 2:
    INIT(Reduce_scatter_block)(s, d, count, MPI_LONG, MPI_SUM, comm, i, r);
    break;
  case 3:
    INIT(Bcast)(d, count, MPI_LONG, root, comm, i, r);
    break;
  case 4:
    INIT(Gather)(s, count, MPI_LONG, d, count, MPI_LONG, root, comm, i, r);
    break;
  case 5:
    INIT(Scatter)(s, count, MPI_LONG, d, count, MPI_LONG, root, comm, i, r);
    break;
  case 6:
    INIT(Allgather)(s, count, MPI_LONG, d, count, MPI_LONG, comm, i, r);
    break;
  case 7:
    INIT(Alltoall)(s, count, MPI_LONG, d, count, MPI_LONG, comm, i, r);
    break;
  case 8:
    INIT(Scan)(s, d, count, MPI_LONG, MPI_SUM, comm, i, r);
    break;
  case 9:
    INIT(Exscan)(s, d, count, MPI_LONG, MPI_SUM, comm, i, r);
    break;
  default:
    INIT(Barrier)(comm, i, r);
  }
  return o;
}

static long valueOf(int process, int element, int round) {
  return process * 1000003L + element * 7 + round;
}

/* The data of a start. */
static void fill(struct Operation *o, int round) {
  for (int e = 0; e < o->count * o->size; ++e) {
    o->send[e] = valueOf(o->me, e, round);
    o->recv[e] = o->kind == 3 && o->me == o->root ? o->send[e] : -1;
  }
}

static int isRight(const struct Operation *o, int round) {
  const int last[numKinds] = {o->size, o->size, o->size, 0, 0, 0, 0, 0, o->me + 1, o->me, 0};
  const int isRoot = o->me == o->root;
  const int blocks[numKinds] = {1,       isRoot, 1,         1, isRoot ? o->size : 0, 1, o->size,
                                o->size, 1,      o->me > 0, 0};
  for (int b = 0; b < blocks[o->kind]; ++b)
    for (int e = 0; e < o->count; ++e) {
      long right = 0;
      switch (o->kind) {
      case 3:
        right = valueOf(o->root, e, round);
        break;
      case 4:
      case 6:
        right = valueOf(b, e, round);
        break;
      case 5:
        right = valueOf(o->root, o->me * o->count + e, round);
        break;
      case 7:
        right = valueOf(b, o->me * o->count + e, round);
        break;
      default:
        for (int p = 0; p < last[o->kind]; ++p)
          right += valueOf(p, (o->kind == 2 ? o->me * o->count : 0) + e, round);
      }
      if (o->recv[b * o->count + e] != right)
        return 0;
    }
  return 1;
}

static int discard(struct Operation *o) {
  MPI_Request_free(&o->request);
  const int isFreed = o->request == MPI_REQUEST_NULL;
  free(o);
  return isFreed;
}

static void oneByOne(void) {
  static const int counts[] = {0, 1, 100, 1000};
  for (int kind = 0; kind < numKinds; ++kind)
    for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); ++c) {
      int right = 1;
      for (int root = 0; root < ranks; ++root) {
        struct Operation *o = make(kind, counts[c], root, MPI_COMM_WORLD);
        for (int round = 0; round < 10; ++round) {
          fill(o, round);
          MPI_Start(&o->request);
          if (round % 2) {
            MPI_Wait(&o->request, MPI_STATUS_IGNORE);
          } else {
            for (int done = 0; !done;)
              MPI_Test(&o->request, &done, MPI_STATUS_IGNORE);
          }
          right &= o->request != MPI_REQUEST_NULL && isRight(o, round);
        }
        right &= discard(o);
      }
      begin("persistent %s of %d", kinds[kind], counts[c]);
      report(right ? "right" : "wrong");
    }
}

/* Each process starts the requests in an order of its own, and completes them in another. */
static void anyOrder(void) {
  /* MPICH 4.0 fails after waitany and waitsome, and in testall. */
  static const char *const ways[] = {"wait", "waitall"};
  for (int way = 0; way < 2; ++way) {
    struct Operation *all[numKinds];
    int right = 1;
    for (int k = 0; k < numKinds; ++k)
      all[k] = make(k, 10 + 30 * k, k % ranks, MPI_COMM_WORLD);
    for (int round = 0; round < 50; ++round) {
      MPI_Request requests[numKinds];
      MPI_Status statuses[numKinds];
      for (int k = 0; k < numKinds; ++k) {
        const int i = (k * (rank % 2 ? 10 : 1) + round) % numKinds;
        fill(all[i], round);
        requests[k] = all[i]->request;
      }
      if (round % 2) {
        MPI_Startall(numKinds, requests);
      } else {
        for (int k = 0; k < numKinds; ++k)
          MPI_Start(&requests[k]);
      }
      /* A blocking collective in between. */
      long mine = rank, sum = 0;
      MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      right &= sum == ranks * (ranks - 1) / 2;
      if (way == 0)
        for (int k = numKinds - 1; k >= 0; --k)
          MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
      else
        MPI_Waitall(numKinds, requests, statuses);
      for (int k = 0; k < numKinds; ++k)
        right &= isRight(all[k], round);
    }
    for (int k = 0; k < numKinds; ++k)
      right &= discard(all[k]);
    begin("persistent collectives in any order, completed by %s", ways[way]);
    report(right ? "right" : "wrong");
  }
}

/* A process that has completed its part goes on, although another one has not started its own. */
static void lateStart(void) {
  struct Operation *first = make(0, 64, 0, MPI_COMM_WORLD),
                   *second = make(6, 64, 0, MPI_COMM_WORLD);
  int right = 1;
  for (int round = 0; round < 50; ++round) {
    fill(first, round);
    fill(second, round);
    MPI_Start(rank == 0 ? &first->request : &second->request);
    long value = round;
    MPI_Bcast(&value, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Start(rank == 0 ? &second->request : &first->request);
    MPI_Wait(&first->request, MPI_STATUS_IGNORE);
    MPI_Wait(&second->request, MPI_STATUS_IGNORE);
    right &= value == round && isRight(first, round) && isRight(second, round);
  }
  right &= discard(first);
  right &= discard(second);
  begin("a blocking collective between starts in different orders");
  report(right ? "right" : "wrong");
}

static void ofOthers(void) {
  int right = 1;
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  long one = 1, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_LONG, MPI_SUM, comm);
  struct Operation *o = make(0, 100, 0, comm);
  for (int round = 0; round < 20; ++round) {
    fill(o, round);
    MPI_Start(&o->request);
    MPI_Wait(&o->request, MPI_STATUS_IGNORE);
    right &= isRight(o, round);
  }
  right &= discard(o);
  MPI_Comm_free(&comm);
  begin("persistent all-reduce of a reversed group");
  report(right ? "right" : "wrong");
  /* Every second element. */
  MPI_Datatype type;
  MPI_Type_vector(50, 1, 2, MPI_LONG, &type);
  MPI_Type_commit(&type);
  long data[100];
  MPI_Request request;
  right = 1;
  INIT(Bcast)(data, 1, type, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#ifndef OPEN_MPI /* which does not keep the type */
  MPI_Type_free(&type);
#endif
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 100; ++i)
      data[i] = rank == 0 ? i + round : -i;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i)
      right &= data[i] == (i % 2 && rank ? -i : i + round);
  }
  MPI_Request_free(&request);
#ifdef OPEN_MPI
  MPI_Type_free(&type);
#endif
  begin("a persistent broadcast of a derived type");
  report(right ? "right" : "wrong");
}

#ifdef OPEN_MPI
/* More requests than there is memory for. */
static void many(void) {
  enum { number = 200 };
  struct Operation *all[number];
  int right = 1;
  for (int i = 0; i < number; ++i)
    all[i] = make(i % numKinds, most / ranks, 0, MPI_COMM_WORLD);
  for (int i = 0; i < number; ++i) {
    fill(all[i], i);
    MPI_Start(&all[i]->request);
  }
  for (int i = 0; i < number; ++i) {
    MPI_Wait(&all[i]->request, MPI_STATUS_IGNORE);
    right &= isRight(all[i], i);
    right &= discard(all[i]);
  }
  begin("many persistent collectives");
  report(right ? "right" : "wrong");
}
#endif

static void errors(void) {
  long a[4] = {0}, b[4] = {0};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  begin("persistent allreduce of a negative count");
  report(errorName(
      INIT(Allreduce)(a, b, -1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request)));
  begin("persistent bcast from a root that does not exist");
  report(errorName(INIT(Bcast)(a, 4, MPI_LONG, ranks, MPI_COMM_WORLD, MPI_INFO_NULL, &request)));
}

int main(int argc, char **argv) {
  startContract(&argc, &argv);
  oneByOne();
  anyOrder();
  lateStart();
  ofOthers();
#ifdef OPEN_MPI
  many();
#endif
  errors();
  MPI_Finalize();
  return 0;
}
