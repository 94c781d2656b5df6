/* ContractNonBlocking.c - Non-blocking collectives
 *
 * Section 5.12: a call returns before the operation is complete, whatever other processes do; all
 * processes of a communicator begin their collectives in the same order, and complete them in any;
 * an operation advances while a process waits for something else; communicators and types may be
 * freed before it is complete.
 */

#include "Contract.h"

enum { most = 4096, numKinds = 11 };
static const char *const kinds[numKinds] = {"iallreduce", "ireduce",   "ireduce_scatter_block",
                                            "ibcast",     "igather",   "iscatter",
                                            "iallgather", "ialltoall", "ibarrier",
                                            "iscan",      "iexscan"};

/* The data of one operation, and the result that this process must have. */
struct Operation {
  int kind, count, root, isInPlace, me, size;
  MPI_Comm comm;
  long *send, *recv, *right;
  int numRight;
  MPI_Request request;
};

static long valueOf(int process, int block, int i, int salt) {
  return (long)process * 1000003 + block * 1009 + i * 7 + salt;
}

static void expect(struct Operation *o, int salt) {
  const int isRoot = o->me == o->root;
  o->numRight = 0;
  for (int b = 0; b < o->size; ++b)
    for (int i = 0; i < o->count; ++i) {
      long sum = 0, before = 0;
      for (int p = 0; p < o->me; ++p)
        before += valueOf(p, 0, i, salt);
      for (int p = 0; p < o->size; ++p)
        sum += valueOf(p, o->kind == 2 ? o->me : 0, i, salt);
      const long values[numKinds] = {sum,
                                     sum,
                                     sum,
                                     valueOf(o->root, 0, i, salt),
                                     valueOf(b, 0, i, salt),
                                     valueOf(o->root, o->me, i, salt),
                                     valueOf(b, 0, i, salt),
                                     valueOf(b, o->me, i, salt),
                                     0,
                                     before + valueOf(o->me, 0, i, salt),
                                     before};
      const int blocks[numKinds] = {1,       isRoot, 1, 1,        isRoot ? o->size : 0, 1, o->size,
                                    o->size, 0,      1, o->me > 0};
      if (b < blocks[o->kind])
        o->right[o->numRight++] = values[o->kind];
    }
}

static void start(struct Operation *o, int kind, int count, int root, int isInPlace, int salt,
                  MPI_Comm comm) {
  *o = (struct Operation){.kind = kind, .count = count, .root = root, .comm = comm};
  MPI_Comm_rank(comm, &o->me);
  MPI_Comm_size(comm, &o->size);
  const size_t bytes = sizeof(long) * count * o->size;
  o->send = malloc(bytes);
  o->recv = malloc(bytes);
  o->right = malloc(bytes);
  for (int b = 0; b < o->size; ++b)
    for (int i = 0; i < count; ++i)
      o->send[b * count + i] = valueOf(o->me, b, i, salt);
  memset(o->recv, 0x55, bytes);
  expect(o, salt);
  o->isInPlace = isInPlace && (kind == 0 || kind == 6);
  const void *send = o->send;
  if (o->isInPlace) {
    memcpy(kind == 6 ? o->recv + o->me * count : o->recv, o->send, sizeof(long) * count);
    send = MPI_IN_PLACE;
  }
  if (kind == 3 && o->me == root)
    memcpy(o->recv, o->send, sizeof(long) * count);
  MPI_Request *r = &o->request;
  switch (kind) {
  case 0:
    MPI_Iallreduce(send, o->recv, count, MPI_LONG, MPI_SUM, comm, r);
    break;
  case 1:
    MPI_Ireduce(send, o->recv, count, MPI_LONG, MPI_SUM, root, comm, r);
    break;
  case 2:
    MPI_Ireduce_scatter_block(send, o->recv, count, MPI_LONG, MPI_SUM, comm, r);
    break;
  case 3:
    MPI_Ibcast(o->recv, count, MPI_LONG, root, comm, r);
    break;
  case 4:
    MPI_Igather(send, count, MPI_LONG, o->recv, count, MPI_LONG, root, comm, r);
    break;
  case 5:
    MPI_Iscatter(send, count, MPI_LONG, o->recv, count, MPI_LONG, root, comm, r);
    break;
  case 6:
    MPI_Iallgather(send, count, MPI_LONG, o->recv, count, MPI_LONG, comm, r);
    break;
  case 7:
    MPI_Ialltoall(send, count, MPI_LONG, o->recv, count, MPI_LONG, comm, r);
    break;
  case 8:
    MPI_Ibarrier(comm, r);
    break;
  case 9:
    MPI_Iscan(send, o->recv, count, MPI_LONG, MPI_SUM, comm, r);
    break;
  default:
    MPI_Iexscan(send, o->recv, count, MPI_LONG, MPI_SUM, comm, r);
  }
}

