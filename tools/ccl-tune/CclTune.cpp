//===- CclTune.cpp - The command line of ccl-tune -------------------------===//
//
// Tunes each collective in turn, prints its tables and writes one portfolio for all of them.
//
//===----------------------------------------------------------------------===//

#include "PortfolioList.h"
#include "PortfolioWriter.h"
#include "PriceTable.h"
#include "TuneArguments.h"
#include "cclc/Formats/Msccl/Dialect.h"
#include "cclc/Search/Tune/ChosenPlan.h"
#include "cclc/Search/Tune/Invariant.h"
#include "cclc/Search/Tune/ResultCheck.h"
#include "cclc/Tools/Cli/Output.h"
#include "cclc/UserPrograms/UserProgram.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
class CclTune {
public:
  explicit CclTune(const char *argv0) : resources(Resources::find(argv0)) {
    dsl::registerAllPrograms(programs);
  }

  std::optional<int> parse(int argc, char **argv) {
    CommandLine line("ccl-tune",
                     "Find the fastest plan of every size for a machine.\n\nCompiles programs with "
                     "many parameters, protocols and numbers of instances, simulates them, and "
                     "chooses a few plans with their ranges of sizes.");
    args.addTo(line);
    std::optional<int> ended = line.parse(argc, argv);
    keepReportWhole(args.format);
    return ended;
  }

  ExitCode run() {
    ExitCode code = runAll();
    if (earlier.hasErrors()) {
      earlier.append(std::exchange(diags, {}));
      diags = std::move(earlier);
    }
    progress.clear();
    if (code == ExitCode::Internal)
      return defect(diags, "ccl-tune");
    report(diags, "ccl-tune", args.format, args.positionals);
    return code;
  }

private:
  ExitCode runAll() {
    if (!args.positionals.empty() && args.positionals.front() == "list")
      return list();
    if (args.price && failed(openPriced()))
      return ExitCode::Unusable;
    std::optional<RecordedJob> job;
    if (args.recorded) {
      FailureOr<RecordedJob> read = args.recordedJob(diags);
      if (failed(read))
        return ExitCode::Unusable;
      job = std::move(*read);
    }
    FailureOr<std::vector<TuneRequest>> requests =
        args.requests(resources.targets, job ? &*job : nullptr, diags);
    if (failed(requests))
      return ExitCode::Unusable;
    if (job)
      llvm::outs() << job->summary << "\n\n";
    FailureOr<std::vector<VaryAxis>> parsed = args.axes(diags);
    if (failed(parsed))
      return ExitCode::Unusable;
    axes = std::move(*parsed);
    FailureOr<std::vector<PartKind>> lost = args.parts(diags);
    if (failed(lost))
      return ExitCode::Unusable;
    parts = std::move(*lost);
    FailureOr<TuneOptions> options = args.options(diags);
    if (failed(options))
      return ExitCode::Unusable;
    if (failed(loadPrograms()))
      return ExitCode::Unusable;
    FailureOr<MeasureStore> store = args.store(diags);
    if (failed(store))
      return ExitCode::Unusable;
    if (args.output) {
      FailureOr<PortfolioWriter> opened = PortfolioWriter::open(
          {*args.output, args.exportNames(), options->jobs, args.adds}, diags);
      if (failed(opened))
        return ExitCode::Unusable;
      writer.emplace(std::move(*opened));
    }
    tuned.reserve(requests->size());
    searches = llvm::count_if(*requests, [&](const TuneRequest &each) {
      return each.runtime == requests->front().runtime;
    });
    // With --measure, jobs have the second half of the time.
    const Deadline whole = options->deadline, searching = args.measure ? whole.ofParts(2) : whole;
    ExitCode all = ExitCode::Success;
    for (const TuneRequest &request : *requests) {
      const size_t before = tuned.size();
      // What is left of the time limit is for all requests that are left.
      options->deadline = searching.ofParts(requests->size() - (&request - requests->data()));
      ExitCode code = runOne(request, *store, *options);
      if (code == ExitCode::Success && !args.measure)
        code = write(tuned);
      // A runtime without a plan leaves those of others.
      if (code == ExitCode::Success)
        continue;
      if (code != ExitCode::Wrong || args.runtimeNames().size() < 2)
        return code;
      while (tuned.size() > before)
        tuned.pop_back();
      earlier.append(std::exchange(diags, {}));
      all = code;
    }
    return args.measure ? measure(whole) : all;
  }

