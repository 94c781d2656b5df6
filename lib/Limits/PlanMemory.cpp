//===- PlanMemory.cpp - Slots, scratch and buffers of a rank --------------===//
//
// The need of a rank in a memory is linear in the size of a chunk: slots of a fixed size do not
// depend on it; scratch, buffers and slots without a fixed size do. So the largest chunk that fits
// is the minimum, over ranks and memories, of a quotient.
//
//===----------------------------------------------------------------------===//

#include "cclc/Limits/PlanMemory.h"

#include "cclc/Limits/PlanCheck.h"
#include "cclc/Limits/PlanReads.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace cclc;
using llvm::formatv;
using llvm::SaturatingAdd;
using llvm::SaturatingMultiply;

namespace {
struct MemoryText {
  const char *name;
  Rule rule;
};
/// By PeMemory.
constexpr MemoryText memoryTexts[numPeMemories] = {{"TCM", Rule::TcmBytes},
                                                   {"SRAM", Rule::SramBytes},
                                                   {"HBM", Rule::HbmBytes},
                                                   {"memory", Rule::MemoryBytes}};
constexpr uint64_t largestElement = 8;
} // namespace

StringRef cclc::memoryName(PeMemory memory) {
  return memoryTexts[static_cast<size_t>(memory)].name;
}
Rule cclc::memoryRule(PeMemory memory) { return memoryTexts[static_cast<size_t>(memory)].rule; }

uint64_t MemoryNeed::total() const { return SaturatingAdd(SaturatingAdd(slots, scratch), buffers); }

PlanMemory::PlanMemory(const ExecPlan &plan, const Machine &machine, Slots slots)
    : PlanMemory(plan.info(), plan.scratchChunks(), machine, slots, plan.maxCount()) {
  for (const Threadblock &tb : plan.threadblocks())
    if (Peers from = plan.recvPeers(tb); !from.empty()) {
      // A message that is fetched has its slot at the sender.
      bool fetches = fetchesMessages(plan, tb, machine.queue.reads);
      for (size_t i = 0; i < from.size(); ++i)
        ++connections[(fetches ? from[i] : tb.rank).index()];
    }
}

PlanMemory::PlanMemory(const ProgramInfo &info, std::vector<uint32_t> scratch,
                       const Machine &machine, Slots slots, uint32_t maxCount)
    : machine(machine), constraints(constraintsOf(machine)), slots(slots),
      slotSize(machine.slotSizeFor(info)), slotOption("--set " + machine.queueKey + ".slot_size="),
      maxCount(maxCount), scratchChunks(std::move(scratch)), connections(info.ranks()) {
  if (machine.find(info.protocol))
    slotOption = formatv("--set protocols.{0}.slot_size=", protocolName(info.protocol));
  else if (info.slotBytes == slotSize.count())
    slotOption = "--slot-size ";
  // A plan that is correct in place needs no separate buffers.
  Placement placement = info.placements.list().front();
  for (uint32_t r = 0; r < info.ranks(); ++r)
    userChunks.push_back(info.collective.userChunks(RankId(r), placement));
}

uint64_t PlanMemory::slotBytes(Bytes chunk) const {
  return slotSize == Bytes() ? SaturatingMultiply<uint64_t>(maxCount, chunk.count())
                             : slotSize.count();
}

MemoryNeed PlanMemory::needOf(PeMemory memory, RankId which, Bytes chunk) const {
  const MemoryModel &model = machine.memory;
  uint32_t rank = which.index();
  MemoryNeed need{memory, which, connections[rank]};
  need.capacity = model.capacityOf(memory);
  if (model.slots == memory && !slots.isUnlimited())
    need.slots = SaturatingMultiply(uint64_t(connections[rank]) * slots.limit(), slotBytes(chunk));
  if (model.scratch == memory)
    need.scratch = SaturatingMultiply<uint64_t>(scratchChunks[rank], chunk.count());
  if (model.buffers == memory)
    need.buffers = SaturatingMultiply<uint64_t>(userChunks[rank], chunk.count());
  return need;
}

PlanMemory::Linear PlanMemory::need(PeMemory memory, uint32_t rank) const {
  uint64_t fixed = needOf(memory, RankId(rank), Bytes()).total();
  return {fixed, needOf(memory, RankId(rank), Bytes(1)).total() - fixed};
}

