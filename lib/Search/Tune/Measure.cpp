//===- Measure.cpp - Measures and their files -----------------------------===//
//
// A file names its problem by a hash and its candidate by the command that compiles it, so that a
// file in the wrong folder, or one of another version, is recognised. Files are replaced
// atomically. The cache has a folder for each problem, of which the oldest are removed.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Measure.h"

#include "JsonText.h"

#include "cclc/Support/CacheFolder.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Support/Sha256.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

std::optional<SimTime> Measure::time(uint64_t size) const {
  auto run = runs.find(size);
  if (run == runs.end() || run->second.time == SimTime::max())
    return std::nullopt;
  return run->second.time;
}

SimTime Measure::load(uint64_t size) const {
  if (loadRate.isUnlimited())
    return SimTime();
  Wide bytes = Wide(size) * loadChunks / std::max<uint64_t>(bufferChunks, 1);
  return SimTime::clamped(bytes * 1'000'000'000'000 / loadRate.bytesPerSecond());
}

void Measure::merge(const Measure &other) {
  if (!isCompiled) {
    *this = other;
    return;
  }
  for (const auto &[size, run] : other.runs)
    adopt(other, size);
  for (const auto &[size, found] : other.longer)
    adopt(other, size);
}

bool Measure::takesLonger(uint64_t size, SimTime until) const {
  if (auto run = runs.find(size); run != runs.end())
    return run->second.time > until;
  auto found = longer.find(size);
  return found != longer.end() && found->second.than >= until;
}

void Measure::add(uint64_t size, const Run &run) {
  if (runs.try_emplace(size, run).second)
    longer.erase(size);
}

void Measure::add(uint64_t size, Longer found) {
  if (runs.count(size) == 0)
    longer[size].than = std::max(longer[size].than, found.than);
}

bool Measure::adopt(const Measure &other, uint64_t size) {
  if (runs.count(size))
    return false;
  if (auto run = other.runs.find(size); run != other.runs.end()) {
    add(size, run->second);
    return true;
  }
  auto found = other.longer.find(size);
  if (found == other.longer.end() || takesLonger(size, found->second.than))
    return false;
  add(size, found->second);
  return true;
}

static std::string measuresOf(StringRef folder) { return (folder + "/measures").str(); }

static std::string pathIn(StringRef folder, StringRef problem, const Candidate &candidate) {
  return measuresOf(folder) + "/" +
         sha256((problem + "\n" + candidate.command() + candidate.version).str()) + ".json";
}

FailureOr<MeasureStore> MeasureStore::open(std::optional<std::string> folder,
                                           std::vector<std::string> others,
                                           DiagnosticEngine &diags) {
  MeasureStore store;
  for (const std::string &other : others)
    if (!llvm::sys::fs::is_directory(measuresOf(other)))
      return diags.error({}, formatv("folder '{0}' has no results of ccl-tune: there is no folder "
                                     "'{1}'",
                                     other, measuresOf(other)));
  if (folder && failed(createFolder(measuresOf(*folder), diags)))
    return failure();
  store.folder = std::move(folder);
  store.others = std::move(others);
  return store;
}

/// The problems of which the cache keeps results.
static constexpr size_t mostCached = 100;

MeasureStore MeasureStore::cached() {
  MeasureStore store;
  const std::string folder = cacheFolder();
  store.executable = fileStamp("/proc/self/exe");
  if (folder.empty() || store.executable.empty())
    return store;
  store.cache = folder + "/tune";
  keepNewest(store.cache, mostCached);
  return store;
}

std::string MeasureStore::pathInCache(StringRef problem, const Candidate &candidate) const {
  return cache + "/" + sha256((problem + "\n" + executable).str()) + "/" +
         sha256(candidate.command() + candidate.version) + ".json";
}

/// The names of faults in files.
static constexpr StringRef faultNames[] = {"", "program", "tool"};

