//===- ExecutorTest.cpp - Limits and deviations of the MSCCL++ executor ---===//

#include "Files.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::test;
using llvm::formatv;

namespace {
std::string repeated(const std::string &text, size_t times, const char *separator = ",") {
  std::string result;
  for (size_t i = 0; i < times; ++i)
    result += (i ? separator : "") + text;
  return result;
}

/// One rank whose first threadblock has the given operations.
std::string oneRank(const std::string &ops, const std::string &more = "",
                    const std::string &semaphores = "") {
  return formatv("{{\"name\": \"one\", \"collective\": \"test\", \"protocol\": \"Simple\", "
                 "\"inplace\": false,\n\"gpus\": [{{\"id\": 0, \"input_chunks\": 16, "
                 "\"output_chunks\": 16, \"scratch_chunks\": 16, \"semaphores\": [{2}], "
                 "\"threadblocks\": [{{\"id\": 0, \"ops\": [\n{0}]}{1}]}]}\n",
                 ops, more, semaphores);
}

/// Empty threadblocks after the first one, for a total of \p count.
std::string moreThreadblocks(int count) {
  std::string more;
  for (int t = 1; t < count; ++t)
    more += formatv(",{{\"id\": {0}, \"ops\": []}", t);
  return more;
}

/// Two ranks; the first one has the given operations, and \p channels channels to the second one.
std::string twoRanks(const std::string &ops, size_t channels = 1, size_t buffers = 3,
                     const std::string &header = "") {
  std::string ids, remotes;
  for (size_t c = 0; c < channels; ++c)
    ids += (c ? "," : "") + std::to_string(c);
  for (size_t b = 0; b < buffers; ++b)
    remotes += (b ? "," : "") + std::to_string(b);
  std::string buffer = "{\"rank\": 1, \"type\": \"s\", \"access_channel_types\": [\"memory\"]}";
  return formatv(
      "{{\"name\": \"two\", \"collective\": \"test\", \"protocol\": \"Simple\", \"inplace\": "
      "false,{4}\n\"gpus\": [{{\"id\": 0, \"input_chunks\": 16, \"output_chunks\": 16, "
      "\"scratch_chunks\": 16, \"channels\": [{{\"channel_type\": \"memory\", \"connected_to\": "
      "[{1}]}], \"remote_buffers\": [{2}],\n\"threadblocks\": [{{\"id\": 0, \"channels\": "
      "[{{\"channel_type\": \"memory\", \"channel_ids\": [{3}]}], \"remote_buffer_refs\": "
      "[{{\"access_channel_type\": \"memory\", \"remote_buffer_ids\": [{5}]}], \"ops\": "
      "[\n{0}]}]},\n"
      "{{\"id\": 1, \"input_chunks\": 16, \"output_chunks\": 16, \"scratch_chunks\": 16, "
      "\"threadblocks\": []}]}\n",
      ops, repeated("1", channels), repeated(buffer, buffers), ids, header, remotes);
}

const std::string copy = "{\"name\": \"copy\", \"src_buff\": [{\"type\": \"i\", \"index\": 0, "
                         "\"size\": 1}], \"dst_buff\": [{\"type\": \"o\", \"index\": 0, \"size\": "
                         "1}]}";
std::string local(uint32_t index, char buffer = 'i') {
  return formatv("{{\"type\": \"{0}\", \"index\": {1}, \"size\": 1}", buffer, index);
}
std::string remote(uint32_t index, uint32_t id = 0) {
  return formatv("{{\"buffer_id\": {0}, \"index\": {1}, \"size\": 1}", id, index);
}
std::string op(const char *name, const std::string &sources, const std::string &destinations) {
  return formatv("{{\"name\": \"{0}\", \"src_buff\": [{1}], \"dst_buff\": [{2}], "
                 "\"channel_type\": \"memory\"}",
                 name, sources, destinations);
}
} // namespace

