//===- StageTimes.h - Time and memory of a tool's stages --------*- C++ -*-===//
//
// For --time-passes: what each stage of a tool takes, and the passes inside it. The numbers differ
// from run to run and must not be part of reproducible output.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TRANSFORMS_PASS_STAGETIMES_H
#define CCL_TRANSFORMS_PASS_STAGETIMES_H

#include "cclc/Support/LLVM.h"
#include "cclc/Support/Units.h"

#include <string>
#include <vector>

namespace cclc {

class StageTimes {
public:
  struct Row {
    std::string name;
    bool isPart = false;        ///< a part of the last row that is none
    uint64_t wall = 0, cpu = 0; ///< microseconds; cpu is the sum over threads
    Bytes peak;                 ///< largest resident memory of the process until the end of the row
  };

  /// Ends the current stage and begins the next.
  void begin(StringRef stage);
  /// Ends the current part of the current stage and begins the next.
  void beginPart(StringRef part);
  /// Ends the current stage.
  void end();

  ArrayRef<Row> rows() const { return theRows; }
  /// A table of the rows, with parts indented, and a line with the sum.
  void print(raw_ostream &os) const;

private:
  struct Now {
    uint64_t wall, cpu;
  };
  static Now now();
  void close(bool isPart, Now at);
  void open(StringRef name, bool isPart, Now at);

  std::vector<Row> theRows;
  struct Open {
    size_t row;
    Now begin;
  };
  std::vector<Open> opened; ///< a stage, and perhaps a part of it
};

} // namespace cclc

#endif // CCL_TRANSFORMS_PASS_STAGETIMES_H
