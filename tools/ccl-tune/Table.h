//===- Table.h - Tables of texts --------------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_TUNE_TABLE_H
#define CCL_TOOLS_CCL_TUNE_TABLE_H

#include "cclc/Bound/CollectiveBound.h"
#include "cclc/Support/Decimal.h"
#include "cclc/Support/LLVM.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <vector>

namespace cclc {

/// "13.712 us".
inline std::string timeText(SimTime time) {
  return thousandths((time.picoseconds() + 500) / 1000) + " us";
}

/// Rows of texts in columns, all but the last padded.
class Table {
public:
  explicit Table(std::vector<std::string> titles) { add(std::move(titles)); }
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  void print(raw_ostream &os) const {
    std::vector<size_t> widths(rows.front().size());
    for (const auto &row : rows)
      for (size_t c = 0; c < row.size(); ++c)
        widths[c] = std::max(widths[c], row[c].size());
    for (const auto &row : rows) {
      std::string line;
      for (size_t c = 0; c < row.size(); ++c)
        line += "  " + row[c] + std::string(widths[c] - row[c].size(), ' ');
      os << StringRef(line).rtrim() << '\n';
    }
  }

private:
  std::vector<std::vector<std::string>> rows;
};

/// "57.1 %", rounded down.
inline std::string percentText(SimTime part, SimTime whole) {
  uint64_t tenths = uint64_t(Wide(part.picoseconds()) * 1000 / whole.picoseconds());
  return llvm::formatv("{0}.{1} %", tenths / 10, tenths % 10);
}

/// \p time over \p best, "+12.3 %".
inline std::string lossText(SimTime time, SimTime best) {
  const bool isFaster = time < best;
  return (isFaster ? "-" : "+") +
         percentText(isFaster ? best - time : time - best, std::max(best, SimTime(1)));
}

/// "57.1 % latency": the largest bound over \p time, and its name; "-" without a bound.
inline std::string boundShareText(const SizeBound &bound, SimTime time) {
  return bound.time() == SimTime() ? "-"
                                   : percentText(bound.time(), time) + " " + bound.title().str();
}

} // namespace cclc

#endif // CCL_TOOLS_CCL_TUNE_TABLE_H
