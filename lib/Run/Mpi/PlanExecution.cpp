//===- PlanExecution.cpp - A plan for calls of one size -------------------===//
//
// The buffers of a call are those of the plan's placement, or are copied: where the application has
// one buffer and the plan needs two or the other way round, where data have gaps, and where buffers
// overlap that MPI wants apart, but the MPI library accepts.
//
//===----------------------------------------------------------------------===//

#include "PlanExecution.h"

#include "Waiting.h"

using namespace cclc;
using namespace cclc::run;

/// An execution may need memory in place of a buffer of the application.
static bool needsSpare(const PreparedPlan &plan, size_t inputBytes, size_t outputBytes) {
  Placements placements = plan.plan.info().placements;
  return !placements.allowsInPlace() || !placements.allowsOutOfPlace() ||
         plan.plan.info().collective.kind() == CollectiveKind::Reduce || inputBytes > outputBytes;
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
  for (uint32_t r = 0; r < steps.ranks(); ++r)
    bytes[r] += spare + steps.steps(RankId(r)).size() * rankStep +
                steps.scratchChunks()[r] * plan.layout.chunkElements() * plan.elementSize();
  return bytes;
}

PlanExecution::PlanExecution(std::unique_ptr<const PreparedPlan> prepared, int process,
                             uint32_t shift, MPI_Comm messages)
    : plan(std::move(prepared)), rank((process + plan->plan.ranks() - shift) % plan->plan.ranks()),
      messages(messages), isRoot(rank == plan->plan.info().collective.root()),
      inputBytes(plan->layout.elements(Buffer::Input) * plan->elementSize()),
      outputBytes(plan->layout.elements(Buffer::Output) * plan->elementSize()),
      transport(*plan, rank, shift, false, messages),
      executor(*plan, rank, transport, NoObserver()),
      scratch(plan->plan.scratchChunks()[rank.index()] * plan->layout.chunkElements() *
              plan->elementSize()) {}

int PlanExecution::run(const CollectiveCall &call) {
  auto *input = static_cast<std::byte *>(const_cast<void *>(call.send));
  auto *output = static_cast<std::byte *>(call.recv);
  bool hasOutput = call.kind != CollectiveKind::Reduce || isRoot;
  PackedData packedInput, packedOutput;
  bool packsOutput = !call.reduces() && !factsOf(call.recvData.type).isElementary;
  int ranks = plan->plan.ranks(), error = MPI_SUCCESS;
  if (call.isInPlace()) {
    input = nullptr;
  } else if (!call.reduces() && !factsOf(call.sendData.type).isElementary) {
    TypedData data = call.sendData;
    data.count *= call.kind == CollectiveKind::AllToAll ? ranks : 1;
    error = packedInput.pack(call.send, data, messages);
    input = packedInput.data();
  } else if (hasOutput && input < output + outputBytes && output < input + inputBytes) {
    packedInput.copy(input, inputBytes);
    input = packedInput.data();
  }
  if (packsOutput) {
    TypedData data = call.recvData;
    data.count *= call.hasBlocks() ? ranks : 1;
    int code = packedOutput.pack(call.recv, data, messages);
    error = error == MPI_SUCCESS ? code : error;
    output = packedOutput.data();
  }
  int code = runOn(input, hasOutput ? output : nullptr);
  error = error == MPI_SUCCESS ? code : error;
  if (!packsOutput)
    return error;
  code = packedOutput.unpack(call.recv, messages);
  return error == MPI_SUCCESS ? code : error;
}

std::byte *PlanExecution::spareMemory() {
  spare.resize(std::max(inputBytes, outputBytes));
  return spare.data();
}

int PlanExecution::runOn(std::byte *input, std::byte *output) {
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
  if (input && placements.allowsOutOfPlace())
    return runPlan({input, out, scratch.data()});
  if (!input && placements.allowsInPlace() && !inputIsLonger)
    return runPlan({inputIn(out), out, scratch.data()});
  if (placements.allowsInPlace()) {
    // In memory of the plan: of the longer of the two buffers.
    std::byte *place = inputIsLonger || (collective.isRooted() && !output) ? spareMemory() : out;
    std::byte *planInput = inputIsLonger ? place : inputIn(place);
    std::byte *planOutput = inputIsLonger ? outputIn(place) : place;
    std::memcpy(planInput, input ? input : out, inputBytes);
    int error = runPlan({planInput, planOutput, scratch.data()});
    if (planOutput != out && output)
      std::memcpy(out, planOutput, outputBytes);
    return error;
  }
  // The application's data are in its output, and the plan needs them apart.
  std::byte *apart = spareMemory();
  std::memcpy(apart, inputIsLonger ? out : inputIn(out), inputBytes);
  return runPlan({apart, out, scratch.data()});
}

int PlanExecution::runPlan(const RankBuffers &buffers) {
  executor.start(buffers);
  transport.begin(buffers);
  Waiting waiting;
  while (!executor.done())
    waiting.after(executor.progress());
  while (!transport.ended())
    waiting.after(false);
  return transport.error();
}