/* Whether the result is right; frees the data. */
static int check(struct Operation *o) {
  int isRight = !memcmp(o->recv, o->right, sizeof(long) * o->numRight);
  isRight &= o->request == MPI_REQUEST_NULL;
  free(o->send);
  free(o->recv);
  free(o->right);
  return isRight;
}

/* Blocking collectives of the same sizes. */
static void warmUp(MPI_Comm comm, int count) {
  int size;
  MPI_Comm_size(comm, &size);
  long *a = calloc((size_t)count * size, sizeof(long)),
       *b = calloc((size_t)count * size, sizeof(long));
  for (int round = 0; round < 2; ++round) {
    MPI_Allreduce(a, b, count, MPI_LONG, MPI_SUM, comm);
    MPI_Reduce(a, b, count, MPI_LONG, MPI_SUM, 0, comm);
    MPI_Reduce_scatter_block(a, b, count, MPI_LONG, MPI_SUM, comm);
    MPI_Bcast(a, count, MPI_LONG, 0, comm);
    MPI_Gather(a, count, MPI_LONG, b, count, MPI_LONG, 0, comm);
    MPI_Scatter(a, count, MPI_LONG, b, count, MPI_LONG, 0, comm);
    MPI_Allgather(a, count, MPI_LONG, b, count, MPI_LONG, comm);
    MPI_Alltoall(a, count, MPI_LONG, b, count, MPI_LONG, comm);
    MPI_Scan(a, b, count, MPI_LONG, MPI_SUM, comm);
    MPI_Exscan(a, b, count, MPI_LONG, MPI_SUM, comm);
    MPI_Barrier(comm);
  }
  free(a);
  free(b);
}

static void oneByOne(const char *when) {
  static const int counts[] = {0, 1, 3, 100, most};
  for (int kind = 0; kind < numKinds; ++kind)
    for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); ++c)
      for (int isInPlace = 0; isInPlace < 2; ++isInPlace) {
        struct Operation o;
        int right = 1;
        for (int root = 0; root < ranks; ++root) {
          MPI_Barrier(MPI_COMM_WORLD);
          start(&o, kind, counts[c], root, isInPlace, root, MPI_COMM_WORLD);
          if (c % 2) {
            MPI_Wait(&o.request, MPI_STATUS_IGNORE);
          } else {
            for (int done = 0; !done;)
              MPI_Test(&o.request, &done, MPI_STATUS_IGNORE);
          }
          right &= check(&o);
        }
        begin("%s of %d%s, %s", kinds[kind], counts[c], isInPlace ? " in place" : "", when);
        report(right ? "right" : "wrong");
      }
}

