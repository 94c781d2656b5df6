//===- CollectiveCall.cpp - A call of an MPI collective -------------------===//
//
// A call is executed by a plan in all processes of its communicator or in none. The choice is made
// from what is equal in them, or is agreed: once for the job, at the first plan of a communicator,
// and at the first use of each plan there. Only a process with wrong arguments may leave the others
// alone, as it would in the MPI library.
//
//===----------------------------------------------------------------------===//

#include "CollectiveCall.h"

#include "CallArguments.h"
#include "CallRecorder.h"
#include "CallReduction.h"
#include "DeviceMemory.h"
#include "OwnPlans.h"
#include "PlanCommunicators.h"

#include "cclc/Support/MemoryBudget.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace cclc;
using namespace cclc::run;

bool run::callsAreObserved = false;
bool run::callsAreTimed = false;
bool run::requestsExist = false;
const RecentCalls *run::recentCalls = nullptr;

/// Persistent calls have at most this part of the memory for executions.
static constexpr uint64_t partOfPersistent = 4;
/// The plans of usePlan() that remain ready, if each of them needs the memory for executions.
static constexpr uint32_t mostInTurns = 64;

namespace {
/// Everything of this process between MPI_Init and MPI_Finalize.
class Plans {
public:
  explicit Plans(OwnPlans own);

  /// Whether plans are used.
  bool areUsed() const { return folder.has_value(); }
  std::optional<int> execute(const CollectiveCall &call);
  std::optional<int> begin(const CollectiveCall &call, MPI_Request *request);
  std::optional<int> makePersistent(const CollectiveCall &call, MPI_Request *request);
  int start(MPI_Request request) { return requests.start(request); }
  void remove(MPI_Request request);
  void complete(MPI_Request request, bool waits);
  bool usePlan(const char *file);
  uint64_t executedCalls() const { return executed; }
  /// Whether addLibraryTime() is to be called.
  bool areTimed() const { return counts || recorder; }
  /// The MPI library has executed the call of the last execute(), with \p code.
  void addLibraryTime(const CollectiveCall &call, std::chrono::nanoseconds time, int code);
  /// Prints statistics, and writes the record, if they are requested.
  void report() const;

private:
  /// The execution and its communicator, or why the MPI library is called.
  struct Choice {
    PlanExecution *execution = nullptr;
    PlanCommunicator *communicator = nullptr;
    Reason reason = {};
    Choice(Reason reason) : reason(reason) {}
    Choice(PlanExecution &execution, PlanCommunicator &communicator)
        : execution(&execution), communicator(&communicator) {}
  };
  /// A plan for a subject, or null and why there is none.
  struct Prepared {
    std::unique_ptr<const PreparedPlan> plan;
    Reason reason = {};
    uint32_t shift = 0;
    uint64_t sharedBytes = 0; ///< of the node, if messages pass through its memory
    uint64_t bytes = 0;       ///< of this process, without rings
    Prepared(Reason reason) : reason(reason) {}
    explicit Prepared(std::unique_ptr<const PreparedPlan> plan) : plan(std::move(plan)) {}
  };
  /// Calls that block, such as those that make a persistent request, may wait for other processes.
  enum class Form : uint8_t { Blocking, NonBlocking };
  std::optional<Reason> describe(const CollectiveCall &call, CallSubject &subject);
  Choice choose(const CollectiveCall &call, Form form);
  Prepared preparePlan(const CollectiveCall &call, const CallSubject &subject, Form form);
  Choice prepare(const CollectiveCall &call, const CallSubject &subject, Form form);
  std::optional<Reason> tryPersistent(const CollectiveCall &call, MPI_Request *request, int &code);
  bool agreeOn(PortfolioRow &row, PlanCommunicator &communicator);
  void catchUp(PlanCommunicator &communicator);
  /// The MPI library is to execute \p call.
  std::nullopt_t leave(const CollectiveCall &call, Reason reason);
  /// A plan has executed \p call.
  void finished(const CollectiveCall &call, int code, std::chrono::nanoseconds time);

