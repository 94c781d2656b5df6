//===- DataExecutor.cpp - The data of MSCCL++ operations ------------------===//
//
// A slice is processed when it begins, because the accesses to every element have an order that the
// proof has determined. The payload of packets is stored beside the plain chunks of scratch.
//
// Implements rule M10.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Mscclpp/DataExecutor.h"

#include "cclc/Support/MemoryBudget.h"

#include <cstring>

namespace cclc::mscclpp {

CellSpace DataExecutor::makeSpace(const SizedPlan &sized) {
  const Header &header = sized.file.header();
  std::vector<uint32_t> scratch;
  for (const Rank &rank : sized.file.ranks())
    scratch.push_back(rank.scratchChunks * 2 * (header.doubleScratch ? 2 : 1));
  return CellSpace(header.collective, header.inPlace ? Placement::InPlace : Placement::OutOfPlace,
                   scratch);
}

DataExecutor::DataExecutor(const SizedPlan &sized, uint32_t launches)
    : sized(sized), plan(sized.plan), launches(launches), space(makeSpace(sized)), groups(plan),
      inputs(sized.file.header().collective, sized.type, ReduceOp::Sum, std::nullopt),
      expected(sized.file.header().collective, inputs, sized.type, ReduceOp::Sum,
               sized.elementsOfFile()),
      add(reduceFunction(sized.type, ReduceOp::Sum)) {
  MemoryBudget::Work work("the execution with data");
  MemoryBudget::require(
      Bytes(uint64_t(std::min<Wide>(Wide(space.size()) * sized.bytesOfFile, INT64_MAX))));
  for (uint32_t r = 0; r < plan.ranks().size(); ++r) {
    memory.emplace_back(space.cellsOfRank(RankId(r)) * sized.bytesOfFile);
    fill(RankId(r), 0);
    if (expected.needsSums())
      expected.addInput(buffer(RankId(r), Buffer::Input));
  }
}

std::byte *DataExecutor::buffer(RankId rank, Buffer of) {
  return memory[rank.index()].data() + space.offsetInRank(rank, Operand(of, 0)) * sized.bytesOfFile;
}

/// Clears the output first, so that results of the previous launch do not hide missing writes.
void DataExecutor::fill(RankId rank, uint32_t launch) {
  const Collective &collective = sized.file.header().collective;
  if (collective.outputChunks() > 0)
    std::memset(buffer(rank, Buffer::Output), 0, collective.outputChunks() * sized.bytesOfFile);
  if (uint64_t elements = collective.inputChunks() * sized.elementsOfFile();
      collective.hasInput(rank) && elements > 0)
    inputs.store(buffer(rank, Buffer::Input), rank, 0, elements, launch);
}

std::byte *DataExecutor::at(RankId rank, Buffer of, const Place &place, Access access,
                            uint64_t first, uint32_t launch) {
  uint64_t offset = place.index * sized.bytes + first;
  uint64_t scratch = sized.file.ranks()[rank.index()].scratchChunks * sized.bytesOfFile;
  if (isPackets(access))
    offset += scratch;
  if (of == Buffer::Scratch && sized.file.header().doubleScratch && launch % 2 == 1)
    offset += 2 * scratch;
  return buffer(rank, of) + offset;
}

/// The data of a place, in all members of its group.
SmallVector<std::byte *, 8> DataExecutor::find(const Threadblock &tb, const Operation &op,
                                               const Place &place, Access access, uint64_t first,
                                               uint32_t launch) {
  if (!place.group)
    return {at(plan.owner(tb, op, place), place.buffer, place, access, first, launch)};
  SmallVector<std::byte *, 8> all;
  for (const Groups::Member &member : groups.members(tb, place))
    all.push_back(at(member.rank, member.buffer, place, access, first, launch));
  return all;
}

void DataExecutor::move(const Threadblock &tb, const Operation &op, uint64_t first, uint64_t bytes,
                        uint32_t launch, std::optional<uint32_t> pair) {
  ArrayRef<Place> sources = plan.sources(op), destinations = plan.destinations(op);
  auto source = [&](size_t i) { return find(tb, op, sources[i], op.source(i), first, launch); };
  auto write = [&](size_t i, const std::byte *from) {
    for (std::byte *to : find(tb, op, destinations[i], op.destination(i), first, launch))
      std::memmove(to, from, bytes);
  };
  if (traits(op.op).paired) {
    for (size_t i = 0; i < sources.size(); ++i)
      if (!pair || i == *pair)
        write(i, source(i).front());
    return;
  }
  SmallVector<const std::byte *, 8> operands;
  for (size_t i = 0; i < sources.size(); ++i)
    for (std::byte *operand : source(i))
      operands.push_back(operand);
  // Packets are added first.
  if (operands.size() > 1 && op.source(0) == Access::Local && op.source(1) == Access::Packets)
    std::rotate(operands.begin(), operands.begin() + 1, operands.end());
  value.assign(operands.front(), operands.front() + bytes);
  for (const std::byte *operand : ArrayRef(operands).drop_front())
    add(value.data(), value.data(), operand, bytes / sizeOf(sized.type));
  for (size_t i = 0; i < destinations.size(); ++i)
    if (!pair || i == *pair)
      write(i, value.data());
}

void DataExecutor::endLaunch(RankId rank, uint32_t launch) {
  const Collective &collective = sized.file.header().collective;
  for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
    if (collective.expected(rank, c).kind == Expectation::Kind::Anything)
      continue;
    uint64_t elements = sized.elementsOfFile();
    compareElements(sized.type, rank, c, launch, c * elements, elements,
                    buffer(rank, Buffer::Output) + c * sized.bytesOfFile,
                    expected.chunk(rank, c, launch), found);
  }
  if (launch + 1 < launches)
    fill(rank, launch + 1);
}

} // namespace cclc::mscclpp
