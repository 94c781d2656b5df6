//===- Rows.cpp - Converting a plan to rows -------------------------------===//
//
// Converts steps to rows, one threadblock at a time. endMerges() walks the chains of
// reductions that a runtime would merge and makes a reduction publish where merging would
// change the result or exceed the limit of 16.
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "llvm/Support/MathExtras.h"

using namespace cclc;
using namespace cclc::msccl;

Header msccl::headerOf(const ExecPlan &plan, const MscclDialect &dialect) {
  const ProgramInfo &info = plan.info();
  Header header;
  header.name = info.name;
  const char *spelling = dialect.spelling(info.collective.kind());
  header.coll = spelling ? spelling : "custom";
  if (!spelling && info.collective.kind() != CollectiveKind::AllToNext &&
      info.collective.kind() != CollectiveKind::SendRecv)
    header.coll = collectiveName(info.collective.kind());
  header.protocol = info.protocol;
  header.channels = plan.channels();
  // The runtimes count the smaller buffer of gather and scatter.
  uint64_t divisor = MscclDialect::sizeDivisor(info.collective);
  header.chunksPerLoop = info.collective.chunksPerLoop() / divisor;
  header.ranks = plan.ranks();
  header.inPlace = info.placements.allowsInPlace();
  if (dialect.hasOutOfPlace)
    header.outOfPlace = info.placements.allowsOutOfPlace();

  // The ranges of plans are inclusive and refer to whole buffers.
  constexpr uint64_t any = std::numeric_limits<int64_t>::max();
  header.minBytes = std::min(any, llvm::divideCeil(info.minBytes, divisor));
  header.maxBytes = dialect.exclusiveMax ? any : 0;
  if (info.maxBytes && *info.maxBytes / divisor < any)
    header.maxBytes = *info.maxBytes / divisor + dialect.exclusiveMax;
  return header;
}

Gpu msccl::gpuOf(const ExecPlan &plan, RankId rank) {
  Gpu gpu;
  gpu.rank = rank.index();
  for (const Threadblock &tb : plan.threadblocks(rank))
    for (const Step &step : plan.steps(tb))
      for (Operand operand : {step.src, step.dst})
        if (!operand.isNone())
          gpu.chunks[static_cast<unsigned>(operand.buffer())] = 1;
  for (Buffer buffer : {Buffer::Input, Buffer::Output, Buffer::Scratch})
    gpu.chunks[static_cast<unsigned>(buffer)] *=
        bufferChunks(plan.info().collective, plan.scratchChunks(), rank, buffer);
  return gpu;
}

static Place placeOf(Operand operand) {
  return operand.isNone() ? Place() : Place{operand.buffer(), operand.index()};
}

static Row rowOf(const Step &step, uint32_t index) {
  Row row;
  row.at = index;
  row.op = step.op;
  // An unused operand repeats the other one, as readers of the format expect.
  row.src = placeOf(step.src.isNone() ? step.dst : step.src);
  row.dst = placeOf(step.dst.isNone() ? step.src : step.dst);
  row.count = step.count;
  if (std::optional<Wait> wait = step.wait()) {
    row.waitTb = wait->tb.index();
    row.waitStep = wait->step.index();
  }
  row.publishes = step.publishes;
  return row;
}

/// Makes a reduction publish if merging the next one into it would change the result.
static void endMerges(std::vector<Row> &rows) {
  uint32_t merged = 1;
  Row *before = nullptr;
  for (Row &row : rows) {
    bool joins = before && mergesInto(*before, row);
    if (joins && (before + 1 != &row || changesWhenMerged(*before, row) ||
                  merged == MscclDialect::reductions)) {
      before->publishes = true;
      joins = false;
    }
    merged = joins ? merged + 1 : 1;
    if (row.op != OpKind::Nop)
      before = &row;
  }
}

Tb msccl::tbOf(const ExecPlan &plan, const Threadblock &tb, uint32_t id, std::vector<Row> &rows) {
  ArrayRef<Step> steps = plan.steps(tb);
  while (!steps.empty() && steps.back().op == OpKind::Nop && !steps.back().publishes)
    steps = steps.drop_back();
  rows.clear();
  for (uint32_t s = 0; s < steps.size(); ++s)
    rows.push_back(rowOf(steps[s], tb.firstStep + s));
  endMerges(rows);
  auto peer = [](OptionalId<RankId> rank) { return rank ? int64_t((*rank).index()) : -1; };
  Origin first = rows.empty() ? Origin() : rows.front().at;
  return {first, id, peer(tb.sendPeer), peer(tb.recvPeer), tb.channel.index(), rows};
}
