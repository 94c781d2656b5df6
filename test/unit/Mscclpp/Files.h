//===- Files.h - Plans of MSCCL++ for tests ---------------------*- C++ -*-===//

#ifndef CCL_TEST_UNIT_MSCCLPP_FILES_H
#define CCL_TEST_UNIT_MSCCLPP_FILES_H

#include "Plans.h"

#include "cclc/Mscclpp/Executor.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Mscclpp/Proof/Verify.h"

namespace cclc::test {

/// The plan of a recipe with another protocol.
inline ExecPlan compiledAs(const Recipe &recipe, Protocol protocol) {
  DiagnosticEngine diags;
  CompileRequest request = requestFor(recipe);
  request.protocol = protocol;
  FailureOr<Compiled> outcome = compile(bundled(recipe.program), request, diags);
  if (failed(outcome))
    FAIL(recipe.program << ": " << textOf(diags));
  return std::move(outcome->plan);
}

inline std::string textOf(const mscclpp::Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  mscclpp::writeJson(plan, os);
  return os.str();
}

inline mscclpp::Plan readGoodMscclpp(StringRef text) {
  DiagnosticEngine diags;
  FailureOr<mscclpp::Plan> plan = mscclpp::readJson(text, "plan", diags);
  if (failed(plan))
    FAIL(textOf(diags) << "in\n" << text.str());
  return std::move(*plan);
}

/// The errors of the reader, the limits and the proof; "ok" if there are none.
inline std::string judge(StringRef text) {
  DiagnosticEngine diags;
  Verdict why = Verdict::Ok;
  FailureOr<mscclpp::Plan> plan = mscclpp::readJson(text, "plan", diags, &why);
  if (failed(plan))
    return verdictName(why).str() + ": " + textOf(diags);
  if (failed(mscclpp::checkExecutor(*plan, diags)))
    return "illegal: " + textOf(diags);
  Verdict verdict = mscclpp::verify(*plan, diags).verdict;
  CHECK((verdict == Verdict::Ok) == !diags.hasErrors());
  return verdict == Verdict::Ok ? "ok" : verdictName(verdict).str() + ": " + textOf(diags);
}

struct Judged {
  std::string text, judgement;
};
inline void checkJudged(ArrayRef<Judged> cases) {
  for (const Judged &c : cases)
    CHECK(judge(c.text) == c.judgement);
}

/// The operations in the text of the writer, which has one operation per line.
struct OpLine {
  size_t begin, end; ///< without the text after it on the line
  StringRef text;
};
inline std::vector<OpLine> opLines(StringRef text) {
  std::vector<OpLine> lines;
  for (size_t at = text.find("\n{\"name\""); at != StringRef::npos;
       at = text.find("\n{\"name\"", at + 1)) {
    size_t begin = at + 1, end = begin;
    int depth = 0;
    do {
      depth += (text[end] == '{') - (text[end] == '}');
      ++end;
    } while (depth);
    lines.push_back({begin, end, text.slice(begin, end)});
  }
  return lines;
}
/// The text without one of its operations.
inline std::string without(StringRef text, const OpLine &line) {
  StringRef head = text.take_front(line.begin), tail = text.drop_front(line.end);
  if (!tail.consume_front(",") && head.ends_with(",\n"))
    head = head.drop_back(2);
  return (head + tail).str();
}
inline std::string replaced(StringRef text, const OpLine &line, StringRef by) {
  return (text.take_front(line.begin) + by + text.drop_front(line.end)).str();
}

/// An all-gather over two ranks, out of place: each rank signals its arrival, copies its chunk,
/// puts it, and waits for the chunk of the other rank.
inline const std::string gatherByPut = R"({
"name": "gather", "collective": "allgather", "protocol": "Simple", "inplace": false,
"gpus": [
{"id": 0, "input_chunks": 1, "output_chunks": 2, "scratch_chunks": 0,
"channels": [{"channel_type": "memory", "connected_to": [1]}],
"remote_buffers": [{"rank": 1, "type": "o", "access_channel_types": ["memory"]}],
"threadblocks": [
{"id": 0, "channels": [{"channel_type": "memory", "channel_ids": [0]}],
"remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}], "ops": [
{"name": "rlxsignal", "channel_ids": [0], "channel_type": "memory"},
{"name": "rlxwait", "channel_ids": [0], "channel_type": "memory"},
{"name": "nop"},
{"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": 0, "size": 1}]},
{"name": "put", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}], "channel_type": "memory"},
{"name": "nop"},
{"name": "signal", "channel_ids": [0], "channel_type": "memory"},
{"name": "wait", "channel_ids": [0], "channel_type": "memory"}]}]},
{"id": 1, "input_chunks": 1, "output_chunks": 2, "scratch_chunks": 0,
"channels": [{"channel_type": "memory", "connected_to": [0]}],
"remote_buffers": [{"rank": 0, "type": "o", "access_channel_types": ["memory"]}],
"threadblocks": [
{"id": 0, "channels": [{"channel_type": "memory", "channel_ids": [0]}],
"remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}], "ops": [
{"name": "rlxsignal", "channel_ids": [0], "channel_type": "memory"},
{"name": "rlxwait", "channel_ids": [0], "channel_type": "memory"},
{"name": "nop"},
{"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": 1, "size": 1}]},
{"name": "put", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"buffer_id": 0, "index": 1, "size": 1}], "channel_type": "memory"},
{"name": "nop"},
{"name": "signal", "channel_ids": [0], "channel_type": "memory"},
{"name": "wait", "channel_ids": [0], "channel_type": "memory"}]}]}]
}
)";

