//===- Loader.h - Rules of the MSCCL loaders --------------------*- C++ -*-===//
//
// A file of MSCCL-IR as rows of numbers, and the rules by which a runtime loads them: rows that it
// rejects, rows that it loads but executes differently, and advice for users. The writer makes rows
// from a plan and the lint from a file; the rules are the same.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FORMATS_MSCCL_LOADER_H
#define CCL_LIB_FORMATS_MSCCL_LOADER_H

#include "cclc/Formats/Msccl/Dialect.h"
#include "cclc/IR/Ops.h"
#include "cclc/Limits/Constraints.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace cclc::msccl {

/// The origin of a row: an offset in the text or the number of a step; none if unknown.
using Origin = std::optional<size_t>;

struct Header {
  Origin at;
  std::string name, coll; ///< in the spelling of the dialect; empty if it has none
  Protocol protocol = Protocol::Simple;
  int64_t channels = 0, chunksPerLoop = 0, ranks = 0, inPlace = 0;
  std::optional<int64_t> outOfPlace, minBytes, maxBytes, threads;
};

struct Gpu {
  Origin at;
  uint32_t rank = 0;
  int64_t chunks[3] = {}; ///< i_chunks, o_chunks, s_chunks
};

struct Place {
  Buffer buffer = Buffer::Input;
  int64_t offset = -1; ///< -1: no operand
};

struct Row {
  Origin at;
  OpKind op = OpKind::Nop;
  bool residualAdd = false; ///< `ra`, for which op is Reduce
  Place src, dst;
  int64_t count = 0, waitTb = -1, waitStep = -1, publishes = 0;

  bool isReduce() const { return op == OpKind::Reduce && !residualAdd; }
};

struct Tb {
  Origin at;
  int64_t id = 0, send = -1, recv = -1, channel = 0;
  ArrayRef<Row> rows;
};

/// The consequence of a violated rule.
enum class Effect : uint8_t {
  Advice,  ///< no consequence by itself
  Misread, ///< the file is loaded, but not executed as written
  Refused,
};

struct Finding {
  Effect effect;
  /// Equal for findings of the same kind, of which only the first is reported.
  const char *kind;
  Origin at;
  std::string text; ///< the violation, with both numbers
  std::string remedy;
};

/// Whether the runtimes merge the reduction \p next into that of \p row, which precedes it directly
/// or with only nops in between.
bool mergesInto(const Row &row, const Row &next);
/// Whether merging would change the result: the counts differ, or \p next reads an operand that
/// \p row writes.
bool changesWhenMerged(const Row &row, const Row &next);

/// Checks the rules of one runtime. Ranks are passed in order, each with its threadblocks.
class Loader {
public:
  using Report = llvm::function_ref<void(Finding)>;
  Loader(const MscclDialect &dialect, Report report)
      : dialect(dialect), constraints(constraintsOf(dialect)), report(report) {}

  void begin(const Header &header);
  void beginRank(const Gpu &gpu, size_t threadblocks);
  void add(const Tb &tb);
  void endRank();

private:
  void checkSizes(const Header &header);
  void checkPeer(const Tb &tb, int64_t peer, const char *verb);
  void checkChannel(const Tb &tb);
  void checkWaits(const Tb &tb);
  void checkOperands(const Row &row);
  void checkPlace(const Row &row, const char *what, Place place);
  void checkStep(const Tb &tb, const Row &row);
  void checkMerges(const Tb &tb);

  void found(Effect effect, const char *kind, Origin at, std::string text, std::string remedy);
  void limit(Effect effect, Rule rule, Origin at, int64_t value, Constraints::Where where);
  void limit(Effect effect, Rule rule, Origin at, int64_t value);

  const MscclDialect &dialect;
  Constraints constraints;
  Report report;
  Header header;
  Gpu gpu;
  size_t elements = 0;
  std::vector<uint32_t> senders, receivers; ///< number of threadblocks of the rank by channel
};

} // namespace cclc::msccl

#endif // CCL_LIB_FORMATS_MSCCL_LOADER_H
