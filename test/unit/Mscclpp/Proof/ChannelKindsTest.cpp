//===- ChannelKindsTest.cpp - Port and switch channels, pipelines, shares -===//

#include "../../../support/Lines.h"
#include "../../../support/MscclppPlans.h"

#include "Mscclpp/Files.h"

using namespace cclc;
using namespace cclc::test;

TEST_CASE("every kind of channel, pipelines and shares are proved", "[mscclpp]") {
  for (const std::string &text :
       {gatherByPort, reduceBySwitch, gatherBySwitch, pipelinedRelay, sharedRelay}) {
    CHECK(judge(text) == "ok");
    std::string written = textOf(readGoodMscclpp(text));
    CHECK(textOf(readGoodMscclpp(written)) == written);
    CHECK(judge(written) == "ok");
    for (const OpLine &line : opLines(written)) {
      INFO(line.text.str());
      CHECK(judge(without(written, line)) != "ok");
    }
  }
}

TEST_CASE("a proxy transfers at any later time", "[mscclpp]") {
  checkJudged({
      // The answer of the other rank does not follow the transfer.
      {with(gatherByPort, "pwsf", "pws"),
       "race: plan:11:1: error: race on r0:i[0]: r0 tb0 op 3 (pws) reads it, the caller, after the "
       "launch, writes it, and nothing orders the two\n"
       "plan:11:1: note: the transfer may take place later, even after the launch: only a flush, "
       "or "
       "an answer of its receiver, shows that it is complete\n"},
      // A flush of its own has no effect in the executor.
      {with(gatherByPort, "{\"name\": \"pwsf\"",
            "{\"name\": \"flush\", \"channel_ids\": [0], \"channel_type\": \"port\"},\n{\"name\": "
            "\"pws\""),
       "race: plan:12:1: error: race on r0:i[0]: r0 tb0 op 4 (pws) reads it, the caller, after the "
       "launch, writes it, and nothing orders the two\n"
       "plan:12:1: note: the transfer may take place later, even after the launch: only a flush, "
       "or an answer of its receiver, shows that it is complete\n"},
      {with(gatherByPort, "pwsf", "put"),
       "deadlock: plan:25:1: error: deadlock: r1 tb0 op 4 (wait) waits for a signal on port "
       "channel 0 of r1 from r0, which is never signalled\n"},
  });
}

