//===- InterposeFortran.cpp - Fortran names of MPI functions --------------===//
//
// The Fortran functions of Open MPI call its C functions by their PMPI names, so that they must be
// replaced too. MPICH's call the C functions, which Interpose.cpp replaces. Compilers of Fortran
// spell the name of a function in one of four ways; the module mpi_f08 uses a fifth.
//
//===----------------------------------------------------------------------===//

#include <mpi.h>

#ifdef OPEN_MPI

#include <dlfcn.h>

/// Fortran passes the addresses of variables of Open MPI's Fortran library for MPI_IN_PLACE and
/// MPI_BOTTOM.
static void *pointer(char *address) {
  static const void *inPlace = dlsym(RTLD_DEFAULT, "mpi_fortran_in_place_");
  static const void *bottom = dlsym(RTLD_DEFAULT, "mpi_fortran_bottom_");
  return address == inPlace ? MPI_IN_PLACE : address == bottom ? MPI_BOTTOM : address;
}

/// Defines the function under the other names.
#define CCL_FORTRAN_NAMES(LOWER, UPPER, PARAMETERS, ARGUMENTS)                                     \
  extern "C" __attribute__((visibility("default"))) void LOWER PARAMETERS { LOWER##_ ARGUMENTS; }  \
  extern "C" __attribute__((visibility("default"))) void LOWER##__ PARAMETERS {                    \
    LOWER##_ ARGUMENTS;                                                                            \
  }                                                                                                \
  extern "C" __attribute__((visibility("default"))) void UPPER PARAMETERS { LOWER##_ ARGUMENTS; }  \
  extern "C" __attribute__((visibility("default"))) void o##LOWER##_f PARAMETERS {                 \
    LOWER##_ ARGUMENTS;                                                                            \
  }

#define CCL_EXPORT extern "C" __attribute__((visibility("default")))

CCL_EXPORT void mpi_allreduce_(char *send, char *recv, MPI_Fint *count, MPI_Fint *type,
                               MPI_Fint *op, MPI_Fint *comm, MPI_Fint *error) {
  int result = MPI_Allreduce(pointer(send), pointer(recv), *count, MPI_Type_f2c(*type),
                             MPI_Op_f2c(*op), MPI_Comm_f2c(*comm));
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_allreduce, MPI_ALLREDUCE,
                  (char *send, char *recv, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                   MPI_Fint *comm, MPI_Fint *error),
                  (send, recv, count, type, op, comm, error))

CCL_EXPORT void mpi_reduce_(char *send, char *recv, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                            MPI_Fint *root, MPI_Fint *comm, MPI_Fint *error) {
  int result = MPI_Reduce(pointer(send), pointer(recv), *count, MPI_Type_f2c(*type),
                          MPI_Op_f2c(*op), *root, MPI_Comm_f2c(*comm));
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_reduce, MPI_REDUCE,
                  (char *send, char *recv, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                   MPI_Fint *root, MPI_Fint *comm, MPI_Fint *error),
                  (send, recv, count, type, op, root, comm, error))

CCL_EXPORT void mpi_reduce_scatter_block_(char *send, char *recv, MPI_Fint *count, MPI_Fint *type,
                                          MPI_Fint *op, MPI_Fint *comm, MPI_Fint *error) {
  int result = MPI_Reduce_scatter_block(pointer(send), pointer(recv), *count, MPI_Type_f2c(*type),
                                        MPI_Op_f2c(*op), MPI_Comm_f2c(*comm));
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_reduce_scatter_block, MPI_REDUCE_SCATTER_BLOCK,
                  (char *send, char *recv, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                   MPI_Fint *comm, MPI_Fint *error),
                  (send, recv, count, type, op, comm, error))

CCL_EXPORT void mpi_scan_(char *send, char *recv, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                          MPI_Fint *comm, MPI_Fint *error) {
  int result = MPI_Scan(pointer(send), pointer(recv), *count, MPI_Type_f2c(*type), MPI_Op_f2c(*op),
                        MPI_Comm_f2c(*comm));
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_scan, MPI_SCAN,
                  (char *send, char *recv, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                   MPI_Fint *comm, MPI_Fint *error),
                  (send, recv, count, type, op, comm, error))

CCL_EXPORT void mpi_exscan_(char *send, char *recv, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                            MPI_Fint *comm, MPI_Fint *error) {
  int result = MPI_Exscan(pointer(send), pointer(recv), *count, MPI_Type_f2c(*type),
                          MPI_Op_f2c(*op), MPI_Comm_f2c(*comm));
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_exscan, MPI_EXSCAN,
                  (char *send, char *recv, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                   MPI_Fint *comm, MPI_Fint *error),
                  (send, recv, count, type, op, comm, error))

CCL_EXPORT void mpi_bcast_(char *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *root,
                           MPI_Fint *comm, MPI_Fint *error) {
  int result = MPI_Bcast(pointer(buffer), *count, MPI_Type_f2c(*type), *root, MPI_Comm_f2c(*comm));
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_bcast, MPI_BCAST,
                  (char *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *root, MPI_Fint *comm,
                   MPI_Fint *error),
                  (buffer, count, type, root, comm, error))

