//===- MpiGroup.cpp - Execution by the processes of an MPI job ------------===//
//
// One rank for each process. MPI is called by one thread, and every message is two-sided. All waits
// have a time limit, since processes may be killed or stopped: those of executions and collectives
// are loops of MpiWatch, which reports what all processes wait for, and the calls that block are
// observed by a Watchdog.
//
//===----------------------------------------------------------------------===//

#include "ClockOffset.h"
#include "MpiWatch.h"
#include "NativeCollective.h"
#include "NodeMemory.h"
#include "NodeTransport.h"
#include "Observers.h"
#include "Preloaded.h"
#include "Waiting.h"
#include "Watchdog.h"

#include "cclc/Run/RankExecutor.h"
#include "cclc/Run/RunData.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <utility>

using namespace cclc;
using namespace cclc::run;
using std::chrono::nanoseconds;

namespace {
class MpiGroup : public Group {
public:
  explicit MpiGroup(const ProcessChoice &choice) : choice(choice), watchdog(10 * choice.seconds) {
    Watchdog::Call call(watchdog, "MPI_Init");
    // The other threads do not call MPI. With MPI_THREAD_FUNNELED, small collectives of Open
    // MPI 4.1 take 1.5 times as long as in most applications.
    MPI_Init(nullptr, nullptr);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    watch.emplace(comm, choice.seconds);
  }
  ~MpiGroup() override {
    Watchdog::Call call(watchdog, "MPI_Finalize");
    watch.reset();
    MPI_Comm_free(&comm);
    MPI_Finalize();
  }

  void open(DiagnosticEngine &diags) override {
    if (!choice.sharesMemory)
      return;
    Watchdog::Call call(watchdog, "the comparison of nodes");
    nodes = choice.nodes ? Nodes::simulated(ranks, *choice.nodes) : Nodes::find(comm);
    provide(leastMemory);
    warn(diags);
  }

  std::string name() const override {
    return (choice.preloaded ? "libccl-mpi, " : "") +
           (nodes ? counted(nodes->number(), "node") + ", " : "") + library();
  }
  std::optional<uint32_t> size() const override { return ranks; }
  std::vector<RankId> localRanks(const ExecPlan &) const override { return {RankId(rank)}; }
  std::vector<RankId> nearRanks(const ExecPlan &plan) const override {
    if (!nodes)
      return localRanks(plan);
    std::vector<RankId> near;
    for (int r = 0; r < ranks; ++r)
      if (nodes->firstOf(r) == nodes->firstOf(rank))
        near.push_back(RankId(r));
    return near;
  }
  std::shared_ptr<std::byte> allocate(uint64_t bytes) override {
    if (!nodes || !nodes->areShared())
      return Group::allocate(bytes);
    auto memory = std::make_shared<NodeMemory>();
    make(*memory, bytes);
    if (nodes && nodes->processesWith(rank) == 1)
      return Group::allocate(bytes);
    return std::shared_ptr<std::byte>(memory, memory->data());
  }
  bool leads() const override { return rank == 0; }

