//===- PlanExecution.cpp - A plan for calls of one size -------------------===//
//
// The buffers of a call are those of the plan's placement, or are copied: where the application has
// one buffer and the plan needs two or the other way round, where data have gaps, and where buffers
// overlap that MPI wants apart, but the MPI library accepts.
//
//===----------------------------------------------------------------------===//

#include "PlanExecution.h"

#include "Waiting.h"

#include "cclc/Run/StreamingCopy.h"

using namespace cclc;
using namespace cclc::run;

/// An execution may need memory in place of a buffer of the application.
static bool needsSpare(const PreparedPlan &plan, size_t inputBytes, size_t outputBytes) {
  Placements placements = plan.plan.info().placements;
  const Collective &collective = plan.plan.info().collective;
  return !placements.allowsInPlace() || !placements.allowsOutOfPlace() ||
         (collective.isRooted() && collective.kind() != CollectiveKind::Broadcast) ||
         collective.kind() == CollectiveKind::Exscan || inputBytes > outputBytes;
}

std::vector<uint64_t> run::memoryByRank(const PreparedPlan &plan) {
  // Of the tables, as measured: those of all ranks, and those of one.
  constexpr uint64_t planStep = 16, connectionEntry = 128, rankStep = 512;
  const ExecPlan &steps = plan.plan;
  uint64_t tables = steps.steps().size() * planStep + plan.connections.size() * connectionEntry;
  std::vector<uint64_t> bytes(steps.ranks(), tables);
  for (uint32_t c = 0; c < plan.connections.size(); ++c) {
    const Connection &connection = plan.connections.connections()[c];
    uint64_t slots = plan.settings.slots * (plan.slotBytes(ConnectionId(c)) + sizeof(MPI_Request));
    for (uint32_t threadblock : {connection.senderTb, connection.receiverTb})
      bytes[steps.threadblocks()[threadblock].rank.index()] += slots;
  }
  size_t input = plan.layout.elements(Buffer::Input) * plan.elementSize();
  size_t output = plan.layout.elements(Buffer::Output) * plan.elementSize();
  size_t spare = needsSpare(plan, input, output) ? std::max(input, output) : 0;
  if (steps.info().collective.kind() == CollectiveKind::Scatter)
    spare += input; // of ranks without an input
  for (uint32_t r = 0; r < steps.ranks(); ++r)
    bytes[r] += spare + steps.steps(RankId(r)).size() * rankStep +
                steps.scratchChunks()[r] * plan.layout.chunkElements() * plan.elementSize();
  return bytes;
}

PlanExecution::PlanExecution(std::unique_ptr<const PreparedPlan> prepared, int process,
                             uint32_t shift, MPI_Comm messages,
                             const std::optional<ArenaPart> &part)
    : plan(std::move(prepared)), rank((process + plan->plan.ranks() - shift) % plan->plan.ranks()),
      shift(shift), messages(messages), isRoot(rank == plan->plan.info().collective.root()),
      inputBytes(plan->layout.elements(Buffer::Input) * plan->elementSize()),
      outputBytes(plan->layout.elements(Buffer::Output) * plan->elementSize()),
      arenaGeneration(part ? std::optional(part->generation) : std::nullopt),
      transport(*plan, rank, shift, false, messages, part ? part->node : SharedPlan()),
      executor(*plan, rank, transport, NoObserver()),
      scratch(part && part->node.rings ? part->node.buffers[rank.index()][size_t(Buffer::Scratch)]
                                       : nullptr) {
  if (scratch)
    return;
  ownScratch.resize(plan->plan.scratchChunks()[rank.index()] * plan->layout.chunkElements() *
                    plan->elementSize());
  scratch = ownScratch.data();
}

/// \p data with all blocks of a buffer of \p ranks, if \p all.
static TypedData blocksOf(TypedData data, bool all, int ranks) {
  data.count *= all ? ranks : 1;
  return data;
}

int PlanExecution::packInput(const CollectiveCall &call, PackedData &packed, std::byte *&input) {
  const bool isAll = call.kind == CollectiveKind::AllToAll || call.kind == CollectiveKind::Scatter;
  auto *output = static_cast<std::byte *>(call.recv);
  input = static_cast<std::byte *>(const_cast<void *>(call.send));
  int error = MPI_SUCCESS;
  if (call.kind == CollectiveKind::Scatter && !isRoot) {
    absent.resize(inputBytes);
    input = absent.data();
    return error;
  }
  if (call.isInPlace()) {
    input = hasOutput(call) ? nullptr : output;
    return error;
  }
  const bool needsOrder = call.kind == CollectiveKind::Scatter && shift != 0;
  if (!call.reduces() && !factsOf(call.sendData.type).isElementary) {
    error = packed.pack(call.send, blocksOf(call.sendData, isAll, plan->plan.ranks()), messages);
    input = packed.data();
  } else if (needsOrder ||
             (hasOutput(call) && input < output + outputBytes && output < input + inputBytes)) {
    packed.copy(input, inputBytes);
    input = packed.data();
  }
  if (needsOrder) // that of the ranks of the plan
    std::rotate(input, input + shift * (inputBytes / plan->plan.ranks()), input + inputBytes);
  return error;
}

