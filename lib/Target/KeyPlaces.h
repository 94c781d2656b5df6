//===- KeyPlaces.h - Where the keys of a target are -------------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_KEYPLACES_H
#define CCL_LIB_TARGET_KEYPLACES_H

#include "cclc/Support/Diagnostics.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cclc {

/// The files that a target is made of, and where they have its keys. A key is found by its
/// pointer: "/links/3/bandwidth". The places are looked for when the first is asked for,
/// which is after an error.
class KeyPlaces {
public:
  /// \p file is what messages name where no file has the key.
  explicit KeyPlaces(std::string file) : file(std::move(file)) {}

  /// Adds a file, the one that is based on others before them. Reports where it is not JSON,
  /// and a key that an object has twice; "//..." are comments, of which there may be several.
  LogicalResult add(StringRef name, StringRef text, DiagnosticEngine &diags);
  /// The value at \p pointer does not come from a file.
  void replace(const std::string &pointer) { places[pointer] = {file, 0, 0}; }

  /// The place of a key; that of the object that should have it if it is missing.
  Location find(std::string pointer);

private:
  std::string file;
  std::vector<std::pair<std::string, std::string>> unread; ///< names and texts
  std::map<std::string, Location> places;
};

} // namespace cclc

#endif // CCL_LIB_TARGET_KEYPLACES_H
