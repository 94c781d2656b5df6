#include "cclc/DSL/DSL.h"

#include <functional>

using namespace cclc;
using namespace cclc::dsl;

namespace {
constexpr IntParam pipeline{
    .name = "pipeline",
    .help = "number of chunks that each tile is split into; they are pipelined through the levels, "
            "so that all levels work concurrently",
    .value = 1,
    .min = 1,
    .max = 1024};

/// The members of a ring; at(i) is the rank of the i-th.
struct Ring {
  int size;
  std::function<int(int)> at;
};

class ThreeLevels {
public:
  explicit ThreeLevels(Program &p)
      : p(p), sips(int(p.geometry().find("sip")->size())),
        cubes(int(p.geometry().find("cube")->size())), pes(int(p.geometry().find("pe")->size())) {}

  void nameNeighbours() {
    eachCube([this](const Ring &ring) { name(ring, Direction::IntraE); });
    eachSip([this](const Ring &ring) { name(ring, Direction::S); });
    name(leaders(), Direction::GlobalE);
  }

  void run(int chunkIndex) {
    chunk = chunkIndex;
    p.phase("reduce in each cube");
    eachCube([this](const Ring &ring) { reduceToFirst(ring); });
    p.phase("reduce between the cubes of a SIP");
    eachSip([this](const Ring &ring) { reduceToFirst(ring); });
    p.phase("exchange between SIPs");
    exchange(leaders());
    p.phase("broadcast between the cubes of a SIP");
    eachSip([this](const Ring &ring) { spreadFromFirst(ring); });
    p.phase("broadcast in each cube");
    eachCube([this](const Ring &ring) { spreadFromFirst(ring); });
  }

private:
  int rank(int sip, int cube, int pe) const { return (sip * cubes + cube) * pes + pe; }
  ChunkRef part(int rank) { return p.chunk(rank, Output, chunk); }

  void eachCube(const std::function<void(const Ring &)> &fn) {
    for (int s = 0; s < sips; ++s)
      for (int c = 0; c < cubes; ++c)
        fn({pes, [=, this](int pe) { return rank(s, c, pe); }});
  }
  void eachSip(const std::function<void(const Ring &)> &fn) {
    for (int s = 0; s < sips; ++s)
      fn({cubes, [=, this](int cube) { return rank(s, cube, 0); }});
  }

  Ring leaders() {
    return {sips, [this](int sip) { return rank(sip, 0, 0); }};
  }

  void name(const Ring &ring, Direction towardsNext) {
    for (int i = 0; i < ring.size && ring.size > 1; ++i)
      p.neighbour(ring.at(i), towardsNext, ring.at((i + 1) % ring.size));
  }

  void add(int from, int to) {
    ChunkRef sum = part(to);
    sum.reduce(part(from));
  }

  /// Reduces from both sides towards member 0, in ceil((N-1)/2) rounds. If N is even, the
  /// member opposite of member 0 sends to one side only, and in the last round only that
  /// side sends.
  void reduceToFirst(const Ring &ring) {
    const int N = ring.size, rounds = N / 2, otherSide = N - 1 - rounds;
    for (int i = 0; i < rounds; ++i) {
      add(ring.at(rounds - i), ring.at(rounds - i - 1));
      if (i < otherSide)
        add(ring.at(rounds + 1 + i), ring.at((rounds + 2 + i) % N));
    }
  }

  /// Broadcasts from member 0: the messages of reduceToFirst in reverse.
  void spreadFromFirst(const Ring &ring) {
    const int N = ring.size, rounds = N / 2, otherSide = N - 1 - rounds;
    for (int i = rounds - 1; i >= 0; --i) {
      part(ring.at(rounds - i - 1)).copy(ring.at(rounds - i));
      if (i < otherSide)
        part(ring.at((rounds + 2 + i) % N)).copy(ring.at(rounds + 1 + i));
    }
  }

  /// In every round each member forwards the sum that it received last (in the first round its
  /// own) and adds the one that arrives. Two members thus exchange their sums.
  void exchange(const Ring &ring) {
    const int N = ring.size;
    Buffer arrived = p.scratch("arrived");
    for (int round = 0; round < N - 1; ++round) {
      const int place = chunk * (N - 1) + round;
      for (int i = 0; i < N; ++i) {
        ChunkRef last = round == 0 ? part(ring.at(i)) : p.chunk(ring.at(i), arrived, place - 1);
        last.copy(ring.at((i + 1) % N), arrived, place);
      }
      for (int i = 0; i < N; ++i) {
        ChunkRef sum = part(ring.at(i));
        sum.reduce(p.chunk(ring.at(i), arrived, place));
      }
    }
  }

  Program &p;
  const int sips, cubes, pes;
  int chunk = 0;
};

void trace(Program &p) {
  for (const char *level : {"sip", "cube", "pe"})
    if (!p.geometry().find(level))
      p.refuse("allreduce_hierarchical_3level needs a machine with SIPs, cubes and PEs: try "
               "--target ahbm");
  const int C = p.get(pipeline);
  p.chunks(C);
  for (int r = 0; r < p.ranks(); ++r)
    p.chunk(r, Input, 0, C).copy(r, Output, 0);
  ThreeLevels levels(p);
  levels.nameNeighbours();
  for (int c = 0; c < C; ++c)
    levels.run(c);
}
} // namespace

CCLC_PROGRAM(allreduce_hierarchical_3level) {
  d.collective(AllReduce)
      .summary("For PEs in cubes in SIPs, with a tile on every PE. The PEs of each cube reduce "
               "around their ring from both sides to PE 0, and the first PEs of the cubes of a SIP "
               "around the ring of cubes to cube 0. The first PEs of the SIPs pass their sums "
               "around a ring and add them (two SIPs exchange theirs). Then the sum is broadcast "
               "along the same paths in reverse. A level with one member is skipped. Of three or "
               "more SIPs each adds its own sum first, and gets different bits.")
      .source("KernBench ADR-0029, 3-level hierarchical all-reduce; the pipeline is the extension "
              "that it names as future work")
      .cost("With P PEs per cube, C cubes per SIP and N SIPs, 2 ceil((P-1)/2) + 2 ceil((C-1)/2) + "
            "N-1 steps, each of S; a rank sends at most (N-1) S + 4 S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .mapper(Mapper::AllPes)
      .param(pipeline.doubled(16))
      .body(trace);
}
