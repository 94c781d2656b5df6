//===- ThreadGroup.cpp - Execution by the threads of one process ----------===//
//
// The thread that calls is the watch: it sleeps. When no thread has executed a step for the time
// limit, it asks all threads whether they can go on, and gives the execution up when all have
// answered that they cannot and none has executed a step meanwhile. A thread that the machine does
// not run answers later, so that the verdict does not depend on its load. Threads that find nothing
// to do yield their processor after a while, because other processes may need it.
//
//===----------------------------------------------------------------------===//

#include "cclc/Run/ThreadGroup.h"

#include "cclc/Run/Ordering.h"
#include "cclc/Run/RankExecutor.h"
#include "cclc/Run/RunData.h"

#include "Observers.h"
#include "ThreadTransport.h"

#include "cclc/IR/StepNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

using namespace cclc;
using namespace cclc::run;
using std::chrono::nanoseconds;

namespace {
/// A barrier that its threads leave when the execution is given up.
class Barrier {
public:
  Barrier(uint32_t size, const std::atomic<bool> &stop) : size(size), stop(stop) {}

  /// Calls \p idle while it waits. Returns false if the execution is given up.
  bool wait(llvm::function_ref<void()> idle) {
    uint32_t round = rounds.load(std::memory_order_relaxed);
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
      arrived.store(0, std::memory_order_relaxed);
      rounds.store(round + 1, std::memory_order_release);
      return true;
    }
    for (uint32_t tries = 0; rounds.load(std::memory_order_acquire) == round; ++tries) {
      if (stop.load(std::memory_order_relaxed))
        return false;
      if (tries > 1000) {
        idle();
        std::this_thread::yield();
      }
    }
    return true;
  }

private:
  const uint32_t size;
  const std::atomic<bool> &stop;
  alignas(cacheLines) std::atomic<uint32_t> arrived = 0;
  alignas(cacheLines) std::atomic<uint32_t> rounds = 0;
};

/// Binds the calling thread to processor \p number of those that the process may use. Otherwise the
/// scheduler may leave two threads on one processor, where every message costs a switch.
void bindToProcessor(uint32_t number) {
#ifdef __linux__
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return;
  for (uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed) && number-- == 0) {
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
      return;
    }
#else
  (void)number;
#endif
}

void nameThread(std::string name) {
#ifdef __linux__
  if (name.size() > 15) // the longest that Linux has
    llvm::erase(name, ' ');
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
#else
  (void)name;
#endif
}

