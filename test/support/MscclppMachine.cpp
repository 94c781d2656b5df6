//===- MscclppMachine.cpp - A random execution of an MSCCL++ plan ---------===//
//
// A step of the machine executes the next instruction of a random thread, makes a random pending
// write visible, or lets a proxy perform its next transfer. A rank whose threads have ended
// compares its outputs, gets new inputs, and begins the next launch, whatever the other ranks do.
//
//===----------------------------------------------------------------------===//

#include "MscclppProgram.h"
#include "Pick.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <deque>

using namespace cclc;
using namespace cclc::test;
using namespace cclc::test::machine;
using llvm::formatv;

namespace {
/// Packets have a flag beside their data.
struct Atom {
  uint64_t value = 0;
  uint32_t flag = 0;
};
struct Write {
  uint32_t rank;
  uint64_t index; ///< in the memory of the rank
  Atom atom;
};
struct Thread {
  size_t next = 0;
  std::vector<Write> pending;
  bool arrived = false, flushing = false;
};
struct BlockState {
  Thread threads[numThreads];
  std::vector<Write> shared; ///< writes that only this threadblock sees
};
/// What a proxy was told, for the half of scratch of its launch.
struct Transfer {
  const Instruction *told;
  uint32_t launch;
  size_t done = 0;
};

class RandomMachine {
public:
  RandomMachine(const mscclpp::Plan &plan, const MachineOptions &options)
      : plan(plan), collective(plan.header().collective), options(options),
        program(translate(plan, options)), random(options.seed), counters(program.counters),
        states(program.blocks.size()), launches(plan.ranks().size()) {
    for (size_t r = 0; r < plan.ranks().size(); ++r) {
      memory.emplace_back(program.scratchAt[r] + 2 * program.halfOf[r]);
      begin(r);
    }
  }

  std::string run();

private:
  uint32_t pick(size_t size) { return test::pick(random, size); }
  /// Double scratch alternates; the second half is unused otherwise.
  uint64_t halfOf(uint32_t launch, uint32_t rank) const {
    return plan.header().doubleScratch && launch % 2 ? program.halfOf[rank] : 0;
  }
  uint64_t indexOf(const Address &address, uint32_t launch) const {
    return address.atom + (address.isScratch ? halfOf(launch, address.rank) : 0);
  }

  bool step(size_t block, uint32_t t);
  bool move(size_t block, uint32_t t, const Instruction &instruction);
  bool meet(size_t block, uint32_t t);
  bool meetAll(size_t block, uint32_t t, const Instruction &barrier);
  bool push(size_t block, uint32_t t, const Instruction &instruction);
  bool transfer(size_t fifo);
  bool commitOne();
  void release(size_t block, Thread &thread);
  Atom load(size_t block, const Thread &thread, uint32_t rank, uint64_t index) const;
  void begin(uint32_t rank);
  bool hasEnded(uint32_t rank) const;
  std::string end(uint32_t rank);
  std::optional<uint64_t> expected(uint32_t rank, uint32_t chunk, uint64_t atom);

