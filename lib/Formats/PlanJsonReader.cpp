//===- PlanJsonReader.cpp - Reading a plan from JSON events ---------------===//
//
// PlanJsonWalker tracks the position in the schema and PlanJsonHeader collects the header; this
// file passes ranks, threadblocks and steps to the builder as they are read.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/PlanJson.h"

#include "PlanJsonHeader.h"
#include "PlanJsonWalker.h"

#include "cclc/IR/Verifier.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::json;
using llvm::formatv;

namespace {
class PlanJsonReader final : public SchemaWalker {
public:
  PlanJsonReader(StringRef text, StringRef fileName, DiagnosticEngine &diags)
      : SchemaWalker(text, fileName, diags), header(*this), diags(diags) {
    positions.file = fileName.str();
  }

  FailureOr<ExecPlan> takePlan() {
    if (!builder)
      return diags.error({positions.file}, "the plan has no ranks");
    return std::move(*builder).finish(diags, &positions);
  }

private:
  bool onBool(bool value) override {
    step.publishes = value;
    return true;
  }
  bool onNumber(uint64_t n) override;
  bool onString(StringRef text) override;
  bool onParameter(StringRef name) override { return header.onParameter(name); }
  bool beginObject(In object) override;
  bool endObject(In object) override;
  bool beginArray(In array) override;
  void endArray(In array) override;

  bool beginPlan();
  bool beginThreadblock();
  bool finishStep();
  bool numberOfRank(Key key, uint64_t n);
  bool numberOfThreadblock(Key key, uint64_t n);
  bool numberOfStep(Key key, uint64_t n);

  const ProgramInfo &info() { return builder->info(); }
  bool storeRank(OptionalId<RankId> &place, uint64_t value) {
    if (value >= info().ranks())
      return error(llvm::Twine("there is no rank ") + llvm::Twine(value));
    place = RankId(value);
    return true;
  }
  /// The position for structural errors.
  PlanPositions::Pos here() {
    Location loc = SchemaWalker::here();
    return {loc.line, loc.column};
  }

  PlanHeader header;
  DiagnosticEngine &diags;
  std::optional<ExecPlanBuilder> builder; ///< set when the header is complete
  PlanPositions positions;

