#include "Interpreters.h"

#include "RandomProgram.h"

#include <deque>

using namespace cclc;
using namespace cclc::test;

namespace {

/// Cells by (rank, kind of memory, index). Input and output are mapped to the user memory of the
/// rank by the table in Collective.h, independently of the library.
class Memory {
public:
  Memory(const Collective &collective, Placement placement, const Fill &fill = nullptr)
      : collective(collective), placement(placement) {
    for (uint32_t r = 0; r < collective.ranks(); ++r)
      if (collective.hasInput(RankId(r)))
        for (uint32_t c = 0; c < collective.inputChunks(); ++c)
          cells[{r, resolve(r, 'i', c)}] =
              fill ? fill(r, c) : Random((uint64_t(r) << 32) + c + 1).next();
  }

  /// A cell that was never written holds an arbitrary number.
  uint64_t &at(uint32_t rank, char buffer, uint64_t index) {
    auto [cell, isNew] = cells.try_emplace({rank, resolve(rank, buffer, index)});
    if (isNew)
      cell->second = Random(~((uint64_t(rank) << 32) + index)).next();
    return cell->second;
  }

  Outputs outputs() {
    Outputs result;
    for (uint32_t r = 0; r < collective.ranks(); ++r)
      for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
        auto it = cells.find({r, resolve(r, 'o', c)});
        if (it != cells.end())
          result[{r, c}] = it->second;
      }
    return result;
  }

private:
  std::pair<char, uint64_t> resolve(uint32_t rank, char buffer, uint64_t index) const {
    if (buffer == 's' || placement == Placement::OutOfPlace)
      return {buffer, index};
    switch (collective.kind()) {
    case CollectiveKind::AllGather:
      return {'u', buffer == 'i' ? rank * collective.chunks() + index : index};
    case CollectiveKind::ReduceScatter:
      return {'u', buffer == 'o' ? rank * collective.chunks() + index : index};
    default:
      return {'u', index};
    }
  }

  const Collective &collective;
  Placement placement;
  std::map<std::pair<uint32_t, std::pair<char, uint64_t>>, uint64_t> cells;
};
} // namespace

Outputs test::executeDirectly(const ChunkProgram &program, Placement placement) {
  Memory memory(program.info().collective, placement);
  auto cell = [&](RankId rank, ChunkBuffer buffer, uint32_t index) -> uint64_t & {
    if (buffer.isScratch()) // far enough apart that buffers never overlap
      return memory.at(rank.index(), 's', (uint64_t(buffer.scratchIndex()) << 32) + index);
    return memory.at(rank.index(), buffer == ChunkBuffer::input() ? 'i' : 'o', index);
  };
  for (const ChunkOp &op : program.ops()) {
    std::vector<uint64_t> values;
    for (uint32_t c = 0; c < op.count; ++c)
      values.push_back(cell(op.srcRank, op.src, op.srcIndex + c));
    for (uint32_t c = 0; c < op.count; ++c) {
      uint64_t &to = cell(op.dstRank, op.dst, op.dstIndex + c);
      to = op.kind == ChunkOpKind::Reduce ? to + values[c] : values[c];
    }
  }
  return memory.outputs();
}

std::optional<Outputs> test::executePlan(const ExecPlan &plan, Placement placement, Slots slots,
                                         uint64_t seed, const Fill &fill) {
  Memory memory(plan.info().collective, placement, fill);
  std::map<std::tuple<RankId, RankId, ChannelId>, std::deque<std::vector<uint64_t>>> fifos;
  std::vector<uint32_t> next(plan.threadblocks().size());
  std::vector<int64_t> published(plan.threadblocks().size(), -1);

  auto canGo = [&](uint32_t t) {
    const Threadblock &tb = plan.threadblocks()[t];
    if (next[t] == tb.numSteps)
      return false;
    const Step &step = plan.steps(tb)[next[t]];
    if (auto wait = step.wait())
      if (published[plan.firstThreadblock(tb.rank) + wait->tb.index()] < wait->step.index())
        return false;
    const OpTraits &op = traits(step.op);
    Peers from = plan.recvPeers(tb), to = plan.sendPeers(tb);
    for (size_t i = 0; op.receives && i < from.size(); ++i)
      if (fifos[{from[i], tb.rank, tb.channel}].empty())
        return false;
    for (size_t i = 0; op.sends && i < to.size(); ++i)
      if (!slots.admits(fifos[{tb.rank, to[i], tb.channel}].size()))
        return false;
    return true;
  };

  auto go = [&](uint32_t t) {
    const Threadblock &tb = plan.threadblocks()[t];
    uint32_t rank = tb.rank.index();
    const Step &step = plan.steps(tb)[next[t]];
    auto place = [&](Operand operand, uint32_t c) -> uint64_t & {
      return memory.at(rank, bufferLetter(operand.buffer()), operand.index() + c);
    };
    std::vector<uint64_t> message, values(step.count);
    Peers from = plan.recvPeers(tb), to = plan.sendPeers(tb);
    for (size_t i = 0; traits(step.op).receives && i < from.size(); ++i) {
      auto &fifo = fifos[{from[i], tb.rank, tb.channel}];
      message.resize(step.count);
      for (uint32_t c = 0; c < step.count; ++c)
        message[c] += fifo.front()[c]; // several: a switch adds them
      fifo.pop_front();
    }
    for (uint32_t c = 0; c < step.count; ++c)
      switch (step.op) {
      case OpKind::Send:
        values[c] = place(step.src, c);
        break;
      case OpKind::Recv:
      case OpKind::RecvCopySend:
        values[c] = place(step.dst, c) = message[c];
        break;
      case OpKind::Copy:
        place(step.dst, c) = place(step.src, c);
        break;
      case OpKind::Reduce:
        place(step.dst, c) += place(step.src, c);
        break;
      case OpKind::RecvReduceCopy:
      case OpKind::RecvReduceCopySend:
        values[c] = place(step.src, c) + message[c];
        place(step.dst, c) = values[c];
        break;
      case OpKind::RecvReduceSend:
        values[c] = place(step.src, c) + message[c];
        break;
      case OpKind::Nop:
        break;
      }
    for (size_t i = 0; traits(step.op).sends && i < to.size(); ++i)
      fifos[{tb.rank, to[i], tb.channel}].push_back(values);
    if (step.publishes)
      published[t] = next[t];
    ++next[t];
  };

  Random random(seed);
  std::vector<uint32_t> able;
  while (true) {
    able.clear();
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
      if (canGo(t))
        able.push_back(t);
    if (able.empty())
      break;
    go(able[random.below(able.size())]);
  }
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
    if (next[t] < plan.threadblocks()[t].numSteps)
      return std::nullopt;
  return memory.outputs();
}
