//===- TuneArguments.cpp - Options of ccl-tune ----------------------------===//
//
// Declares the options by group, in the order of the help, and parses their values.
//
//===----------------------------------------------------------------------===//

#include "TuneArguments.h"

#include "cclc/Formats/Selection/TuningFile.h"
#include "cclc/IR/CollectiveNames.h"
#include "cclc/Sim/Data/TypeNames.h"
#include "cclc/Sim/Network/Network.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Tools/Cli/Sizes.h"
#include "cclc/Tools/Cli/Values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

/// The values of --export.
static const std::vector<std::string> exportFormats = {"chakra", "goal"};
/// The runtimes of earlier values of --export.
static constexpr std::pair<StringRef, StringRef> runtimesOfExports[] = {{"msccl", "msccl"},
                                                                        {"mscclpp", "mscclpp"},
                                                                        {"nccl-csv", "nccl"},
                                                                        {"ompi", "ompi"},
                                                                        {"mpich", "mpich"}};

void TuneArguments::addTo(CommandLine &line) {
  line.positionals("TARGET COLLECTIVE", positionals,
                   "a bundled target or a target file, and one "
                   "or more collectives");
  line.suggest("TARGET COLLECTIVE", collectiveNames());
  line.group("Machine");
  line.settings(sets);
  line.option("--ranks", "LIST", ranks,
              "set the number of ranks (default: the target's), or several, such as 2,4,8, which "
              "one portfolio then serves");
  line.option("--endpoints", "LIST", endpoints,
              "tune for a group of endpoints, one for each rank in order: 0,2,8-15 or 0-56:8");
  line.choice("--mapper", {"all_pes", "cube_leaders", "leader_only"}, mapper,
              "choose the participating PEs of a machine with levels (default: the first of these "
              "that selects --ranks PEs, else all_pes)");
  line.option("--network", "NAME", network,
              "select the contention model: " + networkNames() + " (default: the target's)");
  line.list("--vary", "PATH=FROM:TO:COUNT", vary,
            "tune also for COUNT values of the target, each by the same factor larger than the one "
            "before, and report which change pays; repeated: for all combinations");
  line.group("Message");
  line.option("--sizes", "FROM:TO[:FACTOR]", sizes,
              "tune for these sizes of a rank's buffer (default: 1K:1G, factor 2)");
  line.option(
      "--for", "FILE", recorded,
      "tune for the calls of a job, which libccl-mpi has written to its CCL_MPI_RECORD: its "
      "collectives (of which COLLECTIVE may name some), numbers of ranks, sizes and type");
  line.choice("--dtype", dataTypeNames(), dtype, "set the element type (default: f32)");
  line.group("Search");
  line.list("--runtime", "LIST", runtimes,
            "search for what these runtimes execute, each by itself, separated by commas: " +
                llvm::join(cclc::runtimeNames(), ", ") + " (default: that of the target)");
  line.option("--programs", "LIST", programs,
              "try only these programs, separated by commas: bundled ones, C++ and Python "
              "files, and COLLECTIVE_trees of cclc synth (default: all bundled ones)");
  line.list("-p,--param", "KEY=VALUE[,...]", parameters,
            "try only these values of a parameter, in the programs that have it (default: as the "
            "program declares)");
  line.number("--budget", 1, uint64_t(1) << 50, budget,
              "stop after N simulated messages, when each size has a plan (default: no limit)",
              "MESSAGES");
  line.number("--time-limit", 1, 1'000'000, timeLimit,
              "end the search after this time, with what is found by then (default: no limit)",
              "SECONDS");
  line.flag("--exhaustive", exhaustive,
            "try all combinations, and drop only candidates that cannot be the fastest");
  line.flag("--invariant", invariant,
            "keep one reduction order for all elements and sizes, so that results have the same "
            "bits with every size, and report what it costs");
  line.option("--survive", "LIST", survive,
              "search also for the machine without one part of these kinds, separated by commas: "
              "link, nic, rank; print the time before and after, and add the fewest plans that "
              "serve all failures");
  line.number("-j", 1, 1024, jobs, "evaluate N candidates in parallel (default: 1)");
  line.group("Measurement");
  line.option("--measure", "LAUNCHER", measure,
              "let jobs that LAUNCHER starts, such as 'mpirun -n 4' ({}: the number of ranks), or "
              "threads, measure the best "
              "plans of the model for each size beside the MPI library, and use only plans that "
              "are faster for sure");
  line.number("--contestants", 1, 64, contestants,
              "measure the N best plans of each size (default: 32)");
  line.group("Several runs");
  line.option("--resume", "DIR", resume,
              "store results in DIR, and reuse those of an earlier or interrupted run (default: "
              "the user's cache)");
  line.flag("--no-cache", noCache, "compute all results again, and store none");
  line.option("--shard", "I/N", shard,
              "evaluate part I of N (1/N to N/N) into --resume, and choose no plans");
  line.list("--merge", "DIR", merge, "reuse the results of another run, such as a shard");
  line.group("Output");
  line.number("--max-plans", 1, 1 << 16, maxPlans,
              "limit the number of plans of a collective to N (default: as few as are within 1 % "
              "of the best at every size)");
  line.option("-o,--output", "DIR", output,
              "write portfolio.json, the plans and report.html to DIR");
  line.flag("--add", adds,
            "keep what the portfolio in DIR has of other collectives, numbers of ranks and "
            "runtimes (default: replace it)");
  line.list("--export", "LIST", exports,
            "write the plans for other simulators as well, for each size, separated by commas: "
            "chakra, goal; needs -o");
  line.option(
      "--price", "[READER:]FILE", price,
      "print what the tuning file of a runtime costs with each size, and which of its rules "
      "never apply, instead of a portfolio; READER: " +
          llvm::join(tuningReaderNames(), ", ") +
          " (default: by the form of the file; COLLECTIVE: all of the file)");
  line.messages(format);
}

