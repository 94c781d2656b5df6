//===- ClosedFormsTest.cpp - Costs of algorithms by their formulas --------===//
//
// Messages, chunks sent by a rank, dependent messages (rounds) and the critical
// path of the plan with one unit per step are compared with closed forms for any
// number of ranks.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include <bit>
#include <cmath>
#include <deque>

using namespace cclc;
using namespace cclc::test;

namespace {

struct Cost {
  uint64_t messages = 0;
  uint64_t chunks = 0;       ///< sent by all ranks together
  uint64_t chunksOfRank = 0; ///< the maximum over the ranks
  uint32_t rounds = 0;       ///< the longest chain of dependent messages
  uint32_t units = 0;        ///< the longest path, one unit per step other than `nop`
};

/// The largest number of messages in a chain that any chunk of data depends on.
uint32_t roundsOf(const ChunkProgram &program) {
  const CellSpace cells = program.cells(program.info().placements.list().front());
  std::vector<uint32_t> depth(cells.size(), 0);
  uint32_t deepest = 0;
  for (const ChunkOp &op : program.ops()) {
    const uint64_t from = cells.cell(op.srcRank, program.srcOperand(op));
    const uint64_t to = cells.cell(op.dstRank, program.dstOperand(op));
    // The chunks of one message are sent together.
    uint32_t ready = 0;
    for (uint32_t c = 0; c < op.count; ++c)
      ready = std::max(ready, depth[from + c]);
    for (uint32_t c = 0; c < op.count; ++c) {
      uint32_t before = op.kind == ChunkOpKind::Reduce ? depth[to + c] : 0;
      uint32_t arrived = op.isLocal() ? depth[from + c] : ready + 1;
      depth[to + c] = std::max(before, arrived);
      deepest = std::max(deepest, depth[to + c]);
    }
  }
  return deepest;
}

/// Executes the threadblocks round-robin until none can continue; slots are unlimited.
uint32_t unitsOf(const ExecPlan &plan) {
  const auto threadblocks = plan.threadblocks();
  std::vector<uint32_t> next(threadblocks.size(), 0);
  std::vector<std::vector<uint32_t>> done(threadblocks.size());
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::deque<uint32_t>> messages;
  uint32_t longest = 0;
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t t = 0; t < threadblocks.size(); ++t) {
      const Threadblock &tb = threadblocks[t];
      for (; next[t] < tb.numSteps; ++next[t], progress = true) {
        const Step &step = plan.steps(tb)[next[t]];
        uint32_t start = done[t].empty() ? 0 : done[t].back();
        if (std::optional<Wait> wait = step.wait()) {
          const auto &other = done[plan.firstThreadblock(tb.rank) + wait->tb.index()];
          if (other.size() <= wait->step.index())
            break;
          start = std::max(start, other[wait->step.index()]);
        }
        const uint32_t rank = tb.rank.index(), channel = tb.channel.index();
        if (traits(step.op).receives) {
          auto &queue = messages[{(*tb.recvPeer).index(), rank, channel}];
          if (queue.empty())
            break;
          start = std::max(start, queue.front());
          queue.pop_front();
        }
        const uint32_t end = start + (step.op != OpKind::Nop);
        if (traits(step.op).sends)
          messages[{rank, (*tb.sendPeer).index(), channel}].push_back(end);
        done[t].push_back(end);
        longest = std::max(longest, end);
      }
    }
  }
  for (size_t t = 0; t < threadblocks.size(); ++t)
    REQUIRE(next[t] == threadblocks[t].numSteps);
  return longest;
}

Cost costOf(const Recipe &recipe) {
  Cost cost;
  CompileRequest request = requestFor(recipe);
  request.onChunkProgram = [&](const ChunkProgram &program) { cost.rounds = roundsOf(program); };
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(bundled(recipe.program), request, diags);
  if (failed(outcome))
    FAIL(nameOf(recipe) << ": " << textOf(diags));
  const ExecPlan &plan = outcome->plan;
  for (uint32_t r = 0; r < plan.ranks(); ++r) {
    uint64_t sent = 0;
    for (const Threadblock &tb : plan.threadblocks(RankId(r)))
      for (const Step &step : plan.steps(tb))
        if (traits(step.op).sends) {
          ++cost.messages;
          sent += step.count;
        }
    cost.chunks += sent;
    cost.chunksOfRank = std::max(cost.chunksOfRank, sent);
  }
  cost.units = unitsOf(plan);
  return cost;
}