  std::vector<std::string> gather(const std::string &text) override {
    int length = int(text.size());
    std::vector<int> lengths(ranks), offsets(ranks);
    MPI_Request request;
    PMPI_Igather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm, &request);
    watch->wait(request, "a collection of results");
    for (int r = 1; r < ranks; ++r)
      offsets[r] = offsets[r - 1] + lengths[r - 1];
    std::string all(leads() ? offsets.back() + lengths.back() : 0, '\0');
    PMPI_Igatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                  MPI_CHAR, 0, comm, &request);
    watch->wait(request, "a collection of results");
    std::vector<std::string> texts;
    for (int r = 0; leads() && r < ranks; ++r)
      texts.push_back(all.substr(offsets[r], lengths[r]));
    return texts;
  }

  bool agree(uint64_t value) override {
    uint64_t both[2] = {value, ~value}, largest[2];
    MPI_Request request;
    PMPI_Iallreduce(both, largest, 2, MPI_UINT64_T, MPI_MAX, comm, &request);
    watch->wait(request, "the comparison of settings");
    return largest[0] == ~largest[1];
  }

  FailureOr<RunResult> execute(const PreparedPlan &plan, ArrayRef<RankBuffers> memory,
                               uint32_t executions, const RunOptions &options,
                               DiagnosticEngine &diags) override {
    if (nodes)
      provide(nodes->mostBytes(plan, 0) + sizeof(Start));
    warn(diags);
    if (options.jitter || options.trace)
      return execute<Witness>(plan, memory, executions, options);
    return execute<NoObserver>(plan, memory, executions, options);
  }

  bool hasNative(const PreparedPlan &plan) const override { return hasNativeCollective(plan); }

  std::vector<nanoseconds> executeNative(const PreparedPlan &plan, ArrayRef<RankBuffers> memory,
                                         uint32_t executions, const RunOptions &options) override {
    std::vector<nanoseconds> times;
    for (uint32_t e = 0; e < executions; ++e) {
      if (options.freshInputs)
        rewriteInput(plan, RankId(rank), memory[rank]);
      watch->barrier();
      Watchdog::Call call(watchdog, "a collective of the MPI library");
      Clock::time_point begin = Clock::now();
      callCollective(libraryFunctions, plan, RankId(rank), memory[rank], comm);
      times.push_back(Clock::now() - begin);
    }
    return longest(times);
  }

  /// Without shared memory of this group: that of libccl-mpi is another.
  std::optional<nanoseconds> executeCalls(const PreparedPlan &plan, ArrayRef<RankBuffers> memory,
                                          const std::string *file, uint32_t calls) override {
    using UsePlan = decltype(&cclc_use_plan);
    using CountCalls = decltype(&cclc_calls_by_plans);
    static const auto usePlan = reinterpret_cast<UsePlan>(dlsym(RTLD_DEFAULT, "cclc_use_plan"));
    static const auto numberByPlans =
        reinterpret_cast<CountCalls>(dlsym(RTLD_DEFAULT, "cclc_calls_by_plans"));
    if (file && (!usePlan || !usePlan(file->c_str())))
      return std::nullopt;
    const MpiFunctions &functions = file ? applicationFunctions : libraryFunctions;
    const uint64_t before = file ? numberByPlans() : 0;
    auto call = [&] { callCollective(functions, plan, RankId(rank), memory[rank], comm); };
    Watchdog::Call watched(watchdog, "a collective of MPI");
    call(); // it may make what the next ones use
    PMPI_Barrier(comm);
    const Clock::time_point begin = Clock::now();
    for (uint32_t i = 0; i < calls; ++i)
      call();
    const nanoseconds mean = (Clock::now() - begin) / calls;
    if (file && numberByPlans() != before + calls + 1)
      return std::nullopt;
    return longest(mean).front();
  }

