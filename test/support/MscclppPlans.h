//===- MscclppPlans.h - Plans with all constructs for tests -----*- C++ -*-===//

#ifndef CCL_TEST_SUPPORT_MSCCLPPPLANS_H
#define CCL_TEST_SUPPORT_MSCCLPPPLANS_H

#include "cclc/Support/LLVM.h"

#include "llvm/ADT/Twine.h"

#include <string>

namespace cclc::test {

/// A plan of two ranks with the same tables; {peer} and {me} in \p ops are ranks.
inline std::string twoRanks(StringRef header, StringRef chunks, StringRef tables,
                            StringRef threadblocks) {
  std::string text = ("{\"name\": \"plan\", " + header + ", \"gpus\": [\n").str();
  for (int rank = 0; rank < 2; ++rank) {
    std::string gpu = ("{\"id\": {me}, " + chunks + ",\n" + tables + ",\n\"threadblocks\": [\n" +
                       threadblocks + "]}" + (rank == 0 ? ",\n" : "]}\n"))
                          .str();
    for (const auto &[key, value] : {std::pair("{me}", rank), std::pair("{peer}", 1 - rank)})
      for (size_t at = gpu.find(key); at != std::string::npos; at = gpu.find(key))
        gpu.replace(at, StringRef(key).size(), std::to_string(value));
    text += gpu;
  }
  return text;
}

/// An all-gather in place over port channels: each rank announces that it has begun, and puts its
/// chunk into the output of the other one.
inline const std::string gatherByPort =
    twoRanks(R"("collective": "allgather", "protocol": "Simple", "inplace": true)",
             R"("input_chunks": 1, "output_chunks": 2, "scratch_chunks": 0)",
             R"("channels": [{"channel_type": "port", "connected_to": [{peer}]}],
"remote_buffers": [{"rank": {peer}, "type": "o", "access_channel_types": ["port"]}])",
             R"({"id": 0, "channels": [{"channel_type": "port", "channel_ids": [0]}],
"remote_buffer_refs": [{"access_channel_type": "port", "remote_buffer_ids": [0]}], "ops": [
{"name": "signal", "channel_ids": [0], "channel_type": "port"},
{"name": "wait", "channel_ids": [0], "channel_type": "port"},
{"name": "nop"},
{"name": "pwsf", "src_buff": [{"type": "o", "index": {me}, "size": 1}],
"dst_buff": [{"buffer_id": 0, "index": {me}, "size": 1}], "channel_ids": [0], "channel_type": "port"},
{"name": "wait", "channel_ids": [0], "channel_type": "port"}]})");

/// An all-reduce in place: each rank lets the switch add its chunk and store the sum in both.
inline const std::string reduceBySwitch =
    twoRanks(R"("collective": "allreduce", "protocol": "Simple", "inplace": true)",
             R"("input_chunks": 2, "output_chunks": 2, "scratch_chunks": 0)",
             R"("channels": [{"channel_type": "memory", "connected_to": [{peer}]},
{"channel_type": "switch", "buffer_type": "i", "rank_groups": [{"size": 2, "ranks": [0, 1]}]}])",
             R"({"id": 0, "channels": [{"channel_type": "memory", "channel_ids": [0]},
{"channel_type": "switch", "channel_ids": [0]}], "ops": [
{"name": "rlxsignal", "channel_ids": [0], "channel_type": "memory"},
{"name": "rlxwait", "channel_ids": [0], "channel_type": "memory"},
{"name": "nop"},
{"name": "glres", "src_buff": [{"switch_channel_id": 0, "index": {me}, "size": 1}],
"dst_buff": [{"switch_channel_id": 0, "index": {me}, "size": 1}], "channel_type": "switch"},
{"name": "nop"},
{"name": "rlxsignal", "channel_ids": [0], "channel_type": "memory"},
{"name": "rlxwait", "channel_ids": [0], "channel_type": "memory"}]})");

/// An all-gather in packets that a switch multicasts from their place to the same place of all
/// ranks, that of the sender included.
inline const std::string gatherBySwitch = twoRanks(
    R"("collective": "allgather", "protocol": "LL", "inplace": false,
"use_double_scratch_buffer": true)",
    R"("input_chunks": 1, "output_chunks": 2, "scratch_chunks": 4)",
    R"("channels": [{"channel_type": "switch", "buffer_type": "s", "rank_groups": [{"size": 2, "ranks": [0, 1]}]}])",
    R"({"id": 0, "channels": [{"channel_type": "switch", "channel_ids": [0]}], "ops": [
{"name": "cpkt", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"type": "s", "index": {me}, "size": 1}]},
{"name": "gstorepkt", "src_buff": [{"type": "s", "index": {me}, "size": 1}],
"dst_buff": [{"switch_channel_id": 0, "index": {me}, "size": 1}], "channel_type": "switch"}]},
{"id": 1, "ops": [
{"name": "upkt", "src_buff": [{"type": "s", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": 0, "size": 1}]}]},
{"id": 2, "ops": [
{"name": "upkt", "src_buff": [{"type": "s", "index": 1, "size": 1}], "dst_buff": [{"type": "o", "index": 1, "size": 1}]}]})");

/// A copy through scratch by two threadblocks, piece by piece.
inline const std::string pipelinedRelay = R"({
"name": "relay", "collective": "allreduce", "protocol": "Simple", "inplace": false,
"gpus": [
{"id": 0, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 1,
"semaphores": [{"init_value": 0}],
"threadblocks": [
{"id": 0, "ops": [
{"name": "pipeline", "iter_context": {"unit_size": 65536, "num_chunks": 1}, "ops": [
{"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"type": "s", "index": 0, "size": 1}]},
{"name": "nop"},
{"name": "sem_release", "semaphore_ids": [0]}]}]},
{"id": 1, "ops": [
{"name": "pipeline", "iter_context": {"unit_size": 65536, "num_chunks": 1}, "ops": [
{"name": "sem_acquire", "semaphore_ids": [0]},
{"name": "nop"},
{"name": "copy", "src_buff": [{"type": "s", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": 0, "size": 1}]}]}]}]}]
}
)";

/// A copy that two threadblocks share, on both sides of a barrier with exchanged parts.
inline const std::string sharedRelay = R"({
"name": "relay", "collective": "allreduce", "protocol": "Simple", "inplace": false,
"gpus": [
{"id": 0, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 1,
"threadblocks": [
{"id": 0, "ops": [
{"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"type": "s", "index": 0, "size": 1}], "tbg_info": {"tb_id": 0, "tbg_size": 2}},
{"name": "barrier", "barrier_id": 0, "num_threadblocks": 2},
{"name": "copy", "src_buff": [{"type": "s", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": 0, "size": 1}], "tbg_info": {"tb_id": 1, "tbg_size": 2}}]},
{"id": 1, "ops": [
{"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"type": "s", "index": 0, "size": 1}], "tbg_info": {"tb_id": 1, "tbg_size": 2}},
{"name": "barrier", "barrier_id": 0, "num_threadblocks": 2},
{"name": "copy", "src_buff": [{"type": "s", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": 0, "size": 1}], "tbg_info": {"tb_id": 0, "tbg_size": 2}}]}]}]
}
)";

} // namespace cclc::test

#endif // CCL_TEST_SUPPORT_MSCCLPPPLANS_H
