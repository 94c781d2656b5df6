//===- JsonTest.cpp - Valid and invalid files of MSCCL++ plans ------------===//

#include "../../support/Lines.h"

#include "Files.h"

using namespace cclc;
using namespace cclc::test;

TEST_CASE("a plan is read unchanged", "[mscclpp]") {
  mscclpp::Plan plan = readGoodMscclpp(reduceByPackets);
  CHECK(plan.header().name == "reduce");
  CHECK(plan.header().collective == Collective(CollectiveKind::AllReduce, 2, 2));
  CHECK(plan.header().protocol == Protocol::LL);
  CHECK(plan.header().inPlace);
  CHECK(plan.header().doubleScratch);
  CHECK(plan.header().bufferAlignment == 16);
  CHECK(plan.header().threadsPerBlock == 1024);
  CHECK_FALSE(plan.header().maxBytes.has_value());
  REQUIRE(plan.ranks().size() == 2);
  REQUIRE(plan.threadblocks().size() == 2);
  REQUIRE(plan.ops().size() == 6);
  const mscclpp::Operation &put = plan.ops()[3];
  CHECK(put.op == mscclpp::OpKind::PutPackets);
  CHECK(plan.locate(PlanOpId(3)) == Location{"plan", 20, 1});
  CHECK(plan.sources(put).front() == mscclpp::Place{std::nullopt, Buffer::Input, 0, 2});
  CHECK(plan.destinations(put).front() == mscclpp::Place{0, Buffer::Scratch, 0, 2});
  CHECK(plan.owner(plan.threadblocks()[1], put, plan.destinations(put).front()) == RankId(0));
}

TEST_CASE("collectives are recognised by name and chunks", "[mscclpp]") {
  CHECK(readGoodMscclpp(gatherByPut).header().collective ==
        Collective(CollectiveKind::AllGather, 2, 1));
  std::string scatter = with(gatherByPut, "allgather", "reducescatter");
  for (int rank = 0; rank < 2; ++rank)
    scatter = with(scatter, "\"input_chunks\": 1, \"output_chunks\": 2",
                   "\"input_chunks\": 4, \"output_chunks\":  2");
  CHECK(readGoodMscclpp(scatter).header().collective ==
        Collective(CollectiveKind::ReduceScatter, 2, 2));
  mscclpp::Plan custom = readGoodMscclpp(with(gatherByPut, "allgather", "test"));
  CHECK_FALSE(custom.header().collective.hasPostCondition());
  CHECK(custom.header().collectiveName == "test");
  // A root key that only cclc writes.
  std::string rooted =
      with(with(relay, "allreduce", "broadcast"), "\"gpus\"", "\"root\": 0, \"gpus\"");
  CHECK(readGoodMscclpp(rooted).header().collective.root() == RankId(0));
}

TEST_CASE("the format of a file follows from its first keys", "[mscclpp]") {
  CHECK(mscclpp::looksLikePlan(gatherByPut));
  CHECK(mscclpp::looksLikePlan("\xef\xbb\xbf {\"x\": [{\"format\": 1}], \"gpus\": []"));
  CHECK_FALSE(mscclpp::looksLikePlan("{\"format\": \"cclc-plan\", \"gpus\": []}"));
  CHECK_FALSE(mscclpp::looksLikePlan("{\"x\": {\"gpus\": []}}"));
  CHECK_FALSE(mscclpp::looksLikePlan("{\"x\": 1"));
  CHECK_FALSE(mscclpp::looksLikePlan("[\"gpus\"]"));
  CHECK_FALSE(mscclpp::looksLikePlan("<algo/>"));
  CHECK_FALSE(mscclpp::looksLikePlan(jsonOf(compiled({"allgather_ring", {}, 2}))));
}