bool PlanExecution::hasOutput(const CollectiveCall &call) const {
  const bool isAtRoot = call.kind == CollectiveKind::Reduce || call.kind == CollectiveKind::Gather;
  // In place, an exscan does not change the buffer of the first process.
  const bool isBefore = call.kind == CollectiveKind::Exscan && rank == RankId(0);
  return (isRoot || !isAtRoot) && !isBefore && call.recv != MPI_IN_PLACE;
}

bool PlanExecution::rotatesOutput(const CollectiveCall &call) const {
  return call.kind == CollectiveKind::Gather && isRoot && shift != 0;
}

int PlanExecution::run(const CollectiveCall &call) {
  ActiveCall active{call};
  pack(active);
  start(active, /*callsLibrary=*/true);
  Waiting waiting;
  while (!isDone())
    waiting.after(progress());
  stop(active);
  active.unpack(messages);
  return active.error;
}

void PlanExecution::pack(ActiveCall &active) {
  const CollectiveCall &call = active.call;
  const int ranks = int(plan->plan.ranks());
  const bool stores = hasOutput(call);
  active.output = stores ? static_cast<std::byte *>(call.recv) : nullptr;
  active.error = packInput(call, active.packedInput, active.input);
  active.packsOutput = stores && !call.reduces() && !factsOf(call.recvData.type).isElementary;
  if (!active.packsOutput)
    return;
  const bool isAll = call.hasBlocks() && call.kind != CollectiveKind::Scatter;
  active.keepFirst(
      active.packedOutput.pack(call.recv, blocksOf(call.recvData, isAll, ranks), messages));
  active.output = active.packedOutput.data();
}

void PlanExecution::start(ActiveCall &active, bool callsLibrary) {
  // The blocks of a plan are in the order of its ranks.
  const size_t block = outputBytes / plan->plan.ranks();
  if (rotatesOutput(active.call) && !active.input)
    std::memmove(active.output + rank.index() * block, active.output + active.call.root * block,
                 block);
  result = {};
  const RankBuffers buffers = place(active.input, active.output);
  isFree = false;
  executor.start(buffers);
  transport.begin(buffers, callsLibrary);
}

void PlanExecution::stop(ActiveCall &active) {
  if (result.to)
    copyData(result.to, result.from, outputBytes);
  const size_t ranks = plan->plan.ranks();
  if (rotatesOutput(active.call))
    std::rotate(active.output, active.output + (ranks - shift) * (outputBytes / ranks),
                active.output + outputBytes);
  active.keepFirst(transport.error());
}

void ActiveCall::unpack(MPI_Comm messages) {
  if (packsOutput)
    keepFirst(packedOutput.unpack(call.recv, messages));
}

std::byte *PlanExecution::spareMemory() {
  spare.resize(std::max(inputBytes, outputBytes));
  return spare.data();
}

RankBuffers PlanExecution::place(std::byte *input, std::byte *output) {
  const Collective &collective = plan->plan.info().collective;
  Placements placements = plan->plan.info().placements;
  const BufferLayout &layout = plan->layout;
  // Where MPI_IN_PLACE and the plan expect the input in the output, or the output in the input.
  auto inputIn = [&](std::byte *whole) {
    uint32_t offset = collective.inputOffset(rank, Placement::InPlace);
    return whole + (offset ? layout.chunk(Buffer::Output, offset).first * plan->elementSize() : 0);
  };
  auto outputIn = [&](std::byte *whole) {
    uint32_t offset = collective.outputOffset(rank, Placement::InPlace);
    return whole + (offset ? layout.chunk(Buffer::Input, offset).first * plan->elementSize() : 0);
  };
  bool inputIsLonger = inputBytes > outputBytes;
  // A process without a result needs memory for the plan's output.
  std::byte *out = output ? output : spareMemory();
  // Only the root of a gather or scatter may have one in the other.
  const bool isApart = !isRoot && (collective.kind() == CollectiveKind::Gather ||
                                   collective.kind() == CollectiveKind::Scatter);
  if (input && (placements.allowsOutOfPlace() || isApart))
    return {input, out, scratch};
  if (!input && placements.allowsInPlace() && !inputIsLonger)
    return {inputIn(out), out, scratch};
  if (placements.allowsInPlace()) {
    // In memory of the plan: of the longer of the two buffers.
    std::byte *place = inputIsLonger || (collective.isRooted() && !output) ? spareMemory() : out;
    std::byte *planInput = inputIsLonger ? place : inputIn(place);
    std::byte *planOutput = inputIsLonger ? outputIn(place) : place;
    copyData(planInput, input ? input : out, inputBytes);
    if (planOutput != out && output)
      result = {out, planOutput};
    return {planInput, planOutput, scratch};
  }
  // The application's data are in its output, and the plan needs them apart.
  std::byte *apart = spareMemory();
  copyData(apart, inputIsLonger ? out : inputIn(out), inputBytes);
  return {apart, out, scratch};
}
