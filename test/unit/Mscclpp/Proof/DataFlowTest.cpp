//===- DataFlowTest.cpp - The ordering guarantees of packets --------------===//

#include "Mscclpp/Files.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::test;
using llvm::formatv;

namespace {
std::string place(char buffer, uint32_t index, uint32_t count = 1) {
  return formatv("{{\"type\": \"{0}\", \"index\": {1}, \"size\": {2}}", buffer, index, count);
}
/// Scratch of a peer, by the number of the remote buffer.
std::string remote(uint32_t index, uint32_t count = 1, uint32_t buffer = 0) {
  return formatv("{{\"buffer_id\": {0}, \"index\": {1}, \"size\": {2}}", buffer, index, count);
}
std::string op(const char *name, const std::string &sources, const std::string &destinations) {
  return formatv("{{\"name\": \"{0}\", \"src_buff\": [{1}], \"dst_buff\": [{2}], "
                 "\"channel_type\": \"memory\"}",
                 name, sources, destinations);
}
const std::string nop = "{\"name\": \"nop\"}";
const std::string release = "{\"name\": \"sem_release\", \"semaphore_ids\": [0]}";
const std::string acquire = "{\"name\": \"sem_acquire\", \"semaphore_ids\": [0]}";

using Threadblocks = std::vector<std::vector<std::string>>;

/// A plan with the threadblocks of each rank. Remote buffer 0 of a rank is scratch of the next
/// rank, 1 that of the rank after it, and so on; they are followed by the inputs in the same order.
std::string plan(const std::vector<Threadblocks> &ranks, const char *collective, uint32_t chunks,
                 bool doubleScratch = false, uint32_t input = 0) {
  std::string text = formatv("{{\"name\": \"flow\", \"collective\": \"{0}\", \"protocol\": \"LL\", "
                             "\"inplace\": true, \"use_double_scratch_buffer\": {1}, \"gpus\": [",
                             collective, doubleScratch ? "true" : "false");
  for (size_t r = 0; r < ranks.size(); ++r) {
    std::string peers, buffers, ids;
    for (const char *type : {"s", "i"})
      for (size_t i = 1; i < ranks.size(); ++i) {
        size_t peer = (r + i) % ranks.size();
        if (*type == 's')
          peers += (i > 1 ? "," : "") + std::to_string(peer);
        buffers += formatv("{0}{{\"rank\": {1}, \"type\": \"{2}\", \"access_channel_types\": "
                           "[\"memory\"]}",
                           buffers.empty() ? "" : ",", peer, type);
        ids += (ids.empty() ? "" : ",") +
               std::to_string((*type == 's' ? 0 : ranks.size() - 1) + i - 1);
      }
    text += formatv("{0}\n{{\"id\": {1}, \"input_chunks\": {2}, \"output_chunks\": {3}, "
                    "\"scratch_chunks\": 8, \"channels\": [{{\"channel_type\": \"memory\", "
                    "\"connected_to\": [{4}]}], \"remote_buffers\": [{5}], \"semaphores\": "
                    "[{{\"init_value\": 0}], \"threadblocks\": [",
                    r ? "," : "", r, input ? input : chunks, chunks, peers, buffers);
    for (size_t t = 0; t < ranks[r].size(); ++t) {
      text += formatv("{0}{{\"id\": {1}, \"channels\": [], \"remote_buffer_refs\": "
                      "[{{\"access_channel_type\": \"memory\", \"remote_buffer_ids\": [{2}]}], "
                      "\"ops\": [",
                      t ? "," : "", t, ids);
      for (size_t o = 0; o < ranks[r][t].size(); ++o)
        text += (o ? ",\n" : "\n") + ranks[r][t][o];
      text += "]}";
    }
    text += "]}";
  }
  return text + "]}\n";
}

/// Rank \p r of a two-phase all-reduce of 2 ranks: one threadblock sends the peer's half, one
/// reduces the own half and sends the sum, one receives the peer's sum into the half that was sent.
Threadblocks half(uint32_t r, uint32_t count = 1) {
  uint32_t mine = r * count, other = (1 - r) * count;
  return {{op("ppkt", place('i', other, count), remote(0, count))},
          {op("respkt", place('i', mine, count) + "," + place('s', 0, count),
              place('i', mine, count) + "," + remote(2, count))},
          {op("upkt", place('s', 2, count), place('i', other, count))}};
}

/// The verdict if rank 1 reduces and answers with \p threadblocks instead.
std::string answeredBy(const Threadblocks &threadblocks, uint32_t count = 1) {
  Threadblocks other = half(1, count);
  other.erase(other.begin() + 1);
  other.insert(other.end(), threadblocks.begin(), threadblocks.end());
  // Without a post-condition only the order is checked.
  return judge(plan({half(0, count), other}, "test", 2 * count));
}
bool isRaceOn(const std::string &verdict, const char *cell) {
  return StringRef(verdict).starts_with("race: ") &&
         StringRef(verdict).contains("race on " + std::string(cell) + ":");
}
} // namespace

