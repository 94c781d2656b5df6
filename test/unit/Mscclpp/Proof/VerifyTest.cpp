//===- VerifyTest.cpp - Proofs of MSCCL++ plans ---------------------------===//

#include "../../../support/Lines.h"

#include "Mscclpp/Files.h"

using namespace cclc;
using namespace cclc::test;

TEST_CASE("plans written as the format documents are correct", "[mscclpp]") {
  for (const std::string &text : {gatherByPut, reduceByPackets, reduceByReading, relay}) {
    CHECK(judge(text) == "ok");
    // Writing a plan that was read gives the same text.
    std::string written = textOf(readGoodMscclpp(text));
    CHECK(textOf(readGoodMscclpp(written)) == written);
    CHECK(judge(written) == "ok");
  }
}

TEST_CASE("every operation is required", "[mscclpp]") {
  for (const std::string &text : {gatherByPut, reduceByPackets, reduceByReading, relay})
    for (const OpLine &line : opLines(text)) {
      INFO(line.text.str());
      CHECK(judge(without(text, line)) != "ok");
    }
}

TEST_CASE("a wait that is never satisfied is a deadlock", "[mscclpp]") {
  std::string signal = "{\"name\": \"signal\", \"channel_ids\": [0], \"channel_type\": \"memory\"}";
  std::string wait = "{\"name\": \"wait\", \"channel_ids\": [0], \"channel_type\": \"memory\"}";
  std::string waitFirst = with(gatherByPut, signal + ",\n" + wait, wait + ",\n" + signal);
  checkJudged({
      // Both ranks wait before they signal.
      {with(waitFirst, signal + ",\n" + wait, wait + ",\n" + signal),
       "deadlock: plan:16:1: error: deadlock: cyclic wait of 2 threadblocks\nplan:16:1: note: r0 "
       "tb0 op 6 (wait) waits for a signal on channel 0 of r0 from r1, which r1 tb0 has yet to "
       "signal\nplan:30:1: note: r1 tb0 op 6 (wait) waits for a signal on channel 0 of r1 from r0, "
       "which r0 tb0 has yet to signal\n"},
      {with(gatherByPut, signal + ",\n", ""),
       "deadlock: plan:30:1: error: deadlock: r1 tb0 op 7 (wait) waits for a signal on channel 0 "
       "of r1 from r0, which is never signalled\n"},
      // A channel with one end only.
      {with(with(gatherByPut, "\"connected_to\": [0]", "\"connected_to\": []"), "\"ops\": [\n",
            "\"ops\": [\n"),
       "malformed: plan: error: r1 tb0 refers to channel 0, but r1 has 0\n"},
      {with(relay, "{\"name\": \"sem_release\", \"semaphore_ids\": [0]}",
            "{\"name\": \"sem_acquire\", \"semaphore_ids\": [0]}"),
       "deadlock: plan:10:1: error: deadlock: r0 tb0 op 2 (sem_acquire) waits for a release of "
       "semaphore 0 of r0, which is never signalled\n"},
      // The packet that is read first is written last.
      {with(reduceByPackets,
            "\"name\": \"ppkt\", \"src_buff\": [{\"type\": \"i\", \"index\": 0, \"size\": 2}], "
            "\"dst_buff\": [{\"buffer_id\": 0, \"index\": 0, \"size\": 2}]",
            "\"name\": \"ppkt\", \"src_buff\": [{\"type\": \"i\", \"index\": 0, \"size\": 1}], "
            "\"dst_buff\": [{\"buffer_id\": 0, \"index\": 0, \"size\": 1}]"),
       "deadlock: plan:22:1: error: deadlock: r1 tb0 op 2 (repkt) waits for a packet in r1:s[1], "
       "which is never signalled\n"},
  });
}

