//===- Unroll.cpp - Pipelines and shares for one size of messages ---------===//
//
// Copies the plan with all chunk numbers multiplied. Operations of a pipeline are repeated for each
// piece, on the granules of the piece; packet operations process the whole chunk every time, as the
// executor does. Of a shared operation the granules of its part remain; an operation without data
// is left out, but its signals remain.
//
//===----------------------------------------------------------------------===//

#include "cclc/Mscclpp/Proof/Unroll.h"

#include "cclc/Mscclpp/PlanBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

namespace cclc::mscclpp {

/// Above this number of granules in a chunk a plan is not unrolled.
static constexpr uint64_t maxGranules = 1024;

bool needsUnrolling(const Plan &plan) {
  return llvm::any_of(plan.ops(), [](const Operation &op) {
    return op.op == OpKind::Pipeline || op.share.parts > 1;
  });
}

SmallVector<Division, 8> divisionsOf(const Plan &plan) {
  uint64_t bytes = 0, largest = 0, parts = 1;
  uint32_t chunks = 1;
  for (const Operation &op : plan.ops()) {
    parts = std::lcm(parts, uint64_t(op.share.parts));
    if (parts > maxGranules)
      return {};
    if (op.op != OpKind::Pipeline)
      continue;
    bytes = std::gcd(bytes, op.pieces.bytes);
    largest = std::max(largest, op.pieces.bytes);
    chunks = std::max(chunks, op.pieces.chunks);
  }
  SmallVector<Division, 8> result;
  if (bytes) {
    uint64_t inLargest = largest / bytes;
    if (3 * inLargest > maxGranules / parts)
      return {};
    result.push_back({uint32_t(parts), bytes, chunks * parts});
    for (uint32_t times = 1; times <= 3; ++times)
      result.push_back({uint32_t(times * inLargest * parts), bytes, parts});
    return result;
  }
  for (uint32_t more = 0; more < std::min<uint64_t>(parts, 4); ++more)
    result.push_back({uint32_t(parts + more)});
  return result;
}

namespace {
class Unroller {
public:
  Unroller(const Plan &plan, const Division &division) : plan(plan), division(division) {}

  FailureOr<Plan> run(DiagnosticEngine &diags) {
    Header header = plan.header();
    header.collective = divided(header.collective);
    header.chunksPerChunk = division.granules;
    PlanBuilder builder(std::move(header));
    for (const Rank &rank : plan.ranks())
      builder.addRank(unrolled(rank));
    return std::move(builder).finish(diags);
  }

private:
  using Op = ThreadblockDraft::Op;

  Collective divided(const Collective &collective) const {
    if (const CustomSpec *custom = collective.custom()) {
      CustomSpec spec = *custom;
      spec.inputChunks *= division.granules;
      spec.outputChunks *= division.granules;
      return Collective(collective.ranks(), spec);
    }
    return Collective(collective.kind(), collective.ranks(),
                      collective.chunks() * division.granules, collective.root());
  }

  RankDraft unrolled(const Rank &rank) {
    RankDraft draft = draftOf(plan, rank);
    for (uint32_t *chunks : {&draft.inputChunks, &draft.outputChunks, &draft.scratchChunks})
      *chunks *= division.granules;
    for (const Threadblock &tb : plan.threadblocks(rank))
      draft.threadblocks.push_back(unrolled(tb));
    return draft;
  }

  ThreadblockDraft unrolled(const Threadblock &tb) {
    ThreadblockDraft draft = draftOf(plan, tb);
    ArrayRef<Operation> ops = plan.ops(tb);
    for (size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].op != OpKind::Pipeline) {
        append(ops[i], std::nullopt, draft.ops);
        continue;
      }
      const Pieces &pieces = ops[i].pieces;
      uint64_t size = pieces.bytes / division.bytesOfPieces * division.granulesOfThem;
      uint64_t count = llvm::divideCeil(uint64_t(pieces.chunks) * division.granules, size);
      for (uint64_t piece = 0; piece < count; ++piece)
        for (const Operation &op : ops.slice(i + 1, pieces.bodySize))
          append(op, Slice{piece * size, size}, draft.ops);
      i += pieces.bodySize;
    }
    return draft;
  }

  /// Granules of the range of a place.
  struct Slice {
    uint64_t first, count;
  };

  /// The granules of a place that remain; its count may be 0.
  Place sliced(const Operation &op, Place place, std::optional<Slice> piece) const {
    place.index *= division.granules;
    place.count *= division.granules;
    auto take = [&](uint64_t first, uint64_t count) {
      uint64_t begin = std::min<uint64_t>(first, place.count);
      place.index += begin;
      place.count = std::min<uint64_t>(count, place.count - begin);
    };
    if (piece && !traits(op.op).usesPackets())
      take(piece->first, piece->count);
    uint32_t part = op.share.part, parts = op.share.parts;
    uint32_t each = place.count / parts, larger = place.count % parts;
    take(uint64_t(part) * each + std::min(part, larger), each + (part < larger));
    return place;
  }

  void append(const Operation &op, std::optional<Slice> piece, std::vector<Op> &ops) const {
    Op made{op.op, op.loc};
    made.participants = op.participants;
    made.channel = op.channel;
    made.number = op.number;
    ArrayRef<uint32_t> ids = plan.ids(op);
    made.ids.assign(ids.begin(), ids.end());
    ArrayRef<Place> sources = plan.sources(op), destinations = plan.destinations(op);
    for (const Place &place : sources)
      made.src.push_back(sliced(op, place, piece));
    for (const Place &place : destinations)
      made.dst.push_back(sliced(op, place, piece));
    if (traits(op.op).movesData() && !dropEmpty(op, made))
      return;
    ops.push_back(std::move(made));
  }

  /// Removes places without granules. Returns whether something of the operation remains.
  static bool dropEmpty(const Operation &op, Op &made) {
    bool paired = traits(op.op).paired;
    bool signals = op.op == OpKind::PutSignal || op.op == OpKind::PutSignalFlush;
    if (!paired)
      return made.src.front().count != 0;
    if (signals && made.src.size() == 1 && made.src.front().count == 0) {
      made.op = OpKind::Signal;
      made.src.clear();
      made.dst.clear();
      return true;
    }
    for (size_t i = made.src.size(); i-- > 0;) {
      if (made.src[i].count != 0)
        continue;
      made.src.erase(made.src.begin() + i);
      made.dst.erase(made.dst.begin() + i);
      if (op.isByProxy())
        made.ids.erase(made.ids.begin() + i);
    }
    return !made.src.empty();
  }

  const Plan &plan;
  const Division &division;
};
} // namespace

FailureOr<Plan> unroll(const Plan &plan, const Division &division, DiagnosticEngine &diags) {
  return Unroller(plan, division).run(diags);
}

} // namespace cclc::mscclpp
