! Calls the collectives by the module mpi, with MPI_IN_PLACE, and prints the number of wrong elements.
program collectives
  use mpi
  implicit none
  integer, parameter :: n = 300
  integer :: rank, ranks, wrong, all_wrong, i, error
  real(8) :: a(n), b(n)
  integer, allocatable :: c(:), d(:)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  wrong = 0
  a = [(real(rank + i, 8), i = 1, n)]
  call MPI_Allreduce(a, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  do i = 1, n
    if (b(i) /= ranks * (ranks - 1) / 2 + ranks * i) wrong = wrong + 1
  end do
  b = a
  call MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
  do i = 1, n
    if (b(i) /= ranks - 1 + i) wrong = wrong + 1
  end do
  b = 0
  call MPI_Reduce(a, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, 1, MPI_COMM_WORLD, error)
  do i = 1, n
    if (rank == 1 .and. b(i) /= ranks * (ranks - 1) / 2 + ranks * i) wrong = wrong + 1
  end do
  b = merge(a, 0d0, rank == 1)
  call MPI_Bcast(b, n, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, error)
  do i = 1, n
    if (b(i) /= 1 + i) wrong = wrong + 1
  end do
  allocate(c(ranks * n), d(ranks * n))
  c = [(rank * 7 + i, i = 1, ranks * n)]
  call MPI_Allgather(c, n, MPI_INTEGER, d, n, MPI_INTEGER, MPI_COMM_WORLD, error)
  do i = 0, ranks * n - 1
    if (d(i + 1) /= i / n * 7 + mod(i, n) + 1) wrong = wrong + 1
  end do
  call MPI_Alltoall(c, n, MPI_INTEGER, d, n, MPI_INTEGER, MPI_COMM_WORLD, error)
  do i = 0, ranks * n - 1
    if (d(i + 1) /= i / n * 7 + rank * n + mod(i, n) + 1) wrong = wrong + 1
  end do
  call MPI_Reduce_scatter_block(c, d, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  do i = 1, n
    if (d(i) /= ranks * (ranks - 1) / 2 * 7 + ranks * (rank * n + i)) wrong = wrong + 1
  end do
  call MPI_Gather(c, n, MPI_INTEGER, d, n, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
  do i = 0, ranks * n - 1
    if (rank == 1 .and. d(i + 1) /= i / n * 7 + mod(i, n) + 1) wrong = wrong + 1
  end do
  call MPI_Scatter(c, n, MPI_INTEGER, d, n, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
  do i = 1, n
    if (d(i) /= 7 + rank * n + i) wrong = wrong + 1
  end do
  call MPI_Scan(a, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  do i = 1, n
    if (b(i) /= rank * (rank + 1) / 2 + (rank + 1) * i) wrong = wrong + 1
  end do
  b = a
  call MPI_Scan(MPI_IN_PLACE, b, n, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
  do i = 1, n
    if (b(i) /= rank + i) wrong = wrong + 1
  end do
  call MPI_Exscan(a, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  do i = 1, n
    if (rank > 0 .and. b(i) /= rank * (rank - 1) / 2 + rank * i) wrong = wrong + 1
  end do
  b = a
  call MPI_Exscan(MPI_IN_PLACE, b, n, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
  do i = 1, n
    if (b(i) /= max(rank - 1, 0) + i) wrong = wrong + 1
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Reduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) print '(i0, a)', all_wrong, ' wrong elements'
  call MPI_Finalize(error)
end program
