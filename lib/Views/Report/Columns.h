//===- Columns.h - Compressed tables of numbers -----------------*- C++ -*-===//
//
// The data of a report are a JSON document and columns of hundreds of thousands of numbers, to
// which the document refers by position and length. A column is a sequence of LEB128 numbers, which
// are the values or the differences between successive values (zig-zag: 0, -1, 1, -2, ... are 0, 1,
// 2, 3, ...).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_VIEWS_REPORT_COLUMNS_H
#define CCL_LIB_VIEWS_REPORT_COLUMNS_H

#include "cclc/Support/LLVM.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <vector>

namespace cclc {

class ColumnWriter {
public:
  /// Adds a column of unsigned values. Returns its reference in the document: [place, length,
  /// "plain"].
  nlohmann::ordered_json plain(ArrayRef<uint64_t> values);
  /// Adds a column of values with small differences. Returns its reference: [place, length,
  /// "deltas"].
  nlohmann::ordered_json deltas(ArrayRef<int64_t> values);

  /// Packs the length of the document in eight bytes, the least significant first, the document and
  /// the columns. The result is "zlib " and the compressed bytes in base64, or "plain " and the
  /// bytes in base64 if LLVM has no zlib.
  std::string pack(const nlohmann::ordered_json &document) const;

private:
  void put(uint64_t value);
  std::vector<uint8_t> bytes;
};

} // namespace cclc

#endif // CCL_LIB_VIEWS_REPORT_COLUMNS_H
