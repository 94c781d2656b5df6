/* ContractCommunicators.c - Communicators, attributes and threads
 *
 * Chapters 6 and 12: groups in another order, communicators between groups, copies and their
 * attributes, and the number of communicators that the application can have.
 */

#include "Contract.h"

static int copies, deletions;

static int copyAttribute(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)key, (void)extra;
  ++copies;
  *(void **)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static int deleteAttribute(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

/* Calls of all collectives on a communicator, checked by their definitions. */
static const char *useAll(MPI_Comm comm) {
  int me, size, in, out, right = 1;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  int *blocks = malloc(2 * size * sizeof(int)), *others = blocks + size;
  in = me + 1;
  MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm);
  right &= out == size * (size + 1) / 2;
  for (int root = 0; root < size; ++root) {
    out = -1;
    MPI_Reduce(&in, &out, 1, MPI_INT, MPI_MAX, root, comm);
    right &= out == (me == root ? size : -1);
    out = me == root ? 100 + root : -1;
    MPI_Bcast(&out, 1, MPI_INT, root, comm);
    right &= out == 100 + root;
  }
  MPI_Allgather(&in, 1, MPI_INT, blocks, 1, MPI_INT, comm);
  for (int r = 0; r < size; ++r)
    right &= blocks[r] == r + 1;
  for (int r = 0; r < size; ++r)
    others[r] = me * size + r;
  MPI_Alltoall(others, 1, MPI_INT, blocks, 1, MPI_INT, comm);
  for (int r = 0; r < size; ++r)
    right &= blocks[r] == r * size + me;
  MPI_Reduce_scatter_block(others, &out, 1, MPI_INT, MPI_SUM, comm);
  right &= out == size * (size * (size - 1) / 2) + size * me;
  free(blocks);
  return right ? "right" : "wrong";
}

static void attributes(void) {
  int key, value = 5, found, *got;
  MPI_Comm mine, copy;
  MPI_Comm_create_keyval(copyAttribute, deleteAttribute, &key, NULL);
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &mine);
  MPI_Comm_set_attr(mine, key, &value);
  begin("collectives copy no attributes");
  const char *result = useAll(mine);
  report(strcmp(result, "right") ? result : copies || deletions ? "copied" : "right");
  begin("a duplicate copies attributes once");
  MPI_Comm_dup(mine, &copy);
  report(copies == 1 ? useAll(copy) : "wrong");
  begin("the copied attribute");
  MPI_Comm_get_attr(copy, key, &got, &found);
  report(found && *got == 5 ? "right" : "wrong");
  begin("a freed communicator deletes attributes once");
  MPI_Comm_free(&copy);
  report(deletions == 1 ? useAll(mine) : "wrong");
  MPI_Comm_free(&mine);
  begin("both are freed");
  report(deletions == 2 ? "right" : "wrong");
  MPI_Comm_free_keyval(&key);
}

static void groups(void) {
  MPI_Comm comm, half, both;
  begin("world");
  report(useAll(MPI_COMM_WORLD));
  begin("self");
  report(useAll(MPI_COMM_SELF));
  begin("reversed ranks");
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  report(useAll(comm));
  begin("a duplicate of that");
  MPI_Comm copy;
  MPI_Comm_dup(comm, &copy);
  report(useAll(copy));
  MPI_Comm_free(&comm);
  begin("the duplicate, after the original is freed");
  report(useAll(copy));
  MPI_Comm_free(&copy);
  begin("halves");
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  report(useAll(half));
  begin("all-reduce between the halves");
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 3, &both);
  int mine = rank + 1, sum = 0, want = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, both);
  for (int r = 0; r < ranks; ++r)
    want += r % 2 != rank % 2 ? r + 1 : 0;
  report(sum == want ? "right" : "wrong");
  begin("bcast between the halves");
  int data = rank == 0 ? 42 : -1;
  MPI_Bcast(&data, 1, MPI_INT, rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, both);
  report(data == (rank % 2 || rank == 0 ? 42 : -1) ? "right" : "wrong");
  begin("reduce between the halves");
  sum = -1;
  MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM,
             rank % 2    ? 0
             : rank == 0 ? MPI_ROOT
                         : MPI_PROC_NULL,
             both);
  want = 0;
  for (int r = 1; r < ranks; r += 2)
    want += r + 1;
  report(sum == (rank == 0 ? want : -1) ? "right" : "wrong");
  begin("the merged halves");
  MPI_Intercomm_merge(both, rank % 2, &comm);
  report(useAll(comm));
  MPI_Comm_free(&comm), MPI_Comm_free(&both), MPI_Comm_free(&half);
}

