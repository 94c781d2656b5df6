#include "Columns.h"
#include "JsonText.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"

using namespace cclc;
using nlohmann::ordered_json;

void ColumnWriter::put(uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    bytes.push_back(uint8_t(value) | 0x80);
  bytes.push_back(uint8_t(value));
}

ordered_json ColumnWriter::plain(ArrayRef<uint64_t> values) {
  size_t place = bytes.size();
  for (uint64_t value : values)
    put(value);
  return {place, values.size(), "plain"};
}

ordered_json ColumnWriter::deltas(ArrayRef<int64_t> values) {
  size_t place = bytes.size();
  int64_t previous = 0;
  for (int64_t value : values) {
    int64_t delta = value - std::exchange(previous, value);
    put(uint64_t(delta) << 1 ^ uint64_t(delta >> 63));
  }
  return {place, values.size(), "deltas"};
}

std::string ColumnWriter::pack(const ordered_json &document) const {
  std::string text = jsonText(document, -1);
  std::vector<uint8_t> all;
  for (unsigned byte = 0; byte < 8; ++byte)
    all.push_back(uint8_t(uint64_t(text.size()) >> 8 * byte));
  all.insert(all.end(), text.begin(), text.end());
  all.insert(all.end(), bytes.begin(), bytes.end());
  if (!llvm::compression::zlib::isAvailable())
    return "plain " + llvm::encodeBase64(all);
  SmallVector<uint8_t, 0> packed;
  llvm::compression::zlib::compress(all, packed);
  return "zlib " + llvm::encodeBase64(packed);
}