TEST_CASE("a packet orders the accesses that its data depend on", "[mscclpp]") {
  for (bool doubleScratch : {false, true})
    for (uint32_t count : {1, 2})
      CHECK(judge(plan({half(0, count), half(1, count)}, "allreduce", 2 * count, doubleScratch)) ==
            "ok");
  const std::string sum = place('i', 1) + "," + place('s', 0);
  // Through memory of the rank, through packets to itself, and through a wait.
  CHECK(answeredBy({{op("repkt", sum, place('i', 1)), nop,
                     op("ppkt", place('i', 1), remote(2))}}) == "ok");
  CHECK(answeredBy({{op("recpkt", sum, place('i', 1) + "," + place('s', 3)),
                     op("rppkt", place('s', 3), remote(2))}}) == "ok");
  CHECK(answeredBy({{op("upkt", place('s', 0), place('s', 7)), nop,
                     op("ppkt", place('i', 1), remote(2))}}) == "ok");
  CHECK(answeredBy({{op("upkt", place('s', 0), place('s', 7)), nop, release},
                    {acquire, nop, op("ppkt", place('i', 1), remote(2))}}) == "ok");
}

TEST_CASE("a packet does not order accesses that its data do not depend on", "[mscclpp]") {
  const std::string ignores = op("ppkt", place('i', 1), remote(2));
  const std::string sum = place('i', 1) + "," + place('s', 0);
  CHECK(isRaceOn(answeredBy({{ignores}}), "r0:i[1]"));
  CHECK(isRaceOn(answeredBy({{op("upkt", place('s', 0), place('s', 7))}, {ignores}}), "r0:i[1]"));
  // No nop: the threads that answer may differ from the threads that waited.
  CHECK(isRaceOn(answeredBy({{op("upkt", place('s', 0), place('s', 7)), ignores}}), "r0:i[1]"));
  CHECK(isRaceOn(
      answeredBy({{op("upkt", place('s', 0), place('s', 7)), release}, {acquire, nop, ignores}}),
      "r0:i[1]"));
  CHECK(answeredBy({{op("repkt", sum, place('i', 1)), ignores}}) ==
        "race: plan:10:1: error: race on r1:i[1]: r1 tb2 op 0 (repkt) writes it, r1 tb2 op 1 "
        "(ppkt) reads it, and nothing orders the two\n"
        "plan:9:1: note: r1 tb2 op 0 (repkt) is here\n"
        "plan:10:1: note: the threads of a threadblock are not synchronised without a nop between "
        "the two\n");
  // Each chunk separately: the answers to the two are exchanged.
  auto answer = [&](uint32_t chunk, uint32_t slot) {
    return op("respkt", place('i', 2 + chunk) + "," + place('s', chunk),
              place('i', 2 + chunk) + "," + remote(slot));
  };
  CHECK(answeredBy({{answer(0, 2)}, {answer(1, 3)}}, 2) == "ok");
  CHECK(isRaceOn(answeredBy({{answer(0, 3)}, {answer(1, 2)}}, 2), "r0:i[2]"));
}

TEST_CASE("a packet does not order other reads of its threadblock", "[mscclpp]") {
  // r0 reads its chunk 0 and then sends chunk 1; r1 overwrites chunk 0 when chunk 1 has arrived.
  Threadblocks reader = {
      {op("copy", place('i', 0), place('s', 6)), nop, op("ppkt", place('i', 1), remote(0))}};
  Threadblocks writer = {
      {op("upkt", place('s', 0), place('s', 6)), nop, op("put", place('s', 6), remote(0, 1, 1))}};
  CHECK(isRaceOn(judge(plan({reader, writer}, "test", 2)), "r0:i[0]"));
}

TEST_CASE("one packet goes to several ranks", "[mscclpp]") {
  std::vector<Threadblocks> ranks;
  for (uint32_t r = 0; r < 3; ++r) {
    std::vector<std::string> ops = {op("cpkt", place('i', 0), place('s', 4)),
                                    op("rppkt", place('s', 4), remote(r) + "," + remote(r, 1, 1))};
    for (uint32_t other = 0; other < 3; ++other)
      if (other != r)
        ops.push_back(op("upkt", place('s', other), place('o', other)));
    ranks.push_back({ops});
  }
  std::string text = plan(ranks, "allgather", 3, true, 1);
  CHECK(judge(text) == "ok");
  // One destination is missing, and one source is added.
  std::vector<Threadblocks> fewer = ranks;
  fewer[0][0][1] = op("rppkt", place('s', 4), remote(0));
  CHECK(StringRef(judge(plan(fewer, "allgather", 3, true, 1))).starts_with("deadlock: "));
  fewer[0][0][1] = op("rppkt", place('s', 4) + "," + place('s', 5), remote(0));
  CHECK(judge(plan(fewer, "allgather", 3, true, 1)) ==
        "malformed: plan:4:1: error: r0 tb0 op 1 (rppkt) takes 1 source, not 2\n");
}

TEST_CASE("the chunks of one operation are unordered", "[mscclpp]") {
  auto copied = [](const std::string &from, const std::string &to) {
    return judge(plan({{{op("copy", from, to)}}, {}}, "test", 4));
  };
  CHECK(copied(place('i', 0, 2), place('i', 2, 2)) == "ok");
  CHECK(copied(place('i', 1), place('i', 1)) == "ok");
  for (auto [from, to] : {std::pair(0, 1), std::pair(1, 0)})
    CHECK(StringRef(copied(place('i', from, 2), place('i', to, 2)))
              .starts_with("race: plan:3:1: error: race on r0:i[1]: r0 tb0 op 0 (copy) reads it, "
                           "r0 tb0 op 0 (copy) writes it, and nothing orders the two\n"));
}
