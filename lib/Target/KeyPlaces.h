//===- KeyPlaces.h - Source locations of target keys ------------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_KEYPLACES_H
#define CCL_LIB_TARGET_KEYPLACES_H

#include "cclc/Support/Diagnostics.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cclc {

/// The files of a target, and the locations of its keys in them. A key is identified by its
/// pointer: "/links/3/bandwidth". Locations are computed when the first is requested, which is only
/// after an error.
class KeyPlaces {
public:
  /// \p file is the file name for messages about keys that are in no file.
  explicit KeyPlaces(std::string file) : file(std::move(file)) {}

  /// Adds a file, before the files that it is based on. Reports syntax errors and duplicate keys,
  /// except for keys that begin with "//", which are comments.
  LogicalResult add(StringRef name, StringRef text, DiagnosticEngine &diags);
  /// Records that the value at \p pointer does not come from a file.
  void replace(const std::string &pointer) { places[pointer] = {file, 0, 0}; }

  /// The location of a key; if it is missing, that of the object that should have it.
  Location find(std::string pointer);

private:
  std::string file;
  std::vector<std::pair<std::string, std::string>> unread; ///< names and texts of files without
                                                           ///< locations yet
  std::map<std::string, Location> places;
};

} // namespace cclc

#endif // CCL_LIB_TARGET_KEYPLACES_H