/// Whether \p json has the fields of a measure, which are added to \p measure.
static bool readMeasure(const ordered_json &json, Measure &measure) {
  measure.isCompiled = true;
  measure.refusal = json.at("refusal").get<std::string>();
  auto fault = llvm::find(faultNames, json.at("fault").get<std::string>());
  if (fault == std::end(faultNames))
    return false;
  measure.fault = Measure::Fault(fault - std::begin(faultNames));
  measure.plan = json.at("plan").get<std::string>();
  measure.threadblocks = json.at("threadblocks").get<uint32_t>();
  measure.channels = json.at("channels").get<uint32_t>();
  measure.steps = json.at("steps").get<uint64_t>();
  measure.multiple = json.at("multiple").get<uint64_t>();
  measure.largestCount = json.at("largest_count").get<uint32_t>();
  measure.loadChunks = json.at("load_chunks").get<uint64_t>();
  measure.bufferChunks = json.at("buffer_chunks").get<uint64_t>();
  measure.loadRate = Bandwidth(json.at("load_rate").get<uint64_t>());
  if (json.contains("order"))
    measure.order = json.at("order").get<uint64_t>();
  for (const ordered_json &run : json.at("runs")) {
    SimTime time = SimTime::max();
    if (!run.at("time_ps").is_null())
      time = SimTime(run.at("time_ps").get<int64_t>());
    measure.runs[run.at("bytes").get<uint64_t>()] = {time, run.at("messages").get<uint64_t>(),
                                                     run.at("pieces").get<uint32_t>()};
  }
  for (const ordered_json &each : json.at("longer"))
    measure.longer[each.at("bytes").get<uint64_t>()] = {SimTime(each.at("than_ps").get<int64_t>())};
  return measure.bufferChunks > 0;
}

static FailureOr<Measure> readFile(const std::string &path, StringRef problem,
                                   const Candidate &candidate, DiagnosticEngine &diags) {
  auto refuse = [&] {
    return diags.error(
        {path, 1, 0},
        "not a result of this version of ccl-tune; remove the file to compute it again");
  };
  Measure measure;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return measure;
  try {
    ordered_json json = parseOrderedJson((*buffer)->getBuffer());
    if (json.at("problem") == problem.str() && json.at("candidate") == candidate.command() &&
        readMeasure(json, measure))
      return measure;
  } catch (const nlohmann::json::exception &) {
    return refuse();
  }
  return refuse();
}

static LogicalResult writeMeasure(const std::string &path, StringRef problem,
                                  const Candidate &candidate, const Measure &measure,
                                  DiagnosticEngine &diags) {
  ordered_json json = {{"problem", problem.str()},
                       {"candidate", candidate.command()},
                       {"refusal", measure.refusal},
                       {"fault", faultNames[size_t(measure.fault)].str()},
                       {"plan", measure.plan},
                       {"threadblocks", measure.threadblocks},
                       {"channels", measure.channels},
                       {"steps", measure.steps},
                       {"multiple", measure.multiple},
                       {"largest_count", measure.largestCount},
                       {"load_chunks", measure.loadChunks},
                       {"buffer_chunks", measure.bufferChunks},
                       {"load_rate", measure.loadRate.bytesPerSecond()},
                       {"runs", ordered_json::array()},
                       {"longer", ordered_json::array()}};
  if (measure.order)
    json["order"] = *measure.order;
  for (const auto &[size, run] : measure.runs)
    json["runs"].push_back(
        {{"bytes", size},
         {"time_ps", run.time == SimTime::max() ? ordered_json(nullptr)
                                                : ordered_json(run.time.picoseconds())},
         {"messages", run.messages},
         {"pieces", run.pieces}});
  for (const auto &[size, found] : measure.longer)
    json["longer"].push_back({{"bytes", size}, {"than_ps", found.than.picoseconds()}});
  return writeFile(path, [&](raw_ostream &os) { os << jsonText(json, 1) << '\n'; }, diags);
}

FailureOr<Measure> MeasureStore::read(const SearchProblem &problem, const Candidate &candidate,
                                      DiagnosticEngine &diags) const {
  Measure all;
  const std::string &context = problem.context;
  auto add = [&](const std::string &path, DiagnosticEngine &found) -> LogicalResult {
    FailureOr<Measure> measure = readFile(path, context, candidate, found);
    if (failed(measure))
      return failure();
    if (measure->isCompiled)
      all.merge(*measure);
    return success();
  };
  if (folder && failed(add(pathIn(*folder, context, candidate), diags)))
    return failure();
  for (const std::string &each : others)
    if (failed(add(pathIn(each, context, candidate), diags)))
      return failure();
  DiagnosticEngine ignored; // what is damaged is written again
  if (!cache.empty())
    (void)add(pathInCache(context, candidate), ignored);
  return all;
}

LogicalResult MeasureStore::write(const SearchProblem &problem, const Candidate &candidate,
                                  const Measure &measure, DiagnosticEngine &diags) const {
  const std::string &context = problem.context;
  if (!cache.empty()) {
    const std::string path = pathInCache(context, candidate);
    DiagnosticEngine ignored; // a result that is not cached is computed again
    if (!llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)))
      (void)writeMeasure(path, context, candidate, measure, ignored);
  }
  if (!folder)
    return success();
  return writeMeasure(pathIn(*folder, context, candidate), context, candidate, measure, diags);
}