  std::unique_ptr<CallStatistics> counts; ///< null unless statistics are requested
  std::unique_ptr<CallRecorder> recorder; ///< null unless all processes record their calls
  bool compares = false;                  ///< executes some calls by the MPI library
  bool isCompared = false;                ///< the last call is one of these
  Reason closed = Reason::NoPlans;        ///< if there is no folder
  uint32_t row = 0;                       ///< of usePlan()
  uint64_t executed = 0;                  ///< calls that block
  std::optional<PlanFolder> folder;
  ExecutionCache cache;
  PendingRequests requests;
  std::optional<PlanCommunicators> communicators;
  RecentCalls recent;
};

void print(const DiagnosticEngine &diags) { diags.print(llvm::errs(), "libccl-mpi"); }

/// An eighth is left to what is lost between allocations.
Plans::Plans(OwnPlans own)
    : cache(own.memory - own.memory / 8),
      requests([this](const CollectiveCall &call, int code, std::chrono::nanoseconds time) {
        finished(call, code, time);
      }) {
  if (std::getenv("CCL_MPI_STATS"))
    counts = std::make_unique<CallStatistics>();
  int rank, ranks, level;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  PMPI_Query_thread(&level);
  const JobPlans job = own.compare(ranks);
  if (job.records)
    recorder = std::make_unique<CallRecorder>(own.recordPath);
  if (const std::optional<Disagreement> &found = job.disagreement) {
    if (!found->text.empty())
      (own.diags = {}).warning({}, found->text);
    if (rank == found->reporter)
      print(own.diags);
    return;
  }
  int highest; // of MPI_THREAD_SINGLE < FUNNELED < SERIALIZED < MULTIPLE
  PMPI_Allreduce(&level, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (highest == MPI_THREAD_MULTIPLE) {
    closed = Reason::Threads;
    own.diags.warning({}, "the application calls MPI in several threads: no plan is used");
    if (rank == 0)
      print(own.diags);
    return;
  }
  compares = own.announcement.compares;
  folder = std::move(own.folder);
  // Half of the memory, as slots of executions that share it are counted, but not allocated.
  communicators.emplace(*folder, cache, requests, recent, own.sharesMemory ? own.memory / 2 : 0);
  if (!areTimed())
    recentCalls = &recent;
}

std::optional<int> Plans::execute(const CollectiveCall &call) {
  Choice choice = choose(call, Form::Blocking);
  if (choice.execution && choice.communicator->isBehind()) {
    catchUp(*choice.communicator);
    choice = choose(call, Form::Blocking); // executions may have become invalid
  }
  if (!choice.execution)
    return leave(call, choice.reason);
  const StatisticsClock::time_point begin = StatisticsClock::now();
  int code = choice.execution->run(call);
  ++executed;
  if (areTimed())
    finished(call, code, StatisticsClock::now() - begin);
  if (code != MPI_SUCCESS)
    PMPI_Comm_call_errhandler(call.comm, code);
  return code;
}

std::nullopt_t Plans::leave(const CollectiveCall &call, Reason reason) {
  if (counts)
    counts->addReason(call, reason);
  isCompared = reason == Reason::Comparison;
  return std::nullopt;
}

void Plans::finished(const CollectiveCall &call, int code, std::chrono::nanoseconds time) {
  if (counts)
    counts->addPlan(call, time);
  if (recorder && code == MPI_SUCCESS)
    recorder->add(call, /*byPlan=*/true, time);
}

std::optional<int> Plans::begin(const CollectiveCall &call, MPI_Request *request) {
  const StatisticsClock::time_point begin = StatisticsClock::now();
  Choice choice = choose(call, Form::NonBlocking);
  if (!choice.execution)
    return leave(call, choice.reason);
  int code =
      requests.add(std::make_unique<PendingCall>(call, *choice.execution, /*inOrder=*/true),
                   choice.communicator->pendingCalls(), StatisticsClock::now() - begin, request);
  requestsExist = !requests.empty();
  if (code != MPI_SUCCESS)
    PMPI_Comm_call_errhandler(call.comm, code);
  return code;
}

std::optional<int> Plans::makePersistent(const CollectiveCall &call, MPI_Request *request) {
  int code = MPI_SUCCESS;
  if (std::optional<Reason> reason = tryPersistent(call, request, code))
    return leave(call, *reason);
  requestsExist = !requests.empty();
  if (code != MPI_SUCCESS)
    PMPI_Comm_call_errhandler(call.comm, code);
  return code;
}

/// Sets \p code, or returns why the MPI library must be called.
std::optional<Reason> Plans::tryPersistent(const CollectiveCall &call, MPI_Request *request,
                                           int &code) {
  CallSubject subject;
  if (std::optional<Reason> reason = describe(call, subject))
    return reason;
  PlanCommunicator &communicator = *subject.communicator;
  Prepared prepared = preparePlan(call, subject, Form::Blocking);
  if (!prepared.plan)
    return prepared.reason;
  if (prepared.sharedBytes == 0 || communicator.arena->nodesOf().number() > 1)
    return Reason::NotShared;
  if (communicator.hasDevices)
    return Reason::Devices;
  if (isRejected(call, communicator.rank, communicator.messages))
    return Reason::Arguments;
  // Processes may have freed different requests.
  const uint64_t bytes = prepared.bytes + prepared.sharedBytes / communicator.size;
  int mine = requests.persistentBytes() + bytes <= cache.limitBytes() / partOfPersistent, all;
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, communicator.messages);
  if (!all)
    return Reason::Memory;
  auto persistent = std::make_unique<PersistentCall>(call, bytes);
  if (!communicator.arena->makeMemory(persistent->memory, prepared.sharedBytes))
    return Reason::Memory;
  const ArenaPart part(*prepared.plan, communicator.arena->nodesOf(), prepared.shift,
                       communicator.rank, persistent->memory.data(), 0);
  persistent->execution = std::make_unique<PlanExecution>(
      std::move(prepared.plan), communicator.rank, prepared.shift, communicator.messages, part);
  code = requests.add(std::move(persistent), communicator.pendingCalls(), request);
  return std::nullopt;
}

void Plans::remove(MPI_Request request) {
  requests.remove(request);
  requestsExist = !requests.empty();
}

void Plans::complete(MPI_Request request, bool waits) {
  requests.complete(request, waits);
  requestsExist = !requests.empty();
}

void Plans::addLibraryTime(const CollectiveCall &call, std::chrono::nanoseconds time, int code) {
  if (recorder && code == MPI_SUCCESS)
    recorder->add(call, /*byPlan=*/false, time);
  if (counts)
    counts->addLibrary(call, isCompared, time);
}

/// Sets \p subject, or returns why no plan can execute \p call.
std::optional<Reason> Plans::describe(const CollectiveCall &call, CallSubject &subject) {
  if (!folder)
    return closed;
  if (call.comm == MPI_COMM_NULL)
    return Reason::Arguments;
  PlanCommunicator *communicator = call.isOfRoot() ? communicators->find(call.comm) : nullptr;
  const TypedData &data = call.data(communicator ? communicator->rank : 0);
  if (data.type == MPI_DATATYPE_NULL)
    return Reason::Arguments;
  if (data.count <= 0)
    return data.count == 0 ? Reason::NoData : Reason::Arguments;
  bool areElementary = true;
  CallKey &key =
      subject.key = {.kind = call.kind, .count = data.count, .root = call.root, .row = row};
  if (call.reduces()) {
    const ReductionFacts &facts = factsOf(data.type, call.op);
    if (!facts.reduction)
      return facts.isOperator ? Reason::Type : Reason::Operator;
    subject.reduction = facts.reduction;
    key.count *= subject.reduction->units;
    key.size = subject.reduction->size;
    key.reduce = reinterpret_cast<uintptr_t>(subject.reduction->reduce);
  } else {
    // Processes may have different types for the same bytes.
    const TypeFacts facts = factsOf(data.type);
    key.count *= facts.size;
    if (key.count == 0)
      return Reason::NoData;
    areElementary = facts.isElementary && !call.isOfRoot() &&
                    (call.isInPlace() || call.sendData.type == data.type);
  }
  subject.communicator = communicators->find(call.comm);
  if (!subject.communicator)
    return Reason::Arguments;
  subject.hasLastingHandles = areElementary;
  // It waits less than an all-reduce in the MPI library, whose times its plan was compared with.
  if (call.isBarrier && folder->isMeasured())
    return Reason::NotMeasured;
  return subject.communicator->closed;
}

Plans::Choice Plans::choose(const CollectiveCall &call, Form form) {
  CallSubject subject;
  const RecentCalls::Known *known = recent.find(call);
  std::optional<Reason> left = known ? known->left : describe(call, subject);
  if (known)
    subject = known->subject;
  else if (subject.hasLastingHandles)
    recent.keep(call, subject, left);
  if (left)
    return *left;
  const CallKey &key = subject.key;
  PlanCommunicator *communicator = subject.communicator;
  PlanExecution *execution = cache.find(communicator->number, key);
  if (execution && execution->generation() &&
      execution->generation() != communicator->arena->generation()) {
    cache.removeFound();
    execution = nullptr;
  }
  if (!execution) {
    auto &last = communicator->last;
    if (last.reason && last.key == key)
      return *last.reason;
    Choice made = prepare(call, subject, form);
    if (!made.execution) {
      if (form == Form::NonBlocking) // it may be executed later
        return made;
      // What is recent differs between processes that have other communicators as well. So a reason
      // is kept there only if it is found without waiting for them.
      if (made.reason != Reason::Size)
        last = {key, made.reason};
      else if (subject.hasLastingHandles)
        recent.keep(call, subject, made.reason);
      return made;
    }
    execution = made.execution;
  }
  if (form == Form::NonBlocking && !communicator->mayBegin(*execution))
    return Reason::NotShared;
  if (communicator->hasDevices) {
    if (form == Form::NonBlocking)
      return Reason::Devices;
    int mine = isDeviceMemory(call.recv) || (!call.isInPlace() && isDeviceMemory(call.send)), any;
    PMPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, communicator->messages);
    if (any)
      return Reason::Devices;
  }
  // One of 16, at no period that the application may have.
  bool isComparison =
      compares && form == Form::Blocking && ++communicator->calls * 0x9e3779b97f4a7c15u >> 60 == 0;
  if (isRejected(call, communicator->rank, communicator->messages))
    return Reason::Arguments;
  if (isComparison)
    return Reason::Comparison;
  return {*execution, *communicator};
}

