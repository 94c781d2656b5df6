//===- MeasuredTuning.cpp - Plans that are chosen by jobs -----------------===//
//
// A job measures all plans of its sizes in turns, and compares each with the library or, among
// threads, with the plan that the model prefers. Plans are compiled once, into a temporary folder
// with a portfolio that names the plans and sizes of the next job.
//
//===----------------------------------------------------------------------===//

#include "MeasuredTuning.h"

#include "cclc/Search/Tune/ChosenPlan.h"
#include "cclc/Search/Tune/Deployment.h"
#include "cclc/Support/CacheFolder.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Support/Subprocess.h"
#include "cclc/Support/Temporary.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <deque>
#include <set>

using namespace cclc;
using llvm::formatv;

namespace {
constexpr StringRef threads = "threads";
/// Variants of one program are often equally fast: some other programs are to be measured as well.
constexpr size_t mostOfProgram = 2;

/// The first line of a file that reports an error, or else the first one.
std::string firstErrorOf(const std::string &path) {
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text || (*text)->getBuffer().trim().empty())
    return "it has written no message";
  SmallVector<StringRef> lines;
  (*text)->getBuffer().trim().split(lines, '\n');
  auto error = llvm::find_if(lines, [](StringRef line) { return line.contains(" error: "); });
  return (error == lines.end() ? lines.front() : *error).trim().str();
}

class MeasuredJobs {
public:
  MeasuredJobs(const MeasuredTuningRequest &request, DiagnosticEngine &diags)
      : in(request), diags(diags) {
    out.launcher = in.launcher;
    if (in.launcher == threads) {
      out.rules.hasLibrary = false;
      out.rules.leastRatio = 1;
    }
  }

  /// Reads what is known, and starts the jobs that measure all plans.
  LogicalResult select();
  /// Starts a job that measures the selected plans; false if there is none to be started.
  FailureOr<bool> confirm();
  MeasuredTuning finish() {
    out.decisions = decideAll(out.sizes, out.rules);
    return std::move(out);
  }

private:
  /// The plans of one job.
  using Entries = std::vector<std::pair<size_t, size_t>>; ///< of sizes, and of their plans
  void propose();
  Entries toSelect() const;
  Entries toConfirm() const;
  /// False if the deadline has passed.
  bool mayStart() {
    out.isPartial = in.deadline.hasPassed();
    return !out.isPartial;
  }
  LogicalResult startJob(const Entries &entries, bool confirms);
  FailureOr<std::string> fileOf(size_t plan, size_t size);
  FailureOr<std::vector<std::string>> command(const std::string &times);
  MeasuredJob jobOf(const JobTimes &times, size_t s, size_t p) const;
  LogicalResult add(const Entries &entries, const JobTimes &times, bool confirms);
  std::string commandOf(size_t plan) const {
    const Candidate &candidate = in.result.tried[plan].candidate;
    return candidate.command() + (candidate.version.empty() ? "" : " " + candidate.version);
  }

  const MeasuredTuningRequest &in;
  DiagnosticEngine &diags;
  MeasuredStore store;
  TemporaryFolder folder;
  std::map<std::pair<size_t, size_t>, std::string> files; ///< of plans and sizes
  MeasuredTuning out;
};

/// Chooses the plans of each size, and reads what is known of them.
void MeasuredJobs::propose() {
  for (uint64_t bytes : in.problem.sizes) {
    SizeContest &size = out.sizes.emplace_back(SizeContest{bytes});
    std::map<const dsl::Declaration *, size_t> ofProgram;
    std::set<std::string> plans;
    for (size_t plan : in.result.ranking(bytes)) {
      if (size.plans.size() == in.contestants)
        break;
      const Tried &tried = in.result.tried[plan];
      if (ofProgram[tried.candidate.program] == mostOfProgram ||
          !plans.insert(tried.measure.plan).second)
        continue;
      ++ofProgram[tried.candidate.program];
      Contestant &contestant = size.plans.emplace_back(Contestant{plan, {}, {}});
      store.read(commandOf(plan), bytes, contestant);
    }
  }
}

