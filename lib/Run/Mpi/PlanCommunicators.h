//===- PlanCommunicators.h - Communicators of plans -------------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_PLANCOMMUNICATORS_H
#define CCL_LIB_RUN_MPI_PLANCOMMUNICATORS_H

#include "CallStatistics.h"
#include "ExecutionCache.h"
#include "NodeArena.h"
#include "PendingRequests.h"
#include "PlanFolder.h"
#include "RecentCalls.h"

namespace cclc::run {

/// What plans need of a communicator of the application.
class PlanCommunicator {
public:
  /// \p inJob: all its processes are in MPI_COMM_WORLD.
  PlanCommunicator(MPI_Comm comm, uint32_t number);

  uint32_t number; ///< counts the communicators of this process
  int rank = 0, size = 1;
  /// Why no call is executed by plans; equal in all its processes.
  std::optional<Reason> closed;
  /// Has the processes of the communicator, and returns errors. Null until a plan is executed.
  MPI_Comm messages = MPI_COMM_NULL;
  /// A process may pass addresses of a device.
  bool hasDevices = false;

  /// The memory that processes of a node share for messages; null: MPI passes all messages.
  std::unique_ptr<NodeArena> arena;

  /// Makes `messages`, or closes the communicator if any process cannot. \p mayOpen: this process
  /// may have one more. Makes `arena` if all processes may share \p sharedBytes, which are not 0.
  /// \p plans of them are used in turns.
  void open(MPI_Comm comm, bool mayOpen, uint64_t sharedBytes, uint32_t plans);
  /// Whether all processes can use \p plan, which is null in those that cannot. \p report is called
  /// in the first of those. To be called by all.
  template <class Report>
  bool agreeOn(const PortfolioRow &row, const FolderPlan *plan, Report report) {
    for (const auto &[known, usable] : agreed)
      if (known == &row)
        return usable;
    int mine = plan ? size : rank, first;
    PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, messages);
    if (first == rank)
      report();
    return agreed.emplace_back(&row, first == size).second;
  }

  bool hasAgreedOn(const PortfolioRow &row) const {
    return llvm::any_of(agreed, [&](const auto &known) { return known.first == &row; });
  }
  /// What calls that did not block were without: plans on which processes have not agreed, and
  /// bytes of the arena.
  struct {
    std::vector<PortfolioRow *> plans;
    uint64_t bytes = 0;
  } wanted;

  /// Whether a call that does not block may use \p execution, the same in all processes: all of its
  /// messages pass through memory.
  bool mayBegin(const PlanExecution &execution) const {
    return execution.generation() && arena->nodesOf().number() == 1;
  }
  PendingCalls &pendingCalls() {
    if (!pending)
      pending = std::make_unique<PendingCalls>(messages);
    return *pending;
  }
  /// Waits until the calls that did not block are executed.
  void drain() {
    if (pending)
      pending->drain();
  }
  /// Whether a call that blocks has something to do first: drain(), or what is wanted.
  bool isBehind() const {
    return (pending && !pending->empty()) || !wanted.plans.empty() || wanted.bytes > 0;
  }

  uint64_t calls = 0; ///< that plans cover; equal in all its processes
  /// The last call that went to the MPI library although there is a plan for its size; equal in all
  /// its processes.
  struct {
    CallKey key = {};
    std::optional<Reason> reason;
  } last;

private:
  std::vector<std::pair<const PortfolioRow *, bool>> agreed;
  std::unique_ptr<PendingCalls> pending; ///< null before the first call that does not block
  friend class PlanCommunicators;
};

/// The communicators of the application, as attributes.
class PlanCommunicators {
public:
  /// \p folder, \p cache, \p requests and \p recent must outlive the object.
  /// At most \p sharedBytes of a process are shared with others of its node; 0: none.
  PlanCommunicators(const PlanFolder &folder, ExecutionCache &cache, PendingRequests &requests,
                    RecentCalls &recent, uint64_t sharedBytes);
  /// Frees the attribute of MPI_COMM_WORLD.
  ~PlanCommunicators();

  /// Null if \p comm is no communicator.
  PlanCommunicator *find(MPI_Comm comm) { return last && comm == lastHandle ? last : lookUp(comm); }
  void open(PlanCommunicator &communicator, MPI_Comm comm);
  /// The memory that \p communicator shares may have changed. Warns if it cannot be had.
  void updateShared(const PlanCommunicator &communicator);
  uint64_t mostShared() const { return most; }
  /// Communicators that are opened later have memory for \p plans plans that are used in turns.
  void keepTurns(uint32_t plans) { plansInTurns = plans; }

private:
  /// MPI libraries have about 2000 communicators (MPICH) or more, which are the application's.
  static constexpr uint32_t mostOpen = 512;
  /// The communicators that share memory, each an equal part of the bytes.
  static constexpr uint32_t mostSharing = 4;

  void countShared();
  PlanCommunicator *lookUp(MPI_Comm comm);
  bool isInJob(MPI_Comm comm) const;
  static int release(MPI_Comm, int, void *attribute, void *);

  const PlanFolder &folder;
  ExecutionCache &cache;
  PendingRequests &requests;
  RecentCalls &recent;
  MPI_Group job = MPI_GROUP_NULL;
  int key = MPI_KEYVAL_INVALID;
  uint32_t numMade = 0, numOpen = 0;
  const uint64_t sharedBytes;
  std::vector<PlanCommunicator *> sharing;
  uint64_t most = 0; ///< bytes that were shared
  uint32_t plansInTurns = 1;
  bool faultIsReported = false;
  /// Of the last call: to look up an attribute takes a lock and a hash.
  MPI_Comm lastHandle = MPI_COMM_NULL;
  PlanCommunicator *last = nullptr;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_PLANCOMMUNICATORS_H
