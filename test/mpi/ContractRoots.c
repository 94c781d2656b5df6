/* ContractRoots.c - Gathers and scatters
 *
 * Sections 5.5 and 5.6: the root has the blocks of all processes in the order of their ranks; what
 * belongs to the root alone means nothing elsewhere; only the root may have its block in place.
 */

#include "Contract.h"

enum { most = 3000, gap = -7 };
static int mine[2 * most], all[8 * most];

static int element(int from, int i) { return from * 10007 + i; }

/* Types for n elements: integers, bytes, and integers with gaps. */
enum Form { Whole, Bytes, Spaced };
static const char *const formNames[] = {"integers", "bytes", "spaced integers"};

static MPI_Datatype typeOf(enum Form form, int n, int *count, int *stride) {
  MPI_Datatype type, resized;
  *stride = form == Spaced ? 2 : 1;
  *count = form == Whole ? n : form == Bytes ? n * (int)sizeof(int) : 1;
  if (form != Spaced)
    return form == Whole ? MPI_INT : MPI_BYTE;
  MPI_Type_vector(n, 1, 2, MPI_INT, &type);
  MPI_Type_create_resized(type, 0, (MPI_Aint)(2 * n * sizeof(int)), &resized);
  MPI_Type_commit(&resized);
  MPI_Type_free(&type);
  return resized;
}

static void fill(int *data, int n, int stride, int from) {
  for (int i = 0; i < n; ++i)
    data[i * stride] = element(from, i);
}

/* Whether a block has the data of a process, and its gaps are untouched. */
static int holds(const int *data, int n, int stride, int from) {
  int right = 1;
  for (int i = 0; i < n; ++i)
    right &= data[i * stride] == element(from, i) && (stride == 1 || data[i * stride + 1] == gap);
  return right;
}

static void clear(void) {
  for (int i = 0; i < 2 * most; ++i)
    mine[i] = gap;
  for (int i = 0; i < 8 * most; ++i)
    all[i] = gap;
}

static void tryBoth(enum Form rootForm, enum Form form, int n, int root, int inPlace) {
  int rootCount, rootStride, count, stride;
  MPI_Datatype rootType = typeOf(rootForm, n, &rootCount, &rootStride);
  MPI_Datatype type = typeOf(form, n, &count, &stride);
  const int isRoot = rank == root, block = n * rootStride;
  const char *where = inPlace ? " in place" : "";
  /* At other processes, the arguments of the root mean nothing. */
  int *rootBuffer = isRoot ? all : NULL;
  const int rootArgument = isRoot ? rootCount : -5;
  const MPI_Datatype rootDatatype = isRoot ? rootType : MPI_DATATYPE_NULL;

  begin("gather%s of %d %s to %s at %d", where, n, formNames[form], formNames[rootForm], root);
  clear();
  if (isRoot && inPlace)
    fill(all + rank * block, n, rootStride, rank);
  else
    fill(mine, n, stride, rank);
  if (isRoot && inPlace)
    MPI_Gather(MPI_IN_PLACE, -5, MPI_DATATYPE_NULL, all, rootCount, rootType, root, MPI_COMM_WORLD);
  else
    MPI_Gather(mine, count, type, rootBuffer, rootArgument, rootDatatype, root, MPI_COMM_WORLD);
  int right = 1;
  for (int r = 0; r < ranks; ++r)
    right &= isRoot ? holds(all + r * block, n, rootStride, r) : all[r * block] == gap;
  report(right ? "right" : "wrong");

  begin("scatter%s of %d %s to %s from %d", where, n, formNames[rootForm], formNames[form], root);
  clear();
  for (int r = 0; isRoot && r < ranks; ++r)
    fill(all + r * block, n, rootStride, r);
  if (isRoot && inPlace)
    MPI_Scatter(all, rootCount, rootType, MPI_IN_PLACE, -5, MPI_DATATYPE_NULL, root,
                MPI_COMM_WORLD);
  else
    MPI_Scatter(rootBuffer, rootArgument, rootDatatype, mine, count, type, root, MPI_COMM_WORLD);
  right = isRoot && inPlace ? holds(all + rank * block, n, rootStride, rank)
                            : holds(mine, n, stride, rank);
  for (int r = 0; isRoot && r < ranks; ++r)
    right &= holds(all + r * block, n, rootStride, r);
  report(right ? "right" : "wrong");
  if (rootForm == Spaced)
    MPI_Type_free(&rootType);
  if (form == Spaced)
    MPI_Type_free(&type);
}

/* Errors of the library, and its handlers. */
static void errors(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  begin("gather to a root that is none");
  report(errorName(MPI_Gather(mine, 1, MPI_INT, all, 1, MPI_INT, ranks, comm)));
  begin("scatter from a root that is none");
  report(errorName(MPI_Scatter(all, 1, MPI_INT, mine, 1, MPI_INT, -3, comm)));
  begin("gather of a negative count");
  report(errorName(MPI_Gather(mine, -1, MPI_INT, all, -1, MPI_INT, 0, comm)));
  begin("scatter of a null type");
  report(errorName(MPI_Scatter(all, 1, MPI_DATATYPE_NULL, mine, 1, MPI_DATATYPE_NULL, 0, comm)));
  begin("gather of nothing");
  report(errorName(MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, 0, comm)));
  MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
  startContract(&argc, &argv);
  const int sizes[] = {1, 2, 7, 100, most / 2};
  for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); ++s)
    for (int root = 0; root < ranks; ++root)
      for (int inPlace = 0; inPlace < 2; ++inPlace)
        for (int form = 0; form < 9; ++form)
          tryBoth((enum Form)(form / 3), (enum Form)(form % 3), sizes[s], root, inPlace);
  errors();
  MPI_Finalize();
  return 0;
}