TEST_CASE("incorrect files are rejected with line and column", "[mscclpp]") {
  struct Case {
    std::string from, to, message;
  };
  std::string nop = "{\"name\": \"nop\"}";
  const Case cases[] = {
      {"\"name\": \"gather\",", "", "plan:1:1: error: 'name' is missing\n"},
      {"\"name\": \"gather\"", "\"name\": 3",
       "plan:2:9: error: 'name' takes a string, not a whole "
       "number\n"},
      {"\"inplace\"", "\"place\"",
       "plan:2:81: warning: key 'place' is unknown and ignored\n"
       "plan:1:1: error: 'inplace' is missing\n"},
      {"\"inplace\": false", "\"inplace\": 0",
       "plan:2:79: error: 'inplace' takes true or false, not a whole number\n"},
      {"\"inplace\": false", "\"inplace\": false, \"inplace\": true",
       "plan:2:94: error: duplicate key 'inplace'\n"},
      {"\"Simple\"", "\"LL128\"",
       "plan:2:64: error: protocol 'LL128': the executor supports Simple and LL, and treats other "
       "values as Simple\n"},
      {"{\"id\": 0, \"input", "{\"id\": 1, \"input",
       "plan:4:8: error: found gpu 1, expected gpu 0\n"},
      {"{\"id\": 0, \"channels", "{\"id\": 300, \"channels",
       "plan:8:10: error: found threadblock 300, expected threadblock 0\n"},
      {"\"connected_to\": [1]", "\"connected_to\": [-1]",
       "plan:5:59: error: this element takes a whole number, not a negative number\n"},
      {"\"connected_to\": [1]", "\"connected_to\": [2]",
       "plan: error: a channel of r0 refers to rank 2, but there are 2 ranks\n"},
      {"\"connected_to\": [1]", "\"connected_to\": [0]",
       "plan: error: a channel of r0 refers to its own rank\n"},
      {"{\"rank\": 1", "{\"rank\": 7",
       "plan: error: a remote buffer of r0 refers to rank 7, but there are 2 ranks\n"},
      {"\"channel_type\": \"memory\"", "\"channel_type\": \"magic\"",
       "plan:5:37: error: unknown kind of channel 'magic'\n"},
      {"\"type\": \"o\"", "\"type\": \"x\"",
       "plan:6:42: error: unknown buffer 'x', known are i, o and s\n"},
      {nop, "{\"name\": \"mul\"}", "plan:12:14: error: unknown operation 'mul'\n"},
      {nop, "{}", "plan:12:1: error: 'name' is missing\n"},
      {nop, "{\"name\": \"nop\", \"reduce_op\": \"max\"}",
       "plan:12:34: error: reduce_op 'max': the executor ignores it and sums\n"},
      {nop, "{\"name\": \"nop\", \"src_buff\": [{\"type\": \"i\", \"index\": 0, \"size\": 1}]}",
       "plan:12:1: error: r0 tb0 op 2 (nop) moves no data, but has buffers\n"},
      {nop, "{\"name\": \"signal\"}", "plan:12:1: error: r0 tb0 op 2 (signal) names no channel\n"},
      {nop, "{\"name\": \"signal\", \"channel_ids\": [1]}",
       "plan:12:1: error: r0 tb0 op 2 (signal) names memory channel 1, and the threadblock has "
       "1\n"},
      {nop, "{\"name\": \"sem_acquire\", \"semaphore_ids\": []}",
       "plan:12:1: error: r0 tb0 op 2 (sem_acquire) names no semaphore\n"},
      {nop, "{\"name\": \"sem_acquire\", \"semaphore_ids\": [0]}",
       "plan:12:1: error: r0 tb0 op 2 (sem_acquire) names semaphore 0, and r0 has 0\n"},
      {nop, "{\"name\": \"barrier\"}",
       "plan:12:1: error: a barrier needs 'barrier_id' and 'num_threadblocks'\n"},
      {nop, "{\"name\": \"barrier\", \"barrier_id\": 0, \"num_threadblocks\": 0}",
       "plan:12:1: error: r0 tb0 op 2 (barrier) waits for 0 threadblocks\n"},
      {nop, "{\"name\": \"copy\"}",
       "plan:12:1: error: r0 tb0 op 2 (copy) needs at least 1 source, not 0\n"},
      {"{\"buffer_id\": 0, \"index\": 0", "{\"buffer_id\": 1, \"index\": 0",
       "plan:14:96: error: the threadblock has no remote buffer 1\n"},
      {"{\"buffer_id\": 0, \"index\": 0", "{\"buffer_id\": 0, \"index\": 2",
       "plan:14:1: error: r0 tb0 op 4 (put): destination 0 is o[2:3] of r1, which has 2 chunks\n"},
      {"{\"buffer_id\": 0, \"index\": 0, \"size\": 1",
       "{\"buffer_id\": 0, \"index\": 0, \"size\": 2",
       "plan:14:1: error: r0 tb0 op 4 (put): destination 0 has 2 chunks, not 1\n"},
      {"{\"buffer_id\": 0, \"index\": 0, \"size\": 1",
       "{\"buffer_id\": 0, \"index\": 0, \"size\": 0",
       "plan:14:1: error: r0 tb0 op 4 (put): destination 0 has 0 chunks\n"},
      {"{\"buffer_id\": 0,", "{\"type\": \"o\",",
       "plan:14:1: error: r0 tb0 op 4 (put): destination 0 must be remote\n"},
      {"\"name\": \"put\"", "\"name\": \"copy\"",
       "plan:14:1: error: r0 tb0 op 4 (copy): destination 0 must be local\n"},
      {"\"name\": \"put\"", "\"name\": \"ppkt\"",
       "plan:14:1: error: r0 tb0 op 4 (ppkt): destination 0 holds packets, which only scratch "
       "does\n"},
      {"\"channel_ids\": [0]}]", "\"channel_ids\": [3]}]",
       "plan: error: r0 tb0 refers to channel 3, but r0 has 1\n"},
      {"\"remote_buffer_ids\": [0]", "\"remote_buffer_ids\": [0, 3]",
       "plan: error: r0 tb0 refers to remote buffer 3, but r0 has 1\n"},
      {"\"output_chunks\": 2", "\"output_chunks\": 3",
       "plan: error: r0 has 3 output chunks, but allgather has 2\n"},
      {"\"input_chunks\": 1, \"output_chunks\": 2", "\"input_chunks\": 0, \"output_chunks\": 3",
       "plan:4:1: error: 3 output chunks are not divisible by the 2 ranks, as allgather "
       "requires\n"},
      {"\"input_chunks\": 1, \"output_chunks\": 2", "\"input_chunks\": 0, \"output_chunks\": 0",
       "plan:4:1: error: the plan has no input and no output chunks\n"},
      {"\"scratch_chunks\": 0", "\"scratch_chunks\": 1000000000",
       "plan: error: the plan has 4000000024 cells, more than the limit of 268435456\n"},
      {"\"scratch_chunks\": 0", "\"scratch_chunks\": 9999999999",
       "plan:4:77: error: 'scratch_chunks': 9999999999 exceeds the limit of 1073741823\n"},
      {"\"gpus\"", "\"root\": 2, \"gpus\"", "plan:3:9: error: there is no rank 2\n"},
  };
  for (const Case &c : cases) {
    INFO(c.from << " -> " << c.to);
    CHECK(judge(with(gatherByPut, c.from, c.to)) == "malformed: " + c.message);
  }
  CHECK(judge("{\"name\"") == "malformed: plan:1:7: error: syntax error while parsing object "
                              "separator - unexpected end of input; expected ':'\n");
  CHECK(judge("[]") == "malformed: plan:1:1: error: this element takes an object, not an array\n");
}

