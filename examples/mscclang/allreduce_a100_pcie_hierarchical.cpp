// All-reduce of two columns of ranks: all pairs in each column, whose links are the faster ones,
// then in each row, and back in reverse order. Every phase has a separate scratch buffer: in a
// shared one the second phase would add values that the first phase has left.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
using Group = std::vector<int>;

/// Reduces part i of [begin, begin + n * size), which has \p size chunks, at member i.
void reduceScatter(Program &p, const Group &ranks, Buffer scratch, int begin, int size) {
  const int n = ranks.size();
  for (int from : ranks)
    for (int to = 0; to < n; ++to)
      if (ranks[to] != from)
        p.chunk(from, Input, begin + to * size, size)
            .copy(ranks[to], scratch, {.sendTb = ranks[to], .recvTb = from});
  for (int i = 0; i < n; ++i)
    for (int index = 0; index < size * (n - 1); ++index)
      p.chunk(ranks[i], Input, begin + i * size + index % size)
          .reduce(p.chunk(ranks[i], scratch, index), {.sendTb = index % size});
}

void allGather(Program &p, const Group &ranks, int begin, int size) {
  for (int from = 0; from < int(ranks.size()); ++from)
    for (int to : ranks)
      if (to != ranks[from])
        p.chunk(ranks[from], Input, begin + from * size, size)
            .copy(to, {.sendTb = to, .recvTb = ranks[from]});
}

void trace(Program &p) {
  const int R = p.ranks(), columns = 2, rows = R / columns;
  if (R % columns != 0)
    p.refuse("the ranks must form two columns: there are " + std::to_string(R));
  p.chunks(R * R);
  // Ranks are numbered column by column.
  std::vector<Group> column(columns), row(rows);
  for (int r = 0; r < R; ++r) {
    column[r / rows].push_back(r);
    row[r % rows].push_back(r);
  }
  const int share = R * R / rows; // chunks of a rank after the columns are reduced
  Buffer inColumns = p.scratch("columns"), inRows = p.scratch("rows");
  for (const Group &ranks : column)
    reduceScatter(p, ranks, inColumns, 0, share);
  for (int i = 0; i < rows; ++i)
    reduceScatter(p, row[i], inRows, i * share, share / columns);
  for (int i = 0; i < rows; ++i)
    allGather(p, row[i], i * share, share / columns);
  for (const Group &ranks : column)
    allGather(p, ranks, 0, share);
}
} // namespace

CCLC_PROGRAM(allreduce_a100_pcie_hierarchical) { d.collective(AllReduce).ranks(2, 8).body(trace); }
