! nonblocking.f90 - Non-blocking collectives in Fortran
program nonblocking
  use mpi
  implicit none
  integer :: requests(2)
  real(8) :: mine(100), sums(100)
  integer :: rank, round, wrong, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  mine = rank + 1
  wrong = 0
  do round = 1, 2
    call MPI_Allreduce(mine, sums, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  do round = 1, 20
    sums = mine
    call MPI_Iallreduce(MPI_IN_PLACE, sums, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, requests(1), error)
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(2), error)
    if (mod(round, 2) == 0) then
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE, error)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
    else
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    end if
    wrong = wrong + count(sums /= 3)
  end do
  if (rank == 0) print '(i0, a)', wrong, ' wrong elements'
  call MPI_Finalize(error)
end program