bool Plans::usePlan(const char *file) {
  row = file && folder ? folder->rowOf(file) : 0;
  recent.forget();
  if (row) {
    cache.keepTurns(mostInTurns);
    communicators->keepTurns(mostInTurns);
  }
  return row != 0;
}

bool Plans::agreeOn(PortfolioRow &row, PlanCommunicator &communicator) {
  DiagnosticEngine diags;
  const FolderPlan *plan = PlanFolder::planOf(row, diags);
  return communicator.agreeOn(row, plan, [&] { print(diags); });
}

/// Does what calls that do not block have left to one that does.
void Plans::catchUp(PlanCommunicator &communicator) {
  communicator.drain();
  for (PortfolioRow *row : std::exchange(communicator.wanted.plans, {}))
    agreeOn(*row, communicator);
  if (uint64_t bytes = std::exchange(communicator.wanted.bytes, 0)) {
    communicator.arena->grow(bytes);
    communicators->updateShared(communicator);
  }
}

/// Finds the plan for calls that are like \p call, and prepares it.
Plans::Prepared Plans::preparePlan(const CollectiveCall &call, const CallSubject &subject,
                                   Form form) {
  const CallKey &key = subject.key;
  const std::optional<CallReduction> &reduction = subject.reduction;
  PlanCommunicator &communicator = *subject.communicator;
  uint32_t ranks = communicator.size;
  if (call.hasRoot() && (call.root < 0 || call.root >= communicator.size))
    return Reason::Arguments;
  uint64_t elements = uint64_t(key.count) * (call.hasBlocks() ? ranks : 1);
  // Packed data have a number of bytes in an int.
  if (!call.reduces() && elements > INT32_MAX)
    return Reason::Size;
  PortfolioRow *row = folder->find(key.kind, ranks, elements * key.size, key.row);
  if (!row)
    return Reason::Size;
  if (form == Form::NonBlocking && !communicator.hasAgreedOn(*row)) {
    if (!llvm::is_contained(communicator.wanted.plans, row))
      communicator.wanted.plans.push_back(row);
    return Reason::NotAgreed;
  }
  if (communicator.messages == MPI_COMM_NULL)
    communicators->open(communicator, call.comm);
  if (communicator.closed)
    return *communicator.closed;
  if (form == Form::Blocking)
    catchUp(communicator);
  if (!agreeOn(*row, communicator))
    return Reason::Plan;
  const FolderPlan *plan = row->plan.get();
  if (reduction && reduction->rounds && !plan->hasSameBits)
    return Reason::Bits;
  // Ranks are renumbered such that the root of the call is that of the plan.
  const Collective &collective = plan->plan.info().collective;
  uint32_t shift =
      collective.isRooted() ? (call.root + ranks - collective.root().index()) % ranks : 0;
  RunSettings byMessages{.type = DataType::U8, .slots = plan->slots, .slotBytes = std::nullopt};
  byMessages.sharesMemory = false;
  if (reduction)
    byMessages.others = {reduction->size, reduction->reduce};
  auto prepareWith = [&](const RunSettings &settings) {
    return std::make_unique<const PreparedPlan>(plan->plan, elements, settings);
  };
  NodeArena *arena = communicator.arena.get();
  Prepared prepared(
      prepareWith(arena ? settingsOfNodes(plan->plan, elements, byMessages) : byMessages));
  if (prepared.plan->settings.sharesMemory) {
    prepared.sharedBytes = ArenaPart::mostBytes(*prepared.plan, arena->nodesOf(), shift);
    if (!arena->fits(prepared.sharedBytes)) {
      prepared.plan = prepareWith(byMessages);
      prepared.sharedBytes = 0;
    }
  }
  // All processes must choose the same, of which any may need most.
  std::vector<uint64_t> memory = memoryByRank(*prepared.plan);
  if (*llvm::max_element(memory) > cache.limitBytes())
    return Reason::Memory;
  prepared.shift = shift;
  prepared.bytes = memory[(communicator.rank + ranks - shift) % ranks];
  return prepared;
}

