//===- Collective.cpp - Closed forms of the conditions --------------------===//
//
// Sizes, offsets and expectations of the built-in kinds are computed from rank and index in
// constant time, as in the table of the header; nothing is stored by cell. The outputs of a
// custom collective are a sorted list, found by binary search. The layout of a rank's memory
// (CellSpace) follows from the same functions.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/Collective.h"

#include "cclc/Support/Text.h"

#include "cclc/IR/CellSpace.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

using namespace cclc;

namespace {
constexpr std::array<std::string_view, 13> names = {
    "allreduce", "allgather", "reducescatter", "alltoall", "alltonext", "broadcast", "reduce",
    "gather",    "scatter",   "sendrecv",      "scan",     "exscan",    "custom"};
} // namespace

std::string_view cclc::collectiveName(CollectiveKind kind) {
  return names[static_cast<size_t>(kind)];
}

std::optional<CollectiveKind> cclc::parseCollective(std::string_view name) {
  if (name == "reduce_scatter")
    return CollectiveKind::ReduceScatter;
  return enumeratorOf<CollectiveKind>(names, name);
}

const char *CustomSpec::findFault(uint32_t ranks) const {
  for (const Output &output : outputs) {
    if (output.rank.index() >= ranks || output.index >= outputChunks)
      return "an expected output chunk does not exist";
    if (output.contributions.empty())
      return "an expected output chunk has no contribution";
    for (Contribution c : output.contributions)
      if (c.rank.index() >= ranks || c.index >= inputChunks)
        return "an expected contribution does not exist";
  }
  for (size_t i = 1; i < outputs.size(); ++i)
    if (std::pair(outputs[i - 1].rank, outputs[i - 1].index) >=
        std::pair(outputs[i].rank, outputs[i].index))
      return "expected outputs must ascend by rank and index";
  return nullptr;
}

/// Whether a buffer has the chunks of every rank, or those of one.
static bool hasAllRanksInInput(CollectiveKind kind) {
  return kind == CollectiveKind::ReduceScatter || kind == CollectiveKind::AllToAll ||
         kind == CollectiveKind::Scatter;
}
static bool hasAllRanksInOutput(CollectiveKind kind) {
  return kind == CollectiveKind::AllGather || kind == CollectiveKind::AllToAll ||
         kind == CollectiveKind::Gather;
}

Collective::Collective(CollectiveKind kind, uint32_t ranks, uint32_t chunks, RankId root)
    : theKind(kind), numRanks(ranks), numChunks(chunks),
      numInputChunks(hasAllRanksInInput(kind) ? ranks * chunks : chunks),
      numOutputChunks(hasAllRanksInOutput(kind) ? ranks * chunks : chunks), theRoot(root) {
  assert(kind != CollectiveKind::Custom && "a custom collective needs its data");
  assert(ranks > 0 && chunks > 0 && root.index() < ranks);
}

Collective::Collective(uint32_t ranks, CustomSpec data)
    : theKind(CollectiveKind::Custom), numRanks(ranks),
      numChunks(std::max(data.inputChunks, data.outputChunks)), numInputChunks(data.inputChunks),
      numOutputChunks(data.outputChunks), theRoot(RankId(0)),
      spec(std::make_shared<CustomSpec>(std::move(data))) {}

bool Collective::isRooted() const {
  switch (theKind) {
  case CollectiveKind::Broadcast:
  case CollectiveKind::Reduce:
  case CollectiveKind::Gather:
  case CollectiveKind::Scatter:
    return true;
  default:
    return false;
  }
}

uint32_t Collective::chunksPerLoop() const { return std::max(inputChunks(), outputChunks()); }

bool Collective::hasInput(RankId rank) const {
  bool onlyRoot = theKind == CollectiveKind::Broadcast || theKind == CollectiveKind::Scatter;
  return !onlyRoot || rank == theRoot;
}

Expectation Collective::expected(RankId rank, uint32_t c) const {
  using Kind = Expectation::Kind;
  auto chunk = [](uint32_t rank, uint32_t index) {
    return Expectation{Kind::Chunk, RankId(rank), index, {}};
  };
  auto sumTo = [](uint32_t rank, uint32_t index) {
    return Expectation{rank == 0 ? Kind::Chunk : Kind::Sum, RankId(rank), index, {}};
  };
  auto sum = [&](uint32_t index) { return sumTo(numRanks - 1, index); };
  uint32_t r = rank.index(), F = numChunks;
  switch (theKind) {
  case CollectiveKind::AllReduce:
    return sum(c);
  case CollectiveKind::AllGather:
    return chunk(c / F, c % F);
  case CollectiveKind::ReduceScatter:
    return sum(r * F + c);
  case CollectiveKind::AllToAll:
    return chunk(c / F, r * F + c % F);
  case CollectiveKind::AllToNext:
    return r == 0 ? Expectation() : chunk(r - 1, c);
  case CollectiveKind::Broadcast:
    return chunk(theRoot.index(), c);
  case CollectiveKind::Reduce:
    return rank == theRoot ? sum(c) : Expectation();
  case CollectiveKind::Gather:
    return rank == theRoot ? chunk(c / F, c % F) : Expectation();
  case CollectiveKind::Scatter:
    return chunk(theRoot.index(), r * F + c);
  case CollectiveKind::SendRecv:
    return chunk((r + numRanks - 1) % numRanks, c);
  case CollectiveKind::Scan:
    return sumTo(r, c);
  case CollectiveKind::Exscan:
    return r == 0 ? Expectation() : sumTo(r - 1, c);
  case CollectiveKind::Custom:
    break;
  }
  auto it = std::lower_bound(spec->outputs.begin(), spec->outputs.end(), std::pair(rank, c),
                             [](const CustomSpec::Output &output, std::pair<RankId, uint32_t> key) {
                               return std::pair(output.rank, output.index) < key;
                             });
  if (it == spec->outputs.end() || it->rank != rank || it->index != c)
    return {};
  return {Kind::SumList, RankId(0), 0, it->contributions};
}

