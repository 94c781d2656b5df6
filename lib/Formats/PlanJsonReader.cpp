//===- PlanJsonReader.cpp - A plan from a stream of JSON events -----------===//
//
// The types of the schema of ranks, threadblocks and steps, innermost first. The header is complete
// when `ranks` begins; steps are passed to the builder as they are read.
//
//===----------------------------------------------------------------------===//

#include "PlanJsonReader.h"

#include "cclc/Formats/PlanJson.h"
#include "cclc/IR/Verifier.h"
#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

#include <array>

using namespace cclc;
using namespace cclc::json;
using llvm::formatv;

// --- Steps ---------------------------------------------------------------------------

static bool readBuffer(Reader &at, StringRef text) {
  std::optional<Buffer> buffer = parseBuffer(text);
  if (!buffer)
    return at.error("a buffer " + mustBeOneOf(std::array{"i", "o", "s"}, text));
  at.operandBuffer = *buffer;
  return true;
}

template <Operand Step::*Place> static bool readIndex(Reader &at, uint64_t n) {
  if (!at.limited(n, Operand::maxIndex))
    return false;
  at.step.*Place = Operand(at.operandBuffer, n);
  return true;
}

static constexpr Value sourceValues[] = {text(readBuffer), number(readIndex<&Step::src>)};
static constexpr Value destinationValues[] = {text(readBuffer), number(readIndex<&Step::dst>)};
static constexpr Type source = tuple(sourceValues, 2), destination = tuple(destinationValues, 2);

static constexpr Value waitValues[] = {
    number(storeNumber<self, &Reader::waitTb, ~uint32_t(0) - 1>),
    number(storeNumber<self, &Reader::waitStep, ~uint32_t(0) - 1>)};
static constexpr Type wait = tuple(waitValues, 2, nullptr, [](Reader &at) {
  at.step.setWait(Wait{ThreadblockId(at.waitTb), StepIndex(at.waitStep)});
  return true;
});

static bool readAttribute(Reader &at, uint64_t n) {
  const StepAttribute &attribute = *at.current().ofStep;
  if (!at.limited(n, attribute.most(at.builder->info())))
    return false;
  attribute.set(at.step, n);
  return true;
}

template <LocId Step::*Place> static bool readLoc(Reader &at, uint64_t n) {
  at.hasSendLoc |= Place == &Step::sendLoc;
  return at.storeLoc(at.step.*Place, n);
}

static constexpr auto stepValues = [] {
  constexpr Value structure[] = {
      text("op",
           [](Reader &at, StringRef name) {
             return at.storeNamed(at.step.op, parseOpKind(name), "instruction", name);
           }),
      child("src", source),
      child("dst", destination),
      number("cnt", [](Reader &at, uint64_t n) { return at.store(at.step.count, n, maxCells); }),
      child("wait", wait),
      number("loc", readLoc<&Step::loc>),
      number("then", readLoc<&Step::sendLoc>),
  };
  std::array<Value, std::size(structure) + std::size(stepAttributes)> values{};
  Value *next = std::copy(std::begin(structure), std::end(structure), values.data());
  for (const StepAttribute &attribute : stepAttributes) {
    if (attribute.isFlag)
      next->flag = [](Reader &at, bool flag) { return readAttribute(at, flag); };
    else
      next->number = readAttribute;
    next->key = attribute.key;
    next++->ofStep = &attribute;
  }
  return values;
}();

static bool beginStep(Reader &at) {
  at.positions.steps.push_back(at.pos());
  at.step = Step(OpKind::Nop, {}, {}, 1, LocTable::unknown(), LocTable::unknown());
  at.hasSendLoc = false;
  return true;
}

static bool endStep(Reader &at) {
  Step &step = at.step;
  if (!at.require({"op"}))
    return false;
  if (step.op == OpKind::Nop)
    step.count = 0;
  if (step.loc == LocTable::unknown() && step.sendLoc != LocTable::unknown())
    return at.error("'then' needs 'loc': a step whose sending half has a location has one itself");
  if (!at.hasSendLoc)
    step.sendLoc = step.loc;
  at.builder->addStep(step);
  return true;
}

