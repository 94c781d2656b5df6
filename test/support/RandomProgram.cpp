#include "RandomProgram.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {
class Generator {
public:
  Generator(uint64_t seed, const RandomProgramOptions &options)
      : random(seed), options(options), builder(randomInfo()) {}

  ChunkProgram run() {
    const Collective &collective = builder.info().collective;
    uint32_t ranks = collective.ranks();
    written.resize(ranks);
    sums.resize(ranks);
    bool hasSums = options.programClass == ProgramClass::Sums;
    for (uint32_t s = 0, n = hasSums ? 1 : random.below(3); s < n; ++s) {
      builder.scratchBuffer("scratch" + std::to_string(s));
      for (uint32_t r = 0; r < ranks; ++r)
        builder.growScratch(s, RankId(r), scratchChunks);
      ++numScratch;
    }
    for (uint32_t r = 0; r < ranks; ++r)
      if (collective.hasInput(RankId(r)))
        for (uint32_t c = 0; c < collective.inputChunks(); ++c)
          markWritten(r, ChunkBuffer::input(), c);
    if (options.calls)
      addCalls();
    uint32_t ops = random.between(1, options.maxOps);
    for (uint32_t i = 0; i < 4 * ops && made < ops; ++i) {
      while (phase + 1u < builder.info().phases.size() && random.chance(20))
        ++phase;
      tryOp();
    }
    DiagnosticEngine diags;
    FailureOr<ChunkProgram> program = std::move(builder).finish(diags);
    if (failed(program)) {
      diags.print(llvm::errs(), "random program");
      llvm::report_fatal_error("the generator made an illegal program");
    }
    return std::move(*program);
  }

private:
  static constexpr uint32_t scratchChunks = 4;

  /// In place and out of place, with every kind of alias.
  ProgramInfo randomInfo() {
    uint32_t ranks = random.between(2, options.maxRanks);
    uint32_t chunks = random.between(1, 4);
    using enum CollectiveKind;
    constexpr CollectiveKind kinds[] = {AllReduce, AllGather, ReduceScatter, AllToAll, AllReduce};
    CollectiveKind kind = kinds[random.below(5)];
    if (options.programClass == ProgramClass::SamePlace)
      kind = AllReduce;
    ProgramInfo info(Collective(kind, ranks, chunks));
    info.name = "random";
    uint32_t which = random.below(10);
    info.placements = which < 6   ? Placements::inPlace()
                      : which < 9 ? Placements::outOfPlace()
                                  : Placements::both();
    if (options.programClass == ProgramClass::SamePlace)
      info.placements = Placements::inPlace();
    return info;
  }

  /// The names of one cell in each placement: (placement, offset in the rank).
  using Key = std::pair<int, uint32_t>;
  void forKeys(uint32_t rank, ChunkBuffer buffer, uint32_t index, auto fn) {
    const Collective &collective = builder.info().collective;
    if (buffer.isScratch()) {
      fn(Key(2 + buffer.scratchIndex(), index));
      return;
    }
    for (Placement placement : builder.info().placements.list()) {
      uint32_t offset = buffer == ChunkBuffer::input()
                            ? collective.inputOffset(RankId(rank), placement)
                            : collective.outputOffset(RankId(rank), placement);
      fn(Key(int(placement), offset + index));
    }
  }
  void markWritten(uint32_t rank, ChunkBuffer buffer, uint32_t index) {
    forKeys(rank, buffer, index, [&](Key key) { written[rank].insert(key); });
  }
  bool isWritten(uint32_t rank, ChunkBuffer buffer, uint32_t index) {
    bool all = true;
    forKeys(rank, buffer, index, [&](Key key) { all &= written[rank].count(key) != 0; });
    return all;
  }

  ChunkBuffer randomBuffer() {
    uint32_t n = random.below(4 + numScratch);
    return n < 2   ? ChunkBuffer::input()
           : n < 4 ? ChunkBuffer::output()
                   : ChunkBuffer::scratch(n - 4);
  }
  uint32_t sizeOf(ChunkBuffer buffer) {
    const Collective &collective = builder.info().collective;
    return buffer.isScratch()               ? scratchChunks
           : buffer == ChunkBuffer::input() ? collective.inputChunks()
                                            : collective.outputChunks();
  }