TEST_CASE("barriers require the threadblocks that they wait for", "[mscclpp]") {
  std::string barrier = "{\"name\": \"barrier\", \"barrier_id\": 0, \"num_threadblocks\": 2}";
  std::string release = "{\"name\": \"nop\"},\n{\"name\": \"sem_release\", \"semaphore_ids\": [0]}";
  std::string acquire = "{\"name\": \"sem_acquire\", \"semaphore_ids\": [0]},\n{\"name\": \"nop\"}";
  std::string good = with(with(relay, release, barrier), acquire, barrier);
  checkJudged({
      {good, "ok"},
      {with(good, barrier, with(barrier, "blocks\": 2", "blocks\": 3")),
       "deadlock: plan:9:1: error: deadlock: r0 tb0 op 1 (barrier) waits for 3 threadblocks, and 2 "
       "of r0 use barrier 0\n"},
      {with(good, barrier, barrier + ",\n" + barrier),
       "deadlock: plan:9:1: error: deadlock: r0 tb0 uses barrier 0 2 times, other threadblocks of "
       "r0 do not\n"},
      {with(good, barrier, "{\"name\": \"nop\"}"), "deadlock: plan:11:1: error: deadlock: r0 tb1 "
                                                   "op 0 (barrier) waits for 2 threadblocks, and 1 "
                                                   "of r0 use barrier 0\n"},
  });
  // A repeated barrier: the first threadblock to pass it may reach it again before the others have
  // left.
  auto [head, tail] = StringRef(good).rsplit(barrier);
  std::string thrice = barrier + ",\n" + barrier + ",\n" + barrier;
  CHECK(judge(with((head + thrice + tail).str(), barrier, thrice)) == "ok");
}

TEST_CASE("unordered accesses are races", "[mscclpp]") {
  std::string nop = "{\"name\": \"nop\"},\n";
  std::string entry = R"(
    {"name": "rlxsignal", "channel_ids": [0], "channel_type": "memory"},
    {"name": "rlxwait", "channel_ids": [0], "channel_type": "memory"},
    )"_lines;
  std::string noEntry = with(with(gatherByPut, entry, ""), entry, "");
  std::string signals = ",\n{\"name\": \"signal\", \"channel_ids\": [0], \"channel_type\": "
                        "\"memory\"}";
  std::string last = ",\n{\"name\": \"wait\", \"channel_ids\": [0], \"channel_type\": \"memory\"}";
  checkJudged({
      // A read of the scratch that another threadblock writes.
      {with(with(relay, nop + "{\"name\": \"sem_release\", \"semaphore_ids\": [0]}",
                 "{\"name\": \"nop\"}"),
            "{\"name\": \"sem_acquire\", \"semaphore_ids\": [0]},\n", ""),
       "race: plan:12:1: error: race on r0:s[0]: r0 tb0 op 0 (copy) writes it, r0 tb1 op 1 (copy) "
       "reads it, and nothing orders the two\n"
       "plan:8:1: note: r0 tb0 op 0 (copy) is here\n"},
      // Only the thread that waits is ordered; the other threads need a nop.
      {with(relay, "[0]},\n{\"name\": \"nop\"}", "[0]}"),
       "race: plan:13:1: error: race on r0:s[0]: r0 tb0 op 0 (copy) writes it, r0 tb1 op 1 (copy) "
       "reads it, and nothing orders the two\n"
       "plan:8:1: note: r0 tb0 op 0 (copy) is here\n"},
      // A signal orders only the accesses of its own thread.
      {with(relay, nop, ""),
       "race: plan:13:1: error: race on r0:s[0]: r0 tb0 op 0 (copy) writes it, r0 tb1 op 2 (copy) "
       "reads it, and nothing orders the two\n"
       "plan:8:1: note: r0 tb0 op 0 (copy) is here\n"},
      {with(reduceByPackets, nop, ""),
       "race: plan:12:1: error: race on r0:i[0]: r0 tb0 op 0 (ppkt) reads it, r0 tb0 op 1 (repkt) "
       "writes it, and nothing orders the two\n"
       "plan:11:1: note: r0 tb0 op 0 (ppkt) is here\n"
       "plan:12:1: note: the threads of a threadblock are not synchronised without a nop between "
       "the two\n"},
      // A put may arrive before the receiver has launched, while its caller still reads the buffer.
      {noEntry, "race: plan:12:1: error: race on r1:o[0]: the caller, before the launch, reads it, "
                "r0 tb0 op "
                "2 (put) writes it, and nothing orders the two\n"},
      {with(with(reduceByReading, entry, ""), entry, ""),
       "race: plan:11:1: error: race on r1:i[0]: the caller, before the launch, writes it, r0 tb0 "
       "op 1 "
       "(rres) reads it, and nothing orders the two\n"},
      // A launch may end before data that are put into its output have arrived.
      {with(with(with(with(gatherByPut, signals, ""), last, ""), signals, ""), last, ""),
       "race: plan:26:1: error: race on r0:o[1]: r1 tb0 op 4 (put) writes it, the caller, after "
       "the "
       "launch, reads it, and nothing orders the two\n"},
      {with(gatherByPut, last, ""),
       "race: plan:29:1: error: race between launches: channel 0 of r0 from r1 is given 2 signals "
       "in "
       "a launch, of which 1 is taken; the next launch begins with a different count\n"
       "plan:29:1: note: r1 tb0 op 6 (signal) is the last operation that gives one\n"
       "plan:11:1: note: r0 tb0 op 1 (rlxwait) is the last operation that takes one\n"},
      // One half of scratch is written while the previous launch still reads it.
      {with(reduceByPackets, "\"use_double_scratch_buffer\": true,\n", ""),
       "race: plan:10:1: error: race on r1:s[0]: r1 tb0 op 2 (repkt) reads it, r0 tb0 op 0 (ppkt) "
       "of "
       "the next launch writes it, and nothing orders the two\n"
       "plan:21:1: note: r1 tb0 op 2 (repkt) is here\n"},
  });
}