uint32_t Collective::expectationRun(RankId rank, uint32_t c) const {
  switch (theKind) {
  case CollectiveKind::AllGather:
  case CollectiveKind::AllToAll:
  case CollectiveKind::Gather:
    return numChunks - c % numChunks;
  case CollectiveKind::Custom:
    break;
  default:
    return outputChunks() - c;
  }
  auto it = std::lower_bound(spec->outputs.begin(), spec->outputs.end(), std::pair(rank, c),
                             [](const CustomSpec::Output &output, std::pair<RankId, uint32_t> key) {
                               return std::pair(output.rank, output.index) < key;
                             });
  if (it == spec->outputs.end() || it->rank != rank)
    return outputChunks() - c;
  return it->index == c ? 1 : it->index - c;
}

bool Collective::sharesMemory(RankId rank, Placement placement) const {
  if (placement == Placement::OutOfPlace)
    return false;
  bool onlyRoot = theKind == CollectiveKind::Gather || theKind == CollectiveKind::Scatter;
  return !onlyRoot || rank == theRoot;
}

uint32_t Collective::inputOffset(RankId rank, Placement placement) const {
  bool inOutput = theKind == CollectiveKind::AllGather || theKind == CollectiveKind::Gather;
  return inOutput && sharesMemory(rank, placement) ? rank.index() * numChunks : 0;
}

uint32_t Collective::outputOffset(RankId rank, Placement placement) const {
  if (!sharesMemory(rank, placement))
    return inputChunks();
  bool inInput = theKind == CollectiveKind::ReduceScatter || theKind == CollectiveKind::Scatter;
  return inInput ? rank.index() * numChunks : 0;
}

uint32_t Collective::userChunks(RankId rank, Placement placement) const {
  return sharesMemory(rank, placement) ? std::max(inputChunks(), outputChunks())
                                       : inputChunks() + outputChunks();
}

Operand Collective::canonical(RankId rank, Operand operand, Placements placements) const {
  bool inputIsLarger = inputChunks() >= outputChunks();
  Buffer inside = inputIsLarger ? Buffer::Output : Buffer::Input;
  if (placements != Placements::inPlace() || operand.buffer() != inside ||
      !sharesMemory(rank, Placement::InPlace))
    return operand;
  return inputIsLarger
             ? Operand(Buffer::Input, operand.index() + outputOffset(rank, Placement::InPlace))
             : Operand(Buffer::Output, operand.index() + inputOffset(rank, Placement::InPlace));
}

bool cclc::operator==(const Collective &a, const Collective &b) {
  if (a.theKind != b.theKind || a.numRanks != b.numRanks || a.numChunks != b.numChunks ||
      a.theRoot != b.theRoot)
    return false;
  return a.theKind != CollectiveKind::Custom || *a.spec == *b.spec;
}

CellSpace::CellSpace(const Collective &collective, Placement placement,
                     ArrayRef<uint32_t> scratchChunks)
    : thePlacement(placement) {
  layouts.reserve(collective.ranks());
  for (uint32_t r = 0; r < collective.ranks(); ++r) {
    RankId rank(r);
    uint32_t user = collective.userChunks(rank, placement);
    uint32_t size = user + scratchChunks[r];
    layouts.push_back({total,
                       size,
                       {collective.inputOffset(rank, placement),
                        collective.outputOffset(rank, placement), user}});
    total += size;
  }
}

uint32_t cclc::bufferChunks(const Collective &collective, ArrayRef<uint32_t> scratchChunks,
                            RankId rank, Buffer buffer) {
  switch (buffer) {
  case Buffer::Input:
    return collective.inputChunks();
  case Buffer::Output:
    return collective.outputChunks();
  case Buffer::Scratch:
    return scratchChunks[rank.index()];
  }
  llvm_unreachable("unknown buffer");
}

uint64_t cclc::countCells(const Collective &collective, ArrayRef<uint32_t> scratchChunks) {
  uint64_t user = uint64_t(collective.inputChunks()) + collective.outputChunks();
  return std::accumulate(scratchChunks.begin(), scratchChunks.end(), user * collective.ranks());
}
