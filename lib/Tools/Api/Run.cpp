//===- Run.cpp - Execution by threads -------------------------------------===//
//
// The memory of the caller is in place or out of place as its addresses say: in place, input and
// output of every rank overlap exactly as the collective defines, out of place they are disjoint. A
// plan may support one of both, and anything between would give wrong results silently.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Api/Run.h"

#include "Access.h"

#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Run/RunData.h"
#include "cclc/Run/ThreadGroup.h"
#include "cclc/Sim/Data/ExpectedData.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::api;
using llvm::formatv;

namespace {
/// A proved plan and the threads that execute it.
class Execution {
public:
  Execution(const Plan &plan, const api::RunOptions &options)
      : handle(plan), group(cclc::run::createThreadGroup({options.threads})) {
    how.timeoutSeconds = options.timeoutSeconds;
  }

  LogicalResult prepare(const api::RunOptions &options) {
    FailureOr<DataType> type = typeOf(options.type, diags);
    FailureOr<ReduceOp> op = operatorOf(options.op, diags);
    if (failed(type) || failed(op) || failed(checkSteps(handle, "execution", diags)))
      return failure();
    Slots slots = plan().slots().value_or(defaultSlots);
    PlanProof proof = verifyPlan(plan(), slots, diags, ReductionHash::Omit);
    if (proof.verdict != Verdict::Ok)
      return diags.fail(cclc::Failure::Wrong);
    settings.type = *type;
    settings.op = *op;
    settings.slots = cclc::run::slotsToExecute(slots, proof.slotsNeeded);
    return success();
  }

  Result<std::chrono::nanoseconds> onMemory(std::span<const RankMemory> memory, uint64_t elements);
  Result<std::chrono::nanoseconds> onBuffers(std::span<const api::RankBuffers> memory);
  Result<std::chrono::nanoseconds> onTestData(uint64_t bytes);
  Result<std::chrono::nanoseconds> fail() const { return Failed{diags}; }

private:
  /// After prepare().
  const ExecPlan &plan() const { return PlanAccess::of(handle); }
  /// The buffer whose size is that of --bytes.
  Buffer sizedBuffer() const;
  LogicalResult checkNumber(size_t ranks);
  LogicalResult checkElements(const cclc::run::PreparedPlan &run, uint64_t elements);
  LogicalResult checkSizes(const cclc::run::PreparedPlan &run,
                           std::span<const api::RankBuffers> memory);
  FailureOr<Placement> placementOf(const cclc::run::PreparedPlan &run,
                                   std::span<const RankMemory> memory);
  FailureOr<std::chrono::nanoseconds> execute(const cclc::run::PreparedPlan &run,
                                              ArrayRef<cclc::run::RankBuffers> buffers) {
    FailureOr<cclc::run::RunResult> result = group->execute(run, buffers, 1, how, diags);
    if (failed(result))
      return diags.fail(cclc::Failure::Wrong);
    return result->times.front();
  }

