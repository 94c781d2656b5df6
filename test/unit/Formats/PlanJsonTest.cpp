//===- PlanJsonTest.cpp - Errors of the JSON reader -----------------------===//

#include "Plans.h"

#include "cclc/IR/PlanAttributes.h"

using namespace cclc;
using namespace cclc::test;

namespace {

/// A small plan with every key of the schema.
const std::string good = R"({
"format": "cclc-plan", "version": 1, "name": "pair",
"collective": {"kind": "broadcast", "ranks": 2, "chunks": 2, "root": 0},
"placements": ["out_of_place"],
"protocol": "LL", "instances": 1, "slots": 4, "min_bytes": 0, "max_bytes": 4096,
"target": "t", "target_hash": "h", "target_settings": ["a=1"], "target_machine": "{}",
"parameters": {"a": "1"},
"geometry": [{"level": "rank", "kind": "flat", "width": 2, "height": 1}],
"endpoints": [0,1],
"phases": ["go"],
"files": ["a.cpp"],
"locations": [[0,7]],
"ranks": [
{"rank": 0, "scratch": 0, "threadblocks": [
{"tb": 0, "send": 1, "channel": 0, "steps": [
{"op":"s","src":["i",0],"cnt":2,"pub":true,"phase":1,"loc":0}]},
{"tb": 1, "channel": 0, "steps": [
{"op":"cpy","src":["i",0],"dst":["o",0],"cnt":2,"wait":[0,0]}]}]},
{"rank": 1, "scratch": 0, "threadblocks": [
{"tb": 0, "recv": 0, "channel": 0, "steps": [
{"op":"r","dst":["o",0],"cnt":2,"loc":0,"then":0}]}]}]
}
)";

/// \p good with one text replaced, which must occur exactly once.
std::string with(StringRef from, StringRef to) {
  StringRef text = good;
  auto [head, tail] = text.split(from);
  REQUIRE(head.size() + from.size() + tail.size() == text.size());
  REQUIRE(tail.find(from) == StringRef::npos);
  return (head + to + tail).str();
}
} // namespace

TEST_CASE("the unchanged example is a plan", "[json]") {
  ExecPlan plan = readGood(good);
  CHECK(plan.steps().size() == 3);
  CHECK(plan.info().maxBytes == 4096u);
}