TEST_CASE("a relaxed signal does not publish previous puts", "[mscclpp]") {
  // The last signal and wait of each rank.
  std::string text = gatherByPut;
  for (const char *op : {"\"signal\"", "\"wait\""})
    for (int rank = 0; rank < 2; ++rank)
      text = with(text, op, op == StringRef("\"wait\"") ? "\"rlxwait\"" : "\"rlxsignal\"");
  CHECK(judge(text) == "race: plan:28:1: error: race on r0:o[1]: r1 tb0 op 4 (put) writes it, the "
                       "caller, after the launch, reads it, and nothing orders the two\n");
}

TEST_CASE("the n-th channel to a peer is the n-th channel of the peer", "[mscclpp]") {
  std::string text = with(gatherByPut, "\"connected_to\": [1]", "\"connected_to\": [1, 1]");
  text = with(text, "\"connected_to\": [0]", "\"connected_to\": [0, 0]");
  text = with(text, "\"channel_ids\": [0]}]", "\"channel_ids\": [1]}]");
  std::string other = with(text, "\"channel_ids\": [0]}]", "\"channel_ids\": [1]}]");
  CHECK(judge(other) == "ok");
  CHECK(judge(text) == "deadlock: plan:11:1: error: deadlock: r0 tb0 op 1 (rlxwait) waits for a "
                       "signal on channel 1 of r0 from r1, which is never signalled\n");
}

