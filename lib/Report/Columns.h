//===- Columns.h - Tables of numbers, packed --------------------*- C++ -*-===//
//
// What reports hold is a JSON document and columns of numbers by the hundred
// thousand, which the document names by place and length. A column is a sequence
// of LEB128 numbers, of the values or of the differences between neighbours
// (zig-zag: 0, -1, 1, -2, ... are 0, 1, 2, 3, ...).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_REPORT_COLUMNS_H
#define CCL_LIB_REPORT_COLUMNS_H

#include "cclc/Support/LLVM.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <vector>

namespace cclc {

class ColumnWriter {
public:
  /// Adds a column of unsigned values; returns what stands for it in the document: [place,
  /// length, "plain"].
  nlohmann::ordered_json plain(ArrayRef<uint64_t> values);
  /// Adds a column of any values whose neighbours are near to each other: [place, length,
  /// "deltas"].
  nlohmann::ordered_json deltas(ArrayRef<int64_t> values);

  /// Length of the document in eight bytes, the least significant first, the document and
  /// the columns: "zlib " and, compressed, as base64, or "plain " where LLVM has no zlib.
  std::string pack(const nlohmann::ordered_json &document) const;

private:
  void put(uint64_t value);
  std::vector<uint8_t> bytes;
};

} // namespace cclc

#endif // CCL_LIB_REPORT_COLUMNS_H