  /// Copies of the same chunks to several ranks, or reductions of those of several ranks.
  void trySwitchOp() {
    uint32_t ranks = builder.info().ranks(), common = random.below(ranks);
    ChunkBuffer from = randomBuffer(), to = randomBuffer();
    bool reduce = random.chance(50);
    uint32_t count = random.between(1, 2);
    if (count > sizeOf(from) || count > sizeOf(to) ||
        (to == ChunkBuffer::input() && builder.info().placements.allowsOutOfPlace()))
      return;
    uint32_t srcIndex = random.below(sizeOf(from) - count + 1);
    uint32_t dstIndex = random.below(sizeOf(to) - count + 1);
    auto isReady = [&](uint32_t rank, ChunkBuffer buffer, uint32_t index) {
      bool all = true;
      for (uint32_t c = 0; c < count; ++c)
        all &= isWritten(rank, buffer, index + c);
      return all;
    };
    if (!isReady(common, reduce ? to : from, reduce ? dstIndex : srcIndex))
      return;
    Directive directive;
    directive.inSwitch = lastInSwitch = 3 - lastInSwitch;
    for (uint32_t other = 0; other < ranks; ++other) {
      if (other == common || random.chance(25) || (reduce && !isReady(other, from, srcIndex)))
        continue;
      uint32_t src = reduce ? other : common, dst = reduce ? common : other;
      builder.add({RankId(src), RankId(dst), srcIndex, dstIndex, count,
                   builder.info().locs.intern("random", made + 1), from, to, intern(directive),
                   phase, reduce ? ChunkOpKind::Reduce : ChunkOpKind::Copy});
      for (uint32_t c = 0; c < count; ++c)
        markWritten(dst, to, dstIndex + c);
      ++made;
    }
  }

  DirectiveIndex intern(const Directive &directive) {
    std::vector<Directive> &table = builder.info().directives;
    auto it = std::find(table.begin(), table.end(), directive);
    DirectiveIndex index = it - table.begin();
    if (it == table.end())
      table.push_back(directive);
    return index;
  }

  void tryOp() {
    if (options.programClass == ProgramClass::Sums)
      return trySum();
    if (options.switches && random.chance(30))
      return trySwitchOp();
    uint32_t ranks = builder.info().ranks();
    uint32_t src = random.below(ranks);
    uint32_t dst = random.chance(75) ? random.below(ranks) : src;
    using enum ProgramClass;
    ProgramClass kind = options.programClass;
    ChunkBuffer from = randomBuffer(), to = randomBuffer();
    if (kind == SamePlace)
      from = to = ChunkBuffer::input();
    uint32_t count = random.between(1, kind == Any ? 3 : kind == Sized ? 2 : 1);
    bool reduce = random.chance(45) && kind != Copies;
    if (count > sizeOf(from) || count > sizeOf(to))
      return;
    if (to == ChunkBuffer::input() && builder.info().placements.allowsOutOfPlace())
      return;
    uint32_t srcIndex = random.below(sizeOf(from) - count + 1);
    uint32_t dstIndex = random.below(sizeOf(to) - count + 1);
    bool same = kind == SamePlace || (kind == Any && random.chance(40));
    if (same && from == to && srcIndex + count <= sizeOf(to))
      dstIndex = srcIndex; // the same chunk, as in most programs
    tryAdd({src, from, srcIndex}, {dst, to, dstIndex}, count, reduce);
  }

  struct Place {
    uint32_t rank;
    ChunkBuffer buffer;
    uint32_t index;
  };

  /// A message into scratch, or a local reduction of a chunk there, in most cases to the same place
  /// as the previous one of the rank.
  void trySum() {
    uint32_t ranks = builder.info().ranks(), rank = random.below(ranks);
    Place arrived{rank, ChunkBuffer::scratch(0), random.below(scratchChunks)};
    ChunkBuffer buffer = random.chance(70) ? ChunkBuffer::output() : ChunkBuffer::scratch(0);
    Place other{rank, buffer, random.below(sizeOf(buffer))};
    if (random.chance(40)) {
      other.rank = random.below(ranks);
      return tryAdd(other, arrived, 1, /*reduce=*/false);
    }
    std::optional<Place> &sum = sums[rank];
    if (!sum || random.chance(20))
      sum = other;
    tryAdd(arrived, *sum, 1, /*reduce=*/true);
  }