TEST_CASE("a packet does not publish previous puts", "[mscclpp]") {
  // r0 puts a chunk and then sends another one as a packet; r1 reads both after it has received the
  // packet.
  std::string text = R"({
"name": "mixed", "collective": "broadcast", "protocol": "LL", "inplace": false,
"gpus": [
{"id": 0, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 1,
"channels": [{"channel_type": "memory", "connected_to": [1]}],
"remote_buffers": [
{"rank": 1, "type": "o", "access_channel_types": ["memory"]},
{"rank": 1, "type": "s", "access_channel_types": ["memory"]}],
"threadblocks": [
{"id": 0, "channels": [{"channel_type": "memory", "channel_ids": [0]}],
"remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0, 1]}], "ops": [
{"name": "wait", "channel_ids": [0], "channel_type": "memory"},
{"name": "nop"},
{"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 2}], "dst_buff": [{"type": "o", "index": 0, "size": 2}]},
{"name": "put", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}], "channel_type": "memory"},
{"name": "nop"},
{"name": "ppkt", "src_buff": [{"type": "i", "index": 1, "size": 1}], "dst_buff": [{"buffer_id": 1, "index": 0, "size": 1}], "channel_type": "memory"}]}]},
{"id": 1, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 1,
"channels": [{"channel_type": "memory", "connected_to": [0]}],
"threadblocks": [
{"id": 0, "channels": [{"channel_type": "memory", "channel_ids": [0]}], "ops": [
{"name": "signal", "channel_ids": [0], "channel_type": "memory"},
{"name": "upkt", "src_buff": [{"type": "s", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": 1, "size": 1}]}]}]}]
}
)";
  CHECK(
      judge(text) ==
      "race: plan:15:1: error: race on r1:o[0]: r0 tb0 op 3 (put) writes it, the caller, after the "
      "launch, reads it, and nothing orders the two\n");
}

TEST_CASE("wrong results are detected with every contribution counted", "[mscclpp]") {
  std::string empty = R"({
"name": "empty", "collective": "allgather", "protocol": "Simple", "inplace": false,
"gpus": [
{"id": 0, "input_chunks": 1, "output_chunks": 2, "scratch_chunks": 0, "threadblocks": []},
{"id": 1, "input_chunks": 1, "output_chunks": 2, "scratch_chunks": 0, "threadblocks": []}]
}
)";
  checkJudged({
      {empty, "wrong-result: plan: error: wrong result: r0:o[0]: expected r0:i[0], but it is "
              "undefined (3 more wrong cells)\n"},
      {with(with(reduceByPackets, "}], \"reduce_op\"", "}], \"reduce_op\""),
            "{\"type\": \"s\", \"index\": 0, \"size\": 2}]",
            "{\"type\": \"s\", \"index\": 0, \"size\": 2}, {\"type\": \"s\", \"index\": 0, "
            "\"size\": 2}]"),
       "wrong-result: plan:13:1: error: wrong result: r0:o[0]: expected the reduction of chunk 0 "
       "over all 2 ranks, but r1:i[0] is contained more than once (1 more wrong cell)\n"
       "plan:13:1: note: r0 tb0 op 2 (repkt) wrote it\n"
       "plan:13:1: note: r0 tb0 op 2 (repkt) added r1:i[0] a second time\n"
       "plan:20:1: note: r1 tb0 op 0 (ppkt) read r1:i[0] from the input\n"},
      {with(gatherByPut, "\"dst_buff\": [{\"buffer_id\": 0, \"index\": 0", // to the other chunk
            "\"dst_buff\": [{\"buffer_id\": 0, \"index\": 1"),
       "race: plan:14:1: error: race on r1:o[1]: r1 tb0 op 3 (copy) writes it, r0 tb0 op 4 (put) "
       "writes it, and nothing orders the two\n"
       "plan:27:1: note: r1 tb0 op 3 (copy) is here\n"},
      {with(relay, "{\"type\": \"i\", \"index\": 0, \"size\": 1}], \"dst_buff\": [{\"type\": \"s\"",
            "{\"type\": \"o\", \"index\": 0, \"size\": 1}], \"dst_buff\": [{\"type\": \"s\""),
       "wrong-result: plan:8:1: error: wrong result: r0 tb0 op 0 (copy) reads r0:o[0], which has "
       "not been written\n"},
      {with(with(relay, "\"scratch_chunks\": 1", "\"scratch_chunks\": 2"),
            "\"src_buff\": [{\"type\": \"s\", \"index\": 0",
            "\"src_buff\": [{\"type\": \"s\", "
            "\"index\": 1"),
       "wrong-result: plan:14:1: error: wrong result: r0 tb1 op 2 (copy) reads r0:s[1], which has "
       "not been written\n"},
      {with(relay, "\"dst_buff\": [{\"type\": \"o\"", "\"dst_buff\": [{\"type\": \"i\""),
       "wrong-result: plan:14:1: error: wrong result: r0 tb1 op 2 (copy) writes r0:i[0], and the "
       "input is read-only out of place\n"},
  });
}

TEST_CASE("a wrong result names the operation that contributed the wrong chunk", "[mscclpp]") {
  // Two chunks by way of scratch; the first copy reads the second chunk.
  std::string both = with(with(relay,
                               "\"input_chunks\": 1, \"output_chunks\": 1, "
                               "\"scratch_chunks\": 1",
                               "\"input_chunks\": 2, \"output_chunks\": 2, "
                               "\"scratch_chunks\": 1"),
                          "{\"type\": \"i\", \"index\": 0", "{\"type\": \"i\", \"index\": 1");
  CHECK(judge(both) ==
        "wrong-result: plan:14:1: error: wrong result: r0:o[0]: expected r0:i[0], but it holds "
        "r0:i[1] (1 more wrong cell)\n"
        "plan:14:1: note: r0 tb1 op 2 (copy) wrote it\n"
        "plan:8:1: note: r0 tb0 op 0 (copy) read r0:i[1] from the input\n");
}

TEST_CASE("an unbalanced counter names its signals and waits", "[mscclpp]") {
  std::string signal = "{\"name\": \"signal\", \"channel_ids\": [0], \"channel_type\": \"memory\"}";
  std::string acquire = "{\"name\": \"sem_acquire\", \"semaphore_ids\": [0]},\n";
  std::string unbalanced = "the next launch begins with a different count\n";
  std::string relaxed = with(relay, "\"init_value\": 0", "\"init_value\": 1");
  checkJudged({
      // The release is missing, and the first launch takes the initial value.
      {with(relaxed, "{\"name\": \"sem_release\", \"semaphore_ids\": [0]}", "{\"name\": \"nop\"}"),
       "race: plan:12:1: error: race between launches: semaphore 0 of r0 is given 0 signals in a "
       "launch, of which 1 is taken; " +
           unbalanced +
           "plan:12:1: note: r0 tb1 op 0 (sem_acquire) is the last operation that takes one\n"},
      // A signal is there twice.
      {with(gatherByPut, signal, signal + ",\n" + signal),
       "race: plan:17:1: error: race between launches: channel 0 of r1 from r0 is given 3 signals "
       "in "
       "a launch, of which 2 are taken; " +
           unbalanced +
           "plan:17:1: note: r0 tb0 op 7 (signal) gives one directly after another\n"
           "plan:32:1: note: r1 tb0 op 7 (wait) is the last operation that takes one\n"},
      // A wait is missing.
      {with(relay, acquire, ""),
       "race: plan:10:1: error: race between launches: semaphore 0 of r0 is given 1 signal in a "
       "launch, of which 0 are taken; " +
           unbalanced +
           "plan:10:1: note: r0 tb0 op 2 (sem_release) is the last operation that gives one\n"},
  });
}

TEST_CASE("the result of a collective without post-condition is not checked", "[mscclpp]") {
  DiagnosticEngine diags;
  mscclpp::Plan plan = readGoodMscclpp(with(relay, "allreduce", "test"));
  PlanProof report = mscclpp::verify(plan, diags);
  CHECK(report.verdict == Verdict::Ok);
  CHECK(report.note == "the collective has no post-condition: the result was not checked");
}

TEST_CASE("several threadblocks may release and acquire a semaphore", "[mscclpp]") {
  // Two writers: a threadblock that acquires twice is ordered after both, one that acquires once is
  // ordered after neither.
  std::string text = R"({
"name": "two", "collective": "allreduce", "protocol": "Simple", "inplace": false,
"gpus": [
{"id": 0, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 2,
"semaphores": [{"init_value": 0}],
"threadblocks": [
{"id": 0, "ops": [
{"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"type": "s", "index": 0, "size": 1}]},
{"name": "nop"},
{"name": "sem_release", "semaphore_ids": [0]}]},
{"id": 1, "ops": [
{"name": "copy", "src_buff": [{"type": "i", "index": 1, "size": 1}], "dst_buff": [{"type": "s", "index": 1, "size": 1}]},
{"name": "nop"},
{"name": "sem_release", "semaphore_ids": [0]}]},
{"id": 2, "ops": [
{"name": "sem_acquire", "semaphore_ids": [0]},
{"name": "sem_acquire", "semaphore_ids": [0]},
{"name": "nop"},
{"name": "copy", "src_buff": [{"type": "s", "index": 0, "size": 2}], "dst_buff": [{"type": "o", "index": 0, "size": 2}]}]}]}]
}
)";
  CHECK(judge(text) == "ok");
  std::string once = "{\"name\": \"sem_acquire\", \"semaphore_ids\": [0]},\n";
  std::string copy =
      "{\"name\": \"copy\", \"src_buff\": [{\"type\": \"s\", \"index\": 0, \"size\": "
      "2}], \"dst_buff\": [{\"type\": \"o\", \"index\": 0, \"size\": 2}]}";
  CHECK(judge(with(with(text, once, ""), copy, copy + ",\n" + once.substr(0, once.size() - 2))) ==
        "race: plan:18:1: error: race on r0:s[0]: r0 tb0 op 0 (copy) writes it, r0 tb2 op 2 (copy) "
        "reads it, and nothing orders the two\n"
        "plan:8:1: note: r0 tb0 op 0 (copy) is here\n");
  // Either of two threadblocks may get the first release, so each may have to wait for both.
  std::string contested = R"({
"name": "contested", "collective": "test", "protocol": "Simple", "inplace": false,
"gpus": [
{"id": 0, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 0,
"semaphores": [{"init_value": 1}, {"init_value": 0}],
"threadblocks": [
{"id": 0, "ops": [
{"name": "sem_acquire", "semaphore_ids": [0]},
{"name": "sem_release", "semaphore_ids": [1]}]},
{"id": 1, "ops": [
{"name": "sem_acquire", "semaphore_ids": [0]},
{"name": "sem_release", "semaphore_ids": [0]}]},
{"id": 2, "ops": [
{"name": "sem_acquire", "semaphore_ids": [1]},
{"name": "sem_release", "semaphore_ids": [0]}]}]}]
}
)";
  CHECK(judge(contested) ==
        "deadlock: plan:8:1: error: deadlock is not excluded: r0 tb0 op 0 (sem_acquire) is one of "
        "several threadblocks that take from semaphore 0 of r0 in no fixed order; use a separate "
        "one for each pair of threadblocks\n");
}
