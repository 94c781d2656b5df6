/* ContractThreads.c - Levels of threads
 *
 * Section 12.4. The argument is the level that is requested: 0 to 3. With MPI_THREAD_MULTIPLE, two
 * threads of each process call collectives on two communicators at the same time.
 */

#include "Contract.h"

#include <pthread.h>

static MPI_Comm comms[2];
static int right[2];

static void *work(void *argument) {
  int which = *(int *)argument;
  right[which] = 1;
  for (int i = 0; i < 2000; ++i) {
    int in = rank + i + which, out = -1;
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, comms[which]);
    right[which] &= out == ranks * (ranks - 1) / 2 + ranks * (i + which);
    out = rank == 0 ? i : -1;
    MPI_Bcast(&out, 1, MPI_INT, 0, comms[which]);
    right[which] &= out == i;
  }
  return NULL;
}

int main(int argc, char **argv) {
  static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                               MPI_THREAD_MULTIPLE};
  static const char *const names[] = {"single", "funneled", "serialized", "multiple"};
  int level = argc > 1 ? atoi(argv[1]) : 0, provided, numbers[] = {0, 1};
  MPI_Init_thread(&argc, &argv, levels[level], &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 2; ++i)
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comms[i]);
  begin("%s threads: provided", names[level]);
  report(provided >= levels[level] ? "right" : "less");
  if (provided == MPI_THREAD_MULTIPLE) {
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i)
      pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; ++i)
      pthread_join(threads[i], NULL);
  } else if (level == 2) {
    for (int i = 0; i < 2; ++i) { /* one after the other */
      pthread_t thread;
      pthread_create(&thread, NULL, work, &numbers[i]);
      pthread_join(thread, NULL);
    }
  } else {
    work(&numbers[0]);
    work(&numbers[1]);
  }
  for (int i = 0; i < 2; ++i) {
    begin("%s threads: results of communicator %d", names[level], i);
    report(right[i] ? "right" : "wrong");
    MPI_Comm_free(&comms[i]);
  }
  MPI_Finalize();
  return 0;
}