TEST_CASE("incorrect JSON is rejected with line and column", "[json]") {
  struct Case {
    const char *from;
    std::string to, message;
  };
  const std::string newest = std::to_string(planVersion);
  const Case cases[] = {
      // Keys.
      {"\"protocol\"", "\"protocoll\"", "plan:5:11: error: unknown key 'protocoll'\n"},
      {"\"protocol\"", "\"family\"",
       "plan:5:8: error: key 'family' of a target: a plan was expected (--target takes targets)\n"},
      {"\"cnt\":2,\"pub\"", "\"count\":2,\"pub\"", "plan:16:31: error: unknown key 'count'\n"},
      {"\"instances\": 1,", "\"instances\": 1, \"instances\": 1,",
       "plan:5:45: error: duplicate key 'instances'\n"},
      {"\"parameters\": {\"a\": \"1\"}", "\"parameters\": {\"a\": \"1\", \"a\": \"2\"}",
       "plan:7:28: error: duplicate parameter 'a'\n"},
      {"\"name\": \"pair\",", "", "plan:13:10: error: 'name' is missing\n"},
      {"\"kind\": \"broadcast\", ", "", "plan:3:49: error: 'kind' is missing\n"},
      {", \"channel\": 0, \"steps\": [\n{\"op\":\"r\"", ", \"steps\": [\n{\"op\":\"r\"",
       "plan:20:31: error: 'channel' is missing\n"},
      {"{\"op\":\"s\",\"src\"", "{\"src\"", "plan:16:51: error: 'op' is missing\n"},
      // Types.
      {"\"instances\": 1", "\"instances\": \"1\"",
       "plan:5:34: error: 'instances' takes a whole number, not a string\n"},
      {"\"instances\": 1", "\"instances\": -1",
       "plan:5:33: error: 'instances' takes a whole number, not a negative number\n"},
      {"\"instances\": 1", "\"instances\": 1.5",
       "plan:5:34: error: 'instances' takes a whole number, not a number that is not whole\n"},
      {"\"pub\":true", "\"pub\":1", "plan:16:39: error: 'pub' takes true or false, not a number\n"},
      {"\"target\": \"t\"", "\"target\": null",
       "plan:6:14: error: 'target' takes a string, not null\n"},
      {"[\"out_of_place\"]", "\"out_of_place\"",
       "plan:4:28: error: 'placements' takes an array, not a string\n"},
      {"[\"out_of_place\"]", "[\"out\"]",
       "plan:4:20: error: a placement must be one of in_place, out_of_place; found 'out'\n"},
      {"{\"a\": \"1\"}", "{\"a\": 1}",
       "plan:7:21: error: a parameter takes a string, not a number\n"},
      {"[0,1]", "[0,[1]]", "plan:9:17: error: this element takes a whole number, not an array\n"},
      {"[0,7]", "[0]", "plan:12:16: error: expected 2 elements, found 1\n"},
      {"[0,7]", "[0,7,1,1]", "plan:12:22: error: too many elements\n"},
      // Values.
      {"\"cclc-plan\"", "\"plan\"", "plan:2:16: error: the format is 'plan', not 'cclc-plan'\n"},
      {"\"version\": 1", "\"version\": 0",
       "plan:2:35: error: version 0 is not supported: this tool reads up to " + newest + "\n"},
      {"\"version\": 1", "\"version\": 99",
       "plan:2:36: error: version 99 is not supported: this tool reads up to " + newest + "\n"},
      {"\"LL\"", "\"fast\"", "plan:5:18: error: unknown protocol 'fast'\n"},
      {"broadcast", "broadcasts", "plan:3:35: error: unknown collective 'broadcasts'\n"},
      {"\"ranks\": 2", "\"ranks\": 0", "plan:3:46: error: a collective has at least one rank\n"},
      {"\"ranks\": 2", "\"ranks\": 65537",
       "plan:3:50: error: 'ranks': 65537 exceeds the limit of 65536\n"},
      {"\"root\": 0", "\"root\": 2", "plan:3:70: error: the root, rank 2, does not exist\n"},
      {"\"slots\": 4", "\"slots\": 0", "plan:5:44: error: a connection has at least one slot\n"},
      {"\"slots\": 4", "\"slots\": \"many\"",
       "plan:5:49: error: 'slots' takes a number or \"inf\"\n"},
      {"4096", "18446744073709551616",
       "plan:5:95: error: 'max_bytes' takes a whole number, not a number that is not whole\n"},
      {"\"flat\"", "\"round\"", "plan:8:46: error: unknown grid kind 'round'\n"},
      {"\"target\": \"t\"", "\"target\": \"\"",
       "plan:13:10: error: target attributes without a target name\n"},
      {"[\"a=1\"]", "[1]", "plan:6:56: error: this element takes a string, not a number\n"},
      {"[0,1]", "[0]", "plan:13:10: error: 'endpoints' needs one entry a rank\n"},
      {"[0,7]", "[1,7]", "plan:13:10: error: a location names file 1, but there are 1\n"},
      {"{\"rank\": 1", "{\"rank\": 2", "plan:19:10: error: expected rank 1, the next one\n"},
      {"\"tb\": 1", "\"tb\": 2", "plan:17:8: error: expected threadblock 1, the next one\n"},
      {"\"send\": 1", "\"send\": 2", "plan:15:19: error: there is no rank 2\n"},
      {"\"op\":\"s\"", "\"op\":\"send\"", "plan:16:12: error: unknown instruction 'send'\n"},
      {"[\"i\",0],\"cnt\":2,\"pub\"", "[\"in\",0],\"cnt\":2,\"pub\"",
       "plan:16:21: error: a buffer must be one of i, o, s; found 'in'\n"},
      {"\"phase\":1", "\"phase\":2", "plan:16:52: error: 'phase': 2 exceeds the limit of 1\n"},
      {"\"then\":0", "\"then\":1", "plan:21:48: error: there is no location 1\n"},
      {"\"loc\":0,\"then\"", "\"then\"",
       "plan:21:40: error: 'then' needs 'loc': a step whose sending half has a location has one "
       "itself\n"},
      // Structure: the location is that of the step.
      {"\"wait\":[0,0]", "\"wait\":[2,0]",
       "plan:18:1: error: r0 tb1 step 0 (cpy): waits for tb2, but r0 has 2 threadblocks\n"},
      {"\"wait\":[0,0]", "\"wait\":[0,1]",
       "plan:18:1: error: r0 tb1 step 0 (cpy): waits for step 1 of tb0, which has 1 steps\n"},
      {"\"pub\":true,", "",
       "plan:18:1: error: r0 tb1 step 0 (cpy): waits for tb0 step 0, but neither that step nor a "
       "later one of tb0 publishes its completion\n"},
      {"\"src\":[\"i\",0],\"cnt\":2,\"pub\"", "\"src\":[\"i\",1],\"cnt\":2,\"pub\"",
       "plan:16:1: error: r0 tb0 step 0 (s): source i[1:3] is out of range: the buffer has 2 "
       "chunks\n"},
      {"\"src\":[\"i\",0],\"cnt\":2,\"pub\"", "\"cnt\":2,\"pub\"",
       "plan:16:1: error: r0 tb0 step 0 (s): has no source operand\n"},
      {"\"cnt\":2,\"loc\":0,\"then\"", "\"cnt\":1,\"loc\":0,\"then\"",
       "plan:21:1: error: r1 tb0 step 0 (r): receives 1 chunks, but message 0 from r0 has 2\n"
       "plan:16:1: note: r0 tb0 step 0 sends it\n"},
      {"\"cnt\":2,\"pub\"", "\"cnt\":0,\"pub\"",
       "plan:16:1: error: r0 tb0 step 0 (s): count must be at least 1\n"},
  };
  for (const Case &c : cases) {
    INFO(c.from << " -> " << c.to);
    CHECK(readBad(with(c.from, c.to)) == c.message);
  }
}

