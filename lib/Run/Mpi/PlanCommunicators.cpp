//===- PlanCommunicators.cpp - Communicators whose calls use plans --------===//
//
// The messages of plans have a communicator of their own, made by MPI_Comm_split: MPI_Comm_dup
// would call the attribute functions of the application. It is made at the first call that a plan
// executes, and freed with that of the application.
//
//===----------------------------------------------------------------------===//

#include "PlanCommunicators.h"

#include "DeviceMemory.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::run;

PlanCommunicator::PlanCommunicator(MPI_Comm comm, uint32_t number) : number(number) {
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
}

/// The least of the values of all processes.
template <size_t N> static std::array<int, N> leastOf(std::array<int, N> mine, MPI_Comm comm) {
  std::array<int, N> least;
  PMPI_Allreduce(mine.data(), least.data(), N, MPI_INT, MPI_MIN, comm);
  return least;
}

void PlanCommunicator::open(MPI_Comm comm, bool mayOpen, uint64_t sharedBytes, uint32_t plans) {
  closed = Reason::Communicators;
  auto [allMayOpen, noneHasDevices, allShare] =
      leastOf<3>({mayOpen, !mayHaveDeviceMemory(), sharedBytes > 0}, comm);
  if (!allMayOpen)
    return;
  // The application's handler must not get an error that the application did not cause.
  MPI_Errhandler handler;
  PMPI_Comm_get_errhandler(comm, &handler);
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  bool made = PMPI_Comm_split(comm, 0, rank, &messages) == MPI_SUCCESS;
  PMPI_Comm_set_errhandler(comm, handler);
  PMPI_Errhandler_free(&handler);
  if (!made)
    messages = MPI_COMM_NULL;
  else
    PMPI_Comm_set_errhandler(messages, MPI_ERRORS_RETURN);
  if (leastOf<1>({made}, comm)[0])
    closed = std::nullopt;
  hasDevices = !noneHasDevices;
  if (closed || !allShare)
    return;
  arena = std::make_unique<NodeArena>(messages, sharedBytes, plans);
  if (arena->nodesOf().areShared())
    arena->open();
  else
    arena.reset();
}

/// Null when communicators of the application are freed after the object, in MPI_Finalize.
static PlanCommunicators *owner = nullptr;

PlanCommunicators::PlanCommunicators(const PlanFolder &folder, ExecutionCache &cache,
                                     PendingRequests &requests, RecentCalls &recent,
                                     uint64_t sharedBytes)
    : folder(folder), cache(cache), requests(requests), recent(recent), sharedBytes(sharedBytes) {
  owner = this;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release, &key, nullptr);
  PMPI_Comm_group(MPI_COMM_WORLD, &job);
}

PlanCommunicators::~PlanCommunicators() {
  int found = 0;
  void *attribute;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, key, static_cast<void *>(&attribute), &found);
  if (found)
    PMPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  // The application may leave others.
  for (PlanCommunicator *communicator : sharing)
    communicator->pending.reset();
  PMPI_Comm_free_keyval(&key);
  PMPI_Group_free(&job);
  owner = nullptr;
}

int PlanCommunicators::release(MPI_Comm, int, void *attribute, void *) {
  auto *communicator = static_cast<PlanCommunicator *>(attribute);
  if (owner) {
    owner->last = nullptr; // its handle may be used again
    owner->recent.forget();
    if (communicator->pending)
      owner->requests.finish(*communicator->pending);
    owner->cache.remove(communicator->number);
    owner->numOpen -= communicator->messages != MPI_COMM_NULL;
    llvm::erase(owner->sharing, communicator);
    owner->countShared();
  }
  if (communicator->messages != MPI_COMM_NULL)
    PMPI_Comm_free(&communicator->messages);
  delete communicator;
  return MPI_SUCCESS;
}

PlanCommunicator *PlanCommunicators::lookUp(MPI_Comm comm) {
  int found = 0, isInter = 0;
  void *attribute;
  if (PMPI_Comm_get_attr(comm, key, static_cast<void *>(&attribute), &found) != MPI_SUCCESS)
    return nullptr;
  lastHandle = comm;
  if (found)
    return last = static_cast<PlanCommunicator *>(attribute);
  last = new PlanCommunicator(comm, numMade++);
  PMPI_Comm_test_inter(comm, &isInter);
  if (isInter)
    last->closed = Reason::TwoGroups;
  else if (!folder.covers(last->size))
    last->closed = Reason::Processes;
  else if (!isInJob(comm))
    last->closed = Reason::OtherJob;
  PMPI_Comm_set_attr(comm, key, last);
  return last;
}

/// Processes that were spawned or connected have compared their plans only with each other.
bool PlanCommunicators::isInJob(MPI_Comm comm) const {
  MPI_Group group;
  PMPI_Comm_group(comm, &group);
  int size;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(size), inJob(size);
  for (int r = 0; r < size; ++r)
    ranks[r] = r;
  PMPI_Group_translate_ranks(group, size, ranks.data(), job, inJob.data());
  PMPI_Group_free(&group);
  return !llvm::is_contained(inJob, MPI_UNDEFINED);
}

void PlanCommunicators::open(PlanCommunicator &communicator, MPI_Comm comm) {
  const uint64_t bytes = sharing.size() < mostSharing ? sharedBytes / mostSharing : 0;
  communicator.open(comm, numOpen < mostOpen, bytes, plansInTurns);
  numOpen += communicator.messages != MPI_COMM_NULL;
  if (!communicator.arena)
    return;
  sharing.push_back(&communicator);
  updateShared(communicator);
}

void PlanCommunicators::updateShared(const PlanCommunicator &communicator) {
  countShared();
  std::optional<NodeMemory::Fault> fault = communicator.arena->takeFault();
  if (!fault || fault->process != communicator.rank || std::exchange(faultIsReported, true))
    return;
  DiagnosticEngine diags;
  diags.warning({}, fault->text + "; MPI passes all messages");
  diags.print(llvm::errs(), "libccl-mpi");
}

void PlanCommunicators::countShared() {
  uint64_t bytes = 0;
  for (const PlanCommunicator *communicator : sharing)
    bytes += communicator->arena->share();
  cache.reserve(bytes);
  most = std::max(most, bytes);
}