/// An all-reduce over two ranks, in place, by packets: each rank sends its buffer and adds the
/// received one.
inline const std::string reduceByPackets = R"({
"name": "reduce", "collective": "allreduce", "protocol": "LL", "inplace": true,
"use_double_scratch_buffer": true,
"gpus": [
{"id": 0, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 2,
"channels": [{"channel_type": "memory", "connected_to": [1]}],
"remote_buffers": [{"rank": 1, "type": "s", "access_channel_types": ["memory"]}],
"threadblocks": [
{"id": 0, "channels": [{"channel_type": "memory", "channel_ids": [0]}],
"remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}], "ops": [
{"name": "ppkt", "src_buff": [{"type": "i", "index": 0, "size": 2}], "dst_buff": [{"buffer_id": 0, "index": 0, "size": 2}], "channel_type": "memory"},
{"name": "nop"},
{"name": "repkt", "src_buff": [{"type": "i", "index": 0, "size": 2}, {"type": "s", "index": 0, "size": 2}], "dst_buff": [{"type": "i", "index": 0, "size": 2}], "reduce_op": "sum"}]}]},
{"id": 1, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 2,
"channels": [{"channel_type": "memory", "connected_to": [0]}],
"remote_buffers": [{"rank": 0, "type": "s", "access_channel_types": ["memory"]}],
"threadblocks": [
{"id": 0, "channels": [{"channel_type": "memory", "channel_ids": [0]}],
"remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}], "ops": [
{"name": "ppkt", "src_buff": [{"type": "i", "index": 0, "size": 2}], "dst_buff": [{"buffer_id": 0, "index": 0, "size": 2}], "channel_type": "memory"},
{"name": "nop"},
{"name": "repkt", "src_buff": [{"type": "i", "index": 0, "size": 2}, {"type": "s", "index": 0, "size": 2}], "dst_buff": [{"type": "i", "index": 0, "size": 2}], "reduce_op": "sum"}]}]}]
}
)";

/// An all-reduce over two ranks, in place, by reading: each rank reads the other one's copy of its
/// chunk, adds it and puts the sum into both memories.
inline const std::string reduceByReading = R"({
"name": "read", "collective": "allreduce", "protocol": "Simple", "inplace": true,
"gpus": [
{"id": 0, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 0,
"channels": [{"channel_type": "memory", "connected_to": [1]}],
"remote_buffers": [{"rank": 1, "type": "i", "access_channel_types": ["memory"]}],
"threadblocks": [
{"id": 0, "channels": [{"channel_type": "memory", "channel_ids": [0]}],
"remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}], "ops": [
{"name": "rlxsignal", "channel_ids": [0], "channel_type": "memory"},
{"name": "rlxwait", "channel_ids": [0], "channel_type": "memory"},
{"name": "nop"},
{"name": "rres", "src_buff": [{"type": "i", "index": 0, "size": 1}, {"buffer_id": 0, "index": 0, "size": 1}], "dst_buff": [{"type": "i", "index": 0, "size": 1}, {"buffer_id": 0, "index": 0, "size": 1}], "channel_type": "memory"},
{"name": "nop"},
{"name": "signal", "channel_ids": [0], "channel_type": "memory"},
{"name": "wait", "channel_ids": [0], "channel_type": "memory"}]}]},
{"id": 1, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 0,
"channels": [{"channel_type": "memory", "connected_to": [0]}],
"remote_buffers": [{"rank": 0, "type": "i", "access_channel_types": ["memory"]}],
"threadblocks": [
{"id": 0, "channels": [{"channel_type": "memory", "channel_ids": [0]}],
"remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}], "ops": [
{"name": "rlxsignal", "channel_ids": [0], "channel_type": "memory"},
{"name": "rlxwait", "channel_ids": [0], "channel_type": "memory"},
{"name": "nop"},
{"name": "rres", "src_buff": [{"type": "i", "index": 1, "size": 1}, {"buffer_id": 0, "index": 1, "size": 1}], "dst_buff": [{"type": "i", "index": 1, "size": 1}, {"buffer_id": 0, "index": 1, "size": 1}], "channel_type": "memory"},
{"name": "nop"},
{"name": "signal", "channel_ids": [0], "channel_type": "memory"},
{"name": "wait", "channel_ids": [0], "channel_type": "memory"}]}]}]
}
)";

/// A copy from input to output through two threadblocks and scratch, ordered by semaphores.
inline const std::string relay = R"({
"name": "relay", "collective": "allreduce", "protocol": "Simple", "inplace": false,
"gpus": [
{"id": 0, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 1,
"semaphores": [{"init_value": 0}],
"threadblocks": [
{"id": 0, "ops": [
{"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"type": "s", "index": 0, "size": 1}]},
{"name": "nop"},
{"name": "sem_release", "semaphore_ids": [0]}]},
{"id": 1, "ops": [
{"name": "sem_acquire", "semaphore_ids": [0]},
{"name": "nop"},
{"name": "copy", "src_buff": [{"type": "s", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": 0, "size": 1}]}]}]}]
}
)";

} // namespace cclc::test

#endif // CCL_TEST_UNIT_MSCCLPP_FILES_H