TEST_CASE("mutated files end in an error or a plan", "[mscclpp]") {
  // Every prefix, and every byte replaced.
  for (const std::string &text : {gatherByPut, reduceByPackets, relay})
    for (size_t i = 0; i < text.size(); ++i) {
      CHECK(judge(text.substr(0, i)) != "");
      std::string changed = text;
      changed[i] ^= 1 << (i % 7);
      CHECK(judge(changed) != "");
    }
  CHECK(StringRef(judge(std::string(1 << 20, '['))).starts_with("malformed: "));
}

namespace {
/// Two ranks; the first one has channels of every kind and the given operations.
std::string everyKind(const std::string &ops) {
  return R"({"name": "kinds", "collective": "test", "protocol": "LL", "inplace": false, "gpus": [
{"id": 0, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 4, "channels": [
{"channel_type": "port", "connected_to": [1, 1]}, {"channel_type": "memory", "connected_to": [1]},
{"channel_type": "switch", "buffer_type": "i", "rank_groups": [{"size": 2, "ranks": [0, 1]}]}],
"remote_buffers": [{"rank": 1, "type": "s", "access_channel_types": ["memory", "port"]}],
"semaphores": [{"init_value": 0}],
"threadblocks": [{"id": 0, "channels": [
{"channel_type": "memory", "channel_ids": [0]}, {"channel_type": "port", "channel_ids": [1]},
{"channel_type": "switch", "channel_ids": [0]}],
"remote_buffer_refs": [{"access_channel_type": "port", "remote_buffer_ids": [0]}], "ops": [
)" + ops +
         R"(]}]},
{"id": 1, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 4, "threadblocks": []}]}
)";
}
} // namespace

