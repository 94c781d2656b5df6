// All-gather in one step: every rank sends to every other rank, with one threadblock per peer.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

/// Threadblocks are numbered without a gap: there is none for the rank's own number.
static int threadblockFor(int peer, int rank) { return peer < rank ? peer : peer - 1; }

static void trace(Program &p) {
  for (int from = 0; from < p.ranks(); ++from)
    for (int to = 0; to < p.ranks(); ++to)
      if (from != to)
        p.chunk(from, Input, 0)
            .copy(to, Output, from,
                  {.sendTb = threadblockFor(to, from), .recvTb = threadblockFor(from, to)});
}

CCLC_PROGRAM(allgather_allpairs) { d.collective(AllGather).body(trace); }