  /// Adds the last of \p plans to the folder of -o.
  ExitCode write(ArrayRef<TunedPlans> plans) {
    if (!writer)
      return ExitCode::Success;
    progress.stage("prove the plans");
    return succeeded(writer->add(plans, axes, resources.tunePage, diags))
               ? ExitCode::Success
               : exitCodeOf(diags.failure());
  }

  /// ccl-tune list DIR.
  ExitCode list() {
    if (args.positionals.size() != 2) {
      diags.error({}, "'ccl-tune list' takes the folder of a portfolio");
      return ExitCode::Unusable;
    }
    return failed(listPortfolio(args.positionals.back(), llvm::outs(), diags)) ? ExitCode::Unusable
                                                                               : ExitCode::Success;
  }

  /// Reads the file of --price, whose collectives are tuned unless some are named.
  LogicalResult openPriced() {
    if (args.output || args.invariant || args.shard || !args.vary.empty())
      return diags.error({}, "--price excludes -o, --invariant, --shard and --vary");
    FailureOr<TuningFile> file = readTuningFile(*args.price, diags);
    if (failed(file))
      return failure();
    priced.emplace(std::move(*file));
    if (args.positionals.size() != 1)
      return success();
    const std::vector<std::string> names = collectivesOf(*priced);
    if (names.empty())
      return diags.error({}, "the file of --price has no rule for a collective: name one after the "
                             "target to see what the best choices are");
    llvm::append_range(args.positionals, names);
    return success();
  }

  UserCodeOptions userCode() const {
    return {UserCodeOptions().seconds, args.format, exitStatusOf};
  }

  /// Loads the users' programs of --programs.
  LogicalResult loadPrograms() {
    for (const std::string &name : args.programNames()) {
      auto isLoaded = [&](const auto &program) { return programs.nameOf(program) == name; };
      if (!isUserProgram(name) || llvm::any_of(programs.all(), isLoaded))
        continue;
      progress.stage("load " + name);
      std::vector<std::string> read;
      UserCodeOptions options = userCode();
      std::optional<dsl::Declaration> program =
          loadUserProgram(name, resources.headers, options, read, diags);
      if (!program)
        return failure();
      programs.add(std::move(*program), {name, versionOf(read)});
    }
    return success();
  }

  /// Proves the users' programs of a collective with their default parameters, as an error with
  /// these is one of the program. The search leaves out other parameters that are wrong, and a
  /// program that refuses these is left to it.
  ExitCode provePrograms(const TuneProblem &problem) {
    for (const dsl::Declaration &program : programs.all()) {
      const dsl::ProgramFile *file = programs.fileOf(program);
      if (!file || program.collective() != problem.collective)
        continue;
      progress.stage("prove " + file->name);
      DiagnosticEngine found;
      Candidate candidate{&program, file->name};
      candidate.version = file->version;
      CompileRequest request = candidate.request(problem);
      request.userCode = userCode();
      if (succeeded(compile(program, request, found)) || found.failure() == Failure::Unusable)
        continue;
      diags.append(std::move(found));
      return exitCodeOf(diags.failure());
    }
    return ExitCode::Success;
  }

  /// Warns of users' programs that have no plan.
  void reportUnused(const TuneResult &result) {
    for (const dsl::Declaration &program : programs.all()) {
      const Tried *first = nullptr;
      bool compiled = false;
      for (const Tried &tried : result.tried)
        if (tried.candidate.program == &program) {
          first = first ? first : &tried;
          compiled |= tried.measure.refusal.empty();
        }
      if (const dsl::ProgramFile *file = programs.fileOf(program); file && first && !compiled)
        diags.warning({file->name}, formatv("program '{0}' has no plan for this problem: {1}",
                                            program.name(), first->measure.refusal));
    }
  }