/// Makes the execution of the calls that are like \p call, if a plan covers them.
Plans::Choice Plans::prepare(const CollectiveCall &call, const CallSubject &subject, Form form) {
  PlanCommunicator &communicator = *subject.communicator;
  Prepared prepared = preparePlan(call, subject, form);
  if (!prepared.plan)
    return prepared.reason;
  NodeArena *arena = communicator.arena.get();
  const bool isShared = prepared.plan->settings.sharesMemory;
  if (form == Form::NonBlocking) {
    if (!isShared)
      return Reason::NotShared;
    if (!arena->hasRoom(subject.key, prepared.sharedBytes)) {
      communicator.wanted.bytes = std::max(communicator.wanted.bytes, prepared.sharedBytes);
      return Reason::NoRoom;
    }
  }
  std::optional<ArenaPart> part;
  if (isShared) {
    std::byte *memory = arena->part(subject.key, prepared.sharedBytes);
    communicators->updateShared(communicator);
    part.emplace(*prepared.plan, arena->nodesOf(), prepared.shift, communicator.rank, memory,
                 arena->generation());
  }
  PlanExecution *made = cache.add(communicator.number, subject.key, prepared.bytes, [&] {
    return std::make_unique<PlanExecution>(std::move(prepared.plan), communicator.rank,
                                           prepared.shift, communicator.messages, part);
  });
  return {*made, communicator};
}