TEST_CASE("text after the ranks of a plan is rejected", "[json]") {
  std::string header = with("\"target\": \"t\", \"target_hash\": \"h\", \"target_settings\": "
                            "[\"a=1\"], \"target_machine\": \"{}\",\n",
                            "");
  CHECK(readBad((StringRef(header).rtrim().drop_back() + ",\n\"target\": \"t\"}").str()) ==
        "plan:22:8: error: 'ranks' must be the last key of a plan\n");
}

TEST_CASE("an operand that the instruction does not use is rejected", "[json]") {
  CHECK(readBad(with("\"src\":[\"i\",0],\"cnt\":2,\"pub\"",
                     "\"src\":[\"i\",0],\"dst\":[\"o\",1073741823],\"cnt\":2,\"pub\"")) ==
        "plan:16:1: error: r0 tb0 step 0 (s): takes no destination operand\n");
  CHECK(readBad(with("\"op\":\"r\"", "\"op\":\"r\",\"src\":[\"i\",0]")) ==
        "plan:21:1: error: r1 tb0 step 0 (r): takes no source operand\n");
}

TEST_CASE("text after the plan is rejected", "[json]") {
  CHECK(readBad(good + "{}") == "plan:23:1: error: syntax error while parsing value - "
                                "unexpected '{'; expected end of input\n");
}

TEST_CASE("truncated JSON is an error at a line and column", "[json]") {
  // The white space at the end is not part of the plan.
  size_t end = StringRef(good).rtrim().size();
  for (size_t size = 1; size < end; ++size) {
    DiagnosticEngine diags;
    FailureOr<ExecPlan> plan = readPlan(StringRef(good).take_front(size), "plan", diags);
    INFO("first " << size << " bytes");
    REQUIRE(failed(plan));
    REQUIRE(diags.all().size() == 1);
    CHECK(diags.all()[0].loc.file == "plan");
    CHECK(diags.all()[0].loc.line > 0);
    CHECK(diags.all()[0].loc.column > 0);
    CHECK_FALSE(diags.all()[0].text.empty());
  }
  CHECK(readBad("") == "plan: error: not a plan: neither JSON nor MSCCL XML nor text IR "
                       "('ccl.version ...') nor binary\n");
}

TEST_CASE("any byte of a plan may have any value", "[json]") {
  // The reader never crashes; a result that is still a plan can be written and read back.
  for (size_t at = 0; at < good.size(); ++at)
    for (char c : {'0', '9', '"', '{', ']', 'x', '\0', '\xff', ',', '-'}) {
      std::string text = good;
      text[at] = c;
      DiagnosticEngine diags;
      FailureOr<ExecPlan> plan = readPlan(text, "plan", diags);
      if (failed(plan)) {
        REQUIRE(diags.hasErrors());
      } else {
        std::string once = jsonOf(*plan);
        REQUIRE(jsonOf(readGood(once)) == once);
      }
    }
}
