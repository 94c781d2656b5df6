//===- Location.h - Source locations ----------------------------*- C++ -*-===//
//
// Every operation, instruction and step carries a LocId: an entry of its
// program's LocTable, which holds file, line and, for parsed files, a column.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_LOCATION_H
#define CCL_SUPPORT_LOCATION_H

#include "cclc/Support/Ids.h"
#include "cclc/Support/LLVM.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace cclc {

/// A resolved position. Line 0 denotes the whole file, column 0 the whole line, and an empty file
/// name an unknown position.
struct Location {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  bool isKnown() const { return !file.empty(); }
  friend bool operator==(const Location &, const Location &) = default;
};

/// "file:line:column", leaving out what is unknown.
raw_ostream &operator<<(raw_ostream &os, const Location &loc);

/// The interned locations of one program, in the order of first use. Entry 0
/// is always "unknown".
class LocTable {
public:
  struct Entry {
    FileId file;
    uint32_t line;
    uint32_t column;
    friend bool operator==(const Entry &, const Entry &) = default;
  };

  LocTable();

  static LocId unknown() { return LocId(0); }

  /// The id of the file \p name, added when it is new.
  FileId internFile(StringRef name);
  /// The id of a position, added when it is new.
  LocId intern(FileId file, uint32_t line, uint32_t column = 0);
  LocId intern(StringRef file, uint32_t line, uint32_t column = 0) {
    return intern(internFile(file), line, column);
  }
  /// Adds a position without looking for an equal one, for parsers, whose positions are all
  /// distinct.
  LocId append(FileId file, uint32_t line, uint32_t column);

  /// files()[0] is the empty name of the unknown location.
  ArrayRef<std::string> files() const { return fileNames; }
  ArrayRef<Entry> entries() const { return table; }
  Location resolve(LocId id) const;

private:
  std::vector<std::string> fileNames;
  std::vector<Entry> table;
  std::unordered_map<std::string, uint32_t> fileIndex;
  std::unordered_map<uint64_t, std::vector<uint32_t>> lookup; ///< by (file, line)
};

} // namespace cclc

#endif // CCL_SUPPORT_LOCATION_H
