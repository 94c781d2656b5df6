//===- PlanBinReader.cpp - Reading a binary plan --------------------------===//
//
// PlanBinTables gives access to the rows and PlanBinHeader reads the header; this file passes
// shapes, threadblocks and steps to the builder.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/PlanBin.h"

#include "PlanBinTables.h"

#include "cclc/IR/Verifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::bin;
using llvm::formatv;

namespace {
class PlanBinReader {
public:
  PlanBinReader(StringRef bytes, StringRef fileName, DiagnosticEngine &diags)
      : tables(bytes, fileName, diags), diags(diags) {
    positions.file = fileName.str();
  }

  FailureOr<ExecPlan> read() {
    if (failed(tables.open()))
      return failure();
    std::optional<ProgramInfo> info = readHeader(tables);
    if (!info || failed(readShapes(*info)))
      return failure();
    ExecPlanBuilder builder(std::move(*info));
    if (failed(readThreadblocks(builder)))
      return failure();
    return std::move(builder).finish(diags, &positions);
  }

private:
  LogicalResult readShapes(const ProgramInfo &info) {
    std::vector<OpKind> ops;
    for (uint32_t o = 0; o < tables.rows(Table::Ops); ++o) {
      StringRef name;
      if (failed(tables.readString(name, Table::Ops, o, 0, "instruction")))
        return failure();
      std::optional<OpKind> op = parseOpKind(name);
      if (!op)
        return tables.error("unknown instruction '" + name + "'");
      ops.push_back(*op);
    }
    shapes.reserve(tables.rows(Table::Shapes));
    for (uint32_t s = 0; s < tables.rows(Table::Shapes); ++s) {
      uint32_t what = tables.word(Table::Shapes, s), count = tables.word(Table::Shapes, s, 1);
      uint32_t op = what & 0xff, flags = what >> 8 & 0xff;
      uint32_t loc = tables.word(Table::Shapes, s, 2), sendLoc = tables.word(Table::Shapes, s, 3);
      uint32_t numLocs = info.locs.entries().size();
      if (failed(tables.checkIndex("shape", s, "instruction", op, ops.size())) ||
          failed(tables.checkIndex("shape", s, "location", loc, numLocs)) ||
          failed(tables.checkIndex("shape", s, "location", sendLoc, numLocs)) ||
          failed(tables.checkLimit("count", count, 0, maxCells)))
        return failure();
      if (flags > allShapeFlags)
        return tables.error(formatv("shape {0}: the flags cannot be {1}", s, flags));
      if ((loc == 0) != (sendLoc == 0))
        return tables.error(formatv(loc == 0 ? "shape {0}: only its sending half has a location"
                                             : "shape {0}: its sending half has no location",
                                    s));
      Step step(ops[op], {}, {}, ops[op] == OpKind::Nop ? 0 : count, LocId(loc), LocId(sendLoc));
      for (auto [attribute, place] : llvm::zip(stepAttributes, shapePlaces)) {
        uint32_t value = what >> place.shift & place.mask();
        if (failed(tables.checkIndex("shape", s, attribute.key.data(), value, // NOLINT: a literal
                                     uint64_t(attribute.most(info)) + 1)))
          return failure();
        attribute.set(step, value);
      }
      shapes.push_back(step);
    }
    return success();
  }

  LogicalResult readThreadblocks(ExecPlanBuilder &builder) {
    uint32_t ranks = builder.info().listedRanks();
    if (tables.rows(Table::Ranks) != ranks)
      return tables.error(formatv("the collective has {0} ranks, but the plan lists {1}",
                                  builder.info().ranks(), tables.rows(Table::Ranks)));
    builder.reserveSteps(tables.rows(Table::Steps));
    uint32_t tb = 0;
    for (uint32_t r = 0; r < ranks; ++r) {
      builder.setScratch(RankId(r), tables.word(Table::Ranks, r));
      uint32_t count = tables.word(Table::Ranks, r, 1);
      if (count > tables.rows(Table::Threadblocks) - tb)
        return tables.error(formatv("rank {0} has {1} threadblocks, but {2} are left", r, count,
                                    tables.rows(Table::Threadblocks) - tb));
      for (; count > 0; --count, ++tb)
        if (failed(readThreadblock(builder, RankId(r), tb)))
          return failure();
    }
    if (tb != tables.rows(Table::Threadblocks))
      return tables.error(
          formatv("{0} threadblocks belong to no rank", tables.rows(Table::Threadblocks) - tb));
    if (nextStep != tables.rows(Table::Steps))
      return tables.error(
          formatv("{0} steps belong to no threadblock", tables.rows(Table::Steps) - nextStep));
    if (nextPeer != tables.rows(Table::SeveralPeers))
      return tables.error(
          formatv("peer {0}: its threadblock {1} does not ascend, or does not exist", nextPeer,
                  tables.word(Table::SeveralPeers, nextPeer)));
    if (nextWait != tables.rows(Table::Waits))
      return tables.error(formatv("wait {0}: its step {1} does not ascend, or does not exist",
                                  nextWait, tables.word(Table::Waits, nextWait)));
    return success();
  }

