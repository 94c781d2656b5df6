//===- ConstraintsTest.cpp - Every rule has one message -------------------===//

#include "cclc/Limits/Constraints.h"

#include <catch2/catch.hpp>

#include <set>

using namespace cclc;

namespace {
struct Case {
  Rule rule;
  Limit limit;
  const char
      *message; ///< for 8 found at "HERE" with a limit of 7; for forbidden constructs, 1 and 0
  bool forbidden = false;
};

const Case cases[] = {
    {Rule::Ranks, Limit::Ranks, "8 ranks, the limit is 7; use fewer ranks (cclc --ranks)"},
    {Rule::Channels, Limit::Channels,
     "8 channels, the limit is 7; use fewer channels or instances (cclc --max-channels, "
     "--instances)"},
    {Rule::ChannelNumber, Limit::ChannelNumber,
     "8 as the channel of HERE, the limit is 7; use fewer channels or instances (cclc "
     "--max-channels, "
     "--instances)"},
    {Rule::Threadblocks, Limit::Threadblocks,
     "8 threadblocks on HERE, the limit is 7; use fewer channels or instances (cclc "
     "--max-threadblocks, "
     "--instances)"},
    {Rule::Steps, Limit::Steps,
     "8 steps in one threadblock on HERE, the limit is 7; spread the work over more channels "
     "(cclc --max-channels)"},
    {Rule::Count, Limit::Count, "8 chunks in one step, the limit is 7; split the operation"},
    {Rule::Outgoing, Limit::QueuePairs,
     "8 outgoing connections on HERE, the limit is 7; use fewer neighbours or channels "
     "(cclc --max-channels)"},
    {Rule::Incoming, Limit::QueuePairs,
     "8 incoming connections on HERE, the limit is 7; use fewer neighbours or channels "
     "(cclc --max-channels)"},
    {Rule::OutgoingOfChannel, Limit::ConnectionsOfChannel,
     "8 outgoing connections of HERE, the limit is 7; use more channels (cclc --max-channels)"},
    {Rule::IncomingOfChannel, Limit::ConnectionsOfChannel,
     "8 incoming connections of HERE, the limit is 7; use more channels (cclc --max-channels)"},
    {Rule::WaitTarget, Limit::WaitTarget,
     "8 as the number of a threadblock to wait for, the limit is 7; use fewer threadblocks of a "
     "rank (cclc --max-threadblocks)"},
    {Rule::ChunkIndex, Limit::ChunkIndex,
     "8 as the index of a HERE, the limit is 7; use fewer chunks or instances (cclc --instances)"},
    {Rule::Slots, Limit::Slots, "8 slots needed, the limit is 7 with HERE; compile with --slots 7"},
    {Rule::FusedReceives, Limit::FusedReceives,
     "there is no kernel for 'HERE'; compile it with --fused-ops=lower", true},
    {Rule::TcmBytes, Limit::TcmBytes,
     "8 bytes of TCM on HERE, the limit is 7; use fewer ranks, chunks or channels (cclc --ranks, "
     "--max-channels)"},
    {Rule::SramBytes, Limit::SramBytes,
     "8 bytes of SRAM on HERE, the limit is 7; use fewer ranks, chunks or channels (cclc --ranks, "
     "--max-channels)"},
    {Rule::HbmBytes, Limit::HbmBytes,
     "8 bytes of HBM on HERE, the limit is 7; use fewer ranks, chunks or channels (cclc --ranks, "
     "--max-channels)"},
    {Rule::MemoryBytes, Limit::MemoryBytes,
     "8 bytes of memory on HERE, the limit is 7; use fewer ranks, chunks or channels (cclc "
     "--ranks, "
     "--max-channels)"},
    {Rule::IntraQueues, Limit::IntraQueues,
     "8 intra queues of HERE, the limit is 7; share queues (--multiplex-queues)"},
    {Rule::CubeQueues, Limit::CubeQueues,
     "8 cube queues of HERE, the limit is 7; share queues (--multiplex-queues)"},
    {Rule::GlobalQueues, Limit::GlobalQueues,
     "8 global queues of HERE, the limit is 7; share queues (--multiplex-queues)"},
    {Rule::NeededChannels, Limit::Channels,
     "HERE take 8 channels, the limit is 7; use fewer chunks or instances (cclc --instances)"},
    {Rule::Neighbours, Limit::Threadblocks,
     "HERE 8 ranks, a threadblock each, the limit is 7; use fewer ranks (cclc --ranks)"},
    {Rule::NeededThreadblocks, Limit::Threadblocks,
     "HERE take 8 threadblocks, the limit is 7; use fewer ranks, chunks or instances (cclc "
     "--ranks, "
     "--instances)"},
    {Rule::NeededElements, Limit::Elements,
     "HERE take 8 XML elements, the limit is 7; use fewer ranks, chunks or instances (cclc "
     "--ranks, "
     "--instances)"},
    {Rule::ResidualAdds, Limit::ResidualAdds, "there is no step 'ra'; only msccl has residual adds",
     true},
    {Rule::MergedReductions, Limit::MergedReductions,
     "8 reductions that are merged into one, the limit is 7; publish in the step before it"},
    {Rule::Elements, Limit::Elements,
     "8 XML elements for one rank, the limit is 7; use fewer ranks, chunks or instances (cclc "
     "--ranks, "
     "--instances)"},
    {Rule::NameCharacters, Limit::NameCharacters,
     "8 characters of the name, the limit is 7; rename the program"},
    {Rule::ValueCharacters, Limit::ValueCharacters,
     "8 characters in attribute 'HERE', the limit is 7; shorten it"},
    {Rule::Calls, Limit::Calls,
     "a plan is one call of a collective, and the executor does not alternate generations; compile "
     "every call by itself",
     true},
    {Rule::LL128, Limit::LL128Plans,
     "the executor has no protocol LL128; use Simple or LL (cclc --protocol)", true},
    {Rule::Threads, Limit::Threads,
     "8 threads in a threadblock, the limit is 7; set num_threads_per_block to 7"},
    {Rule::Operations, Limit::Operations,
     "8 operations of HERE, the limit is 7; spread the work over more threadblocks"},
    {Rule::ChannelsOfThreadblock, Limit::ChannelsOfThreadblock,
     "8 memory channels of HERE, the limit is 7; spread them over more threadblocks"},
    {Rule::RemotesOfThreadblock, Limit::RemotesOfThreadblock,
     "8 remote buffers of HERE, the limit is 7; spread them over more threadblocks"},
    {Rule::ChannelsOfOperation, Limit::ChannelsOfOperation,
     "8 channels of HERE, the limit is 7; use several operations"},
    {Rule::SemaphoresOfOperation, Limit::SemaphoresOfOperation,
     "8 semaphores of HERE, the limit is 7; use several operations"},
    {Rule::Sources, Limit::PlacesOfOperation,
     "8 sources of HERE, the limit is 7; use several operations"},
    {Rule::Destinations, Limit::PlacesOfOperation,
     "8 destinations of HERE, the limit is 7; use several operations"},
    {Rule::BarrierNumber, Limit::BarrierNumber,
     "8 as the number of the barrier of HERE, the limit is 7; use fewer barriers"},
};

std::string here() { return "HERE"; }
} // namespace

