/* ContractDevices.c - Memory of a device in some processes
 *
 * The program has a function of the runtime of CUDA, which says that one buffer is memory of a
 * device; the MPI library reads it as any other. Processes may pass different kinds of memory.
 */

#include "Contract.h"

static int device[100], host[100];

__attribute__((visibility("default"))) int cuPointerGetAttribute(void *value, int attribute,
                                                                 void *address);
int cuPointerGetAttribute(void *value, int attribute, void *address) {
  if (attribute != 2 || (int *)address < device || (int *)address >= device + 100)
    return 1; /* not known */
  *(int *)value = 2;
  return 0;
}

static void check(const char *which, int *in, int *out) {
  for (int count = 1; count <= 100; count += 33) {
    begin("allreduce of %d, device memory in %s", count, which);
    for (int i = 0; i < count; ++i)
      in[i] = rank + i;
    MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int want = ranks * (ranks - 1) / 2 + ranks * (count - 1);
    report(out[count - 1] == want ? "right" : "wrong");
    begin("bcast of %d, device memory in %s", count, which);
    in[count - 1] = rank == 0 ? 7 : 0;
    MPI_Bcast(in, count, MPI_INT, 0, MPI_COMM_WORLD);
    report(in[count - 1] == 7 ? "right" : "wrong");
  }
}

int main(int argc, char **argv) {
  static int other[100];
  startContract(&argc, &argv);
  check("no process", host, other);
  check("all processes", device, host);
  check("one process", rank == 1 ? device : other, host);
  check("another process", other, rank == 0 ? device : host);
  MPI_Finalize();
  return 0;
}