private:
  std::string library() const {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    StringRef version(text, length);
    if (version.consume_front("Open MPI v"))
      return "Open MPI " + version.take_until([](char c) { return c == ','; }).str();
    if (version.consume_front("MPICH Version:"))
      return "MPICH " + version.ltrim().take_until([](char c) { return c == '\n'; }).str();
    return version.take_until([](char c) { return c == '\n'; }).str();
  }

  /// Makes memory of the nodes for rings of at least \p bytes.
  void provide(uint64_t bytes) {
    if (nodes && nodes->areShared() && bytes > rings.bytes())
      make(rings, bytes);
  }
  /// Makes memory of the nodes, or lets MPI pass all messages.
  void make(NodeMemory &memory, uint64_t bytes) {
    auto exchange = [&](const void *mine, void *all, int size) {
      MPI_Request request;
      PMPI_Iallgather(mine, size, MPI_BYTE, all, size, MPI_BYTE, comm, &request);
      watch->wait(request, "the creation of shared memory");
    };
    fault = memory.make(*nodes, rank, bytes, exchange);
    if (fault)
      nodes.reset();
  }
  void warn(DiagnosticEngine &diags) {
    if (fault)
      diags.warning({}, std::exchange(fault, std::nullopt)->text + "; MPI passes all messages");
  }

  /// The ranks of a node that have begun executions.
  struct alignas(cacheLines) Start {
    std::atomic<uint64_t> begun = 0;
  };
  /// Behind the rings.
  static Start &startOf(const SharedPlan &node) {
    return *reinterpret_cast<Start *>(node.rings + node.layout.bytes());
  }
  /// After a barrier: its last message arrives as late as a small execution takes.
  void beginTogether(Start &start, uint32_t execution) {
    const uint64_t all = (uint64_t(execution) + 1) * nodes->processesWith(rank);
    if (++start.begun < all)
      watch->wait([&] { return start.begun >= all; }, "a barrier");
  }

  /// What the ranks of the node of this process have in common, with rings that are empty.
  SharedPlan sharedPart(const PreparedPlan &plan, ArrayRef<RankBuffers> memory, bool exactSlots) {
    if (!nodes || !rings.data())
      return {};
    SharedPlan node{rings.data(), nodes->layout(plan, 0, rank), {}, memory.vec()};
    if (nodes->firstOf(rank) == rank) {
      node.layout.initialize(rings.data());
      new (&startOf(node)) Start();
    }
    if (!exactSlots)
      node.direct = DirectMessages(plan, plan.placementOf(memory));
    return node;
  }

  /// The longest times of all processes.
  std::vector<nanoseconds> longest(ArrayRef<nanoseconds> times) {
    std::vector<int64_t> mine, all(times.size());
    for (nanoseconds time : times)
      mine.push_back(time.count());
    MPI_Request request;
    PMPI_Iallreduce(mine.data(), all.data(), int(all.size()), MPI_INT64_T, MPI_MAX, comm, &request);
    watch->wait(request, "the comparison of times");
    return {all.begin(), all.end()};
  }

  template <class Observer>
  RunResult execute(const PreparedPlan &plan, ArrayRef<RankBuffers> memory, uint32_t executions,
                    const RunOptions &options) {
    std::vector<StepTime> record;
    Clock::time_point begin, end;
    Observer observer = [&] {
      if constexpr (std::is_same_v<Observer, NoObserver>)
        return NoObserver();
      else
        return Witness(options.jitter, rank, options.trace ? &record : nullptr);
    }();
    const SharedPlan node = sharedPart(plan, memory, options.exactSlots);
    watch->barrier(); // of the rings
    NodeTransport transport(plan, RankId(rank), 0, options.exactSlots, comm, node);
    RankExecutor<NodeTransport, Observer> executor(plan, RankId(rank), transport, observer);
    std::vector<nanoseconds> times;
    for (uint32_t e = 0; e < executions; ++e) {
      record.clear();
      if (options.freshInputs)
        rewriteInput(plan, RankId(rank), memory[rank]);
      executor.start(memory[rank]);
      transport.begin(memory[rank], /*mayCallLibrary=*/true);
      watch->barrier();
      // Now all processes execute the plan.
      watch->setPlan(&plan);
      if (node.rings)
        beginTogether(startOf(node), e);
      begin = Clock::now();
      finish(executor);
      if (!transport.ended())
        watch->wait([&] { return transport.ended(); }, "the completion of its messages");
      if (plan.settings.op == ReduceOp::Avg)
        finishReads(transport);
      finishAverages(plan, RankId(rank), memory[rank]);
      end = Clock::now();
      times.push_back(end - begin);
      finishReads(transport);
    }
    RunResult result{longest(times), {}};
    watch->setPlan(nullptr);
    if (options.trace)
      result.trace =
          gatherTrace({begin.time_since_epoch(), end.time_since_epoch(), std::move(record), {}});
    return result;
  }

  /// The timelines of all processes on the clock of the one that leads; empty in others.
  RunTrace gatherTrace(RunTrace trace) {
    ClockOffset offset = [&] {
      Watchdog::Call call(watchdog, "the comparison of clocks");
      return measureClockOffset(comm);
    }();
    int64_t head[] = {(trace.begin - offset.ahead).count(), (trace.end - offset.ahead).count(),
                      offset.error.count()};
    for (StepTime &step : trace.steps) {
      step.begin -= offset.ahead;
      step.end -= offset.ahead;
    }
    std::string text(reinterpret_cast<const char *>(head), sizeof(head));
    text.append(reinterpret_cast<const char *>(trace.steps.data()),
                trace.steps.size() * sizeof(StepTime));
    RunTrace all;
    all.begin = nanoseconds::max();
    for (const std::string &other : gather(text)) {
      std::memcpy(head, other.data(), sizeof(head));
      all.begin = std::min(all.begin, nanoseconds(head[0]));
      all.end = std::max(all.end, nanoseconds(head[1]));
      all.clockError = std::max(all.clockError, nanoseconds(head[2]));
      size_t steps = (other.size() - sizeof(head)) / sizeof(StepTime), before = all.steps.size();
      all.steps.resize(before + steps, StepTime{PlanThreadblockId(0), StepId(0), 0, {}, {}, {}});
      std::memcpy(all.steps.data() + before, other.data() + sizeof(head), steps * sizeof(StepTime));
    }
    return all;
  }

  template <class Executor> void finish(Executor &executor) {
    auto addPositions = [&](std::vector<Position> &positions) { executor.addPositions(positions); };
    Waiting waiting;
    bool movedLately = false;
    for (uint32_t turns = 1; !executor.done(); ++turns) {
      bool moved = executor.progress();
      movedLately |= moved;
      if (turns % 1024 == 0 && std::exchange(movedLately, false))
        watch->answer();
      if (!waiting.after(moved))
        continue;
      if (waiting.begins())
        watch->moved();
      watch->idle(addPositions);
    }
  }

  /// Waits until no other process reads the buffers of this one.
  void finishReads(NodeTransport &transport) {
    watch->wait([&] { return transport.isRead(); }, "the receipt of its messages");
  }

  /// So that what prevents shared memory is known before the first execution.
  static constexpr uint64_t leastMemory = uint64_t(1) << 20;

  const ProcessChoice choice;
  Watchdog watchdog;
  std::optional<MpiWatch> watch; ///< once MPI is initialised
  std::optional<Nodes> nodes;    ///< if they share memory
  NodeMemory rings;
  std::optional<NodeMemory::Fault> fault; ///< to be reported
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, ranks = 1;
};
} // namespace

extern "C" __attribute__((visibility("default"))) Group *
cclc_create_group(const ProcessChoice &choice) {
  return new MpiGroup(choice);
}