TEST_CASE("every construct of the format is read and written", "[mscclpp]") {
  const std::string byPort = R"("src_buff": [{"type": "s", "index": 0, "size": 1, "rank": 0}],
"dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}], "channel_type": "port")";
  const std::string onSwitch = R"("src_buff": [{"switch_channel_id": 0, "index": 0, "size": 1}],
"dst_buff": [{"switch_channel_id": 0, "index": 0, "size": 1}], "channel_type": "switch")";
  const std::string cases[] = {
      R"({"name": "signal", "channel_ids": [0], "channel_type": "port"})",
      R"({"name": "ppkt", "channel_ids": [0], )" + byPort + "}",
      R"({"name": "pws", "channel_ids": [0], )" + byPort + "}",
      R"({"name": "pwsf", "channel_ids": [0], )" + byPort + "}",
      R"({"name": "flush", "channel_ids": [0], "channel_type": "port"})",
      R"({"name": "glres", )" + onSwitch + "}",
      R"({"name": "gstore", "src_buff": [{"type": "o", "index": 0, "size": 1}],
"dst_buff": [{"switch_channel_id": 0, "index": 0, "size": 1}], "channel_type": "switch"})",
      R"({"name": "pipeline", "iter_context": {"unit_size": 1048576, "num_chunks": 1}, "ops": [
{"name": "sem_release", "semaphore_ids": [0]}, {"name": "nop"}]},
{"name": "barrier", "barrier_id": 0, "num_threadblocks": 1})",
      R"({"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}],
"dst_buff": [{"type": "o", "index": 0, "size": 1}], "tbg_info": {"tb_id": 1, "tbg_size": 2}})",
  };
  for (const std::string &ops : cases) {
    INFO(ops);
    std::string written = textOf(readGoodMscclpp(everyKind(ops)));
    CHECK(textOf(readGoodMscclpp(written)) == written);
    StringRef name = StringRef(ops).take_until([](char c) { return c == ','; });
    CHECK(StringRef(written).contains(name));
    for (StringRef key : {"unit_size", "tbg_size", "\"switch\", \"buffer_type\"", "port"})
      CHECK(StringRef(written).contains(key) == StringRef(everyKind(ops)).contains(key));
  }
}

TEST_CASE("operations that no executor supports are unsupported", "[mscclpp]") {
  CHECK(judge(everyKind(R"({"name": "glre", "size": 1})")) ==
        "unsupported: plan:11:15: error: operation 'glre' is not supported, not even by the "
        "executor\n");
  CHECK(judge(R"({"name": "old", "gpus": [{"id": 0, "inputChunks": 1}]})") ==
        "unsupported: plan:1:51: error: plans of MSCCL++ before v0.8.0 are not supported "
        "('inputChunks' is 'input_chunks' now)\n");
}