std::vector<MemoryNeed> PlanMemory::busiest(Bytes chunk) const {
  std::vector<MemoryNeed> result;
  for (size_t m = 0; m < numPeMemories; ++m) {
    std::optional<MemoryNeed> most;
    for (uint32_t r = 0; r < connections.size(); ++r) {
      MemoryNeed need = needOf(static_cast<PeMemory>(m), RankId(r), chunk);
      if (need.total() > (most ? most->total() : 0))
        most = need;
    }
    if (most)
      result.push_back(*most);
  }
  return result;
}

std::optional<Bytes> PlanMemory::largestChunk() const {
  std::optional<Bytes> largest;
  for (size_t m = 0; m < numPeMemories; ++m)
    for (uint32_t r = 0; machine.memory.capacity[m] && r < connections.size(); ++r) {
      uint64_t capacity = machine.memory.capacity[m]->count();
      Linear needed = need(static_cast<PeMemory>(m), r);
      if (needed.fixed > capacity)
        return Bytes();
      if (needed.ofChunk == 0)
        continue;
      Bytes fits((capacity - needed.fixed) / needed.ofChunk);
      largest = std::min(largest.value_or(fits), fits);
    }
  return largest;
}

std::optional<Bytes> PlanMemory::largestBuffer(uint64_t element, uint64_t chunks) const {
  std::optional<Bytes> chunk = largestChunk();
  if (!chunk)
    return std::nullopt;
  return Bytes(chunk->count() / element * element * std::max<uint64_t>(chunks, 1));
}

/// "r0 (4096 for 1 connection with 4 slots of 1024 bytes, 128 for scratch)".
std::string PlanMemory::where(const MemoryNeed &need, Bytes chunk, const std::string &at) const {
  SmallVector<std::string, 3> parts;
  if (need.slots)
    parts.push_back(formatv("{0} for {1} {2} with {3} of {4} bytes", need.slots, need.connections,
                            need.connections == 1 ? "connection" : "connections", slots.phrase(),
                            slotBytes(chunk)));
  if (need.scratch)
    parts.push_back(formatv("{0} for scratch", need.scratch));
  if (need.buffers)
    parts.push_back(formatv("{0} for input and output", need.buffers));
  return formatv("r{0}{1} ({2})", need.rank.index(), at, llvm::join(parts, ", "));
}

/// The largest size and number of slots of the rank; empty if there are none.
std::string PlanMemory::slotsThatFit(const MemoryNeed &need, uint32_t leastSlots) const {
  uint64_t ofConnection = need.capacity->count() / need.connections;
  uint64_t size = ofConnection / slots.limit(), number = ofConnection / slotSize.count();
  SmallVector<std::string, 2> ways;
  if (size >= largestElement * (machine.hasProtocols() ? 1 : maxCount))
    ways.push_back(formatv("slots of {0} bytes fit ({1}{0})", size, slotOption));
  if (number >= leastSlots)
    ways.push_back(formatv("{0} of {1} bytes {2} (--slots {3})", Slots(number).phrase(),
                           slotSize.count(), number == 1 ? "fits" : "fit", number));
  return llvm::join(ways, ", or ");
}

/// \p found as the argument of Constraints::check.
static int64_t limited(uint64_t found) {
  return std::min<uint64_t>(found, std::numeric_limits<int64_t>::max());
}

LogicalResult PlanMemory::checkSlots(DiagnosticEngine &diags, uint32_t leastSlots) const {
  for (const MemoryNeed &need : busiest(Bytes())) {
    std::optional<Breach> breach = constraints.check(memoryRule(need.memory), limited(need.total()),
                                                     [&] { return where(need, Bytes(), ""); });
    if (!breach)
      continue;
    if (std::string fits = slotsThatFit(need, std::max(leastSlots, 1u)); !fits.empty())
      breach->remedy = fits;
    return diags.error({}, breach->message());
  }
  return success();
}

LogicalResult PlanMemory::checkSize(const Size &size, DiagnosticEngine &diags) const {
  for (const MemoryNeed &need : busiest(size.chunk)) {
    std::optional<Breach> breach =
        constraints.check(memoryRule(need.memory), limited(need.total()), [&] {
          return where(need, size.chunk, formatv(" at {0} bytes", size.requested.count()));
        });
    if (!breach)
      continue;
    if (Bytes fits = largestBuffer(size.element, size.chunks).value_or(Bytes()); fits != Bytes())
      breach->remedy = formatv("{0} bytes fit (--bytes {0})", fits.count());
    return diags.error({}, breach->message());
  }
  return success();
}