/// The least n with 2^n >= \p number.
uint32_t log2Ceil(uint32_t number) { return std::bit_width(number - 1); }

/// Ranks are paired until a power of two of groups is left.
struct Folded {
  explicit Folded(uint32_t ranks)
      : groups(std::bit_floor(ranks)), pairs(ranks - groups), steps(log2Ceil(groups)) {}
  uint32_t groups, pairs, steps;
  uint64_t messages() const { return uint64_t(groups) * steps + 2 * pairs; }
  /// Data of one pair reach another one in the last exchange only if both halves of the groups have
  /// pairs; otherwise they arrive one step earlier.
  uint32_t rounds() const { return steps + (pairs > 0) + (pairs > groups / 2); }
};

std::string text(uint64_t number) { return std::to_string(number); }
} // namespace

TEST_CASE("the all-gathers", "[closed-forms]") {
  for (uint32_t R = 1; R <= 33; ++R) {
    INFO(R << " ranks");
    Cost pairs = costOf({"allgather_allpairs", {}, R});
    CHECK(pairs.messages == R * (R - 1));
    CHECK(pairs.chunksOfRank == R - 1);
    CHECK(pairs.rounds == (R > 1));
    CHECK(pairs.units == (R > 1 ? 2 : 0));

    // In a round of n chunks, n-1 ranks have a run that wraps around.
    Cost bruck = costOf({"allgather_bruck", {}, R});
    uint64_t messages = 0;
    for (uint32_t distance = 1; distance < R; distance *= 2)
      messages += R + std::min(distance, R - distance) - 1;
    CHECK(bruck.messages == messages);
    CHECK(bruck.chunks == R * (R - 1));
    CHECK(bruck.chunksOfRank == R - 1);
    // The last round transfers R - 2^k chunks, which may have arrived much earlier.
    const uint32_t last = log2Ceil(R) ? log2Ceil(R) - 1 : 0;
    CHECK(bruck.rounds == (R > 1 ? std::max(last, 1 + log2Ceil(R - (1u << last))) : 0));
    // One step to send and one to receive; of two messages to one rank the second waits.
    CHECK(bruck.units >= 2 * bruck.rounds);
    CHECK(bruck.units <= 4 * bruck.rounds);

    Folded fold(R);
    Cost doubling = costOf({"allgather_recursive_doubling", {}, R});
    CHECK(doubling.messages == fold.messages());
    CHECK(doubling.rounds == fold.rounds());
    CHECK(doubling.units == 2 * doubling.rounds);
    if (!fold.pairs)
      CHECK(doubling.chunksOfRank == R - 1);
  }
}

TEST_CASE("reduce-scatter by halving", "[closed-forms]") {
  for (uint32_t R = 1; R <= 33; ++R) {
    INFO(R << " ranks");
    Folded fold(R);
    Cost halving = costOf({"reducescatter_halving", {}, R});
    CHECK(halving.messages == fold.messages());
    CHECK(halving.rounds == fold.rounds());
    // Of two operands that arrive at the same time one is added after the other.
    CHECK(halving.units >= 2 * halving.rounds);
    CHECK(halving.units <= 2 * halving.rounds + (fold.pairs > 0));
    if (!fold.pairs)
      CHECK(halving.chunksOfRank == R - 1);
  }
}

TEST_CASE("Bruck's all-to-all", "[closed-forms]") {
  for (uint32_t radix : {2, 3, 4, 8, 64})
    for (uint32_t R = 1; R <= 33; ++R) {
      INFO(R << " ranks, radix " << radix);
      uint64_t digits = 0, rounds = 0, hops = 0;
      for (uint64_t power = 1; power < R; power *= radix, ++digits)
        rounds += std::min<uint64_t>(radix - 1, (R - 1) / power);
      for (uint32_t offset = 1; offset < R; ++offset)
        for (uint32_t rest = offset; rest; rest /= radix)
          hops += rest % radix != 0;
      for (const char *buffers : {"in_place", "out_of_place"}) {
        Cost bruck = costOf({"alltoall_bruck", {{"radix", text(radix)}, {"buffers", buffers}}, R});
        CHECK(bruck.messages == R * rounds);
        CHECK(bruck.chunksOfRank == hops);
        // The chain is shorter if few offsets have the last digit.
        CHECK(bruck.rounds <= digits);
        if (std::pow(radix, digits) == R)
          CHECK(bruck.rounds == digits);
      }
    }
}

