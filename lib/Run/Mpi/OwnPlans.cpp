//===- OwnPlans.cpp - The plans that a process announces ------------------===//
//
// The folder is read before MPI is initialised, so that its hash can be published. An error is
// printed only after that, by one process.
//
//===----------------------------------------------------------------------===//

#include "OwnPlans.h"

#include "JobBoard.h"

#include "cclc/Support/Text.h"

#include <cstdlib>

using namespace cclc;
using namespace cclc::run;

OwnPlans::OwnPlans() {
  const char *name = std::getenv("CCL_MPI_PLANS"), *size = std::getenv("CCL_MPI_MEMORY");
  const char *statistics = std::getenv("CCL_MPI_STATS"), *record = std::getenv("CCL_MPI_RECORD");
  bool compares = statistics && StringRef(statistics) == "compare";
  std::optional<uint64_t> limit = size ? parseSize(size) : memory;
  if (!limit) {
    diags.error({}, "CCL_MPI_MEMORY takes a size such as 512K, 64M or 1G, not '" +
                        llvm::Twine(size) + "'");
  } else if (name) {
    if (FailureOr<PlanFolder> read = PlanFolder::read(name, diags); succeeded(read))
      folder = std::move(*read);
  }
  memory = limit.value_or(0);
  const char *shared = std::getenv("CCL_MPI_SHARED");
  sharesMemory = !shared || StringRef(shared) != "off";
  recordPath = record ? record : "";
  using Plans = Announcement::Plans;
  Plans plans = diags.hasErrors() ? Plans::Error : folder ? Plans::Yes : Plans::No;
  announcement = {plans,  hashOfLibrary(), folder ? folder->contentHash() : 0,
                  memory, compares,        !recordPath.empty()};
  isPublished = publishInJob(announcement.text());
}

JobPlans OwnPlans::compare(int ranks) const {
  Announcements all(ranks);
  if (ranks == 1)
    all[0] = announcement;
  else if (!isPublished)
    return {Disagreement{0, "the launcher has neither PMIx nor PMI-1, by which processes compare "
                            "their plans: no plan is used, and no call recorded"}};
  else
    for (auto [one, text] : llvm::zip_equal(all, publishedInJob(ranks)))
      if (text)
        one = Announcement::parse(*text);
  return {findDisagreement(all), allRecord(all)};
}
