//===- CclRun.cpp - The command line of ccl-run ---------------------------===//
//
// Reads plans, proves them, and executes them one after the other for the given sizes.
//
//===----------------------------------------------------------------------===//

#include "Calibration.h"
#include "PlanMeasurement.h"
#include "Refit.h"
#include "Transport.h"
#include "Turns.h"

#include "cclc/Formats/PlanBin.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PortfolioFile.h"
#include "cclc/Limits/PlanCheck.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Support/Interrupts.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Text.h"
#include "cclc/Tools/Cli/CommandLine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <mutex>

using namespace cclc;
using llvm::formatv;

namespace {
/// A plan, or why there is none: reported when all processes have compared theirs.
struct ReadPlan {
  FailureOr<ExecPlan> plan;
  DiagnosticEngine diags;

  /// A hash of the plan, or the first error.
  std::string identity() const {
    if (failed(plan))
      return diags.all().empty() ? "unreadable" : diags.all().front().text;
    std::string text;
    llvm::raw_string_ostream os(text);
    writePlanBin(*plan, os);
    return formatv("hash {0:x-16}", llvm::xxh3_64bits(os.str()));
  }
};

/// A plan that may be executed, and with how many slots.
struct ProvedPlan {
  ExecPlan plan;
  uint32_t slots;
};

class CclRun {
public:
  explicit CclRun(char **argv) : argv(argv), resources(Resources::find(argv[0])) {}

  std::optional<int> parse(int argc, char **argv) {
    CommandLine line("ccl-run", "Execute plans for real, on the processors of this machine.\n\n"
                                "Every result can be compared with the definition of the "
                                "collective, and every time with a prediction.");
    args.addTo(line);
    return line.parse(argc, argv);
  }

  ExitCode run() {
    if (failed(args.read(resources, diags)))
      return end(ExitCode::Unusable);
    if (!args.from.empty())
      return end(succeeded(refit(args, resources.targets, progress, diags)) ? ExitCode::Success
                                                                            : ExitCode::Unusable);
    FailureOr<TransportChoice> choice = TransportChoice::parse(args.transport, diags);
    if (failed(choice))
      return end(ExitCode::Unusable);
    if (args.processes.nodes && !choice->sharesMemory) {
      diags.error({}, "--simulate-nodes requires --transport node");
      return end(ExitCode::Unusable);
    }
    args.processes.sharesMemory = choice->sharesMemory;
    args.processes.preloaded = args.preload;
    if (args.preload &&
        failed(preload(*choice, resources.modules, args.files.front(), argv, diags)))
      return end(ExitCode::Unusable);
    // Messages inside a node cost as little as those of threads.
    if (choice->isMpi() && !choice->sharesMemory && !args.slotSizeText)
      args.slotBytes.reset();
    return end(choice->isMpi() ? runMpi(*choice) : runPlans(*choice));
  }

private:
  ReadPlan readPlan(const std::string &file) {
    progress.stage("read " + file);
    DiagnosticEngine found;
    FailureOr<ExecPlan> plan = readPlanFile(file, found);
    return {std::move(plan), std::move(found)};
  }

  /// Reads the first plan before MPI is initialised, since its algorithms are chosen then.
  ExitCode runMpi(const TransportChoice &choice) {
    if (args.mpiAlgorithm && !args.mpiAlgorithm->empty()) {
      first = readPlan(args.files.front());
      if (succeeded(first->plan) &&
          failed(forceAlgorithm(choice, first->plan->info().collective, *args.mpiAlgorithm, diags)))
        return ExitCode::Unusable;
    }
    return runPlans(choice);
  }

  ExitCode runPlans(const TransportChoice &choice) {
    if (args.mpiAlgorithm && !choice.isMpi()) {
      diags.error({}, "--compare mpi requires MPI: start ccl-run by mpirun");
      return ExitCode::Unusable;
    }
    FailureOr<std::unique_ptr<run::Group>> created =
        createGroup(choice, resources.modules, args.threads, args.processes, diags);
    if (failed(created))
      return ExitCode::Unusable;
    group = std::move(*created);
    if (failed(agreeOn(*group, args.settings(), diags)))
      return ExitCode::Unusable;
    group->open(diags);
    if (args.calibrate)
      return calibrate();
    if (args.turns)
      return takeTurns();
    ExitCode code = ExitCode::Success;
    interrupts.emplace([this] { save(); });
    for (const std::string &file : args.files) {
      if (&file != &args.files.front() && group->leads() && args.json != "-")
        llvm::outs() << '\n';
      code = std::max(code, runFile(file));
    }
    interrupts.reset();
    auto write = [&](raw_ostream &os) { writeMeasurements(results, /*complete=*/true, os); };
    return succeeded(writeJson(write, diags)) ? code : ExitCode::Unusable;
  }