TEST_CASE("violated limits of the executor are reported with value and remedy", "[mscclpp]") {
  struct Case {
    std::string text, message;
  };
  std::string nop = "{\"name\": \"nop\"}";
  const Case cases[] = {
      {oneRank(repeated(copy, 65, ",\n")), "plan:67:1: error: illegal for mscclpp: 65 operations "
                                           "of r0 tb0, the limit is 64; spread the "
                                           "work over more threadblocks\n"},
      {oneRank(nop, moreThreadblocks(109)),
       "plan: error: illegal for mscclpp: 109 threadblocks on r0, the limit is 108; use fewer "
       "channels or instances (cclc --max-threadblocks, --instances)\n"},
      {oneRank("{\"name\": \"sem_release\", \"semaphore_ids\": "
               "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}",
               "", repeated("{\"init_value\": 0}", 17)),
       "plan:3:1: error: illegal for mscclpp: 17 semaphores of r0 tb0 op 0 (sem_release), the "
       "limit "
       "is 16; use several operations\n"},
      {oneRank("{\"name\": \"barrier\", \"barrier_id\": 16, \"num_threadblocks\": 1}"),
       "plan:3:1: error: illegal for mscclpp: 16 as the number of the barrier of r0 tb0 op 0 "
       "(barrier), the limit is 15; use fewer barriers\n"},
      {twoRanks(nop, 17), "plan: error: illegal for mscclpp: 17 memory channels of r0 tb0, the "
                          "limit is 16; spread them "
                          "over more threadblocks\n"},
      {twoRanks(nop, 1, 17), "plan: error: illegal for mscclpp: 17 remote buffers of r0 tb0, the "
                             "limit is 16; spread them "
                             "over more threadblocks\n"},
      {twoRanks("{\"name\": \"signal\", \"channel_ids\": [0,1,2,3,4,5,6,7,8], \"channel_type\": "
                "\"memory\"}",
                9),
       "plan:4:1: error: illegal for mscclpp: 9 channels of r0 tb0 op 0 (signal), the limit is 8; "
       "use several operations\n"},
      {twoRanks(op("put", repeated(local(0), 11), repeated(remote(0), 11))),
       "plan:4:1: error: illegal for mscclpp: 11 sources of r0 tb0 op 0 (put), the limit is 10; "
       "use "
       "several operations\n"},
      {with(twoRanks(op("rppkt", local(0, 's'), repeated(remote(0), 11))), "Simple", "LL"),
       "plan:4:1: error: illegal for mscclpp: 11 destinations of r0 tb0 op 0 (rppkt), the limit is "
       "10; use several operations\n"},
      {oneRank(op("re", repeated(local(0), 11), local(0, 'o'))),
       "plan:3:1: error: illegal for mscclpp: 11 sources of r0 tb0 op 0 (re), the limit is 10; use "
       "several operations\n"},
      {with(oneRank(nop), "\"output_chunks\": 16", "\"output_chunks\": 0"),
       "plan: error: illegal for mscclpp: r0 has 0 output chunks, by which the executor divides; "
       "set the number of chunks of the buffer, even if it is unused\n"},
      {twoRanks(nop, 1, 1, "\"num_threads_per_block\": 2048,"),
       "plan: error: illegal for mscclpp: 2048 threads in a threadblock, the limit is 1024; set "
       "num_threads_per_block to 1024\n"},
      {twoRanks(nop, 1, 1, "\"num_threads_per_block\": 1025,"),
       "plan: error: illegal for mscclpp: 1025 threads in a threadblock, the limit is 1024; set "
       "num_threads_per_block to 1024\n"},
      {twoRanks(nop, 1, 1, "\"num_threads_per_block\": 0,"),
       "plan: error: illegal for mscclpp: threadblocks without threads; set num_threads_per_block "
       "to 1024\n"},
      {twoRanks(nop, 1, 1, "\"buffer_alignment\": 8,"),
       "plan: error: illegal for mscclpp: a buffer alignment of 8 bytes: the executor adds and "
       "copies "
       "16 bytes at a time; use a multiple of 16\n"},
  };
  for (const Case &c : cases)
    CHECK(judge(c.text) == "illegal: " + c.message);
}

TEST_CASE("plans exactly at the limits are accepted", "[mscclpp]") {
  DiagnosticEngine diags;
  std::string nop = "{\"name\": \"nop\"}";
  for (const std::string &text :
       {oneRank(repeated(nop, 64, ",\n"), "", repeated("{\"init_value\": 0}", 112)),
        twoRanks("{\"name\": \"signal\", \"channel_ids\": [0,1,2,3,4,5,6,7], \"channel_type\": "
                 "\"memory\"},\n" +
                     op("put", repeated(local(0), 10), repeated(remote(0), 10)),
                 16, 16),
        oneRank(op("re", repeated(local(0), 10), local(0, 'o'))),
        with(twoRanks(op("rppkt", local(0, 's'), repeated(remote(0), 10))), "Simple", "LL"),
        oneRank(nop, moreThreadblocks(108)),
        oneRank("{\"name\": \"sem_release\", \"semaphore_ids\": "
                "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}",
                "", repeated("{\"init_value\": 0}", 16)),
        oneRank("{\"name\": \"barrier\", \"barrier_id\": 15, \"num_threadblocks\": 1}"),
        twoRanks(nop, 1, 1, "\"num_threads_per_block\": 1024,\"buffer_alignment\": 16,")})
    CHECK(succeeded(mscclpp::checkExecutor(readGoodMscclpp(text), diags)));
  CHECK(textOf(diags) == "");
}

TEST_CASE("operations that the executor executes differently are rejected", "[mscclpp]") {
  struct Case {
    std::string text, message;
  };
  const Case cases[] = {
      {twoRanks(op("get", remote(1), local(2))),
       "plan:4:1: error: illegal for mscclpp: r0 tb0 op 0 (get) reads chunk 1 into chunk 2, but "
       "the executor uses one index for both; use the same chunk, or a put\n"},
      {twoRanks(op("put", local(0) + "," + local(0, 'o'), remote(0) + "," + remote(1))),
       "plan:4:1: error: illegal for mscclpp: r0 tb0 op 0 (put) has sources in different buffers, "
       "but the executor reads all from the first one; use several operations\n"},
      {twoRanks(op("ppkt", local(0), remote(0))),
       "plan:4:1: error: illegal for mscclpp: r0 tb0 op 0 (ppkt) uses packets, which the executor "
       "supports only in protocol LL\n"},
      {twoRanks(op("put", local(0), remote(0)), 1, 1, "\"use_double_scratch_buffer\": true,"),
       "plan:4:1: error: illegal for mscclpp: r0 tb0 op 0 (put) accesses scratch of another rank "
       "without packets, which the executor does not support with a double scratch buffer; use "
       "packets "
       "or "
       "a single scratch buffer\n"},
  };
  for (const Case &c : cases)
    CHECK(judge(c.text) == "illegal: " + c.message);
}
