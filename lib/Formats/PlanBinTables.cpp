//===- PlanBinTables.cpp - Offsets and checksum of a binary plan ----------===//
//
// The counts of the header give the offset of every table and the length of the file. The CRC-32 is
// verified next, so that a corrupt file is reported as such and not as a wrong plan.
//
//===----------------------------------------------------------------------===//

#include "PlanBinTables.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::bin;
using llvm::formatv;

LogicalResult PlanBinTables::findTables() {
  if (bytes.size() >= magicBytes + 4) {
    version = wordAt(magicBytes);
    if (version == 0 || version > planVersion)
      return error(
          formatv("version {0} is not supported: this tool reads up to {1}", version, planVersion));
  }
  if (bytes.size() < headerBytes(version) + checksumBytes)
    return error(formatv("truncated: {0} bytes are less than the {1} of header and checksum",
                         bytes.size(), headerBytes(version) + checksumBytes));
  uint64_t end = headerBytes(version);
  for (size_t table = 0; table < numTables; ++table) {
    begin[table] = end;
    bool isInfo = Table(table) == Table::Info;
    size_t bytes = isInfo ? 4 * infoWordsOf(version) : rowBytes[table];
    end += uint64_t(rows(Table(table))) * bytes;
  }
  if (end + checksumBytes != bytes.size())
    return error(formatv("corrupt: the header describes a file of {0} bytes, but it has {1}",
                         end + checksumBytes, bytes.size()));
  uint32_t stored = wordAt(end),
           actual = llvm::crc32(llvm::arrayRefFromStringRef(bytes.drop_back(checksumBytes)));
  if (stored != actual)
    return error(formatv("corrupt: the checksum is {0:x-8}, but that of the contents is {1:x-8}",
                         stored, actual));
  return rows(Table::Info) == 1
             ? success()
             : error(formatv("the info table must have 1 row, not {0}", rows(Table::Info)));
}

LogicalResult PlanBinTables::readStrings() {
  StringRef text = bytes.substr(begin[size_t(Table::Text)], rows(Table::Text));
  for (uint32_t s = 0; s < rows(Table::Strings); ++s) {
    uint32_t length = word(Table::Strings, s);
    if (length > text.size())
      return error(formatv("string {0} has {1} bytes, but {2} are left", s, length, text.size()));
    strings.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return text.empty() ? success() : error(formatv("{0} bytes belong to no string", text.size()));
}

LogicalResult PlanBinTables::badIndex(const char *what, uint32_t row, const char *of,
                                      uint32_t index, uint64_t size) {
  return error(
      formatv("{0} {1}: there is no {2} {3}: the file has {4}", what, row, of, index, size));
}

LogicalResult PlanBinTables::badValue(const char *what, uint64_t value, uint64_t least,
                                      uint64_t most) {
  return error(formatv("{0}: {1} is not between {2} and {3}", what, value, least, most));
}

LogicalResult PlanBinTables::readString(StringRef &to, Table table, uint32_t row, uint32_t index,
                                        const char *what) {
  uint32_t number = word(table, row, index);
  if (failed(checkIndex(what, row, "string", number, strings.size())))
    return failure();
  to = strings[number];
  return success();
}