  const mscclpp::Plan &plan;
  const Collective &collective;
  const MachineOptions &options;
  const MachineProgram program;
  Generator random;
  std::vector<int64_t> counters;
  std::vector<BlockState> states;
  std::vector<uint32_t> launches;                                      ///< by rank
  std::vector<std::vector<Atom>> memory;                               ///< by rank
  std::map<std::pair<uint32_t, uint32_t>, std::deque<Transfer>> fifos; ///< by rank and channel
  std::optional<uint32_t> notBegun; ///< a rank whose input an output needs
  /// By launch and rank: the input, atom after atom.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint64_t>> inputs;
};

/// The caller writes a new input.
void RandomMachine::begin(uint32_t rank) {
  if (launches[rank] == options.launches)
    return;
  Placement placement = plan.header().inPlace ? Placement::InPlace : Placement::OutOfPlace;
  uint64_t chunk = uint64_t(options.granules) * 2;
  uint64_t first = collective.inputOffset(RankId(rank), placement) * chunk;
  std::vector<uint64_t> &input = inputs[{launches[rank], rank}];
  for (uint64_t a = 0; a < collective.inputChunks() * chunk; ++a) {
    input.push_back(random());
    memory[rank][first + a] = {input.back(), 0};
  }
  for (size_t b = 0; b < program.blocks.size(); ++b)
    if (program.blocks[b].rank == rank)
      for (Thread &thread : states[b].threads)
        thread.next = 0;
}

bool RandomMachine::hasEnded(uint32_t rank) const {
  for (size_t b = 0; b < program.blocks.size(); ++b)
    for (uint32_t t = 0; program.blocks[b].rank == rank && t < numThreads; ++t)
      if (states[b].threads[t].next < program.blocks[b].threads[t].size())
        return false;
  return true;
}

/// The definition of the collectives, on sums of integers.
std::optional<uint64_t> RandomMachine::expected(uint32_t rank, uint32_t chunk, uint64_t atom) {
  uint64_t atoms = uint64_t(options.granules) * 2;
  auto input = [&](uint32_t from, uint32_t number) {
    auto it = inputs.find({launches[rank], from});
    if (it == inputs.end()) {
      notBegun = from;
      return uint64_t(0);
    }
    return it->second[number * atoms + atom];
  };
  auto sum = [&](uint32_t number) {
    uint64_t result = 0;
    for (uint32_t r = 0; r < collective.ranks(); ++r)
      result += input(r, number);
    return result;
  };
  uint32_t each = collective.chunks();
  switch (collective.kind()) {
  case CollectiveKind::AllReduce:
    return sum(chunk);
  case CollectiveKind::AllGather:
    return input(chunk / each, chunk % each);
  case CollectiveKind::ReduceScatter:
    return sum(rank * each + chunk);
  case CollectiveKind::AllToAll:
    return input(chunk / each, rank * each + chunk % each);
  case CollectiveKind::Broadcast:
    return input(collective.root().index(), chunk);
  case CollectiveKind::Reduce:
    return collective.root() == RankId(rank) ? std::optional(sum(chunk)) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// The caller reads the output, which cannot be right if it depends on a rank that has not begun
/// the launch.
std::string RandomMachine::end(uint32_t rank) {
  Placement placement = plan.header().inPlace ? Placement::InPlace : Placement::OutOfPlace;
  for (size_t b = 0; b < program.blocks.size(); ++b)
    if (program.blocks[b].rank == rank)
      for (Thread &thread : states[b].threads)
        release(b, thread);
  uint64_t chunk = uint64_t(options.granules) * 2;
  for (uint32_t c = 0; c < collective.outputChunks(); ++c)
    for (uint64_t a = 0; a < chunk; ++a) {
      uint64_t at = (collective.outputOffset(RankId(rank), placement) + c) * chunk + a;
      std::optional<uint64_t> value = expected(rank, c, a);
      if (notBegun)
        return formatv("r{0} ends launch {1} before r{2} begins it", rank, launches[rank],
                       *notBegun);
      if (value && memory[rank][at].value != *value)
        return formatv("launch {0}: wrong r{1}:o[{2}]", launches[rank], rank, c);
    }
  ++launches[rank];
  begin(rank);
  return "";
}

/// Makes the writes of a thread and those that its threadblock knows visible to all.
void RandomMachine::release(size_t block, Thread &thread) {
  for (std::vector<Write> *writes : {&states[block].shared, &thread.pending}) {
    for (const Write &write : *writes)
      memory[write.rank][write.index] = write.atom;
    writes->clear();
  }
}

Atom RandomMachine::load(size_t block, const Thread &thread, uint32_t rank, uint64_t index) const {
  for (const std::vector<Write> *writes : {&thread.pending, &states[block].shared})
    for (auto it = writes->rbegin(); it != writes->rend(); ++it)
      if (it->rank == rank && it->index == index)
        return it->atom;
  return memory[rank][index];
}

bool RandomMachine::move(size_t block, uint32_t t, const Instruction &instruction) {
  Thread &thread = states[block].threads[t];
  uint32_t launch = launches[program.blocks[block].rank];
  uint64_t sum = 0;
  for (const Source &source : instruction.sources) {
    uint64_t index = indexOf(source.address, launch);
    Atom atom = load(block, thread, source.address.rank, index);
    if (source.waits && (atom.flag != launch + 1 ||
                         load(block, thread, source.address.rank, index + 1).flag != launch + 1))
      return false;
    sum += atom.value;
  }
  for (const Destination &destination : instruction.destinations) {
    uint64_t index = indexOf(destination.address, launch);
    uint32_t rank = destination.address.rank, flag = destination.packet ? launch + 1 : 0;
    auto store = [&](uint64_t at, Atom atom) {
      if (instruction.throughSwitch)
        memory[rank][at] = atom;
      else
        thread.pending.push_back({rank, at, atom});
    };
    store(index, {sum, flag});
    if (destination.packet)
      store(index + 1, {0, flag});
  }
  return true;
}

/// All threads of a threadblock see its writes afterwards.
bool RandomMachine::meet(size_t block, uint32_t t) {
  BlockState &state = states[block];
  state.threads[t].arrived = true;
  for (Thread &thread : state.threads)
    if (!thread.arrived)
      return false;
  for (Thread &thread : state.threads) {
    thread.arrived = false;
    ++thread.next;
    state.shared.insert(state.shared.end(), thread.pending.begin(), thread.pending.end());
    thread.pending.clear();
  }
  --state.threads[t].next; // step() advances this one
  return true;
}

/// The last thread of all threadblocks releases them.
bool RandomMachine::meetAll(size_t block, uint32_t t, const Instruction &barrier) {
  states[block].threads[t].arrived = true;
  uint32_t rank = program.blocks[block].rank, complete = 0;
  auto isThere = [&](size_t b) {
    for (uint32_t u = 0; u < numThreads; ++u) {
      const Thread &thread = states[b].threads[u];
      const std::vector<Instruction> &list = program.blocks[b].threads[u];
      if (!thread.arrived || thread.next == list.size() ||
          list[thread.next].kind != Kind::Barrier || list[thread.next].counter != barrier.counter)
        return false;
    }
    return true;
  };
  for (size_t b = 0; b < states.size(); ++b)
    complete += program.blocks[b].rank == rank && isThere(b);
  if (complete < barrier.participants)
    return false;
  for (size_t b = 0; b < states.size(); ++b) {
    if (program.blocks[b].rank != rank || !isThere(b))
      continue;
    for (Thread &thread : states[b].threads) {
      thread.arrived = false;
      ++thread.next;
      release(b, thread);
    }
  }
  --states[block].threads[t].next;
  return true;
}

/// Tells the proxy, and with a flush waits until the channel has nothing to do.
bool RandomMachine::push(size_t block, uint32_t t, const Instruction &instruction) {
  Thread &thread = states[block].threads[t];
  uint32_t rank = program.blocks[block].rank;
  std::deque<Transfer> &fifo = fifos[{rank, instruction.channel}];
  if (!thread.flushing) {
    release(block, thread);
    fifo.push_back({&instruction, launches[rank]});
    thread.flushing = instruction.flushes;
    return !instruction.flushes;
  }
  thread.flushing = !fifo.empty();
  return fifo.empty();
}

/// Performs the next copy or signal of a channel.
bool RandomMachine::transfer(size_t number) {
  std::deque<Transfer> &fifo = std::next(fifos.begin(), number)->second;
  if (fifo.empty())
    return false;
  Transfer &next = fifo.front();
  if (next.done < next.told->sources.size()) {
    const Source &source = next.told->sources[next.done];
    const Destination &destination = next.told->destinations[next.done++];
    uint64_t from = indexOf(source.address, next.launch);
    uint64_t to = indexOf(destination.address, next.launch);
    for (uint64_t i = 0; i < (destination.packet ? 2 : 1); ++i)
      memory[destination.address.rank][to + i] = memory[source.address.rank][from + i];
    return true;
  }
  if (next.told->signals && next.told->counter != noCounter)
    ++counters[next.told->counter];
  fifo.pop_front();
  return true;
}

/// Makes a random write visible. Writes of one thread to one place keep their order.
bool RandomMachine::commitOne() {
  size_t begin = pick(states.size());
  for (size_t i = 0; i < states.size(); ++i) {
    BlockState &state = states[(begin + i) % states.size()];
    std::vector<Write> *lists[] = {&state.shared, &state.threads[0].pending,
                                   &state.threads[1].pending};
    for (std::vector<Write> *list : lists) {
      if (list->empty())
        continue;
      const Write chosen = (*list)[pick(list->size())];
      auto first = [&](std::vector<Write> &writes) {
        return std::find_if(writes.begin(), writes.end(), [&](const Write &write) {
          return write.rank == chosen.rank && write.index == chosen.index;
        });
      };
      if (first(state.shared) != state.shared.end())
        list = &state.shared;
      auto it = first(*list);
      memory[it->rank][it->index] = it->atom;
      list->erase(it);
      return true;
    }
  }
  return false;
}

/// Executes the next instruction of a thread. Returns whether it could.
bool RandomMachine::step(size_t block, uint32_t t) {
  Thread &thread = states[block].threads[t];
  const std::vector<Instruction> &list = program.blocks[block].threads[t];
  if (launches[program.blocks[block].rank] == options.launches || thread.next == list.size())
    return false;
  const Instruction &instruction = list[thread.next];
  bool went = true;
  switch (instruction.kind) {
  case Kind::Data:
    went = move(block, t, instruction);
    break;
  case Kind::Nop:
    went = !thread.arrived && meet(block, t);
    break;
  case Kind::Barrier:
    went = !thread.arrived && meetAll(block, t, instruction);
    break;
  case Kind::Push:
    went = push(block, t, instruction);
    break;
  case Kind::Signal:
    if (!instruction.relaxed)
      release(block, thread);
    if (instruction.counter != noCounter)
      ++counters[instruction.counter];
    break;
  case Kind::Wait:
    went = counters[instruction.counter] > 0;
    counters[instruction.counter] -= went;
    break;
  }
  thread.next += went;
  return went;
}

std::string RandomMachine::run() {
  size_t threads = states.size() * numThreads;
  while (true) {
    bool wentOn = false, finished = true;
    for (uint32_t r = 0; r < launches.size(); ++r) {
      if (launches[r] == options.launches)
        continue;
      finished = false;
      if (!hasEnded(r))
        continue;
      if (std::string wrong = end(r); !wrong.empty())
        return wrong;
      wentOn = true;
    }
    if (finished)
      return "";
    // Some threads run for a while, so that others fall behind.
    for (size_t i = 0; i < threads; ++i) {
      size_t thread = pick(threads);
      for (uint32_t steps = pick(8) + 1; steps > 0; --steps)
        wentOn |= step(thread / numThreads, thread % numThreads);
      if (pick(4) == 0)
        wentOn |= commitOne();
      if (!fifos.empty() && pick(4) == 0)
        wentOn |= transfer(pick(fifos.size()));
    }
    if (wentOn)
      continue;
    // Nothing happened by chance: try everything.
    for (size_t t = 0; t < threads; ++t)
      wentOn |= step(t / numThreads, t % numThreads);
    wentOn |= commitOne();
    for (size_t f = 0; f < fifos.size(); ++f)
      wentOn |= transfer(f);
    if (!wentOn)
      return "deadlock";
  }
}
} // namespace

std::string test::runMscclpp(const mscclpp::Plan &plan, const MachineOptions &options) {
  return RandomMachine(plan, options).run();
}