/// The items of a list that are separated by commas.
static std::vector<std::string> itemsOf(StringRef list) {
  std::vector<std::string> items;
  for (StringRef item : llvm::split(list, ','))
    items.push_back(item.trim().str());
  return items;
}

/// The items of \p lists, each once, in their order.
static std::vector<std::string> namesIn(ArrayRef<std::string> lists) {
  std::vector<std::string> names;
  for (const std::string &list : lists)
    for (std::string &name : itemsOf(list))
      if (!llvm::is_contained(names, name))
        names.push_back(std::move(name));
  return names;
}

FailureOr<std::vector<CollectiveKind>> TuneArguments::collectives(DiagnosticEngine &diags) const {
  std::vector<CollectiveKind> kinds;
  for (const std::string &name : ArrayRef(positionals).drop_front()) {
    FailureOr<CollectiveKind> kind = parseCollective(name, diags);
    if (failed(kind))
      return failure();
    kinds.push_back(*kind);
  }
  return kinds;
}

FailureOr<RecordedJob> TuneArguments::recordedJob(DiagnosticEngine &diags) const {
  if (positionals.empty())
    return diags.error({}, "--for needs TARGET, and takes its collectives from the file");
  if (sizes || ranks || endpoints || price || survive)
    return diags.error({}, "--for excludes --sizes, --ranks, --endpoints, --price and --survive");
  FailureOr<std::vector<CollectiveKind>> only = collectives(diags);
  if (failed(only))
    return failure();
  return readRecordedJob(*recorded, *only, diags);
}

LogicalResult TuneArguments::findRuntimes(std::vector<const Runtime *> &destinations,
                                          DiagnosticEngine &diags) const {
  if (contestants && !measure)
    return diags.error({}, "--contestants needs --measure");
  if (measure && (invariant || shard || price || survive || maxPlans || !vary.empty()))
    return diags.error({}, "--measure excludes --invariant, --shard, --price, --survive, "
                           "--max-plans and --vary");
  if (measure && !runtimes.empty() && runtimeNames() != std::vector<std::string>{"run"})
    return diags.error({}, "--measure is for plans that ccl-run executes: --runtime run");
  if (measure && runtimes.empty())
    destinations.push_back(findRuntime("run"));
  for (const std::string &name : runtimeNames()) {
    destinations.push_back(findRuntime(name));
    if (!destinations.back())
      return diags.error({}, "--runtime: " + unknownWord("runtime", name, cclc::runtimeNames()));
  }
  if (destinations.empty())
    destinations.push_back(nullptr);
  return success();
}

