//===- LineTable.h - Byte offsets to lines and columns ----------*- C++ -*-===//

#ifndef CCL_LIB_FORMATS_MSCCL_LINETABLE_H
#define CCL_LIB_FORMATS_MSCCL_LINETABLE_H

#include "cclc/IR/ExecPlan.h"

#include <algorithm>

namespace cclc {

class LineTable {
public:
  explicit LineTable(StringRef text) {
    for (size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n')
        starts.push_back(i + 1);
  }
  PlanPositions::Pos find(size_t offset) const {
    auto it = std::upper_bound(starts.begin(), starts.end(), offset);
    return {uint32_t(it - starts.begin()), uint32_t(offset - *(it - 1) + 1)};
  }

private:
  std::vector<size_t> starts = {0};
};

} // namespace cclc

#endif // CCL_LIB_FORMATS_MSCCL_LINETABLE_H