template <class Observer> class Team {
public:
  Team(const PreparedPlan &plan, ArrayRef<RankBuffers> memory, uint32_t threads, bool byThreadblock,
       uint32_t executions, const RunOptions &options)
      : plan(plan), memory(memory), executions(executions), options(options),
        byThreadblock(byThreadblock), transport(plan, memory, options.exactSlots),
        counts(plan.plan), barrier(threads, stop), workers(threads),
        times(executions, nanoseconds::zero()) {
    for (uint32_t r = 0; r < plan.plan.ranks(); ++r) {
      Worker &worker = workers[uint64_t(r) * workers.size() / plan.plan.ranks()];
      worker.ranks.push_back(RankId(r));
    }
    for (uint32_t t = 0; byThreadblock && t < plan.plan.threadblocks().size(); ++t) {
      Worker &worker = workers[t % workers.size()];
      worker.name +=
          (worker.name.empty() ? "" : ",") + threadblockName(plan.plan, PlanThreadblockId(t));
      addExecutor(worker, plan.plan.threadblocks()[t].rank, PlanThreadblockId(t), counts, transport,
                  makeObserver(worker, t));
    }
    for (Worker &worker : workers)
      for (RankId rank : worker.ranks)
        if (!byThreadblock)
          addExecutor(worker, rank, rank, transport, makeObserver(worker, rank.index()));
  }

  FailureOr<RunResult> run(DiagnosticEngine &diags) {
    try {
      std::vector<std::jthread> threads;
      auto giveUp = llvm::make_scope_exit([&] { stop = true; });
      for (Worker &worker : workers)
        threads.emplace_back([&] {
          uint32_t number = &worker - workers.data();
          if (byThreadblock)
            nameThread(worker.name);
          else if (workers.size() > 1)
            bindToProcessor(number);
          work(worker);
        });
      giveUp.release();
      watch();
    } catch (const std::system_error &error) {
      return diags.error({}, llvm::formatv("cannot start {0} threads: {1}", workers.size(),
                                           error.code().message()));
    }
    if (stop) {
      std::vector<Position> positions;
      for (Worker &worker : workers)
        for (auto &executor : worker.executors)
          executor.addPositions(positions);
      reportStall(plan, positions,
                  llvm::formatv("no progress for {0} s", options.timeoutSeconds).str(), diags);
      return failure();
    }
    RunResult result;
    result.times = std::move(times);
    result.trace.begin = nanoseconds::max();
    for (const Worker &worker : workers) {
      result.trace.begin = std::min(result.trace.begin, worker.begin.time_since_epoch());
      result.trace.end = std::max(result.trace.end, worker.end.time_since_epoch());
      llvm::append_range(result.trace.steps, worker.record);
    }
    return result;
  }

private:
  struct alignas(cacheLines) Worker {
    std::string name;          ///< of its threadblocks, if it drives threadblocks
    std::vector<RankId> ranks; ///< whose averages it finishes
    std::vector<RankExecutor<ThreadTransport, Observer>> executors;
    std::vector<RankId> ranksOf; ///< by executors
    std::vector<StepTime> record;
    Clock::time_point begin, end; ///< of the current execution
    /// Increases after steps, before barriers and at the end.
    alignas(cacheLines) std::atomic<uint64_t> beats = 0;
    /// The last question of the watch that was answered: nothing can be executed.
    std::atomic<uint64_t> answered = 0;
    bool answers(uint64_t asked) const { return answered.load(std::memory_order_acquire) >= asked; }
  };

  Observer makeObserver(Worker &worker, uint32_t stream) {
    if constexpr (std::is_same_v<Observer, NoObserver>)
      return NoObserver();
    else
      return Witness(options.jitter, stream, options.trace ? &worker.record : nullptr);
  }

  template <class... Args> void addExecutor(Worker &worker, RankId rank, Args &&...args) {
    worker.executors.emplace_back(plan, std::forward<Args>(args)...);
    worker.ranksOf.push_back(rank);
  }

  /// Executes the plan once on the ranks of \p worker. Returns false if it is given up.
  bool execute(Worker &worker) {
    for (size_t i = 0; i < worker.executors.size(); ++i)
      worker.executors[i].start(memory[worker.ranksOf[i].index()]);
    uint32_t idle = 0;
    while (true) {
      bool moved = false, done = true;
      for (auto &executor : worker.executors) {
        moved |= executor.progress();
        done &= executor.done();
      }
      if (done)
        break;
      if (moved) {
        idle = 0;
        worker.beats.fetch_add(1, std::memory_order_relaxed);
      } else if (++idle > 1000) {
        if (stop.load(std::memory_order_relaxed))
          return false;
        answer(worker, [&] {
          return llvm::none_of(worker.executors, [](auto &executor) { return executor.canGoOn(); });
        });
        std::this_thread::yield();
      }
    }
    // Other threads may have written the outputs of the ranks, or have yet to read messages there.
    bool changes = plan.settings.op == ReduceOp::Avg;
    if ((byThreadblock || changes) && !meet(worker))
      return false;
    for (RankId rank : worker.ranks)
      finishAverages(plan, rank, memory[rank.index()]);
    return true;
  }

  /// Answers the watch if \p isStuck. The threads that a step enables find it by its beat, which
  /// its thread has counted before it answers itself.
  void answer(Worker &worker, llvm::function_ref<bool()> isStuck) {
    uint64_t asked = question.load(std::memory_order_relaxed);
    if (!worker.answers(asked) && isStuck())
      worker.answered.store(asked, std::memory_order_release);
  }

  /// Waits for all threads. Returns false if the execution is given up.
  bool meet(Worker &worker) {
    worker.beats.fetch_add(1, std::memory_order_relaxed);
    return barrier.wait([&] { answer(worker, [] { return true; }); });
  }

  /// Between barriers, since other threads may still read messages of the last execution in the
  /// inputs. Returns false if the execution is given up.
  bool rewriteInputs(Worker &worker) {
    if (!meet(worker))
      return false;
    for (RankId rank : worker.ranks)
      rewriteInput(plan, rank, memory[rank.index()]);
    return meet(worker);
  }

  void work(Worker &worker) {
    for (uint32_t e = 0; e < executions; ++e) {
      worker.record.clear();
      if (!(options.freshInputs ? rewriteInputs(worker) : meet(worker)))
        break;
      worker.begin = Clock::now();
      if (!execute(worker))
        break;
      worker.end = Clock::now();
      std::lock_guard lock(mutex);
      times[e] = std::max<nanoseconds>(times[e], worker.end - worker.begin);
    }
    worker.beats.fetch_add(1, std::memory_order_relaxed);
    worker.answered.store(UINT64_MAX, std::memory_order_release);
    std::lock_guard lock(mutex);
    ++finished;
    changed.notify_one();
  }

  uint64_t beats() const {
    uint64_t sum = 0;
    for (const Worker &worker : workers)
      sum += worker.beats.load(std::memory_order_relaxed);
    return sum;
  }

  /// Waits until all threads have ended, or gives up.
  void watch() {
    std::unique_lock lock(mutex);
    Clock::time_point alive = Clock::now();
    uint64_t last = 0;
    bool asks = false;
    while (finished < workers.size()) {
      changed.wait_for(lock, std::chrono::milliseconds(50));
      bool areStuck = asks && llvm::all_of(workers, [&](const Worker &worker) {
                        return worker.answers(question.load(std::memory_order_relaxed));
                      });
      if (uint64_t now = beats(); now != last) {
        alive = Clock::now();
        last = now;
        asks = false;
      } else if (areStuck) {
        stop = true;
      } else if (!asks &&
                 Clock::now() - alive > std::chrono::duration<double>(options.timeoutSeconds)) {
        question.fetch_add(1, std::memory_order_relaxed);
        asks = true;
      }
    }
  }

  const PreparedPlan &plan;
  ArrayRef<RankBuffers> memory;
  const uint32_t executions;
  const RunOptions &options;
  const bool byThreadblock;
  std::atomic<bool> stop = false;
  std::atomic<uint64_t> question = 0; ///< the number of the last question of the watch
  ThreadTransport transport;
  StepCounts counts; ///< used if `byThreadblock`
  Barrier barrier;
  std::vector<Worker> workers;
  std::mutex mutex;
  std::condition_variable changed;
  size_t finished = 0;            ///< threads, under `mutex`
  std::vector<nanoseconds> times; ///< by execution, under `mutex`
};
class ThreadGroup : public Group {
public:
  explicit ThreadGroup(ThreadChoice threads) : threads(threads) {}