  ExitCode runOne(const TuneRequest &request, const MeasureStore &store, TuneOptions options) {
    FailureOr<TuneProblem> problem = TuneProblem::create(request, diags);
    if (failed(problem))
      return exitCodeOf(diags.failure());
    if (writer && failed(writer->checkAdded(*problem, diags)))
      return ExitCode::Unusable;
    if (!parts.empty() && problem->runtime->form == RuntimeForm::Choices) {
      diags.error({}, formatv("--survive is for runtimes that execute plans; {0} has algorithms "
                              "of its own",
                              problem->runtime->product));
      return ExitCode::Unusable;
    }
    if (failed(checkSurvival(*problem, parts, diags)))
      return ExitCode::Unusable;
    TunedPlans &last = tuned.emplace_back(TunedPlans{std::move(*problem)});
    if (ExitCode code = provePrograms(last.problem); code != ExitCode::Success)
      return code;
    FailureOr<CandidateSpace> space =
        CandidateSpace::create(last.problem, programs, args.programNames(), diags);
    if (failed(space))
      return exitCodeOf(diags.failure());
    last.space.emplace(std::move(*space));
    BestSoFar best;
    if (progress.isOnTerminal())
      options.onBest = [&](uint64_t size, SimTime time, const Candidate &candidate) {
        auto known = best.find(size);
        if (known == best.end() || time < known->second.first)
          best[size] = {time, candidate.title()};
      };
    options.onStage = [&](StringRef text) {
      progress.stage(llvm::Twine(collectiveName(request.collective)) + ": " + text,
                     best.empty() ? std::vector<std::string>() : linesOf(last.problem, best));
    };
    FailureOr<TuneResult> result = request.invariant
                                       ? tuneInvariant(*last.space, store, options, diags)
                                       : tune(*last.space, store, options, diags);
    options.onBest = nullptr;
    best.clear(); // what follows shows none
    if (failed(result))
      return ExitCode::Unusable;
    last.result = std::move(*result);
    if (failed(checkResult(last.problem, last.result, diags)))
      return ExitCode::Internal;
    reportUnused(last.result);
    FailureOr<std::vector<MachineVariant>> variants = tuneVariants(request, store, options);
    if (failed(variants))
      return ExitCode::Unusable;
    if (llvm::any_of(*variants, [](const MachineVariant &each) { return !each.isRight; }))
      return ExitCode::Internal;
    progress.clear();
    if (options.shards > 1) {
      llvm::outs() << formatv("{0}: shard {1} of {2}: {3} candidates, {4} messages simulated\n",
                              collectiveName(request.collective), options.shard + 1, options.shards,
                              last.result.tried.size(), last.result.messages);
      return ExitCode::Success;
    }
    if (priced)
      return printPriced(request, options.jobs);
    if (ExitCode code = choose(); code != ExitCode::Success)
      return code;
    if (!parts.empty())
      return survive(request, store, options);
    if (request.invariant)
      return compareOrders(request, store, options);
    if (axes.empty())
      return ExitCode::Success;
    return compare(std::move(*variants), options.jobs);
  }

  /// Replaces the portfolios of all collectives by what their jobs have decided.
  ExitCode measure(const Deadline &deadline) {
    std::vector<MeasuredTuningRequest> requests;
    for (const TunedPlans &each : tuned) {
      MeasuredTuningRequest &request = requests.emplace_back(
          MeasuredTuningRequest{each.problem, each.result, *args.measure, resources.runner});
      request.contestants = uint32_t(args.contestants.value_or(request.contestants));
      request.keeps = !args.noCache;
      request.folder = args.resume;
      request.deadline = deadline;
      request.onStage = [this, &each](StringRef text) {
        progress.stage(llvm::Twine(collectiveName(each.problem.collective)) + ": " + text);
      };
    }
    FailureOr<std::vector<MeasuredTuning>> found = measurePlans(requests, diags);
    progress.clear();
    if (failed(found))
      return exitCodeOf(diags.failure());
    for (size_t i = 0; i < tuned.size(); ++i) {
      TunedPlans &each = tuned[i];
      each.measured = std::move((*found)[i]);
      each.ranges = rangesOf(each.measured->sizes, each.measured->decisions);
      each.gaps = gapsOf(*each.measured, each.problem, each.result, each.ranges);
      printMeasured(*each.measured, each.problem, each.result, llvm::outs());
      printRanges(each, llvm::outs());
      if (ExitCode code = write(ArrayRef(tuned).take_front(i + 1)); code != ExitCode::Success)
        return code;
    }
    return ExitCode::Success;
  }