/// Those that have not been measured often enough. Among threads, all of a size are measured
/// together, since they are compared with the first one.
MeasuredJobs::Entries MeasuredJobs::toSelect() const {
  Entries entries;
  for (size_t s = 0; s < out.sizes.size(); ++s)
    for (size_t p = 0; p < out.sizes[s].plans.size(); ++p)
      if (out.sizes[s].plans[p].selecting.size() < out.rules.selecting)
        entries.emplace_back(s, p);
  return entries;
}

/// The selected plans of the sizes without a decision.
MeasuredJobs::Entries MeasuredJobs::toConfirm() const {
  Entries entries;
  for (size_t s = 0; s < out.sizes.size(); ++s) {
    const SizeContest &size = out.sizes[s];
    std::optional<size_t> selected = size.selected();
    if (selected && (out.rules.hasLibrary || *selected != 0) &&
        decide(size, out.rules).winner == MeasuredWinner::Undecided &&
        size.plans[*selected].confirming.size() < out.rules.mostConfirming)
      entries.emplace_back(s, *selected);
  }
  return entries;
}

/// The file of a plan for one size.
FailureOr<std::string> MeasuredJobs::fileOf(size_t plan, size_t size) {
  auto [known, isNew] = files.try_emplace({plan, size});
  if (!isNew)
    return known->second;
  const uint64_t bytes = in.problem.sizes[size];
  const std::string name = formatv("plan-{0}", files.size());
  FailureOr<DeliveredPlan> delivered =
      deliverPlan(in.problem, in.result, {plan, bytes, bytes, size, size}, name, diags);
  if (failed(delivered))
    return failure();
  known->second = name + ".json";
  auto write = [&](raw_ostream &os) { os << delivered->text; };
  if (failed(writeFile(folder / known->second, write, diags)))
    return failure();
  return known->second;
}

/// The arguments of a job that writes its times to \p times.
FailureOr<std::vector<std::string>> MeasuredJobs::command(const std::string &times) {
  std::vector<std::string> arguments;
  if (in.launcher != threads) {
    SmallVector<StringRef> words;
    StringRef(in.launcher).split(words, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef word : words)
      arguments.push_back(word == "{}" ? std::to_string(in.problem.ranks()) : word.str());
    if (arguments.empty())
      return diags.error({}, "--measure takes threads or a launcher, such as 'mpirun -n 4'");
    auto program = llvm::sys::findProgramByName(arguments.front());
    if (!program)
      return diags.error({}, formatv("--measure: there is no program '{0}'", arguments.front()));
    arguments.front() = *program;
  }
  llvm::append_range(
      arguments, std::vector<std::string>{in.runner, folder / "", "--turns", "--dtype",
                                          dataTypeName(in.problem.type).str(), "--json", times});
  if (out.rules.hasLibrary)
    llvm::append_range(arguments, std::vector<std::string>{"--preload", "--compare", "mpi"});
  return arguments;
}

LogicalResult MeasuredJobs::startJob(const Entries &entries, bool confirms) {
  if (in.onStage)
    in.onStage(
        formatv("measure {0}, job {1}", counted(entries.size(), "plan"), out.jobs + 1).str());
  PortfolioFile portfolio;
  std::set<std::pair<size_t, size_t>> rows(entries.begin(), entries.end());
  // Among threads, beside the plan that the others are compared with.
  for (auto [s, p] : entries)
    if (!out.rules.hasLibrary)
      rows.emplace(s, 0);
  for (auto [s, p] : rows) {
    FailureOr<std::string> file = fileOf(out.sizes[s].plans[p].plan, s);
    if (failed(file))
      return failure();
    const uint64_t bytes = out.sizes[s].bytes;
    PortfolioFileRow &row = portfolio.rows.emplace_back(
        PortfolioFileRow{.collective = in.problem.collective, .ranks = in.problem.ranks()});
    row.minBytes = bytes;
    row.maxBytes = bytes;
    row.plan = *file;
    row.points.push_back({bytes, 0, {}});
  }
  auto write = [&](raw_ostream &os) { writePortfolioFile(portfolio, os); };
  const std::string times = folder / "times.json", errors = folder / "errors.txt";
  if (failed(writeFile(folder / "portfolio.json", write, diags)))
    return failure();
  FailureOr<std::vector<std::string>> arguments = command(times);
  if (failed(arguments))
    return failure();
  const ProgramResult ended = runProgram(*arguments, folder / "out.txt", errors);
  ++out.jobs;
  if (!ended.succeeded()) {
    const std::string why =
        ended.why.empty() ? formatv("exit code {0}", ended.code).str() : ended.why;
    return diags
        .error({}, formatv("a job of --measure has failed ({0}): {1}", why, firstErrorOf(errors)))
        .note({}, "it was started by " + llvm::join(*arguments, " "));
  }
  FailureOr<JobTimes> found = readJobTimes(times, diags);
  return failed(found) ? LogicalResult(failure()) : add(entries, *found, confirms);
}

