//===- UsedLocations.h - The locations that a plan uses ---------*- C++ -*-===//

#ifndef CCL_LIB_FORMATS_USEDLOCATIONS_H
#define CCL_LIB_FORMATS_USEDLOCATIONS_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// The locations that the calls and steps of a plan refer to, and their files, each in the order of
/// first use, without the unknown location.
class UsedLocations {
public:
  explicit UsedLocations(const ExecPlan &plan)
      : locNumber(plan.info().locs.entries().size()), fileNumber(plan.info().locs.files().size()) {
    for (const Call &call : plan.info().calls)
      use(plan, call.loc);
    for (const Step &step : plan.steps()) {
      use(plan, step.loc);
      use(plan, step.sendLoc);
    }
  }

  /// Entries of LocTable::entries() and LocTable::files().
  ArrayRef<uint32_t> locations() const { return usedLocs; }
  ArrayRef<uint32_t> files() const { return usedFiles; }
  /// The index of a known location (a file) in these lists.
  uint32_t number(LocId loc) const { return *locNumber[loc.index()]; }
  uint32_t numberOfFile(FileId file) const { return *fileNumber[file.index()]; }

private:
  void use(const ExecPlan &plan, LocId loc) {
    if (loc == LocTable::unknown() || locNumber[loc.index()])
      return;
    locNumber[loc.index()] = usedLocs.size();
    usedLocs.push_back(loc.index());
    uint32_t file = plan.info().locs.entries()[loc.index()].file.index();
    if (!fileNumber[file]) {
      fileNumber[file] = usedFiles.size();
      usedFiles.push_back(file);
    }
  }

  std::vector<OptionalIndex> locNumber, fileNumber; ///< by table entry
  std::vector<uint32_t> usedLocs, usedFiles;
};

} // namespace cclc

#endif // CCL_LIB_FORMATS_USEDLOCATIONS_H
