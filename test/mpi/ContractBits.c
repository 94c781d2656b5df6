/* ContractBits.c - Bits of floating-point results
 *
 * Section 5.9.6: all processes of an all-reduce receive identical results. The operands are rounded
 * in every order, and some are zeros of both signs, infinities, and NaN with different payloads.
 */

#include "Contract.h"

#include <math.h>
#include <stdint.h>

enum { most = 4096 };

static uint64_t state;
static uint64_t nextRandom(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

static double special(void) {
  static const uint64_t patterns[] = {0,
                                      UINT64_C(0x8000000000000000),
                                      UINT64_C(0x7ff0000000000000),
                                      UINT64_C(0xfff0000000000000),
                                      UINT64_C(0x7ff8000000000000),
                                      UINT64_C(0xfff8000000000000),
                                      UINT64_C(0x7ff8000000012345),
                                      UINT64_C(0xfffc000000054321),
                                      UINT64_C(0x0000000000000001)};
  double value;
  memcpy(&value, &patterns[nextRandom() % 9], sizeof(value));
  return value;
}

static double number(int kind) {
  double random = (double)(int64_t)nextRandom() / 1e15;
  if (kind == 0)
    return random;
  return kind == 1 || nextRandom() % 2 ? special() : random;
}

static void check(const char *opName, MPI_Op op, int kind, int count, int isDouble, int inPlace,
                  MPI_Comm comm) {
  static const char *const kinds[] = {"numbers", "special values", "both"};
  static double in[most], out[most], all[most];
  float *in4 = (float *)in;
  begin("allreduce %s of %d %s, %s%s", opName, count, kinds[kind], isDouble ? "double" : "float",
        inPlace ? ", in place" : "");
  state = 88172645463325252u + 77 * rank;
  for (int i = 0; i < 20; ++i)
    nextRandom();
  for (int i = 0; i < count; ++i)
    if (isDouble)
      in[i] = number(kind);
    else
      in4[i] = (float)number(kind);
  MPI_Datatype type = isDouble ? MPI_DOUBLE : MPI_FLOAT;
  int bytes = count * (isDouble ? 8 : 4);
  if (inPlace)
    memcpy(out, in, bytes);
  MPI_Allreduce(inPlace ? MPI_IN_PLACE : in, out, count, type, op, comm);
  if (rank == 0)
    memcpy(all, out, bytes);
  /* By a gather and a scatter, not by a plan. */
  char *copies = malloc((size_t)bytes * ranks);
  for (int r = 0; r < ranks; ++r)
    memcpy(copies + (size_t)r * bytes, all, bytes);
  PMPI_Scatter(copies, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  free(copies);
  report(memcmp(all, out, bytes) ? "other bits" : "the same bits");
}

int main(int argc, char **argv) {
  startContract(&argc, &argv);
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
  const char *const names[] = {"sum", "prod", "min", "max"};
  const int counts[] = {1, 3, 64, 1000};
  for (int op = 0; op < 4; ++op)
    for (int kind = 0; kind < 3; ++kind)
      for (int count = 0; count < 4; ++count)
        for (int isDouble = 0; isDouble < 2; ++isDouble)
          check(names[op], ops[op], kind, counts[count], isDouble, count % 2, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