/// The times of a plan, with the placement for which it is worst; empty if the library has none.
MeasuredJob MeasuredJobs::jobOf(const JobTimes &times, size_t s, size_t p) const {
  const SizeContest &contest = out.sizes[s];
  auto timesOf = [&](const JobTimes::Size &size, const Contestant &contestant) {
    for (const auto &[file, ofPlan] : size.plans)
      if (llvm::sys::path::filename(file) == files.at({contestant.plan, s}))
        return ofPlan;
    return std::vector<double>();
  };
  MeasuredJob worst;
  auto found = times.sizes.find(contest.bytes);
  if (found == times.sizes.end())
    return worst;
  for (const JobTimes::Size &size : found->second) {
    MeasuredJob job{timesOf(size, contest.plans[p]),
                    out.rules.hasLibrary ? size.library : timesOf(size, contest.plans.front())};
    if (out.rules.hasLibrary && job.plan.empty()) // libccl-mpi leaves it to the library
      job.plan = job.other;
    if (job.plan.empty() || job.plan.size() != job.other.size())
      return {};
    if (worst.plan.empty() || job.ratio() < worst.ratio())
      worst = std::move(job);
  }
  return worst;
}

/// Adds the times of a job to its plans, and keeps them.
LogicalResult MeasuredJobs::add(const Entries &entries, const JobTimes &times, bool confirms) {
  out.transport = times.transport;
  for (auto [s, p] : entries) {
    SizeContest &contest = out.sizes[s];
    Contestant &contestant = contest.plans[p];
    MeasuredJob job = jobOf(times, s, p);
    if (job.plan.empty())
      return diags.error({}, formatv("a job of --measure has no times of the library for {0} bytes "
                                     "of {1}: its MPI library has no such collective",
                                     contest.bytes, collectiveName(in.problem.collective)));
    (confirms ? contestant.confirming : contestant.selecting).push_back(std::move(job));
    if (failed(store.write(commandOf(contestant.plan), contest.bytes, contestant, diags)))
      return failure();
  }
  return success();
}

LogicalResult MeasuredJobs::select() {
  if (failed(folder.create(diags)))
    return failure();
  if (in.keeps) {
    const std::string conditions =
        formatv("{0}; {1}; {2}; {3} over {4} ranks of {5}", computerName(), in.launcher,
                in.runner + " " + fileStamp(in.runner), collectiveName(in.problem.collective),
                in.problem.ranks(), dataTypeName(in.problem.type));
    FailureOr<MeasuredStore> opened = MeasuredStore::open(in.folder, conditions, diags);
    if (failed(opened))
      return failure();
    store = std::move(*opened);
  }
  propose();
  for (Entries next = toSelect(); !next.empty() && mayStart(); next = toSelect())
    if (failed(startJob(next, /*confirms=*/false)))
      return failure();
  return success();
}

FailureOr<bool> MeasuredJobs::confirm() {
  const Entries next = toConfirm();
  if (next.empty() || !mayStart())
    return false;
  if (failed(startJob(next, /*confirms=*/true)))
    return failure();
  return true;
}
} // namespace

FailureOr<std::vector<MeasuredTuning>> cclc::measurePlans(ArrayRef<MeasuredTuningRequest> requests,
                                                          DiagnosticEngine &diags) {
  std::deque<MeasuredJobs> all;
  for (const MeasuredTuningRequest &request : requests)
    if (failed(all.emplace_back(request, diags).select()))
      return failure();
  for (bool goesOn = true; std::exchange(goesOn, false);)
    for (MeasuredJobs &jobs : all) {
      FailureOr<bool> started = jobs.confirm();
      if (failed(started))
        return failure();
      goesOn |= *started;
    }
  std::vector<MeasuredTuning> results;
  for (MeasuredJobs &jobs : all)
    results.push_back(jobs.finish());
  return results;
}