TEST_CASE("the all-to-alls by node", "[closed-forms]") {
  for (uint32_t N = 1; N <= 9; ++N)
    for (uint32_t G : {1, 2, 3, 4}) {
      INFO(N << " nodes of " << G);
      const std::vector<std::pair<std::string, std::string>> parameters = {
          {"nodes", text(N)}, {"ranks_per_node", text(G)}};
      const uint64_t across = N * (N - 1), inside = uint64_t(N) * G * (G - 1);

      Cost two = costOf({"alltoall_two_step", parameters});
      CHECK(two.messages == inside * N + across * G);
      CHECK(two.chunks == inside * N + across * G * G);
      CHECK(two.chunksOfRank == N * (G - 1) + (N - 1) * G);
      CHECK(two.rounds == uint32_t(N > 1) + (G > 1));

      // Gathering and scattering the blocks of each pair of nodes, and the direct messages.
      Cost three = costOf({"alltoall_three_step", parameters});
      CHECK(three.messages == inside + across * (2 * (G - 1) + 1));
      CHECK(three.chunks == inside + across * (2 * (G - 1) * G + G * G));
      CHECK(three.rounds == (N == 1 ? (G > 1) : G > 1 ? 3 : 1));
    }
}

TEST_CASE("the all-reduce of grids", "[closed-forms]") {
  for (auto [R, width, height] :
       {std::tuple(6u, 3u, 2u), {7u, 7u, 1u}, {12u, 4u, 3u}, {16u, 4u, 4u}})
    for (uint32_t C : {1, 3}) {
      INFO(R << " ranks, " << C << " chunks");
      // A ring has two trees, with twice as many chunks.
      const uint32_t hops = width - 1 + height - 1, trees = 4;
      Cost grid = costOf({"allreduce_grid", {{"chunks", text(C)}, {"batch", "1000"}}, R});
      // One message for all roots that have an edge in common.
      CHECK(grid.messages == 2 * R * hops * trees * C);
      CHECK(grid.rounds == 2 * hops);
      // One message for every chunk: no grid is given, so that this is the default.
      Cost single = costOf({"allreduce_grid", {{"chunks", text(C)}}, R});
      CHECK(single.messages == grid.chunks);
      CHECK(single.chunks == grid.chunks);
      if (width == height || height == 1)
        CHECK(grid.chunks == uint64_t(2) * R * (R - 1) * trees * C);
    }
}

TEST_CASE("the all-to-alls by dimension and by intermediate ranks", "[closed-forms]") {
  for (auto [R, width, height] :
       {std::tuple(6u, 3u, 2u), {7u, 7u, 1u}, {12u, 4u, 3u}, {16u, 4u, 4u}}) {
    INFO(R << " ranks");
    const uint32_t peers = width - 1 + height - 1;
    Cost grid = costOf({"alltoall_grid", {}, R});
    CHECK(grid.messages == R * peers);
    CHECK(grid.chunks == R * ((width - 1) * height + (height - 1) * width));

    // Steps of two ranks exchange half of the chunks.
    if (R == 16) {
      Cost halves = costOf({"alltoall_grid", {{"radix", "2"}, {"channels", "1"}}, R});
      CHECK(halves.messages == R * 4);
      CHECK(halves.chunks == R * 4 * R / 2);
    }

    // For every other rank, two of the R intermediate ranks are the sender or the receiver.
    Cost valiant = costOf({"alltoall_valiant", {{"chunks", text(R)}}, R});
    CHECK(valiant.chunks == uint64_t(R) * (R - 1) * (2 * (R - 2) + 2));
  }
}

TEST_CASE("all-to-next", "[closed-forms]") {
  for (uint32_t N = 1; N <= 4; ++N)
    for (uint32_t G : {1, 2, 3, 8}) {
      INFO(N << " nodes of " << G);
      Cost cost = costOf({"alltonext", {{"nodes", text(N)}, {"ranks_per_node", text(G)}}});
      // Of the G parts of a buffer, one is sent without a previous hop inside the node, and one
      // without a following hop.
      CHECK(cost.messages == N * (G - 1) + (N - 1) * (G + 2 * (G - 1)));
      CHECK(cost.chunks == N * (G - 1) * G + (N - 1) * (G + 2 * (G - 1)));
      CHECK(cost.rounds == (N > 1 ? std::min(G, 3u) : (G > 1)));
    }
}