CCL_EXPORT void mpi_allgather_(char *send, MPI_Fint *sendCount, MPI_Fint *sendType, char *recv,
                               MPI_Fint *recvCount, MPI_Fint *recvType, MPI_Fint *comm,
                               MPI_Fint *error) {
  int result = MPI_Allgather(pointer(send), *sendCount, MPI_Type_f2c(*sendType), pointer(recv),
                             *recvCount, MPI_Type_f2c(*recvType), MPI_Comm_f2c(*comm));
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_allgather, MPI_ALLGATHER,
                  (char *send, MPI_Fint *sendCount, MPI_Fint *sendType, char *recv,
                   MPI_Fint *recvCount, MPI_Fint *recvType, MPI_Fint *comm, MPI_Fint *error),
                  (send, sendCount, sendType, recv, recvCount, recvType, comm, error))

CCL_EXPORT void mpi_alltoall_(char *send, MPI_Fint *sendCount, MPI_Fint *sendType, char *recv,
                              MPI_Fint *recvCount, MPI_Fint *recvType, MPI_Fint *comm,
                              MPI_Fint *error) {
  int result = MPI_Alltoall(pointer(send), *sendCount, MPI_Type_f2c(*sendType), pointer(recv),
                            *recvCount, MPI_Type_f2c(*recvType), MPI_Comm_f2c(*comm));
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_alltoall, MPI_ALLTOALL,
                  (char *send, MPI_Fint *sendCount, MPI_Fint *sendType, char *recv,
                   MPI_Fint *recvCount, MPI_Fint *recvType, MPI_Fint *comm, MPI_Fint *error),
                  (send, sendCount, sendType, recv, recvCount, recvType, comm, error))

CCL_EXPORT void mpi_gather_(char *send, MPI_Fint *sendCount, MPI_Fint *sendType, char *recv,
                            MPI_Fint *recvCount, MPI_Fint *recvType, MPI_Fint *root, MPI_Fint *comm,
                            MPI_Fint *error) {
  int result = MPI_Gather(pointer(send), *sendCount, MPI_Type_f2c(*sendType), pointer(recv),
                          *recvCount, MPI_Type_f2c(*recvType), *root, MPI_Comm_f2c(*comm));
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_gather, MPI_GATHER,
                  (char *send, MPI_Fint *sendCount, MPI_Fint *sendType, char *recv,
                   MPI_Fint *recvCount, MPI_Fint *recvType, MPI_Fint *root, MPI_Fint *comm,
                   MPI_Fint *error),
                  (send, sendCount, sendType, recv, recvCount, recvType, root, comm, error))

CCL_EXPORT void mpi_scatter_(char *send, MPI_Fint *sendCount, MPI_Fint *sendType, char *recv,
                             MPI_Fint *recvCount, MPI_Fint *recvType, MPI_Fint *root,
                             MPI_Fint *comm, MPI_Fint *error) {
  int result = MPI_Scatter(pointer(send), *sendCount, MPI_Type_f2c(*sendType), pointer(recv),
                           *recvCount, MPI_Type_f2c(*recvType), *root, MPI_Comm_f2c(*comm));
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_scatter, MPI_SCATTER,
                  (char *send, MPI_Fint *sendCount, MPI_Fint *sendType, char *recv,
                   MPI_Fint *recvCount, MPI_Fint *recvType, MPI_Fint *root, MPI_Fint *comm,
                   MPI_Fint *error),
                  (send, sendCount, sendType, recv, recvCount, recvType, root, comm, error))

CCL_EXPORT void mpi_init_(MPI_Fint *error) {
  int result = MPI_Init(nullptr, nullptr);
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_init, MPI_INIT, (MPI_Fint * error), (error))

CCL_EXPORT void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error) {
  int level = *required;
  int result = MPI_Init_thread(nullptr, nullptr, level, &level);
  *provided = level;
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_init_thread, MPI_INIT_THREAD,
                  (MPI_Fint * required, MPI_Fint *provided, MPI_Fint *error),
                  (required, provided, error))

CCL_EXPORT void mpi_finalize_(MPI_Fint *error) {
  int result = MPI_Finalize();
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_finalize, MPI_FINALIZE, (MPI_Fint * error), (error))

CCL_EXPORT void mpi_barrier_(MPI_Fint *comm, MPI_Fint *error) {
  int result = MPI_Barrier(MPI_Comm_f2c(*comm));
  if (error)
    *error = result;
}
CCL_FORTRAN_NAMES(mpi_barrier, MPI_BARRIER, (MPI_Fint * comm, MPI_Fint *error), (comm, error))

#else // MPICH

// Its module mpi_f08 calls functions without buffers by the PMPI names.
#define CCL_EXPORT extern "C" __attribute__((visibility("default")))

CCL_EXPORT void mpi_init_f08_(MPI_Fint *error) {
  int result = MPI_Init(nullptr, nullptr);
  if (error)
    *error = result;
}

CCL_EXPORT void mpi_init_thread_f08_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error) {
  int result = MPI_Init_thread(nullptr, nullptr, *required, provided);
  if (error)
    *error = result;
}

CCL_EXPORT void mpi_finalize_f08_(MPI_Fint *error) {
  int result = MPI_Finalize();
  if (error)
    *error = result;
}

CCL_EXPORT void mpi_barrier_f08_(MPI_Fint *comm, MPI_Fint *error) {
  int result = MPI_Barrier(MPI_Comm_f2c(*comm));
  if (error)
    *error = result;
}

#endif // OPEN_MPI