static constexpr Type step = object(stepValues, beginStep, endStep);

// --- Threadblocks --------------------------------------------------------------------

static constexpr Type steps = list(child(step), 0, [](Reader &at) {
  if (!at.require({"tb", "channel"}))
    return false;
  at.builder->beginThreadblock(RankId(at.rank), Peers(at.sendPeers), Peers(at.recvPeers),
                               ChannelId(at.channel));
  return true;
});

using PeerList = SmallVector<RankId, 8> Reader::*;
template <PeerList Peers> static bool readPeer(Reader &at, uint64_t n) {
  if (n >= at.builder->info().ranks())
    return at.error(formatv("there is no rank {0}", n));
  (at.*Peers).push_back(RankId(n));
  return true;
}
template <PeerList Peers> static constexpr Type peerList = list(number(readPeer<Peers>), 2);
/// One rank, or the array of several.
template <PeerList Peers> static constexpr Value peers(const char *key) {
  return {.key = key, .number = readPeer<Peers>, .child = &peerList<Peers>};
}

static constexpr Value threadblockValues[] = {
    number("tb",
           [](Reader &at, uint64_t n) {
             return n == at.nextTb ||
                    at.error(formatv("expected threadblock {0}, the next one", at.nextTb));
           }),
    peers<&Reader::sendPeers>("send"),
    peers<&Reader::recvPeers>("recv"),
    number("channel", storeNumber<self, &Reader::channel, maxChannels - 1>),
    child("steps", steps),
};

static bool beginThreadblock(Reader &at) {
  at.positions.threadblocks.push_back(at.pos());
  at.sendPeers.clear();
  at.recvPeers.clear();
  return true;
}

static bool endThreadblock(Reader &at) {
  ++at.nextTb;
  return at.require({"steps"});
}

static constexpr Type threadblock =
    object(threadblockValues, beginThreadblock, endThreadblock, "a threadblock");

// --- Ranks ---------------------------------------------------------------------------

static constexpr Type threadblocks = list(child(threadblock), 0, [](Reader &at) {
  return at.require({"rank", "scratch"}) &&
         (at.rank == at.nextRank ||
          at.error(formatv("expected rank {0}, the next one", at.nextRank)));
});

/// Reports an error if the collective does not have the current rank.
static bool checkRank(Reader &at) {
  uint32_t ranks = at.builder->info().ranks();
  if (at.nextRank > 0 && at.nextRank == at.builder->info().listedRanks() && ranks > 1)
    return at.error("a rolled plan lists rank 0 only");
  return at.nextRank < ranks ||
         at.error(formatv("there is no rank {0}: the collective has {1}", at.nextRank, ranks));
}

static bool readRank(Reader &at, uint64_t n) {
  if (n != at.nextRank)
    return at.error(formatv("expected rank {0}, the next one", at.nextRank));
  at.rank = n;
  return checkRank(at);
}

static bool readScratch(Reader &at, uint64_t n) {
  if (!checkRank(at) || !at.limited(n, maxCells))
    return false;
  at.builder->setScratch(RankId(at.nextRank), n);
  return true;
}

static constexpr Value rankValues[] = {number("rank", readRank), number("scratch", readScratch),
                                       child("threadblocks", threadblocks)};

static bool beginRank(Reader &at) {
  at.nextTb = 0;
  return true;
}

static bool endRank(Reader &at) {
  ++at.nextRank;
  return at.require({"threadblocks"});
}

static constexpr Type rank = object(rankValues, beginRank, endRank);

constexpr Type json::ranksType = list(child(rank), 0, [](Reader &at) { return at.finishHeader(); });

FailureOr<ExecPlan> PlanJsonReader::takePlan() {
  if (!builder)
    return diags.error({positions.file}, "the plan has no ranks");
  return std::move(*builder).finish(diags, &positions);
}

FailureOr<ExecPlan> cclc::readPlanJson(StringRef text, StringRef fileName,
                                       DiagnosticEngine &diags) {
  PlanJsonReader reader(text, fileName, diags);
  if (!readJson(text, reader))
    return failure();
  return reader.takePlan();
}