  /// Writes the file of --json, if this process does.
  LogicalResult writeJson(llvm::function_ref<void(raw_ostream &)> write, DiagnosticEngine &into) {
    return success(!args.json || !group->leads() || succeeded(writeFile(*args.json, write, into)));
  }

  /// Sets \p prediction to that of --predict, if it is given.
  LogicalResult predict(const ExecPlan &plan, std::optional<Prediction> &prediction) {
    if (!args.predict)
      return success();
    FailureOr<Prediction> made = Prediction::create(plan, *args.predict, resources.targets, diags);
    if (failed(made))
      return failure();
    prediction.emplace(std::move(*made));
    return success();
  }

  /// Measures the machine, and writes a target with the name of its file.
  ExitCode calibrate() {
    Calibration calibration(*group, args, progress, diags);
    if (failed(calibration.run()))
      return ExitCode::Unusable;
    auto write = [&](raw_ostream &os) {
      calibration.write(llvm::sys::path::stem(*args.output), os);
    };
    return group->leads() && failed(writeFile(*args.output, write, diags)) ? ExitCode::Unusable
                                                                           : ExitCode::Success;
  }

  ExitCode end(ExitCode code) {
    progress.clear();
    // All processes find the same errors.
    if (!group || group->leads())
      report(diags, "ccl-run", args.format, args.files);
    group.reset();
    return code;
  }

  /// Measures all plans in turns.
  ExitCode takeTurns() {
    std::vector<TurnPlan> plans;
    for (const std::string &file : args.files)
      if (ExitCode code = addTurns(file, plans); code != ExitCode::Success)
        return code;
    for (TurnPlan &each : plans)
      if (failed(predict(each.plan, each.prediction)))
        return ExitCode::Unusable;
    auto write = [&](bool complete) {
      return [this, complete](raw_ostream &os) {
        writeTurns(turns, args, group->name(), complete, os);
      };
    };
    interrupts.emplace([&] {
      changing.lock(); // for ever, so that none is added
      progress.clear();
      save(counted(turns.size(), "size") + " done", write(/*complete=*/false));
    });
    TurnMeasurement measurement(plans, args, *group, progress, diags);
    LogicalResult measured = measurement.run([&](const TurnResult &size) {
      std::lock_guard lock(changing);
      turns.push_back(size);
    });
    interrupts.reset();
    if (failed(measured))
      return ExitCode::Wrong;
    return succeeded(writeJson(write(/*complete=*/true), diags)) ? ExitCode::Success
                                                                 : ExitCode::Unusable;
  }

  /// Adds a plan, or those of a portfolio that processes execute.
  ExitCode addTurns(const std::string &file, std::vector<TurnPlan> &plans) {
    if (!llvm::sys::fs::is_directory(file))
      return addTurns(file, args.sizes, plans);
    FailureOr<PortfolioFile> portfolio = readPortfolio(file, diags);
    if (failed(portfolio))
      return ExitCode::Unusable;
    const size_t before = plans.size();
    for (const PortfolioFileRow &row : portfolio->rows) {
      if ((group->size() && *group->size() != row.ranks) || !row.hasSteps())
        continue;
      std::vector<uint64_t> sizes;
      if (args.sizeTexts.areNamed())
        llvm::copy_if(args.sizes, std::back_inserter(sizes), [&](uint64_t size) {
          return row.covers(row.collective, row.ranks, size) && size % row.multiple == 0;
        });
      else
        for (const PortfolioPoint &point : row.points)
          sizes.push_back(point.bytes);
      if (ExitCode code = addTurns(row.plan, sizes, plans); code != ExitCode::Success)
        return code;
    }
    if (plans.size() == before) {
      const std::string job =
          group->size() ? " for a job of " + counted(*group->size(), "rank") : "";
      diags.error({file + "/portfolio.json"},
                  formatv("the portfolio has no plan that ccl-run executes{0}", job));
      return ExitCode::Unusable;
    }
    return ExitCode::Success;
  }

  ExitCode addTurns(const std::string &file, ArrayRef<uint64_t> sizes,
                    std::vector<TurnPlan> &plans) {
    auto known = llvm::find_if(plans, [&](const TurnPlan &plan) { return plan.file == file; });
    if (known != plans.end()) {
      std::vector<uint64_t> all;
      std::set_union(known->sizes.begin(), known->sizes.end(), sizes.begin(), sizes.end(),
                     std::back_inserter(all));
      known->sizes = std::move(all);
      return ExitCode::Success;
    }
    std::optional<ProvedPlan> proved;
    if (ExitCode code = load(file, proved); code != ExitCode::Success)
      return code;
    plans.push_back({file, std::move(proved->plan), proved->slots, sizes.vec()});
    return ExitCode::Success;
  }