TEST_CASE("channels, parts and pipelines have errors of their own", "[mscclpp]") {
  const std::pair<std::string, std::string> cases[] = {
      {R"({"name": "signal", "channel_ids": [1], "channel_type": "port"})",
       "plan:11:1: error: r0 tb0 op 0 (signal) names port channel 1, and the threadblock has 1\n"},
      {R"({"name": "signal", "channel_ids": [1], "channel_type": "memory"})",
       "plan:11:1: error: r0 tb0 op 0 (signal) names memory channel 1, and the threadblock has "
       "1\n"},
      {R"({"name": "signal", "channel_type": "port"})",
       "plan:11:1: error: r0 tb0 op 0 (signal) names no channel\n"},
      {R"({"name": "put", "src_buff": [{"type": "i", "index": 0, "size": 1}],
"dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}], "channel_type": "memory"})",
       "plan:12:28: error: the threadblock has no remote buffer 0\n"},
      {R"({"name": "put", "src_buff": [{"type": "i", "index": 0, "size": 1}],
"dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}], "channel_type": "port"})",
       "plan:11:1: error: r0 tb0 op 0 (put) has 0 channels for 1 destination\n"},
      {R"({"name": "put", "src_buff": [{"type": "i", "index": 0, "size": 1}],
"dst_buff": [{"buffer_id": 0, "index": 4, "size": 1}], "channel_ids": [0], "channel_type": "port"})",
       "plan:11:1: error: r0 tb0 op 0 (put): destination 0 is s[4:5] of r1, which has 4 chunks\n"},
      {R"({"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1, "rank": 1}],
"dst_buff": [{"type": "o", "index": 0, "size": 1}]})",
       "plan:11:76: error: a local chunk is of rank 0, not 1\n"},
      {R"({"name": "glres", "src_buff": [{"switch_channel_id": 1, "index": 0, "size": 1}]})",
       "plan:11:32: error: the threadblock has no switch channel 1\n"},
      {R"({"name": "copy", "src_buff": [{"switch_channel_id": 0, "index": 0, "size": 1}]})",
       "plan:11:53: error: the operation takes no switch channel\n"},
      {R"({"name": "pws", "src_buff": [{"type": "i", "index": 0, "size": 1}],
"dst_buff": [], "channel_type": "memory"})",
       "plan:11:1: error: r0 tb0 op 0 (pws) does not exist on memory channels\n"},
      {R"({"name": "flush", "channel_ids": [0], "channel_type": "memory"})",
       "plan:11:1: error: r0 tb0 op 0 (flush) does not exist on memory channels\n"},
      {R"({"name": "signal", "channel_ids": [0], "channel_type": "switch"})",
       "plan:11:1: error: r0 tb0 op 0 (signal) does not exist on switch channels\n"},
      {R"({"name": "glres", "src_buff": [{"type": "i", "index": 0, "size": 1}],
"dst_buff": [{"switch_channel_id": 0, "index": 0, "size": 1}], "channel_type": "switch"})",
       "plan:11:1: error: r0 tb0 op 0 (glres): source 0 must be on a switch channel\n"},
      {R"({"name": "gstore", "src_buff": [{"type": "o", "index": 0, "size": 1}],
"dst_buff": [{"switch_channel_id": 0, "index": 2, "size": 1}]})",
       "plan:11:1: error: r0 tb0 op 0 (gstore): destination 0 is i[2:3] of r0, which has 2 "
       "chunks\n"},
      {R"({"name": "gstorepkt", "src_buff": [{"type": "s", "index": 0, "size": 1}],
"dst_buff": [{"switch_channel_id": 0, "index": 0, "size": 1}]})",
       "plan:11:1: error: r0 tb0 op 0 (gstorepkt): destination 0 holds packets, which only scratch "
       "does\n"},
      {R"({"name": "signal", "channel_ids": [0], "channel_type": "nvlink"})",
       "plan:11:63: error: unknown kind of channel 'nvlink'\n"},
      {R"({"name": "nop", "tbg_info": {"tb_id": 2, "tbg_size": 2}})",
       "plan:11:29: error: there is no part 2 of 2\n"},
      {R"({"name": "pipeline"})", "plan:11:1: error: 'iter_context' is missing\n"},
      {R"({"name": "pipeline", "iter_context": {"unit_size": 0, "num_chunks": 1}, "ops": []})",
       "plan:11:38: error: a pipeline of pieces of 0 bytes does not end\n"},
      {R"({"name": "pipeline", "iter_context": {"unit_size": 16, "num_chunks": 1}, "ops": [
{"name": "pipeline"}]})",
       "plan:12:19: error: a pipeline in a pipeline\n"},
      {R"({"name": "mul"})", "plan:11:14: error: unknown operation 'mul'\n"},
  };
  for (const auto &[ops, message] : cases)
    CHECK(judge(everyKind(ops)) == "malformed: " + message);
}