/// Fails for names that --export does not have, or no longer.
static LogicalResult checkExports(ArrayRef<std::string> formats, DiagnosticEngine &diags) {
  for (const std::string &format : formats) {
    for (auto [old, runtime] : runtimesOfExports)
      if (format == old)
        return diags.error({}, formatv("--export {0} is --runtime {1} now, which searches for what "
                                       "that runtime executes",
                                       old, runtime));
    if (!llvm::is_contained(exportFormats, format))
      return diags.error({}, "--export: " + unknownWord("format", format, exportFormats));
  }
  return success();
}

LogicalResult TuneArguments::addProblems(std::vector<TuneRequest> &requests, TuneRequest request,
                                         DiagnosticEngine &diags) const {
  std::vector<std::optional<uint32_t>> numbers = {std::nullopt};
  if (ranks) {
    auto list = parseNumbers("--ranks", *ranks, diags);
    if (!list)
      return failure();
    numbers.assign(list->begin(), list->end());
  }
  if (numbers.size() > 1 && survive)
    return diags.error({}, "--survive is for one number of ranks: shorten --ranks");
  SizeArguments sweep;
  sweep.sweep = sizes.value_or("1K:1G");
  DiagnosticEngine refused;
  if (failed(parseSizes(sweep, request.sizes, refused)))
    return diags.error({}, formatv("--sizes takes FROM:TO or FROM:TO:FACTOR, such as 1K:1G:4, not "
                                   "'{0}'",
                                   *sizes));
  request.roundsSizes = request.sizes.size() > 1;
  FailureOr<std::vector<CollectiveKind>> kinds = collectives(diags);
  if (failed(kinds))
    return failure();
  for (CollectiveKind kind : *kinds)
    for (std::optional<uint32_t> number : numbers) {
      request.collective = kind;
      request.ranks = number;
      requests.push_back(request);
    }
  return success();
}

FailureOr<std::vector<TuneRequest>> TuneArguments::requests(const std::string &targetDir,
                                                            const RecordedJob *job,
                                                            DiagnosticEngine &diags) const {
  if (!job && positionals.size() < 2)
    return diags.error({}, "TARGET and COLLECTIVE are required; 'ccl-tune --help' shows the usage");
  TuneRequest request;
  request.target = {positionals.front(), targetDir, {}, std::nullopt};
  if (failed(parseOverrides(sets, request.target.overrides, diags)))
    return failure();
  if (ranks && endpoints)
    return diags.error({}, "--ranks and --endpoints exclude each other");
  if (endpoints) {
    auto list = parseNumbers("--endpoints", *endpoints, diags);
    if (!list)
      return failure();
    request.endpoints = std::move(*list);
  }
  if (mapper)
    request.mapper = parseMapper(*mapper);
  request.network = network;
  if (dtype)
    request.type = *parseDataType(*dtype);
  else if (job && job->type)
    request.type = *job->type;
  std::vector<const Runtime *> destinations;
  if (failed(checkExports(exportNames(), diags)) || failed(findRuntimes(destinations, diags)))
    return failure();
  for (const std::string &text : parameters) {
    auto pair = parseKeyValue("-p", text, diags);
    if (!pair)
      return failure();
    request.parameters[pair->first] = itemsOf(pair->second);
  }
  request.invariant = invariant;
  if (invariant && !vary.empty())
    return diags.error({}, "--invariant and --vary exclude each other");
  std::vector<TuneRequest> problems;
  if (job) {
    for (const RecordedCollective &each : job->collectives) {
      request.collective = each.collective;
      request.ranks = each.ranks;
      request.sizes = each.sizes;
      problems.push_back(request);
    }
  } else if (failed(addProblems(problems, request, diags))) {
    return failure();
  }
  auto hasOther = [&](const TuneRequest &each) { return each.ranks != problems.front().ranks; };
  if (measure && *measure != "threads" && !StringRef(*measure).contains("{}") &&
      llvm::any_of(problems, hasOther))
    return diags.error({}, "--measure needs {} in the place of the number of ranks, as in "
                           "'mpirun -n {}', if there are several");
  std::vector<TuneRequest> requests;
  for (TuneRequest &problem : problems)
    for (const Runtime *runtime : destinations) {
      problem.runtime = runtime;
      requests.push_back(problem);
    }
  return requests;
}