/* The ways in which several requests are completed, in any order. */
static void completeAll(struct Operation *all, int n, int way) {
  MPI_Request requests[64];
  MPI_Status statuses[64]; /* MPICH's compiler warns of none */
  for (int i = 0; i < n; ++i)
    requests[i] = all[i].request;
  int index, done = 0, flag = 0, indices[64];
  switch (way) {
  case 0:
    MPI_Waitall(n, requests, statuses);
    break;
  case 1:
    for (int i = n - 1; i >= 0; --i)
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    break;
  case 2:
    for (int i = 0; i < n; ++i)
      MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
    break;
  case 3:
    for (int left = n; left > 0; left -= done)
      MPI_Waitsome(n, requests, &done, indices, statuses);
    break;
  case 4:
    while (!flag)
      MPI_Testall(n, requests, &flag, statuses);
    break;
  case 5:
    for (int left = n; left > 0; left -= flag)
      MPI_Testany(n, requests, &index, &flag, MPI_STATUS_IGNORE);
    break;
  case 6:
    for (int left = n; left > 0; left -= done)
      MPI_Testsome(n, requests, &done, indices, statuses);
    break;
  default:
    for (int i = 0; i < n; ++i) {
      for (flag = 0; !flag;)
        MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
  }
  for (int i = 0; i < n; ++i)
    all[i].request = requests[i];
}

static void severalAtOnce(void) {
  static const char *const ways[] = {"waitall", "wait",    "waitany",  "waitsome",
                                     "testall", "testany", "testsome", "status"};
  for (int way = 0; way < 8; ++way) {
    struct Operation all[2 * numKinds];
    int right = 1;
    for (int round = 0; round < 20; ++round) {
      MPI_Barrier(MPI_COMM_WORLD);
      for (int i = 0; i < 2 * numKinds; ++i)
        start(&all[i], (i + round) % numKinds, 1 + (i * 37 + round) % 200, i % ranks, i % 2, i,
              MPI_COMM_WORLD);
      completeAll(all, 2 * numKinds, way);
      for (int i = 0; i < 2 * numKinds; ++i)
        right &= check(&all[i]);
    }
    begin("several at once, completed by %s", ways[way]);
    report(right ? "right" : "wrong");
  }
}

/* Requests of messages among those of collectives. */
static void withMessages(void) {
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  for (int way = 0; way < 8; ++way) {
    int right = 1;
    for (int round = 0; round < 30; ++round) {
      struct Operation all[6];
      int out = rank + round, in = -1;
      MPI_Barrier(MPI_COMM_WORLD);
      for (int i = 0; i < 4; ++i)
        start(&all[i], i == 2 ? 6 : 0, 10 + i, 0, 0, round, MPI_COMM_WORLD);
      for (int i = 4; i < 6; ++i)
        all[i] = (struct Operation){0};
      MPI_Irecv(&in, 1, MPI_INT, previous, round, MPI_COMM_WORLD, &all[4].request);
      MPI_Isend(&out, 1, MPI_INT, next, round, MPI_COMM_WORLD, &all[5].request);
      completeAll(all, 6, way);
      for (int i = 0; i < 4; ++i)
        right &= check(&all[i]);
      right &= in == previous + round;
    }
    begin("with messages, way %d", way);
    report(right ? "right" : "wrong");
  }
}

/* Blocking collectives between the begin and the end of others. */
static void amongBlocking(void) {
  int right = 1;
  for (int round = 0; round < 100; ++round) {
    struct Operation a, b;
    start(&a, round % numKinds, 64, 0, 0, round, MPI_COMM_WORLD);
    long mine = rank + round, sum = 0, expected = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    start(&b, (round + 3) % numKinds, 32, ranks - 1, 0, round, MPI_COMM_WORLD);
    long root = rank == 0 ? round : -1;
    MPI_Bcast(&root, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Wait(&b.request, MPI_STATUS_IGNORE);
    MPI_Wait(&a.request, MPI_STATUS_IGNORE);
    for (int r = 0; r < ranks; ++r)
      expected += r + round;
    right &= sum == expected && root == round;
    right &= check(&a);
    right &= check(&b);
  }
  begin("among blocking collectives");
  report(right ? "right" : "wrong");
}

/* Only the collectives of a communicator have an order. */
static void otherCommunicators(void) {
  MPI_Comm comms[2];
  for (int c = 0; c < 2; ++c) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[c]);
    warmUp(comms[c], 64);
  }
  int right = 1;
  for (int round = 0; round < 100; ++round) {
    struct Operation all[2];
    const int first = (rank + round) % 2;
    for (int c = 0; c < 2; ++c)
      start(&all[c], 0, 64, 0, 0, c == 0 ? first : 1 - first, comms[c == 0 ? first : 1 - first]);
    const int last = round % 3 == 0;
    MPI_Wait(&all[last].request, MPI_STATUS_IGNORE);
    MPI_Wait(&all[1 - last].request, MPI_STATUS_IGNORE);
    right &= check(&all[0]);
    right &= check(&all[1]);
  }
  begin("two communicators in different orders");
  report(right ? "right" : "wrong");
  /* Freed before the end. */
  struct Operation o;
  start(&o, 6, 64, 0, 0, 1, comms[0]);
  MPI_Comm_free(&comms[0]);
  MPI_Wait(&o.request, MPI_STATUS_IGNORE);
  begin("a communicator that is freed");
  report(check(&o) ? "right" : "wrong");
  MPI_Comm_free(&comms[1]);
}