  LogicalResult readThreadblock(ExecPlanBuilder &builder, RankId rank, uint32_t tb) {
    uint32_t send = tables.word(Table::Threadblocks, tb),
             recv = tables.word(Table::Threadblocks, tb, 1);
    uint32_t channel = tables.word(Table::Threadblocks, tb, 2),
             count = tables.word(Table::Threadblocks, tb, 3);
    SmallVector<RankId, 8> peers[2];
    for (uint32_t direction : {0, 1}) {
      uint32_t only = direction == 0 ? send : recv;
      if (only != none && failed(addPeer(builder, tb, only, peers[direction])))
        return failure();
      for (; isSeveralPeer(tb, direction); ++nextPeer)
        if (failed(addPeer(builder, tb, tables.word(Table::SeveralPeers, nextPeer, 2),
                           peers[direction])))
          return failure();
    }
    if (failed(tables.checkLimit("channel", channel, 0, maxChannels - 1)))
      return failure();
    if (count > tables.rows(Table::Steps) - nextStep)
      return tables.error(formatv("threadblock {0} has {1} steps, but {2} are left", tb, count,
                                  tables.rows(Table::Steps) - nextStep));
    builder.beginThreadblock(rank, Peers(peers[0]), Peers(peers[1]), ChannelId(channel));
    for (uint32_t end = nextStep + count; nextStep < end; ++nextStep)
      if (failed(readStep(builder)))
        return failure();
    return success();
  }

  /// Whether the next row of SeveralPeers belongs to \p direction of threadblock \p tb.
  bool isSeveralPeer(uint32_t tb, uint32_t direction) {
    return nextPeer < tables.rows(Table::SeveralPeers) &&
           tables.word(Table::SeveralPeers, nextPeer) == tb &&
           tables.word(Table::SeveralPeers, nextPeer, 1) == direction;
  }

  LogicalResult addPeer(const ExecPlanBuilder &builder, uint32_t tb, uint32_t rank,
                        SmallVectorImpl<RankId> &peers) {
    if (failed(tables.checkIndex("threadblock", tb, "rank", rank, builder.info().ranks())))
      return failure();
    peers.push_back(RankId(rank));
    return success();
  }

  LogicalResult readStep(ExecPlanBuilder &builder) {
    uint32_t shape = tables.word(Table::Steps, nextStep),
             src = tables.word(Table::Steps, nextStep, 1),
             dst = tables.word(Table::Steps, nextStep, 2);
    if (failed(tables.checkIndex("step", nextStep, "shape", shape, shapes.size())))
      return failure();
    for (uint32_t operand : {src, dst})
      if (operand != none && operand >> 30 > uint32_t(Buffer::Scratch))
        return tables.error(formatv("step {0}: there is no buffer 3", nextStep));
    auto operand = [](uint32_t bits) {
      return bits == none ? Operand() : Operand(Buffer(bits >> 30), bits & Operand::maxIndex);
    };
    Step &step = builder.addStep(shapes[shape]);
    step.src = operand(src);
    step.dst = operand(dst);
    if (nextWait == tables.rows(Table::Waits) || tables.word(Table::Waits, nextWait) != nextStep)
      return success();
    uint32_t tb = tables.word(Table::Waits, nextWait, 1);
    if (failed(tables.checkLimit("threadblock of a wait", tb, 0, none - 1)))
      return failure();
    step.setWait(Wait{ThreadblockId(tb), StepIndex(tables.word(Table::Waits, nextWait, 2))});
    ++nextWait;
    return success();
  }

  PlanBinTables tables;
  DiagnosticEngine &diags;
  PlanPositions positions; ///< the name of the file only
  std::vector<Step> shapes;
  uint32_t nextStep = 0, nextWait = 0, nextPeer = 0;
};
} // namespace

bool cclc::looksLikePlanBin(StringRef bytes) {
  return bytes.starts_with(StringRef(magic, magicBytes));
}

FailureOr<ExecPlan> cclc::readPlanBin(StringRef bytes, StringRef fileName,
                                      DiagnosticEngine &diags) {
  return PlanBinReader(bytes, fileName, diags).read();
}