  /// Searches the last collective without each part of --survive, and prints what serves them.
  ExitCode survive(const TuneRequest &request, const MeasureStore &store,
                   const TuneOptions &options) {
    TunedPlans &last = tuned.back();
    progress.stage("find the failures");
    const std::vector<std::string> names = args.programNames();
    FailureOr<SurvivalResult> found = tuneSurvival(
        {request, last.problem, last.result, last.ranges, programs, names, store, parts, options},
        diags);
    if (failed(found))
      return exitCodeOf(diags.failure());
    last.survival = std::move(*found);
    progress.clear();
    printSurvival(last, llvm::outs());
    return ExitCode::Success;
  }

  /// Prints what the file of --price costs for the last collective.
  ExitCode printPriced(TuneRequest request, unsigned jobs) {
    const TunedPlans &last = tuned.back();
    // The times of its algorithms are those of their steps.
    const Runtime *own = findRuntime(selectingRuntimeName(priced->reader().runtime));
    request.runtime = own ? own : findRuntime("nccl");
    FailureOr<TuneProblem> problem = TuneProblem::create(request, diags);
    if (failed(problem))
      return exitCodeOf(diags.failure());
    progress.stage("simulate the algorithms of the runtime");
    const std::vector<SizePrice> prices = priceFile(*problem, *priced, programs, jobs);
    progress.clear();
    if (tuned.size() > 1)
      llvm::outs() << '\n';
    printPrices(last, *priced, prices, llvm::outs());
    return ExitCode::Success;
  }

  /// Tunes the last collective for all combinations of --vary.
  FailureOr<std::vector<MachineVariant>>
  tuneVariants(const TuneRequest &request, const MeasureStore &store, TuneOptions options) {
    std::vector<MachineVariant> variants;
    if (axes.empty())
      return variants;
    for (const std::vector<TargetOverride> &changes : combinations(axes)) {
      std::string name;
      for (const TargetOverride &change : changes)
        name += formatv(" {0}={1}", change.path, change.value);
      options.onStage = [&](StringRef text) {
        progress.stage(llvm::Twine(collectiveName(request.collective)) + name + ": " + text);
      };
      FailureOr<MachineVariant> variant =
          tuneVariant(request, changes, programs, args.programNames(), tuned.back().problem,
                      tuned.back().result, store, options, diags);
      if (failed(variant))
        return failure();
      variants.push_back(std::move(*variant));
    }
    return variants;
  }

  /// Tunes the last collective without --invariant, and prints the difference.
  ExitCode compareOrders(TuneRequest request, const MeasureStore &store,
                         const TuneOptions &options) {
    request.invariant = false;
    FailureOr<TuneProblem> problem = TuneProblem::create(request, diags);
    if (failed(problem))
      return ExitCode::Unusable;
    FailureOr<CandidateSpace> space =
        CandidateSpace::create(*problem, programs, args.programNames(), diags);
    if (failed(space))
      return ExitCode::Unusable;
    FailureOr<TuneResult> result = tune(*space, store, options, diags);
    if (failed(result))
      return ExitCode::Unusable;
    DiagnosticEngine found; // the first search has warned of wrong parameters
    if (failed(checkResult(*problem, *result, found))) {
      diags.append(std::move(found));
      return ExitCode::Internal;
    }
    tuned.back().anyOrder = bestOfSizes(*problem, *result);
    progress.clear();
    printInvariance(tuned.back(), llvm::outs());
    return ExitCode::Success;
  }

