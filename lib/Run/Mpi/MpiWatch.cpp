//===- MpiWatch.cpp - Questions and answers of processes that wait --------===//
//
// Questions and answers are numbered, so that an answer that arrives late is not taken for one to a
// later question. A process that finds itself waiting leaves the report to the lowest rank that
// answers, which has the same information, and reports itself if that rank does not. Launchers that
// end a job because a process was killed send SIGTERM first: what is known then is reported at
// once.
//
//===----------------------------------------------------------------------===//

#include "MpiWatch.h"

#include "JobProcesses.h"
#include "Waiting.h"
#include "Watchdog.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <thread>
#include <unistd.h>

using namespace cclc;
using namespace cclc::run;
using llvm::formatv;

namespace {
constexpr int questionTag = 1, answerTag = 2;
constexpr size_t headWords = 2, positionWords = 5;
} // namespace

MpiWatch::MpiWatch(MPI_Comm group, double seconds) : seconds(seconds) {
  MPI_Comm_dup(group, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_dup(group, &barriers);
}

MpiWatch::~MpiWatch() {
  for (auto &[words, request] : sent)
    if (request != MPI_REQUEST_NULL)
      MPI_Request_free(&request);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&barriers);
}

void MpiWatch::send(const State &state, int tag, int64_t number, int to) {
  std::vector<int64_t> words = {number, state.progress};
  for (const Position &position : state.positions)
    words.insert(words.end(),
                 {position.threadblock.index(), position.step.index(), position.piece,
                  int64_t(position.reason), position.unsent ? int64_t(*position.unsent) : -1});
  llvm::erase_if(sent, [](auto &message) {
    int done = 1;
    MPI_Test(&message.second, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  auto &[kept, request] = sent.emplace_back(std::move(words), MPI_REQUEST_NULL);
  MPI_Isend(kept.data(), int(kept.size()), MPI_INT64_T, to, tag, comm, &request);
}

MpiWatch::State MpiWatch::stateWith(AddPositions addPositions) const {
  State state{progress, {}};
  addPositions(state.positions);
  return state;
}

/// Answers all questions that have arrived, and takes the answers.
void MpiWatch::receive(AddPositions addPositions) {
  while (true) {
    int here = 0, size;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &here, &status);
    if (!here)
      return;
    MPI_Get_count(&status, MPI_INT64_T, &size);
    std::vector<int64_t> words(size);
    MPI_Recv(words.data(), size, MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG, comm,
             MPI_STATUS_IGNORE);
    if (status.MPI_TAG == questionTag) {
      send(stateWith(addPositions), answerTag, words[0], status.MPI_SOURCE);
      continue;
    }
    if (words[0] != question || answers.empty())
      continue;
    State &state = answers[status.MPI_SOURCE].emplace(State{words[1], {}});
    for (size_t i = headWords; i + positionWords <= words.size(); i += positionWords) {
      Position position{PlanThreadblockId(words[i]), StepId(words[i + 1]), uint32_t(words[i + 2]),
                        Position::Reason(words[i + 3]), std::nullopt};
      if (words[i + 4] >= 0)
        position.unsent = uint32_t(words[i + 4]);
      state.positions.push_back(position);
    }
  }
}

void MpiWatch::answer() {
  ++progress;
  receive([](std::vector<Position> &) {});
}

void MpiWatch::idle(AddPositions addPositions) {
  receive(addPositions);
  if (isStuck)
    report();
  std::chrono::duration<double> waited = Clock::now() - since;
  if (Watchdog::launcherEnds() || waited.count() > limit() / 2)
    investigate(addPositions);
}

void MpiWatch::wait(llvm::function_ref<bool()> done, const char *what) {
  waitsIn = what;
  moved();
  for (Waiting waiting; !done();)
    if (waiting.after(false))
      idle([](std::vector<Position> &) {});
  waitsIn = nullptr;
}

void MpiWatch::wait(MPI_Request request, const char *what) {
  wait(
      [&] {
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        return done != 0;
      },
      what);
}

/// The dissemination barrier (Hensgen, Finkel and Manber, "Two Algorithms for Barrier
/// Synchronization", 1988).
void MpiWatch::barrier() {
  for (int distance = 1; distance < ranks; distance *= 2) {
    MPI_Request receive, send;
    MPI_Irecv(nullptr, 0, MPI_BYTE, (rank + ranks - distance) % ranks, 0, barriers, &receive);
    MPI_Isend(nullptr, 0, MPI_BYTE, (rank + distance) % ranks, 0, barriers, &send);
    wait(receive, "a barrier");
    wait(send, "a barrier");
  }
}

/// Asks the others, and waits for their answers.
void MpiWatch::ask(AddPositions addPositions) {
  State mine = stateWith(addPositions);
  answers.assign(ranks, std::nullopt);
  answers[rank] = mine;
  ++question;
  for (int other = 0; other < ranks; ++other)
    if (other != rank)
      send(mine, questionTag, question, other);
  // A process that executes steps looks for questions all the time.
  double grace = Watchdog::launcherEnds() ? 0.5 : std::clamp(seconds, 0.2, 3.0);
  auto complete = [&] { return llvm::all_of(answers, [](auto &state) { return state; }); };
  for (Clock::time_point begin = Clock::now();
       !complete() && Clock::now() - begin < std::chrono::duration<double>(grace);) {
    receive(addPositions);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

/// Whether a process has done something since the question before, or computes and cannot answer.
bool MpiWatch::othersGoOn() {
  std::vector<std::optional<int64_t>> now;
  for (const std::optional<State> &state : answers)
    now.push_back(state ? std::optional(state->progress) : std::nullopt);
  bool goOn = now != before;
  before = std::move(now);
  if (goOn || llvm::all_of(before, [](auto &answer) { return answer; }))
    return goOn;
  JobTable job = findJobProcesses();
  for (int other = 0; other < ranks; ++other)
    goOn |= !before[other] && job.isBusy(other);
  return goOn;
}

void MpiWatch::investigate(AddPositions addPositions) {
  since = Clock::now();
  ask(addPositions);
  if (!Watchdog::launcherEnds() && othersGoOn())
    return;
  bool isLowest = llvm::none_of(ArrayRef(answers).take_front(rank),
                                [](auto &state) { return state.has_value(); });
  if (Watchdog::launcherEnds()) {
    if (isLowest || deferrals == 4)
      report();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  // What this process waits for may have arrived while it asked, and its sender have ended.
  isStuck = isLowest || deferrals == 4;
  ++deferrals;
}

void MpiWatch::report() {
  Watchdog::endIfReported();
  std::vector<Position> positions;
  std::vector<std::string> silent;
  std::optional<int> culprit;
  DiagnosticEngine diags, notes;
  JobTable job = findJobProcesses();
  for (int other = 0; other < ranks; ++other)
    if (answers[other]) {
      llvm::append_range(positions, answers[other]->positions);
    } else {
      silent.push_back(std::to_string(other));
      culprit = culprit.value_or(other);
      notes.note({}, formatv("rank {0} does not answer: {1}", other, job.text(other)));
    }
  std::string cause = Watchdog::launcherEnds() ? "the job is terminated"
                                               : formatv("no progress for {0} s", limit()).str();
  if (plan && !positions.empty())
    reportStall(*plan, positions, cause, diags);
  else
    diags.error({}, formatv("{0}: rank {1} waits in {2}{3}", cause, rank,
                            waitsIn ? waitsIn : "an execution",
                            silent.empty() ? ""
                                           : (silent.size() == 1 ? " for rank " : " for ranks ") +
                                                 llvm::join(silent, ", ")));
  diags.append(std::move(notes));
  diags.print(llvm::errs(), "ccl-run");
  llvm::errs().flush();
  Watchdog::tellReported(job, culprit);
  // MPICH waits for its launcher, which may have ended.
  std::signal(SIGALRM, [](int) { _exit(1); });
  alarm(5);
  MPI_Abort(comm, 1);
  std::abort();
}
