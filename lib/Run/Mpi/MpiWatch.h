//===- MpiWatch.h - Waits of MPI processes with a time limit ----*- C++ -*-===//
//
// Each process knows its own threadblocks only. A process that waits therefore asks the others for
// their positions after half of the time limit, and again at its end. If one of them has gone on
// meanwhile, or does not answer because it computes or gets no processor, it waits further;
// otherwise the lowest rank that answers reports all waits, and which ranks do not answer, and ends
// the job.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_MPIWATCH_H
#define CCL_LIB_RUN_MPI_MPIWATCH_H

#include "cclc/Run/Stall.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <mpi.h>

#include <chrono>
#include <list>

namespace cclc::run {

class MpiWatch {
public:
  using Clock = std::chrono::steady_clock;
  using AddPositions = llvm::function_ref<void(std::vector<Position> &)>;

  /// Processes of \p group use a communicator of their own for questions.
  MpiWatch(MPI_Comm group, double seconds);
  ~MpiWatch();
  MpiWatch(const MpiWatch &) = delete;

  /// Names the plan that all processes execute; null outside of executions, where processes compute
  /// as well, and the time limit is ten times as long.
  void setPlan(const PreparedPlan *executed) { plan = executed; }
  /// A step has been executed, or a wait begins.
  void moved() {
    since = Clock::now();
    ++progress;
    before.clear();
    isStuck = false;
    deferrals = 0;
  }
  /// Answers questions while steps are executed.
  void answer();
  /// To be called repeatedly while nothing can be executed: answers questions, and ends the job
  /// when the time limit is exceeded.
  void idle(AddPositions addPositions);
  /// Waits until \p done, with the time limit. \p what names the wait: "a barrier".
  void wait(llvm::function_ref<bool()> done, const char *what);
  /// Completes \p request, with the time limit.
  void wait(MPI_Request request, const char *what);
  /// Lets all processes go on together: a collective that blocks would not answer questions.
  void barrier();

private:
  /// What a process reports about itself.
  struct State {
    int64_t progress; ///< changes with everything that it does
    std::vector<Position> positions;
  };

  double limit() const { return plan ? seconds : 10 * seconds; }
  State stateWith(AddPositions addPositions) const;
  void receive(AddPositions addPositions);
  void send(const State &state, int tag, int64_t question, int to);
  void ask(AddPositions addPositions);
  bool othersGoOn();
  void investigate(AddPositions addPositions);
  [[noreturn]] void report();

  MPI_Comm comm, barriers;
  double seconds;
  int rank, ranks;
  const PreparedPlan *plan = nullptr;
  const char *waitsIn = nullptr;          ///< in wait()
  Clock::time_point since = Clock::now(); ///< the wait began, or the others were asked
  int64_t progress = 0;
  bool isStuck = false;   ///< to be reported, if nothing has arrived at the next look
  uint32_t deferrals = 0; ///< how often a lower rank was expected to report
  int64_t question = 0;   ///< the number of the last question
  std::vector<std::optional<State>> answers; ///< to it, by rank
  /// The progress that ranks answered to the question before, in the same wait.
  std::vector<std::optional<int64_t>> before;
  /// Messages that may not have been sent.
  std::list<std::pair<std::vector<int64_t>, MPI_Request>> sent;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_MPIWATCH_H
