/* Contract.h - Cases of the MPI standard
 *
 * A case ends with report(): rank 0 prints one line, with the outcome of every process if they
 * differ. Outcomes are words, never bits of floating-point sums, so that the lines of a job with
 * libccl-mpi.so are those of the MPI library. The sections are those of MPI 3.1.
 */

#ifndef CCL_TEST_MPI_CONTRACT_H
#define CCL_TEST_MPI_CONTRACT_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static char caseName[120];

/* Names the case that the next report() ends. */
__attribute__((format(printf, 1, 2))) static void begin(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(caseName, sizeof(caseName), format, arguments);
  va_end(arguments);
}

static void report(const char *outcome) {
  enum { length = 32 };
  char mine[length] = "";
  strncpy(mine, outcome, length - 1);
  char *all = malloc(length * ranks);
  /* Not by a plan. */
  PMPI_Gather(mine, length, MPI_CHAR, all, length, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    int equal = 1;
    for (int r = 1; r < ranks; ++r)
      equal &= !strcmp(all, all + r * length);
    printf("%s:", caseName);
    for (int r = 0; r < (equal ? 1 : ranks); ++r)
      printf(" %s", all + r * length);
    printf("\n");
    fflush(stdout);
  }
  free(all);
}

__attribute__((unused)) static const char *errorName(int code) {
  int class;
  if (code == MPI_SUCCESS)
    return "success";
  MPI_Error_class(code, &class);
  switch (class) {
  case MPI_ERR_ARG:
    return "ARG";
  case MPI_ERR_BUFFER:
    return "BUFFER";
  case MPI_ERR_COMM:
    return "COMM";
  case MPI_ERR_COUNT:
    return "COUNT";
  case MPI_ERR_OP:
    return "OP";
  case MPI_ERR_ROOT:
    return "ROOT";
  case MPI_ERR_TRUNCATE:
    return "TRUNCATE";
  case MPI_ERR_TYPE:
    return "TYPE";
  default:
    return "another error";
  }
}

__attribute__((unused)) static void startContract(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

#endif /* CCL_TEST_MPI_CONTRACT_H */