TEST_CASE("every rule accepts its limit and reports one more than that", "[constraints]") {
  std::set<Rule> tested;
  for (const Case &c : cases) {
    INFO(ruleName(c.rule));
    uint64_t most = c.forbidden ? 0 : 7;
    Constraints constraints("it");
    CHECK_FALSE(constraints.check(c.rule, 1'000'000, here));
    constraints.atMost(c.limit, most);
    CHECK_FALSE(constraints.check(c.rule, most, here));
    std::optional<Breach> breach = constraints.check(c.rule, most + 1, here);
    REQUIRE(breach);
    CHECK(breach->message() == std::string("illegal for it: ") + c.message);
    // No other limit applies.
    constraints = Constraints();
    for (size_t limit = 0; limit < numLimits; ++limit)
      if (static_cast<Limit>(limit) != c.limit)
        constraints.forbid(static_cast<Limit>(limit));
    CHECK_FALSE(constraints.check(c.rule, most + 1, here));
    tested.insert(c.rule);
  }
  CHECK(tested.size() == numRules);
}

TEST_CASE("a negative number in a file exceeds every limit", "[constraints]") {
  CHECK(Constraints("it").atMost(Limit::Count, 7).check(Rule::Count, -1)->text ==
        "-1 chunks in one step, the limit is 7");
}

TEST_CASE("the stricter limit is used, and its owner is reported", "[constraints]") {
  Constraints machine("target ring"), runtime("msccl");
  machine.atMost(Limit::Channels, 4).atMost(Limit::Count, 100).atMost(Limit::QueuePairs, 3);
  runtime.atMost(Limit::Channels, 32).atMost(Limit::Count, 71).atMost(Limit::Steps, 256);
  for (bool swapped : {false, true}) {
    Constraints both = swapped ? runtime : machine;
    both.combine(swapped ? machine : runtime);
    CHECK(both.most(Limit::Channels) == 4);
    CHECK(both.most(Limit::Count) == 71);
    CHECK(both.most(Limit::QueuePairs) == 3);
    CHECK(both.most(Limit::Steps) == 256);
    CHECK_FALSE(both.most(Limit::Threadblocks));
    CHECK(both.check(Rule::Channels, 5)->owner == "target ring");
    CHECK(both.check(Rule::Count, 72)->owner == "msccl");
    Constraints some = both.only({Limit::Count});
    CHECK(some.most(Limit::Count) == 71);
    CHECK_FALSE(some.most(Limit::Channels));
  }
  machine.atMost(Limit::Channels, 9).atMost(Limit::Channels, std::nullopt);
  CHECK(machine.most(Limit::Channels) == 4);
}
