// Every group of ranks reduces its inputs, and all ranks receive the sums of all groups: chunk x of
// a group is reduced at its member x and then passes around the ring of all ranks. A custom
// collective, out of place.
#include "cclc/DSL/DSL.h"

#include <numeric>

using namespace cclc::dsl;

static constexpr IntParam groups{
    .name = "groups", .help = "number of groups of ranks", .value = 2, .min = 1, .max = 1024};

static void expectSums(Program &p, int G) {
  for (int c = 0; c < p.ranks(); ++c) {
    std::vector<std::pair<int, int>> all;
    for (int x = 0; x < G; ++x)
      all.emplace_back(c / G * G + x, c % G);
    for (int r = 0; r < p.ranks(); ++r)
      p.expect(r, c, all);
  }
}

static void trace(Program &p) {
  const int R = p.ranks(), G = R / p.get(groups);
  if (R % p.get(groups) != 0)
    p.refuse(std::to_string(R) + " ranks do not form " + std::to_string(p.get(groups)) +
             " equal groups");
  p.custom(G, R);
  expectSums(p, G);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, G).copy(r, Output, r / G * G);

  std::vector<int> all(R);
  std::iota(all.begin(), all.end(), 0);
  for (auto first = all.begin(); first != all.end(); first += G) {
    const std::vector<int> group(first, first + G);
    reduceScatterRing(p, group, Output, group, {.channel = 0, .sendTb = 0, .recvTb = 0});
  }
  allGatherRing(p, all, Output, all, {.channel = 1, .sendTb = 1, .recvTb = 1});
}

CCLC_PROGRAM(reducegather) {
  d.collective(Custom).buffers(Buffers::OutOfPlace, Buffers::OutOfPlace);
  d.ranks(1, 4).param(groups).body(trace);
}