/* The handle of a communicator that was freed may become that of another group. */
static void reusedHandles(void) {
  int right = 1;
  begin("the same calls on communicators of other groups, each freed");
  for (int i = 0; i < 60; ++i) {
    MPI_Comm comm;
    int sum = 0, want = 0, in = 1 << rank, group = i % 3 ? rank % 2 : 0;
    MPI_Comm_split(MPI_COMM_WORLD, group, i % 2 ? -rank : rank, &comm);
    for (int r = 0; r < ranks; ++r)
      want += i % 3 == 0 || r % 2 == group ? 1 << r : 0;
    for (int call = 0; call < 2; ++call) {
      MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, comm);
      right &= sum == want;
    }
    MPI_Comm_free(&comm);
  }
  report(right ? "right" : "wrong");
}

/* Operations of other kinds between collectives of plans. */
static void neighbours(void) {
  MPI_Request request;
  int in = rank, out = -1, left = -1, right = 1;
  begin("messages with any tag between collectives");
  for (int i = 0; i < 20; ++i) {
    MPI_Isend(&in, 1, MPI_INT, (rank + 1) % ranks, i, MPI_COMM_WORLD, &request);
    right &= !strcmp(useAll(MPI_COMM_WORLD), "right");
    MPI_Recv(&left, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    right &= left == (rank + ranks - 1) % ranks;
  }
  report(right ? "right" : "wrong");
  begin("a non-blocking collective between blocking ones");
  MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  const char *result = useAll(MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  report(out == ranks * (ranks - 1) / 2 ? result : "wrong");
}

#ifdef OPEN_MPI /* MPICH 4.0 of Debian cannot start processes. */
/* Processes of two jobs, which have compared their plans only with their own. */
static void spawned(char *program) {
  MPI_Comm both, all;
  begin("processes that the job has started");
  MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &both,
                 MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(both, 0, &all);
  const char *result = useAll(all);
  report(strcmp(result, "right") ? result : useAll(MPI_COMM_WORLD));
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&both);
}
#endif

/* MPI libraries have a limited number of communicators. Those of plans must leave enough. */
static void many(void) {
  enum { number = 1200 };
  static MPI_Comm all[number];
  int right = 1;
  begin("%d communicators", number);
  for (int i = 0; i < number; ++i) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &all[i]);
    right &= !strcmp(useAll(all[i]), "right");
  }
  report(right ? "right" : "wrong");
  begin("the first of them");
  report(useAll(all[0]));
  for (int i = 0; i < number; ++i)
    MPI_Comm_free(&all[i]);
  begin("3000 communicators one after the other");
  for (int i = 0; i < 3000; ++i) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &all[0]);
    right &= !strcmp(useAll(all[0]), "right");
    MPI_Comm_free(&all[0]);
  }
  report(right ? "right" : "wrong");
}

/* The application may have so many communicators that none is left for plans. MPICH has 2048. */
static void exhausted(void) {
  enum { number = 2100 };
  static MPI_Comm all[number];
  int made = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (made < number && MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &all[made]) == MPI_SUCCESS)
    ++made;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  begin("a communicator when none is left");
  report(useAll(all[made / 2]));
  for (int i = 0; i < made; ++i)
    if (i != made / 2)
      MPI_Comm_free(&all[i]);
  begin("the same when there are others");
  report(useAll(all[made / 2]));
  MPI_Comm_free(&all[made / 2]);
}

static int afterFinalize(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)extra;
  /* MPI_Finalize calls it first, when collectives are still allowed. */
  MPI_Comm *mine = value;
  int ok = !strcmp(useAll(*mine), "right") && !strcmp(useAll(MPI_COMM_WORLD), "right");
  MPI_Comm_free(mine);
  if (rank == 0)
    printf("collectives within MPI_Finalize: %s\n", ok ? "right" : "wrong");
  return MPI_SUCCESS;
}

int main(int argc, char **argv) {
  startContract(&argc, &argv);
  MPI_Comm parent, all;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    MPI_Intercomm_merge(parent, 1, &all);
    useAll(all);
    useAll(MPI_COMM_WORLD);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
  }
#ifdef OPEN_MPI
  spawned(argv[0]);
#endif
  groups();
  reusedHandles();
  attributes();
  neighbours();
  many();
  exhausted();
  static MPI_Comm last;
  int key;
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &last);
  useAll(last);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, afterFinalize, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &last);
  MPI_Finalize();
  return 0;
}