  void tryAdd(Place from, Place to, uint32_t count, bool reduce) {
    auto [src, srcBuffer, srcIndex] = from;
    auto [dst, dstBuffer, dstIndex] = to;
    for (uint32_t c = 0; c < count; ++c)
      if (!isWritten(src, srcBuffer, srcIndex + c) ||
          (reduce && !isWritten(dst, dstBuffer, dstIndex + c)))
        return;
    if (src == dst) {
      std::set<Key> cells;
      bool overlaps = false;
      for (uint32_t c = 0; c < count; ++c)
        forKeys(src, srcBuffer, srcIndex + c, [&](Key key) { cells.insert(key); });
      for (uint32_t c = 0; c < count; ++c)
        forKeys(dst, dstBuffer, dstIndex + c, [&](Key key) { overlaps |= cells.count(key) != 0; });
      if (overlaps)
        return;
    }
    LocId loc = builder.info().locs.intern("random", made + 1);
    builder.add({RankId(src), RankId(dst), srcIndex, dstIndex, count, loc, srcBuffer, dstBuffer,
                 randomDirective(src, dst), phase,
                 reduce ? ChunkOpKind::Reduce : ChunkOpKind::Copy});
    for (uint32_t c = 0; c < count; ++c)
      markWritten(dst, dstBuffer, dstIndex + c);
    ++made;
  }

  /// All ranks are in one group, so that any message may be in any phase.
  void addCalls() {
    ProgramInfo &info = builder.info();
    Communicator all{"all", {{}}};
    for (uint32_t r = 0; r < info.ranks(); ++r)
      all.groups[0].push_back(RankId(r));
    info.communicators = {all};
    uint32_t generation = 0, calls = random.between(1, 3);
    for (uint32_t call = 0; call < calls; ++call) {
      generation += random.between(1, 2);
      info.calls.push_back({"call", generation, LocTable::unknown()});
      for (uint32_t stage = 0; stage < Gate::numStages; ++stage)
        if (stage == 0 || random.chance(60)) {
          info.phases.push_back({"gate", Gate{call, 0, stage, 3 * generation - 2 + stage}});
          if (random.chance(30))
            info.phases.push_back({"between"});
        }
    }
  }

  /// Threadblocks are numbered in the order of first use; each is for one neighbour and one
  /// direction on one channel, so that any combination is valid.
  DirectiveIndex randomDirective(uint32_t src, uint32_t dst) {
    if (!options.directives || random.chance(40))
      return 0;
    Directive directive;
    uint32_t channel = random.below(3);
    if (src == dst) {
      if (random.chance(50) && !threadblocks[src].empty())
        directive.sendTb = random.below(threadblocks[src].size());
    } else {
      directive.channel = channel;
      auto number = [&](uint32_t rank, uint32_t peer, bool sends) {
        auto key = std::tuple(peer, sends, channel);
        auto &own = threadblocks[rank];
        return own.try_emplace(key, own.size()).first->second;
      };
      // If one side of a connection is numbered, all operations on it must agree.
      bool sendFixed = random.chance(60), recvFixed = random.chance(60);
      auto decide = [&](uint32_t rank, uint32_t peer, bool sends, bool wanted) {
        auto [it, inserted] = fixed.try_emplace(std::tuple(rank, peer, sends, channel), wanted);
        return it->second;
      };
      if (decide(src, dst, true, sendFixed))
        directive.sendTb = number(src, dst, true);
      if (decide(dst, src, false, recvFixed))
        directive.recvTb = number(dst, src, false);
    }
    if (random.chance(30))
      directive.priority = random.below(4);
    auto &table = builder.info().directives;
    table.push_back(directive);
    return table.size() - 1;
  }

  Random random;
  RandomProgramOptions options;
  ChunkProgramBuilder builder;
  std::vector<std::set<Key>> written;     ///< by rank
  std::vector<std::optional<Place>> sums; ///< by rank: the destination of its last reduction
  uint32_t numScratch = 0;
  uint32_t made = 0, lastInSwitch = 1;
  uint16_t phase = 0; ///< the current one
  std::map<uint32_t, std::map<std::tuple<uint32_t, bool, uint32_t>, uint32_t>> threadblocks;
  std::map<std::tuple<uint32_t, uint32_t, bool, uint32_t>, bool> fixed;
};
} // namespace

ChunkProgram test::randomProgram(uint64_t seed, const RandomProgramOptions &options) {
  return Generator(seed, options).run();
}
