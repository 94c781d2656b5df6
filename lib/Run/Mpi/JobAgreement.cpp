//===- JobAgreement.cpp - Whether all processes have the same plans -------===//
//
// A plan needs all processes: one without this library, or with other plans, would wait for
// messages that do not come. Then no process uses plans, and one line says why.
//
//===----------------------------------------------------------------------===//

#include "JobAgreement.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

#include <dlfcn.h>

using namespace cclc;
using namespace cclc::run;
using llvm::formatv;

std::string Announcement::text() const {
  return formatv("{0}-{1:x-}-{2:x-}-{3:x-}-{4}-{5}", unsigned(plans), library, portfolio, memory,
                 compares, records);
}

std::optional<Announcement> Announcement::parse(StringRef text) {
  llvm::SmallVector<StringRef, 4> fields;
  text.split(fields, '-');
  unsigned plans;
  Announcement result;
  if (fields.size() != 6 || fields[0].getAsInteger(10, plans) || plans > unsigned(Plans::Error) ||
      fields[1].getAsInteger(16, result.library) || fields[2].getAsInteger(16, result.portfolio) ||
      fields[3].getAsInteger(16, result.memory) || fields[4].getAsInteger(10, result.compares) ||
      fields[5].getAsInteger(10, result.records))
    return std::nullopt;
  result.plans = Plans(plans);
  return result;
}

std::optional<Disagreement> run::findDisagreement(const Announcements &all) {
  auto isMissing = [](const auto &one) { return !one; };
  int first = llvm::find_if_not(all, isMissing) - all.begin();
  if (ptrdiff_t missing = llvm::count_if(all, isMissing))
    return Disagreement{
        first, formatv("{0} of {1} processes, first rank {2}, are without this library or have "
                       "CCL_MPI=off: no plan is used",
                       missing, all.size(), llvm::find_if(all, isMissing) - all.begin())};
  auto hasError = [](const auto &one) { return one->plans == Announcement::Plans::Error; };
  if (auto error = llvm::find_if(all, hasError); error != all.end())
    return Disagreement{int(error - all.begin()), ""};
  auto other = llvm::find_if(all, [&](const auto &one) { return *one != *all[0]; });
  if (other == all.end()) {
    if (all[0]->plans == Announcement::Plans::No)
      return Disagreement{0, formatv("CCL_MPI_PLANS is not set: no plan is used{0}",
                                     all[0]->records ? ", and calls are recorded" : "")};
    return std::nullopt;
  }
  const Announcement &mine = *all[0], &theirs = **other;
  const char *what = mine.library != theirs.library ? "another build of this library"
                     : mine.plans != theirs.plans || mine.portfolio != theirs.portfolio
                         ? "another portfolio in CCL_MPI_PLANS"
                     : mine.memory != theirs.memory     ? "another CCL_MPI_MEMORY"
                     : mine.compares != theirs.compares ? "another CCL_MPI_STATS"
                                                        : "another CCL_MPI_RECORD";
  return Disagreement{
      0, formatv("rank {0} has {1} than rank 0: no plan is used", other - all.begin(), what)};
}

bool run::allRecord(const Announcements &all) {
  return llvm::all_of(all, [](const auto &one) { return one && one->records; });
}

uint64_t run::hashOfLibrary() {
  Dl_info library;
  if (!dladdr(reinterpret_cast<void *>(&hashOfLibrary), &library))
    return 0;
  auto file = llvm::MemoryBuffer::getFile(library.dli_fname);
  return file ? llvm::xxh3_64bits((*file)->getBuffer()) : 0;
}