  /// Prints the variants of the last collective and its elasticities.
  ExitCode compare(std::vector<MachineVariant> variants, unsigned jobs) {
    TunedPlans &last = tuned.back();
    last.variants = std::move(variants);
    progress.stage("find the elasticities");
    for (const VaryAxis &axis : axes) {
      FailureOr<Elasticity> elasticity =
          findElasticity(last.problem, last.result, axis, jobs, diags);
      if (failed(elasticity))
        return ExitCode::Unusable;
      last.elasticities.push_back(std::move(*elasticity));
    }
    progress.clear();
    printVariants(last, axes, llvm::outs());
    return ExitCode::Success;
  }

  /// The collectives of a runtime share the files that it loads: chooses fewer plans if there are
  /// too many, but as many as cover the sizes.
  void fitToFiles(TunedPlans &last) {
    const MscclDialect *dialect = findMscclDialect(last.problem.runtime->name);
    if (!dialect || last.ranges.size() * searches <= dialect->algorithms)
      return;
    const uint32_t share = std::max<uint64_t>(dialect->algorithms / searches, 1);
    for (uint32_t most = share; most < last.ranges.size(); ++most)
      if (std::vector<PlanRange> fewer = choosePlans(last.problem, last.result, most);
          !fewer.empty()) {
        last.ranges = std::move(fewer);
        break;
      }
    size_t files = 0;
    for (const TunedPlans &each : tuned)
      if (each.problem.runtime == last.problem.runtime)
        files += each.ranges.size();
    if (files > dialect->algorithms)
      diags.warning({},
                    formatv("{0} loads {1} files, and ignores {2} of the portfolio: tune fewer "
                            "collectives or sizes",
                            dialect->runtime, dialect->algorithms, files - dialect->algorithms));
  }

  /// Chooses the portfolio of the last collective and prints its tables.
  ExitCode choose() {
    TunedPlans &last = tuned.back();
    std::optional<uint32_t> maxPlans;
    if (args.maxPlans)
      maxPlans = uint32_t(*args.maxPlans);
    last.ranges = choosePlans(last.problem, last.result, maxPlans);
    if (!maxPlans)
      fitToFiles(last);
    if (last.ranges.empty()) {
      reportUncovered(last.problem, last.result, maxPlans, diags);
      return ExitCode::Wrong;
    }
    last.gaps = gapsOf(last.problem, last.result, last.ranges);
    if (tuned.size() > 1)
      llvm::outs() << '\n';
    printTable(last, llvm::outs());
    if (ArrayRef<std::string> omitted = last.space->omittedPrograms(); !omitted.empty())
      llvm::outs() << formatv(
          "not tried, because no switch of the target multicasts and adds: {0}\n",
          llvm::join(omitted, ", "));
    if (ArrayRef<std::string> others = last.space->algorithmsNotModelled(); !others.empty())
      llvm::outs() << formatv("algorithms of {0} that are not modelled, and not chosen: {1}\n",
                              last.problem.runtime->product, llvm::join(others, ", "));
    return ExitCode::Success;
  }

  TuneArguments args;
  Resources resources;
  dsl::ProgramRegistry programs;
  std::vector<VaryAxis> axes;
  std::vector<PartKind> parts;           ///< of --survive
  std::optional<TuningFile> priced;      ///< that of --price
  std::optional<PortfolioWriter> writer; ///< into the folder of -o
  std::vector<TunedPlans> tuned;         ///< reserved, by collective and number of ranks
  uint64_t searches = 1;                 ///< of each runtime
  DiagnosticEngine diags;
  DiagnosticEngine earlier; ///< the messages up to the last runtime without a plan
  Progress progress{"ccl-tune"};
};
} // namespace

int main(int argc, char **argv) {
  return guarded("ccl-tune", [&] {
    CclTune tool(argv[0]);
    if (std::optional<int> code = tool.parse(argc, argv))
      return static_cast<ExitCode>(*code);
    return tool.run();
  });
}