void Plans::report() const {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  DiagnosticEngine diags;
  if (recorder && failed(recorder->write(diags)))
    print(diags);
  if (rank != 0 || !counts)
    return;
  // Written at once, as launchers mix the outputs of processes.
  std::string result = "libccl-mpi: calls of rank 0\n" + counts->text();
  if (folder)
    result += llvm::formatv("  memory of plans: {0} of {1}, {2} removals\n",
                            sizeText(Bytes(cache.mostBytes())), sizeText(Bytes(cache.limitBytes())),
                            cache.removals());
  if (communicators && communicators->mostShared() > 0)
    result += llvm::formatv("  memory shared with processes of the node: {0}\n",
                            sizeText(Bytes(communicators->mostShared())));
  llvm::errs() << result;
}

std::optional<OwnPlans> announced; ///< between announcePlans() and startPlans()
/// MPI is initialised once in a process. An application that ends without MPI_Finalize leaves it:
/// MPI must not be called then.
Plans *plans = nullptr;
} // namespace

void run::announcePlans() {
  const char *wanted = std::getenv("CCL_MPI");
  if (!wanted || StringRef(wanted) != "off")
    announced.emplace();
}

void run::startPlans() {
  if (!announced)
    return;
  plans = new Plans(std::move(*announced));
  announced.reset();
  callsAreTimed = plans->areTimed();
  callsAreObserved = callsAreTimed || plans->areUsed();
}

std::optional<int> run::makePersistent(const CollectiveCall &call, MPI_Request *request) {
  return plans->makePersistent(call, request);
}

int run::startByPlan(MPI_Request request) { return plans ? plans->start(request) : MPI_SUCCESS; }

void run::forgetRequest(MPI_Request request) {
  if (plans)
    plans->remove(request);
}

std::optional<int> run::beginByPlan(const CollectiveCall &call, MPI_Request *request) {
  return plans->begin(call, request);
}

void run::completeByPlan(MPI_Request request, bool waits) {
  if (plans)
    plans->complete(request, waits);
}

std::optional<int> run::executeByPlan(const CollectiveCall &call) { return plans->execute(call); }

bool run::usePlan(const char *file) { return plans && plans->usePlan(file); }

uint64_t run::callsByPlans() { return plans ? plans->executedCalls() : 0; }

void run::addLibraryTime(const CollectiveCall &call, std::chrono::nanoseconds time, int code) {
  if (plans)
    plans->addLibraryTime(call, time, code);
}

void run::finishPlans() {
  if (!plans)
    return;
  plans->report();
  callsAreObserved = callsAreTimed = requestsExist = false;
  recentCalls = nullptr;
  delete std::exchange(plans, nullptr);
}