  const Plan &handle;
  std::unique_ptr<cclc::run::Group> group;
  cclc::run::RunSettings settings;
  cclc::run::RunOptions how;
  DiagnosticEngine diags;
};

FailureOr<Placement> Execution::placementOf(const cclc::run::PreparedPlan &run,
                                            std::span<const RankMemory> memory) {
  const Collective &collective = plan().info().collective;
  auto bytesOf = [&](Buffer buffer) { return run.layout.elements(buffer) * run.elementSize(); };
  auto offset = [&](Buffer longer, uint32_t chunk) {
    return chunk ? run.layout.chunk(longer, chunk).first * run.elementSize() : 0;
  };
  std::optional<Placement> placement;
  for (uint32_t r = 0; r < plan().ranks(); ++r) {
    RankId rank(r);
    auto *input = static_cast<std::byte *>(memory[r].input);
    auto *output = static_cast<std::byte *>(memory[r].output);
    if (!output || (!input && collective.hasInput(rank)))
      return diags.error(
          {}, formatv("rank {0} has no memory for its {1}", r, output ? "input" : "output"));
    uint32_t in = collective.inputOffset(rank, Placement::InPlace);
    uint32_t out = collective.outputOffset(rank, Placement::InPlace);
    bool shares = out != collective.inputChunks();
    if (!input || !shares)
      continue;
    bool same = input - offset(Buffer::Output, in) == output - offset(Buffer::Input, out);
    bool apart =
        input + bytesOf(Buffer::Input) <= output || output + bytesOf(Buffer::Output) <= input;
    Placement its = same ? Placement::InPlace : Placement::OutOfPlace;
    if (!same && !apart)
      return diags.error({}, formatv("input and output of rank {0} overlap, but not as {1} in "
                                     "place requires",
                                     r, collectiveName(collective.kind())));
    if (placement && *placement != its)
      return diags.error({}, formatv("rank {0} is {1} place, but ranks before it are not", r,
                                     same ? "in" : "out of"));
    placement = its;
  }
  Placement found = placement.value_or(plan().info().placements.list().front());
  if (!llvm::is_contained(plan().info().placements.list(), found))
    return diags.error({}, formatv("plan '{0}' supports only buffers {1} place", plan().info().name,
                                   found == Placement::InPlace ? "out of" : "in"));
  return found;
}

Buffer Execution::sizedBuffer() const {
  const Collective &collective = plan().info().collective;
  return chunksOfBuffer(collective) == collective.outputChunks() &&
                 collective.outputChunks() != collective.inputChunks()
             ? Buffer::Output
             : Buffer::Input;
}

LogicalResult Execution::checkNumber(size_t ranks) {
  if (ranks == plan().ranks())
    return success();
  return diags.error({}, formatv("plan '{0}' has {1} ranks, but there is memory for {2}",
                                 plan().info().name, plan().ranks(), ranks));
}

LogicalResult Execution::checkElements(const cclc::run::PreparedPlan &run, uint64_t elements) {
  if (elements != 0 && run.layout.elements(sizedBuffer()) == elements)
    return success();
  const Collective &collective = plan().info().collective;
  return diags.error({}, formatv("{0} elements cannot be divided into {1} equal blocks", elements,
                                 chunksOfBuffer(collective) / collective.chunks()));
}

LogicalResult Execution::checkSizes(const cclc::run::PreparedPlan &run,
                                    std::span<const api::RankBuffers> memory) {
  struct Extent {
    std::byte *begin, *end;
    size_t rank;
  };
  std::vector<Extent> extents;
  for (auto [rank, its] : llvm::enumerate(memory))
    for (auto [buffer, span] :
         {std::pair(Buffer::Input, its.input), {Buffer::Output, its.output}}) {
      if (span.empty())
        continue; // placementOf() reports memory that is missing
      if (uint64_t bytes = run.layout.elements(buffer) * run.elementSize(); span.size() != bytes)
        return diags.error({}, formatv("the {0} of rank {1} has {2} bytes, it must have {3}",
                                       buffer == Buffer::Input ? "input" : "output", rank,
                                       span.size(), bytes));
      extents.push_back({span.data(), span.data() + span.size(), rank});
    }
  llvm::sort(extents, [](const Extent &a, const Extent &b) {
    return std::tie(a.begin, a.rank) < std::tie(b.begin, b.rank);
  });
  const Extent *furthest = nullptr;
  for (const Extent &each : extents) {
    if (furthest && each.begin < furthest->end && each.rank != furthest->rank)
      return diags.error({}, formatv("the memory of ranks {0} and {1} overlaps",
                                     std::min(each.rank, furthest->rank),
                                     std::max(each.rank, furthest->rank)));
    if (!furthest || each.end > furthest->end)
      furthest = &each;
  }
  return success();
}

Result<std::chrono::nanoseconds> Execution::onBuffers(std::span<const api::RankBuffers> memory) {
  if (failed(checkNumber(memory.size())))
    return fail();
  uint64_t bytes = 0;
  std::vector<RankMemory> places;
  for (const api::RankBuffers &its : memory) {
    bytes = std::max(bytes, (sizedBuffer() == Buffer::Input ? its.input : its.output).size());
    places.push_back({its.input.empty() ? nullptr : its.input.data(),
                      its.output.empty() ? nullptr : its.output.data()});
  }
  const uint64_t elements = bytes / sizeOf(settings.type);
  cclc::run::PreparedPlan run(plan(), elements, settings);
  if (failed(checkElements(run, elements)) || failed(checkSizes(run, memory)))
    return fail();
  return onMemory(places, elements);
}

Result<std::chrono::nanoseconds> Execution::onMemory(std::span<const RankMemory> memory,
                                                     uint64_t elements) {
  if (failed(checkNumber(memory.size())))
    return fail();
  cclc::run::PreparedPlan run(plan(), elements, settings);
  if (failed(checkElements(run, elements)) || failed(placementOf(run, memory)))
    return fail();
  std::vector<std::vector<std::byte>> scratch;
  std::vector<cclc::run::RankBuffers> buffers;
  for (uint32_t r = 0; r < plan().ranks(); ++r) {
    scratch.emplace_back(plan().scratchChunks()[r] * run.layout.chunkElements() *
                         run.elementSize());
    buffers.push_back({static_cast<std::byte *>(memory[r].input),
                       static_cast<std::byte *>(memory[r].output), scratch.back().data()});
  }
  FailureOr<std::chrono::nanoseconds> time = execute(run, buffers);
  if (failed(time))
    return fail();
  return *time;
}

Result<std::chrono::nanoseconds> Execution::onTestData(uint64_t bytes) {
  const Collective &collective = plan().info().collective;
  cclc::run::PreparedPlan run(plan(), ceilDiv(bytes, sizeOf(settings.type)), settings);
  InputData inputs(collective, settings.type, settings.op, std::nullopt);
  ExpectedData expected(collective, inputs, settings.type, settings.op, run.layout.chunkElements());
  std::chrono::nanoseconds shortest = std::chrono::nanoseconds::max();
  for (Placement placement : plan().info().placements.list()) {
    cclc::run::RunData data(run, placement, *group);
    data.fill(inputs, 0);
    FailureOr<std::chrono::nanoseconds> time = execute(run, data.buffers());
    if (failed(time))
      return fail();
    shortest = std::min(shortest, *time);
    std::optional<DataMismatch> mismatch;
    data.compare([&](RankId r, uint32_t c, uint32_t n) { return expected.chunk(r, c, n); }, 0,
                 mismatch);
    if (!mismatch)
      continue;
    diags.error({}, mismatchText(*mismatch, placement, Bytes(bytes), 1));
    return fail();
  }
  return shortest;
}
} // namespace

Result<std::chrono::nanoseconds> api::run(const Plan &plan, std::span<const RankMemory> memory,
                                          uint64_t elements, const RunOptions &options) {
  Execution execution(plan, options);
  if (failed(execution.prepare(options)))
    return execution.fail();
  return execution.onMemory(memory, elements);
}

Result<std::chrono::nanoseconds>
api::run(const Plan &plan, std::span<const api::RankBuffers> memory, const RunOptions &options) {
  Execution execution(plan, options);
  if (failed(execution.prepare(options)))
    return execution.fail();
  return execution.onBuffers(memory);
}

Result<std::chrono::nanoseconds> api::runTest(const Plan &plan, uint64_t bytes,
                                              const RunOptions &options) {
  Execution execution(plan, options);
  if (failed(execution.prepare(options)))
    return execution.fail();
  return execution.onTestData(bytes);
}
