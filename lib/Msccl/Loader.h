//===- Loader.h - What a runtime makes of a file ----------------*- C++ -*-===//
//
// A file of MSCCL-IR as rows of numbers, and the rules by which a runtime loads them:
// what it refuses, what it takes and then understands differently from what stands
// there, and what its user should know. The writer makes rows of a plan, the lint of
// a file; the rules are the same.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCL_LOADER_H
#define CCL_LIB_MSCCL_LOADER_H

#include "cclc/Constraints/Constraints.h"
#include "cclc/IR/Ops.h"
#include "cclc/Msccl/Dialect.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace cclc::msccl {

/// Where a row comes from: an offset in the text or the number of a step; none: nowhere.
using Origin = std::optional<size_t>;

struct Header {
  Origin at;
  std::string name, coll; ///< as the dialect spells it; empty: it cannot
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
  int64_t offset = -1; ///< -1: nowhere
};

struct Row {
  Origin at;
  OpKind op = OpKind::Nop;
  bool residualAdd = false; ///< `ra`, then op is Reduce
  Place src, dst;
  int64_t count = 0, waitTb = -1, waitStep = -1, publishes = 0;

  bool isReduce() const { return op == OpKind::Reduce && !residualAdd; }
};

struct Tb {
  Origin at;
  int64_t id = 0, send = -1, recv = -1, channel = 0;
  ArrayRef<Row> rows;
};

/// What comes of it when a rule is broken.
enum class Effect : uint8_t {
  Advice,  ///< nothing by itself
  Misread, ///< the file is loaded, and does something else than stands in it
  Refused,
};

struct Finding {
  Effect effect;
  /// Equal for findings of the same kind, of which one is enough.
  const char *kind;
  Origin at;
  std::string text; ///< what is wrong, with both numbers
  std::string remedy;
};

/// Whether the runtimes merge the reduction \p next into that of \p row, which stands
/// before it with nothing or only nops between.
bool mergesInto(const Row &row, const Row &next);
/// Whether the merged reduction would be another one: other counts, or an operand that the
/// first one writes.
bool changesWhenMerged(const Row &row, const Row &next);

/// The rules of one runtime. Ranks come one after the other, each with its threadblocks.
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
  std::vector<uint32_t> senders, receivers; ///< threadblocks of the rank by channel
};

} // namespace cclc::msccl

#endif // CCL_LIB_MSCCL_LOADER_H
