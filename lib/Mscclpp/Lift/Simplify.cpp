//===- Simplify.cpp - Receiving values where they are used ----------------===//
//
// Both rewritings ask for the accesses of places between two operations. These are kept by chunk,
// in the order of the operations, and changed with the operations, so that chains are rewritten as
// well.
//
//===----------------------------------------------------------------------===//

#include "LiftedOps.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace cclc::mscclpp {

namespace {
class Simplifier {
public:
  Simplifier(std::vector<LiftedOp> ops, const PlaceCompare &places)
      : ops(std::move(ops)), places(places), dead(this->ops.size()), copies(this->ops.size()) {
    for (uint32_t time = 0; time < this->ops.size(); ++time) {
      const ChunkOp &op = at(time);
      note(sourceOf(op), {time, Access::Read});
      note(destinationOf(op),
           {time, op.kind == ChunkOpKind::Reduce ? Access::Update : Access::Write});
    }
  }

  std::vector<LiftedOp> run() {
    for (uint32_t time = 0; time < ops.size(); ++time)
      receiveInPlace(time);
    for (uint32_t time = 0; time < ops.size(); ++time)
      addToLocal(time);
    std::vector<LiftedOp> result;
    for (uint32_t time = 0; time < ops.size(); ++time) {
      if (copies[time])
        result.push_back(*copies[time]);
      if (!dead[time])
        result.push_back(ops[time]);
    }
    return result;
  }

private:
  struct Access {
    uint32_t time;
    enum Kind : uint8_t { Read, Write, Update } kind;
  };

  ChunkOp &at(uint32_t time) { return ops[time].op; }

  template <class Fn> void forEachChunk(const Chunks &chunks, Fn fn) {
    uint64_t first = places.first(chunks);
    for (uint32_t i = 0; i < chunks.count; ++i)
      fn(accesses[first + i]);
  }
  void note(const Chunks &chunks, Access access) {
    forEachChunk(chunks, [&](std::vector<Access> &all) {
      auto after = llvm::upper_bound(
          all, access.time, [](uint32_t time, const Access &other) { return time < other.time; });
      all.insert(after, access);
    });
  }
  void forget(const Chunks &chunks, uint32_t time) {
    forEachChunk(chunks, [&](std::vector<Access> &all) {
      llvm::erase_if(all, [&](const Access &access) { return access.time == time; });
    });
  }

  /// Whether nothing accesses the chunks, or writes them, between two times.
  bool isQuiet(const Chunks &chunks, uint32_t from, uint32_t to, bool onlyWrites) {
    bool quiet = true;
    forEachChunk(chunks, [&](const std::vector<Access> &all) {
      for (const Access &access : all)
        quiet &=
            access.time <= from || access.time >= to || (onlyWrites && access.kind == Access::Read);
    });
    return quiet;
  }

  /// The transfer from another rank that wrote these chunks last before \p time.
  std::optional<uint32_t> transferTo(const Chunks &chunks, uint32_t time) {
    std::optional<uint32_t> writer;
    bool unique = true;
    forEachChunk(chunks, [&](const std::vector<Access> &all) {
      std::optional<uint32_t> last;
      for (const Access &access : all)
        if (access.time < time && access.kind != Access::Read)
          last = access.time;
      unique &= last && (!writer || writer == last);
      writer = last;
    });
    if (!unique || !writer)
      return std::nullopt;
    const LiftedOp &found = ops[*writer];
    bool transfers = found.op.kind == ChunkOpKind::Copy && !found.op.isLocal() &&
                     found.inSwitch == 0 && !dead[*writer] && !copies[*writer];
    return transfers && places.same(destinationOf(found.op), chunks) ? writer : std::nullopt;
  }

  /// x = copy of a remote s; other reads of x; y = x   =>   y = copy of s; the reads of y.
  void receiveInPlace(uint32_t time) {
    const ChunkOp copy = at(time);
    if (copy.kind != ChunkOpKind::Copy || !copy.isLocal() || !copy.src.isScratch())
      return;
    Chunks x = sourceOf(copy), y = destinationOf(copy);
    std::optional<uint32_t> transfer = transferTo(x, time);
    if (!transfer)
      return;
    std::optional<std::vector<uint32_t>> readers = readersOf(x, *transfer);
    if (!readers || !isQuiet(y, *transfer, time, /*onlyWrites=*/false) ||
        !isQuiet(y, time, readers->back() + 1, /*onlyWrites=*/true))
      return;
    ChunkOp &write = at(*transfer);
    forget(x, *transfer);
    forget(y, time);
    note(y, {*transfer, Access::Write});
    write.dst = y.buffer;
    write.dstIndex = y.index;
    for (uint32_t reader : *readers) {
      forget(x, reader);
      if (reader == time)
        continue;
      note(y, {reader, Access::Read});
      at(reader).src = y.buffer;
      at(reader).srcIndex = y.index;
    }
    dead[time] = true;
  }

  /// The operations that read a value, ascending; none if one of them reads other chunks as well,
  /// or updates it.
  std::optional<std::vector<uint32_t>> readersOf(const Chunks &x, uint32_t written) {
    std::vector<uint32_t> readers;
    bool simple = true;
    forEachChunk(x, [&](const std::vector<Access> &all) {
      for (const Access &access : all) {
        if (access.time <= written)
          continue;
        simple &= access.kind != Access::Update;
        if (access.kind != Access::Read)
          return;
        readers.push_back(access.time);
        simple &= places.same(sourceOf(at(access.time)), x);
      }
    });
    llvm::sort(readers);
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    if (!simple)
      return std::nullopt;
    return readers;
  }

  /// x = copy of a remote s; x += d   =>   x = copy of d; x += s.
  void addToLocal(uint32_t time) {
    ChunkOp &sum = at(time);
    if (sum.kind != ChunkOpKind::Reduce || !sum.isLocal() || !sum.dst.isScratch())
      return;
    Chunks x = destinationOf(sum);
    std::optional<uint32_t> transfer = transferTo(x, time);
    if (!transfer)
      return;
    Chunks s = sourceOf(at(*transfer));
    if (!isQuiet(x, *transfer, time, /*onlyWrites=*/false) ||
        !isQuiet(s, *transfer, time, /*onlyWrites=*/true))
      return;
    copies[time] = ops[time];
    copies[time]->op.kind = ChunkOpKind::Copy;
    forget(x, *transfer);
    forget(s, *transfer);
    note(s, {time, Access::Read});
    dead[*transfer] = true;
    ops[time].threadblock = ops[*transfer].threadblock;
    sum.srcRank = s.rank;
    sum.src = s.buffer;
    sum.srcIndex = s.index;
  }

  std::vector<LiftedOp> ops;
  const PlaceCompare &places;
  std::vector<bool> dead;
  std::vector<std::optional<LiftedOp>> copies;                ///< before the operations
  std::unordered_map<uint64_t, std::vector<Access>> accesses; ///< by chunk, in order
};
} // namespace

std::vector<LiftedOp> simplify(std::vector<LiftedOp> ops, const PlaceCompare &places) {
  return Simplifier(std::move(ops), places).run();
}

} // namespace cclc::mscclpp