/// Rank 0 sends a packet to rank 1, whose proxy forwards it to rank 2, which answers rank 0.
static const std::string forwardByPort = R"({
"name": "forward", "collective": "test", "protocol": "LL", "inplace": false,
"use_double_scratch_buffer": true,
"gpus": [
{"id": 0, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 2,
"channels": [{"channel_type": "memory", "connected_to": [1, 2]}],
"remote_buffers": [{"rank": 1, "type": "s", "access_channel_types": ["memory"]}],
"threadblocks": [
{"id": 0, "channels": [{"channel_type": "memory", "channel_ids": [1]}],
"remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}], "ops": [
{"name": "ppkt", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}], "channel_type": "memory"},
{"name": "wait", "channel_ids": [0], "channel_type": "memory"}]}]},
{"id": 1, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 2,
"channels": [{"channel_type": "memory", "connected_to": [0]}, {"channel_type": "port", "connected_to": [2]}],
"remote_buffers": [{"rank": 2, "type": "s", "access_channel_types": ["port"]}],
"threadblocks": [
{"id": 0, "channels": [{"channel_type": "port", "channel_ids": [0]}],
"remote_buffer_refs": [{"access_channel_type": "port", "remote_buffer_ids": [0]}], "ops": [
{"name": "rppkt", "src_buff": [{"type": "s", "index": 0, "size": 1}], "dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}], "channel_ids": [0], "channel_type": "port"}]}]},
{"id": 2, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 2,
"channels": [{"channel_type": "memory", "connected_to": [0]}, {"channel_type": "port", "connected_to": [1]}],
"threadblocks": [
{"id": 0, "channels": [{"channel_type": "memory", "channel_ids": [0]}], "ops": [
{"name": "upkt", "src_buff": [{"type": "s", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": 0, "size": 1}]},
{"name": "nop"},
{"name": "signal", "channel_ids": [0], "channel_type": "memory"}]}]}]
}
)";

TEST_CASE("a proxy forwards a packet after its arrival", "[mscclpp]") {
  CHECK(judge(forwardByPort) == "ok");
  // The answer shows that the packet has been forwarded, and its place may be written again.
  std::string unanswered = textOf(readGoodMscclpp(forwardByPort));
  for (StringRef name : {"signal", "wait", "nop"})
    for (const OpLine &line : opLines(unanswered))
      if (line.text.contains(("\"" + name + "\"").str())) {
        unanswered = without(unanswered, line);
        break;
      }
  CHECK(StringRef(judge(unanswered))
            .contains("race on r1:s[0]: r1 tb0 op 0 (rppkt) reads it, r0 tb0 op 0 (ppkt) of the "
                      "launch after the next writes it, and nothing orders the two\n"));
}

TEST_CASE("sources of proxies must begin at their allocation", "[mscclpp]") {
  DiagnosticEngine diags;
  CHECK(mscclpp::verifyFile(gatherByPort, "plan", diags).verdict == Verdict::Ok);
  CHECK(textOf(diags) ==
        "plan:11:1: warning: r0 tb0 op 3 (pwsf) sends from the output through a port channel: the "
        "executor reads it from the begin of its allocation, where the buffer must therefore "
        "begin\n");
}

TEST_CASE("relaxed signals publish accesses through a switch", "[mscclpp]") {
  std::string nop = "{\"name\": \"nop\"},\n";
  std::string second = nop + "{\"name\": \"rlxsignal\"";
  checkJudged({
      {with(reduceBySwitch, second, "{\"name\": \"rlxsignal\""),
       "race: plan:11:1: error: race on r1:o[0]: r0 tb0 op 3 (glres) writes it, the caller, after "
       "the launch, reads it, and nothing orders the two\n"},
      {with(reduceBySwitch, "\"rank_groups\": [{\"size\": 2, \"ranks\": [0, 1]}]",
            "\"rank_groups\": [{\"size\": 1, \"ranks\": [0]}]"),
       "deadlock: plan: error: deadlock: r1 waits at its switch channel 0 for r0, which has set up "
       "all of its own; all ranks must list their groups in the same order\n"},
      {with(reduceBySwitch, "\"buffer_type\": \"i\"", "\"buffer_type\": \"o\""),
       "unsupported: plan: error: the group of a switch channel has the buffers o of r0 and i of "
       "r1; groups with different kinds of buffers are not supported\n"},
      {with(reduceBySwitch, "\"ranks\": [0, 1]", "\"ranks\": [0, 2]"),
       "malformed: plan: error: a switch channel of r0 refers to rank 2, but there are 2 ranks\n"},
      {with(reduceBySwitch, "\"ranks\": [0, 1]", "\"ranks\": [0, 0]"),
       "malformed: plan: error: a switch channel of r0 names rank 0 twice\n"},
      {with(reduceBySwitch, "\"ranks\": [0, 1]", "\"ranks\": [1]"),
       "malformed: plan: error: a switch channel of r0 does not name the rank itself\n"},
  });
}

TEST_CASE("only a packet that is brought to its own place may be written twice", "[mscclpp]") {
  // A packet of another operation.
  std::string second = with(
      gatherBySwitch, "{\"name\": \"gstorepkt\"",
      "{\"name\": \"cpkt\", \"src_buff\": [{\"type\": \"i\", \"index\": 0, \"size\": 1}], "
      "\"dst_buff\": [{\"type\": \"s\", \"index\": 0, \"size\": 1}]},\n{\"name\": \"gstorepkt\"");
  CHECK(StringRef(judge(second))
            .contains("write packets there in one launch, which a reader cannot distinguish"));
}

TEST_CASE("pipelines and shares have the limits of the executor", "[mscclpp]") {
  checkJudged({
      {with(pipelinedRelay, "\"num_chunks\": 1", "\"num_chunks\": 2"),
       "illegal: plan:9:1: error: illegal for mscclpp: r0 tb0 op 1 (copy) has 1 chunk in a "
       "pipeline over 2, which the executor applies to each operation; use the same number\n"},
      {with(pipelinedRelay, "\"size\": 1}]},\n{\"name\": \"nop\"}",
            "\"size\": 1}], \"tbg_info\": {\"tb_id\": 0, \"tbg_size\": 2}},\n{\"name\": \"nop\"}"),
       "illegal: plan:9:1: error: illegal for mscclpp: r0 tb0 op 1 (copy) is shared by "
       "threadblocks in a pipeline, whose later pieces the executor then takes from outside of its "
       "part\n"},
      // A release in front of the pieces suffices for the first of them.
      {with(with(pipelinedRelay, "{\"name\": \"sem_acquire\", \"semaphore_ids\": [0]},\n", ""),
            "{\"id\": 1, \"ops\": [\n",
            "{\"id\": 1, \"ops\": [\n{\"name\": \"sem_acquire\", \"semaphore_ids\": [0]},\n"),
       "race: plan:11:1: error: race between launches: semaphore 0 of r0 is given 2 signals in a "
       "launch, of which 1 is taken; the next launch begins with a different count\n"
       "plan:11:1: note: r0 tb0 op 3 (sem_release) is the last operation that gives one\n"
       "plan:13:1: note: r0 tb1 op 0 (sem_acquire) is the last operation that takes one\n"},
      // Without the barrier, a threadblock reads the part that the other one writes.
      {with(with(sharedRelay, "{\"name\": \"barrier\", \"barrier_id\": 0, \"num_threadblocks\": 2}",
                 "{\"name\": \"nop\"}"),
            "{\"name\": \"barrier\", \"barrier_id\": 0, \"num_threadblocks\": 2}",
            "{\"name\": \"nop\"}"),
       "race: plan:11:1: error: race on r0:s[0]: r0 tb0 op 2 (copy) reads it, r0 tb1 op 0 (copy) "
       "writes it, and nothing orders the two\n"
       "plan:9:1: note: r0 tb0 op 2 (copy) is here\n"},
  });
}
