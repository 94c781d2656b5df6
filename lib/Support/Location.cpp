#include "cclc/Support/Location.h"

#include "cclc/Support/Printable.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

raw_ostream &cclc::operator<<(raw_ostream &os, const Location &loc) {
  os << printable(loc.file);
  if (loc.line)
    os << ':' << loc.line;
  if (loc.line && loc.column)
    os << ':' << loc.column;
  return os;
}

LocTable::LocTable() {
  internFile("");
  append(FileId(0), 0, 0);
}

FileId LocTable::internFile(StringRef name) {
  auto [it, inserted] = fileIndex.try_emplace(name.str(), fileNames.size());
  if (inserted)
    fileNames.push_back(name.str());
  return FileId(it->second);
}

LocId LocTable::intern(FileId file, uint32_t line, uint32_t column) {
  Entry wanted{file, line, column};
  std::vector<uint32_t> &candidates = lookup[uint64_t(file.index()) << 32 | line];
  for (uint32_t candidate : candidates)
    if (table[candidate] == wanted)
      return LocId(candidate);
  candidates.push_back(table.size());
  return append(file, line, column);
}

LocId LocTable::append(FileId file, uint32_t line, uint32_t column) {
  table.push_back({file, line, column});
  return LocId(table.size() - 1);
}

Location LocTable::resolve(LocId id) const {
  const Entry &entry = table[id.index()];
  return {fileNames[entry.file.index()], entry.line, entry.column};
}
