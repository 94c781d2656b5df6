//===- Siblings.h - Values that differ from most others ---------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_IMPORT_SIBLINGS_H
#define CCL_LIB_TARGET_IMPORT_SIBLINGS_H

#include "cclc/Support/LLVM.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cclc {

/// A part and its value.
struct Part {
  std::string name;
  uint64_t value = 0;
};

/// Parts with the same value, which is lower than that of most parts.
struct Lower {
  std::vector<std::string> names;
  uint64_t value = 0, usual = 0;
  size_t others = 0;   ///< parts with the usual value
  bool areAll = false; ///< whether there are no further parts

  /// "the other 3 have", "the other has", "3 others have".
  std::string othersText() const;
  /// "gpu0 and gpu1 have".
  std::string subject() const;
};

/// The value of most parts; of several such values, the highest.
uint64_t usualValue(ArrayRef<Part> parts);

std::vector<Lower> lowerThanUsual(ArrayRef<Part> parts);

/// "12.5 GB/s".
std::string rateText(uint64_t bytesPerSecond);
/// "a, b and c"; of many names, the first and the number of the others.
std::string listText(ArrayRef<std::string> names);

} // namespace cclc

#endif // CCL_LIB_TARGET_IMPORT_SIBLINGS_H