FailureOr<TuneOptions> TuneArguments::options(DiagnosticEngine &diags) const {
  TuneOptions options;
  options.jobs = jobs.value_or(1);
  options.budget = budget;
  if (timeLimit)
    options.deadline = Deadline::after(std::chrono::seconds(*timeLimit));
  options.exhaustive = exhaustive;
  options.complete = maxPlans.has_value();
  if (!exports.empty() && !output)
    return diags.error({}, "--export needs -o DIR, the folder of the portfolio");
  if (adds && !output)
    return diags.error({}, "--add needs -o DIR, the folder of the portfolio");
  if (!shard)
    return options;
  auto [part, parts] = StringRef(*shard).split('/');
  if (part.getAsInteger(10, options.shard) || parts.getAsInteger(10, options.shards) ||
      options.shard == 0 || options.shard > options.shards)
    return diags.error({}, formatv("--shard takes I/N, such as 1/4 to 4/4, not '{0}'", *shard));
  --options.shard;
  if (!resume)
    return diags.error({}, "--shard needs --resume DIR, the folder of its results");
  if (output)
    return diags.error({}, "--shard and -o exclude each other: merge the folders of all shards "
                           "with --merge to write the portfolio");
  return options;
}

FailureOr<std::vector<PartKind>> TuneArguments::parts(DiagnosticEngine &diags) const {
  std::vector<PartKind> parts;
  if (!survive)
    return parts;
  if (invariant || shard || price || !vary.empty())
    return diags.error({}, "--survive excludes --invariant, --shard, --price and --vary");
  const std::vector<std::string> known(std::begin(partNames), std::end(partNames));
  for (const std::string &name : namesIn(*survive)) {
    auto part = llvm::find(known, name);
    if (part == known.end())
      return diags.error({}, "--survive: " + unknownWord("part", name, known));
    parts.push_back(PartKind(part - known.begin()));
  }
  return parts;
}

FailureOr<std::vector<VaryAxis>> TuneArguments::axes(DiagnosticEngine &diags) const {
  std::vector<VaryAxis> axes;
  for (const std::string &text : vary) {
    FailureOr<VaryAxis> axis = VaryAxis::parse(text, diags);
    if (failed(axis))
      return failure();
    if (llvm::any_of(axes, [&](const VaryAxis &other) { return other.path == axis->path; }))
      return diags.error({}, formatv("--vary {0} is given twice", axis->path));
    axes.push_back(std::move(*axis));
  }
  return axes;
}

FailureOr<MeasureStore> TuneArguments::store(DiagnosticEngine &diags) const {
  if (noCache && (resume || !merge.empty()))
    return diags.error({}, "--no-cache excludes --resume and --merge");
  if (noCache)
    return MeasureStore();
  if (!resume && merge.empty())
    return MeasureStore::cached();
  return MeasureStore::open(resume, merge, diags);
}

std::vector<std::string> TuneArguments::programNames() const {
  return programs ? itemsOf(*programs) : std::vector<std::string>();
}

std::vector<std::string> TuneArguments::runtimeNames() const { return namesIn(runtimes); }

std::vector<std::string> TuneArguments::exportNames() const { return namesIn(exports); }