  uint32_t rank = 0, nextRank = 0, nextTb = 0;
  OptionalId<RankId> sendPeer, recvPeer;
  uint32_t channel = 0;
  Step step{OpKind::Nop, {}, {}, 0, LocTable::unknown(), LocTable::unknown()};
  Buffer operandBuffer = Buffer::Input;
  uint32_t waitTb = 0, waitStep = 0;
};

bool PlanJsonReader::beginObject(In object) {
  switch (object) {
  case In::Rank:
    nextTb = 0;
    return true;
  case In::Threadblock:
    positions.threadblocks.push_back(here());
    sendPeer = recvPeer = {};
    return true;
  case In::Step:
    positions.steps.push_back(here());
    step = Step(OpKind::Nop, {}, {}, 1, LocTable::unknown(), LocTable::unknown());
    return true;
  default:
    return header.beginObject(object);
  }
}

bool PlanJsonReader::beginArray(In array) {
  switch (array) {
  case In::Ranks:
    return beginPlan();
  case In::Threadblocks:
    return require({Key::Rank, Key::Scratch}) &&
           (rank == nextRank || error(formatv("expected rank {0}, the next one", nextRank)));
  case In::Steps:
    return beginThreadblock();
  case In::Source:
  case In::Destination:
  case In::Wait:
    return true;
  default:
    header.beginArray(array);
    return true;
  }
}

void PlanJsonReader::endArray(In array) {
  if (array == In::Wait)
    step.setWait(Wait{ThreadblockId(waitTb), StepIndex(waitStep)});
}

bool PlanJsonReader::endObject(In object) {
  switch (object) {
  case In::Rank:
    ++nextRank;
    return require({Key::Threadblocks});
  case In::Threadblock:
    ++nextTb;
    return require({Key::Steps});
  case In::Step:
    return finishStep();
  case In::Plan:
    return require({Key::Ranks}) &&
           (nextRank == info().ranks() ||
            error(formatv("the collective has {0} ranks, but the plan lists {1}", info().ranks(),
                          nextRank)));
  default:
    return header.endObject(object);
  }
}

/// "ranks" begins: the header is complete.
bool PlanJsonReader::beginPlan() {
  std::optional<ProgramInfo> info = header.finish();
  if (!info)
    return false;
  builder.emplace(std::move(*info));
  builder->setSlots(header.slots());
  return true;
}

bool PlanJsonReader::beginThreadblock() {
  if (!require({Key::Tb, Key::Channel}))
    return false;
  builder->beginThreadblock(RankId(rank), sendPeer, recvPeer, ChannelId(channel));
  return true;
}

bool PlanJsonReader::finishStep() {
  if (!require({Key::Op}))
    return false;
  if (step.op == OpKind::Nop)
    step.count = 0;
  if (step.loc == LocTable::unknown() && step.sendLoc != LocTable::unknown())
    return error("'then' needs 'loc': a step whose sending half has a location has one itself");
  if (!top().has(Key::Then))
    step.sendLoc = step.loc;
  builder->addStep(step);
  return true;
}

bool PlanJsonReader::onNumber(uint64_t n) {
  Frame &frame = top();
  switch (frame.in) {
  case In::Source:
  case In::Destination:
    if (!limited(n, Operand::maxIndex))
      return false;
    (frame.in == In::Source ? step.src : step.dst) = Operand(operandBuffer, n);
    return true;
  case In::Wait:
    return store(frame.index == 0 ? waitTb : waitStep, n, ~uint32_t(0) - 1);
  case In::Step:
    return numberOfStep(frame.key, n);
  case In::Threadblock:
    return numberOfThreadblock(frame.key, n);
  case In::Rank:
    return numberOfRank(frame.key, n);
  default:
    return header.onNumber(n);
  }
}

bool PlanJsonReader::numberOfRank(Key key, uint64_t n) {
  if (key == Key::Scratch) {
    uint32_t scratch;
    if (!store(scratch, n, maxCells))
      return false;
    builder->setScratch(RankId(nextRank), scratch);
    return true;
  }
  if (n != nextRank)
    return error(formatv("expected rank {0}, the next one", nextRank));
  if (n >= info().ranks())
    return error(formatv("there is no rank {0}: the collective has {1}", n, info().ranks()));
  rank = n;
  return true;
}

bool PlanJsonReader::numberOfThreadblock(Key key, uint64_t n) {
  switch (key) {
  case Key::Tb:
    return n == nextTb || error(formatv("expected threadblock {0}, the next one", nextTb));
  case Key::Send:
    return storeRank(sendPeer, n);
  case Key::Recv:
    return storeRank(recvPeer, n);
  case Key::Channel:
    return store(channel, n, maxChannels - 1);
  default:
    llvm_unreachable("the schema has no number here");
  }
}

bool PlanJsonReader::numberOfStep(Key key, uint64_t n) {
  switch (key) {
  case Key::Cnt:
    return store(step.count, n, maxCells);
  case Key::Phase:
    return store(step.phase, n, info().phases.size() - 1);
  case Key::Loc:
  case Key::Then:
    if (n >= header.locations().size())
      return error(formatv("there is no location {0}", n));
    (key == Key::Loc ? step.loc : step.sendLoc) = header.locations()[n];
    return true;
  default:
    llvm_unreachable("the schema has no number here");
  }
}

bool PlanJsonReader::onString(StringRef text) {
  switch (top().in) {
  case In::Source:
  case In::Destination: {
    std::optional<Buffer> buffer = parseBuffer(text);
    if (!buffer)
      return error("a buffer is i, o or s, not '" + text + "'");
    operandBuffer = *buffer;
    return true;
  }
  case In::Step: {
    std::optional<OpKind> op = parseOpKind(text);
    if (!op)
      return error("unknown instruction '" + text + "'");
    step.op = *op;
    return true;
  }
  default:
    return header.onString(text);
  }
}
} // namespace

FailureOr<ExecPlan> cclc::readPlanJson(StringRef text, StringRef fileName,
                                       DiagnosticEngine &diags) {
  PlanJsonReader reader(text, fileName, diags);
  TextCursor begin{text.begin(), &reader.position.seen}, end{text.end(), &reader.position.seen};
  if (!nlohmann::json::sax_parse(begin, end, &reader))
    return failure();
  return reader.takePlan();
}
