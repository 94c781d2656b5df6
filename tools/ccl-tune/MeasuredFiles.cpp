//===- MeasuredFiles.cpp - The files of measured plans --------------------===//
//
// A file that is damaged, or of other conditions, is measured again.
//
//===----------------------------------------------------------------------===//

#include "MeasuredFiles.h"

#include "JsonText.h"

#include "cclc/Support/CacheFolder.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Support/Sha256.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <unistd.h>

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

/// The files that the user's cache keeps.
static constexpr size_t mostCached = 10'000;

FailureOr<JobTimes> cclc::readJobTimes(const std::string &path, DiagnosticEngine &diags) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return diags.error({path}, "the job has written no times");
  try {
    const nlohmann::json document = parseJson((*buffer)->getBuffer());
    JobTimes times{document.at("transport").get<std::string>(), {}};
    for (const nlohmann::json &entry : document.at("turns")) {
      JobTimes::Size &size = times.sizes[entry.at("bytes").get<uint64_t>()].emplace_back();
      size.library = entry.at("mpi_ns").get<std::vector<double>>();
      for (const nlohmann::json &plan : entry.at("plans"))
        size.plans[plan.at("file").get<std::string>()] =
            plan.at("times_ns").get<std::vector<double>>();
    }
    return times;
  } catch (const nlohmann::json::exception &error) {
    return diags.error({path}, jsonMessage(error.what()));
  }
}

FailureOr<MeasuredStore> MeasuredStore::open(const std::optional<std::string> &folder,
                                             std::string conditions, DiagnosticEngine &diags) {
  MeasuredStore store;
  const std::string cache = cacheFolder();
  if (!folder && cache.empty())
    return store;
  store.folder = (folder ? *folder : cache) + "/measured";
  store.conditions = std::move(conditions);
  DiagnosticEngine ignored; // what is not cached is measured again
  if (failed(createFolder(store.folder, folder ? diags : ignored)))
    return folder ? FailureOr<MeasuredStore>(failure()) : MeasuredStore();
  if (!folder)
    keepNewest(store.folder, mostCached);
  return store;
}

std::string MeasuredStore::pathOf(const std::string &command, uint64_t bytes) const {
  return folder + "/" + sha256(formatv("{0}\n{1}\n{2}", conditions, command, bytes).str()) +
         ".json";
}

void MeasuredStore::read(const std::string &command, uint64_t bytes, Contestant &contestant) const {
  if (folder.empty())
    return;
  auto buffer = llvm::MemoryBuffer::getFile(pathOf(command, bytes));
  if (!buffer)
    return;
  Contestant found{contestant.plan, {}, {}};
  try {
    const nlohmann::json document = parseJson((*buffer)->getBuffer());
    if (document.at("conditions") != conditions || document.at("plan") != command)
      return;
    for (const nlohmann::json &job : document.at("jobs")) {
      MeasuredJob times{job.at("plan_ns").get<std::vector<double>>(),
                        job.at("other_ns").get<std::vector<double>>()};
      if (times.plan.size() == times.other.size())
        (job.at("confirms").get<bool>() ? found.confirming : found.selecting)
            .push_back(std::move(times));
    }
  } catch (const nlohmann::json::exception &) {
    return;
  }
  contestant = std::move(found);
}

LogicalResult MeasuredStore::write(const std::string &command, uint64_t bytes,
                                   const Contestant &contestant, DiagnosticEngine &diags) const {
  if (folder.empty())
    return success();
  ordered_json document = {{"version", 1},
                           {"conditions", conditions},
                           {"plan", command},
                           {"bytes", bytes},
                           {"jobs", ordered_json::array()}};
  for (bool confirms : {false, true})
    for (const MeasuredJob &job : confirms ? contestant.confirming : contestant.selecting)
      document["jobs"].push_back(
          {{"confirms", confirms}, {"plan_ns", job.plan}, {"other_ns", job.other}});
  return writeFile(
      pathOf(command, bytes), [&](raw_ostream &os) { os << jsonText(document, 1) << '\n'; }, diags);
}

std::string cclc::computerName() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  std::string processor;
  if (auto file = llvm::MemoryBuffer::getFileAsStream("/proc/cpuinfo")) {
    StringRef rest = (*file)->getBuffer();
    if (size_t at = rest.find("model name"); at != StringRef::npos)
      processor = rest.drop_front(at).split(':').second.split('\n').first.trim().str();
  }
  return formatv("{0}, {1}", name, processor);
}
