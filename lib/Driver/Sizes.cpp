#include "Sizes.h"

#include "Text.h"

using namespace cclc;

LogicalResult cclc::parseSizes(const std::optional<std::string> &bytes,
                               const std::optional<std::string> &sweep,
                               std::vector<uint64_t> &sizes, DiagnosticEngine &diags) {
  if (bytes && sweep)
    return diags.error({}, "--bytes and --sweep exclude each other");
  if (!sweep) {
    std::optional<uint64_t> size = parseSize("--bytes", bytes.value_or("1M"), diags);
    if (!size)
      return failure();
    sizes = {*size};
    return success();
  }
  SmallVector<StringRef, 3> parts;
  StringRef(*sweep).split(parts, ':');
  std::optional<uint64_t> from, to;
  uint64_t factor = 2;
  if (parts.size() >= 2) {
    from = parseSize(parts[0]);
    to = parseSize(parts[1]);
  }
  if (!from || !to || parts.size() > 3 || *from == 0 || *from > *to ||
      (parts.size() == 3 && (parts[2].getAsInteger(10, factor) || factor < 2)))
    return diags.error({}, "--sweep takes FROM:TO or FROM:TO:FACTOR, such as 1K:1M:4, not '" +
                               *sweep + "'");
  for (uint64_t size = *from; size <= *to; size *= factor) {
    sizes.push_back(size);
    if (size > *to / factor)
      break;
  }
  return success();
}