TEST_CASE("a pipelined broadcast", "[closed-forms]") {
  for (uint32_t R : {1, 2, 3, 8, 13})
    for (uint32_t C : {1, 2, 7, 16})
      for (uint32_t root : {0u, R - 1}) {
        INFO(R << " ranks, " << C << " chunks, root " << root);
        Cost cost = costOf({"broadcast_pipeline", {{"chunks", text(C)}, {"root", text(root)}}, R});
        CHECK(cost.messages == C * (R - 1));
        CHECK(cost.chunksOfRank == (R > 1 ? C : 0));
        CHECK(cost.rounds == R - 1);
        // A send, R-2 ranks that receive and send in one step, a receive; then one step per chunk.
        CHECK(cost.units == (R > 1 ? R + C - 1 : 0));
      }
}

TEST_CASE("a pipelined broadcast in both directions", "[closed-forms]") {
  for (uint32_t R : {1, 2, 3, 8, 13})
    for (uint32_t C : {1, 2, 7, 16})
      for (uint32_t root : {0u, R - 1}) {
        INFO(R << " ranks, " << C << " chunks of a half, root " << root);
        Cost cost = costOf(
            {"broadcast_bidirectional_pipeline", {{"chunks", text(C)}, {"root", text(root)}}, R});
        // Each half as in one chain, at the same time.
        CHECK(cost.messages == 2 * C * (R - 1));
        CHECK(cost.chunksOfRank == (R > 1 ? 2 * C : 0));
        CHECK(cost.rounds == R - 1);
        CHECK(cost.units == (R > 1 ? R + C - 1 : 0));
      }
}

TEST_CASE("scans", "[closed-forms]") {
  for (const char *prefix : {"", "ex"})
    for (uint32_t R : {1, 2, 3, 4, 5, 8, 13, 16, 33}) {
      INFO(prefix << "scan, " << R << " ranks");
      const std::string name = std::string(prefix) + "scan_";
      for (uint32_t C : {1, 2, 7}) {
        Cost chain = costOf({name + "chain", {{"chunks", text(C)}}, R});
        CHECK(chain.messages == C * (R - 1));
        CHECK(chain.chunksOfRank == (R > 1 ? C : 0));
        CHECK(chain.rounds == R - 1);
      }
      // At each distance, all ranks that have a rank at that distance send to it.
      Cost doubling = costOf({name + "recursive_doubling", {}, R});
      uint32_t steps = 0, messages = 0;
      for (uint32_t distance = 1; distance < R; distance *= 2, ++steps)
        messages += R - distance;
      CHECK(doubling.messages == messages);
      CHECK(doubling.chunksOfRank == steps);
      // Where R is not a power of two, the messages at the largest distance have few data.
      CHECK(doubling.rounds == uint32_t(std::bit_width(R)) - 1);
    }
}

TEST_CASE("binomial gather and scatter", "[closed-forms]") {
  for (const char *program : {"gather_binomial", "scatter_binomial"})
    for (uint32_t R = 1; R <= 33; ++R)
      for (uint32_t root : {0u, R / 2, R - 1}) {
        INFO(program << ", " << R << " ranks, root " << root);
        Cost cost = costOf({program, {{"root", text(root)}}, R});
        // The number of levels of a subtree is that of the trailing zeros of its root; the number
        // of messages from the root to i is that of the one bits of i.
        uint64_t chunks = 0, largest = 0;
        int deepest = 0;
        for (uint32_t i = 1; i < R; ++i) {
          deepest = std::max(deepest, std::popcount(i));
          uint64_t subtree = std::min(i & -i, R - i);
          chunks += subtree;
          largest = std::max(largest, subtree);
        }
        CHECK(cost.messages == R - 1);
        CHECK(cost.chunks == chunks);
        CHECK(cost.chunksOfRank == (program[0] == 's' ? R - 1 : largest));
        CHECK(cost.rounds == uint32_t(deepest));
      }
}