/* The operation advances while its processes wait for something else. */
static void progress(void) {
  static const char *const others[] = {"a message", "a split", "a probe", "a library's collective"};
  for (int other = 0; other < 4; ++other) {
    int right = 1;
    for (int round = 0; round < 20; ++round) {
      struct Operation o;
      start(&o, round % numKinds, 100, 0, 0, round, MPI_COMM_WORLD);
      /* The last process completes it before the others go on. */
      if (rank == ranks - 1)
        MPI_Wait(&o.request, MPI_STATUS_IGNORE);
      MPI_Comm part;
      long value = rank, all[64];
      int counts[64], places[64];
      for (int r = 0; r < ranks; ++r) {
        counts[r] = 1;
        places[r] = r;
      }
      switch (other) {
      case 0:
      case 2:
        if (rank == ranks - 1)
          for (int r = 0; r < ranks - 1; ++r)
            MPI_Send(&value, 1, MPI_LONG, r, round, MPI_COMM_WORLD);
        else {
          if (other == 2)
            MPI_Probe(ranks - 1, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          MPI_Recv(&value, 1, MPI_LONG, ranks - 1, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        break;
      case 1:
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &part);
        MPI_Comm_free(&part);
        break;
      default:
        MPI_Allgatherv(&value, 1, MPI_LONG, all, counts, places, MPI_LONG, MPI_COMM_WORLD);
      }
      if (rank != ranks - 1)
        MPI_Wait(&o.request, MPI_STATUS_IGNORE);
      right &= check(&o);
    }
    begin("progress while a process waits for %s", others[other]);
    report(right ? "right" : "wrong");
  }
}

/* Every second element; the type is freed before the end. */
static void derivedTypes(void) {
  int right = 1;
  for (int round = 0; round < 20; ++round) {
    MPI_Datatype type;
    MPI_Type_vector(50, 1, 2, MPI_LONG, &type);
    MPI_Type_commit(&type);
    long data[100], gathered[2 * 50 * 16];
    for (int i = 0; i < 100; ++i)
      data[i] = rank == 0 ? i + round : -i;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Ibcast(data, 1, type, 0, MPI_COMM_WORLD, &requests[0]);
    long own[50];
    for (int i = 0; i < 50; ++i)
      own[i] = rank * 100 + i;
    MPI_Iallgather(own, 50, MPI_LONG, gathered, 50, MPI_LONG, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&type);
    MPI_Waitall(2, requests, statuses);
    for (int i = 0; i < 100; ++i)
      right &= data[i] == (i % 2 && rank ? -i : i + round);
    for (int r = 0; r < ranks; ++r)
      for (int i = 0; i < 50; ++i)
        right &= gathered[r * 50 + i] == r * 100 + i;
  }
  begin("derived types that are freed");
  report(right ? "right" : "wrong");
}

/* No barrier is complete before all processes have begun it. */
static void barriers(void) {
  int right = 1;
  for (int round = 0; round < 50; ++round) {
    MPI_Request request;
    int done = 0, signal = 0;
    if (rank == 0) {
      /* The others have begun, and cannot be through. */
      for (int r = 1; r < ranks; ++r)
        MPI_Recv(&signal, 1, MPI_INT, r, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int r = 1; r < ranks; ++r)
        right &= signal == 0;
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
    } else {
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
      for (int i = 0; i < 100 && !done; ++i)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      MPI_Send(&done, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
    }
    if (!done)
      MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  begin("a barrier that is not complete");
  report(right ? "right" : "wrong");
}

static void errors(void) {
  long a[4] = {0}, b[4] = {0};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  begin("iallreduce of a negative count");
  report(errorName(MPI_Iallreduce(a, b, -1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request)));
  begin("ibcast from a root that does not exist");
  report(errorName(MPI_Ibcast(a, 4, MPI_LONG, ranks, MPI_COMM_WORLD, &request)));
  begin("ireduce of no type");
  report(errorName(MPI_Ireduce(a, b, 4, MPI_DATATYPE_NULL, MPI_SUM, 0, MPI_COMM_WORLD, &request)));
  begin("ibarrier of no communicator");
  report(errorName(MPI_Ibarrier(MPI_COMM_NULL, &request)));
  begin("wait for no request");
  report(errorName(MPI_Wait(&request, MPI_STATUS_IGNORE)));
}

int main(int argc, char **argv) {
  startContract(&argc, &argv);
  oneByOne("first");
  static const int counts[] = {1, 3, 32, 64, 100, 200, most};
  for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); ++c)
    warmUp(MPI_COMM_WORLD, counts[c]);
  oneByOne("after blocking ones");
  severalAtOnce();
  withMessages();
  amongBlocking();
  otherCommunicators();
  progress();
  derivedTypes();
  barriers();
  errors();
  MPI_Finalize();
  return 0;
}