  std::string name() const override { return "threads"; }
  std::optional<uint32_t> size() const override { return std::nullopt; }
  std::vector<RankId> localRanks(const ExecPlan &plan) const override {
    std::vector<RankId> ranks;
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      ranks.push_back(RankId(r));
    return ranks;
  }
  bool leads() const override { return true; }
  std::vector<std::string> gather(const std::string &text) override { return {text}; }

  bool agree(uint64_t) override { return true; }
  bool hasNative(const PreparedPlan &) const override { return false; }
  std::vector<nanoseconds> executeNative(const PreparedPlan &, ArrayRef<RankBuffers>, uint32_t,
                                         const RunOptions &) override {
    return {};
  }

  FailureOr<RunResult> execute(const PreparedPlan &plan, ArrayRef<RankBuffers> memory,
                               uint32_t executions, const RunOptions &options,
                               DiagnosticEngine &diags) override {
    uint32_t processors = std::max(1u, std::thread::hardware_concurrency());
    uint32_t count = threads.byThreadblock
                         ? std::clamp<uint32_t>(plan.plan.threadblocks().size(), 1, mostThreads)
                         : std::clamp(threads.number.value_or(processors), 1u, plan.plan.ranks());
    auto executeWith = [&]<class Observer>(std::type_identity<Observer>) {
      return Team<Observer>(plan, memory, count, threads.byThreadblock, executions, options)
          .run(diags);
    };
    if (options.jitter || options.trace)
      return executeWith(std::type_identity<Witness>());
    return executeWith(std::type_identity<NoObserver>());
  }

private:
  ThreadChoice threads;
};
} // namespace

std::unique_ptr<Group> run::createThreadGroup(ThreadChoice threads) {
  return std::make_unique<ThreadGroup>(threads);
}