  /// Reads and proves a plan.
  ExitCode load(const std::string &file, std::optional<ProvedPlan> &proved) {
    ReadPlan read = first ? std::move(*first) : readPlan(file);
    first.reset();
    if (failed(agreeOn(*group, {{"plan " + file, read.identity()}}, diags)))
      return ExitCode::Unusable;
    diags.append(std::move(read.diags));
    FailureOr<ExecPlan> &plan = read.plan;
    if (failed(plan))
      return ExitCode::Unusable;
    if (std::optional<uint32_t> ranks = group->size(); ranks && *ranks != plan->ranks()) {
      diags.error(
          {}, formatv("plan '{0}' has {1} ranks, and the MPI job {2}: start it by mpirun -n {1}",
                      plan->info().name, plan->ranks(), *ranks));
      return ExitCode::Unusable;
    }
    if (group->size() && failed(checkNoSwitches(*plan, "MPI", diags)))
      return ExitCode::Wrong;
    std::optional<uint32_t> slots = prove(*plan);
    if (!slots)
      return ExitCode::Wrong;
    proved.emplace(ProvedPlan{std::move(*plan), *slots});
    return ExitCode::Success;
  }

  ExitCode runFile(const std::string &file) {
    std::optional<ProvedPlan> proved;
    if (ExitCode code = load(file, proved); code != ExitCode::Success)
      return code;
    const ExecPlan &plan = proved->plan;
    std::optional<Prediction> prediction;
    if (failed(predict(plan, prediction)))
      return ExitCode::Unusable;
    if (args.inPlace && !plan.info().placements.allowsInPlace()) {
      diags.error({}, formatv("plan '{0}' is for separate input and output: --in-place does not "
                              "apply",
                              plan.info().name));
      return ExitCode::Unusable;
    }
    if (args.checkData && !plan.info().collective.hasPostCondition())
      diags.warning({}, "the collective has no post-condition: the data are not compared");
    PlanMeasurement executed(plan, args, *group, proved->slots, std::move(prediction), progress,
                             diags);
    ExitCode code = ExitCode::Unusable;
    auto record = [&](const MeasuredPlan &soFar) {
      std::lock_guard lock(changing);
      results.back() = soFar;
      results.back().file = file;
    };
    {
      std::lock_guard lock(changing);
      results.push_back(executed.results());
    }
    record(executed.results());
    try {
      code = executed.run(record);
    } catch (const MemoryExceeded &exceeded) {
      diags.error({}, exceeded.text());
    }
    return code;
  }

  /// Writes the results of an interrupted run. The lock is not released, so that none is added.
  void save() {
    changing.lock();
    progress.clear();
    size_t done = 0;
    for (const MeasuredPlan &plan : results)
      done += plan.sizes.size();
    if (done > 0)
      save(formatv("{0} of {1} sizes {2} done", done, args.sizes.size() * args.files.size(),
                   done == 1 ? "is" : "are"),
           [&](raw_ostream &os) { writeMeasurements(results, /*complete=*/false, os); });
  }
  void save(const std::string &done, llvm::function_ref<void(raw_ostream &)> write) {
    if (!group->leads())
      return;
    DiagnosticEngine found;
    found.warning({}, "interrupted: " + done);
    (void)writeJson(write, found);
    report(found, "ccl-run", args.format, args.files);
  }

  /// The number of slots to execute the plan with; none if it must not be executed.
  std::optional<uint32_t> prove(const ExecPlan &plan) {
    progress.stage("verify");
    Slots slots = args.slots.value_or(plan.slots().value_or(defaultSlots));
    DiagnosticEngine found;
    PlanProof proof = verifyPlan(plan, slots, found, ReductionHash::Omit);
    if (proof.verdict != Verdict::Ok && args.unproved)
      diags.warning({}, formatv("the verifier rejects this plan ({0}): it may hang or give wrong "
                                "results",
                                verdictName(proof.verdict)));
    else
      diags.append(std::move(found));
    if (proof.verdict != Verdict::Ok && !args.unproved)
      return std::nullopt;
    return run::slotsToExecute(slots, proof.slotsNeeded);
  }

  char **argv;
  RunArguments args;
  Resources resources;
  std::unique_ptr<run::Group> group;
  std::optional<ReadPlan> first; ///< the first plan, if it has been read
  std::vector<MeasuredPlan> results;
  std::vector<TurnResult> turns;
  DiagnosticEngine diags;
  Progress progress{"ccl-run"};
  std::mutex changing;                      ///< of the results
  std::optional<InterruptScope> interrupts; ///< the last member, because its thread uses the others
};
} // namespace

int main(int argc, char **argv) {
  return guarded("ccl-run", [&] {
    CclRun tool(argv);
    if (std::optional<int> code = tool.parse(argc, argv))
      return static_cast<ExitCode>(*code);
    return tool.run();
  });
}
