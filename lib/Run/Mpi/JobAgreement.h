//===- JobAgreement.h - Whether processes have equal plans ------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_JOBAGREEMENT_H
#define CCL_LIB_RUN_MPI_JOBAGREEMENT_H

#include "cclc/Support/LLVM.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cclc::run {

/// What must be equal in all processes for plans to be used.
struct Announcement {
  /// Whether there are plans: "no" if CCL_MPI_PLANS is not set, "error" if a variable or the folder
  /// is wrong.
  enum class Plans : uint8_t { Yes, No, Error };
  Plans plans = Plans::No;
  /// Hashes of this library and of the portfolio, the value of CCL_MPI_MEMORY, and whether
  /// CCL_MPI_STATS is "compare" and CCL_MPI_RECORD is set.
  uint64_t library = 0, portfolio = 0, memory = 0, compares = 0, records = 0;

  std::string text() const;
  static std::optional<Announcement> parse(StringRef text);
  friend bool operator==(const Announcement &, const Announcement &) = default;
};

/// By rank; none of processes without this library.
using Announcements = std::vector<std::optional<Announcement>>;

/// Why no plan can be used: text of a warning, and the rank that has to print it, with its own
/// error if the text is empty. None if plans can be used. The same in all processes that have the
/// library.
struct Disagreement {
  int reporter;
  std::string text;
};
std::optional<Disagreement> findDisagreement(const Announcements &all);

/// Whether all processes record their calls, so that they can collect them.
bool allRecord(const Announcements &all);

/// A hash of the file of this library.
uint64_t hashOfLibrary();

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_JOBAGREEMENT_H
