//===- XmlTest.cpp - MSCCL-IR files, good and bad -------------------------===//

#include "PairFile.h"
#include "Plans.h"

#include "cclc/Formats/Msccl/Xml.h"
#include "cclc/Proof/PlanVerifier.h"

using namespace cclc;
using namespace cclc::test;

namespace {

const std::string good = pairFile(
    "0", "0",
    R"(      <step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="0" deps="0" hasdep="0"/>
)");

/// \p good with the first occurrence of a text replaced.
std::string with(StringRef from, StringRef to) { return cclc::test::with(good, from, to); }
} // namespace

TEST_CASE("an XML plan is read unchanged", "[xml]") {
  ExecPlan plan = readGood(good, "f.xml");
  CHECK(plan.info().name == "pair");
  CHECK(plan.info().collective == Collective(CollectiveKind::AllGather, 2, 1));
  CHECK(plan.info().placements == Placements::outOfPlace());
  CHECK_FALSE(plan.slots().has_value());
  CHECK_FALSE(plan.info().maxBytes.has_value());
  REQUIRE(plan.steps().size() == 6);
  // Attributes that a step does not use are not read.
  CHECK(plan.steps()[0].dst.isNone());
  CHECK(plan.steps()[1].src.isNone());
  CHECK(plan.steps()[2].wait() == Wait{ThreadblockId(0), StepIndex(0)});
  CHECK(plan.steps()[0].publishes);
  CHECK(plan.info().locate(plan.steps()[2].loc) == Location{"f.xml", 8, 7});
  DiagnosticEngine diags;
  CHECK(verifyPlan(plan, Slots(1), diags).verdict == Verdict::Ok);
}

TEST_CASE("elements may be in any order, steps may not", "[xml]") {
  StringRef text = good;
  size_t first = text.find("  <gpu id=\"0\""), second = text.find("  <gpu id=\"1\"");
  size_t end = text.find("</algo>");
  std::string swapped = (text.take_front(first) + text.slice(second, end) +
                         text.slice(first, second) + text.drop_front(end))
                            .str();
  CHECK(textOf(readGood(swapped)) == textOf(readGood(good)));
}

TEST_CASE("incorrect XML is rejected with line and column", "[xml]") {
  struct Case {
    const char *from, *to, *message;
  };
  const Case cases[] = {
      {"<gpu id=\"1\"", "<gpu id=\"2\"",
       "plan:11:3: error: gpu 2: ids must be dense, and there are 2\n"},
      {"<gpu id=\"1\"", "<gpu id=\"0\"", "plan:11:3: error: duplicate gpu 0\n"},
      {"<tb id=\"1\"", "<tb id=\"0\"", "plan:7:5: error: duplicate tb 0\n"},
      {"<tb id=\"1\"", "<tb id=\"5\"",
       "plan:7:5: error: tb 5: ids must be dense, and there are 2\n"},
      {"<step s=\"1\"", "<step s=\"0\"", "plan:5:7: error: found step 0, expected step 1\n"},
      {"ngpus=\"2\"", "ngpus=\"3\"", "plan:1:1: error: ngpus is 3, but there are 2 gpu elements\n"},
      {"nchunksperloop=\"2\"", "nchunksperloop=\"3\"",
       "plan:1:1: error: nchunksperloop 3 is not divisible by the 2 ranks, as allgather "
       "requires\n"},
      {"nchunksperloop=\"2\" ", "", "plan:1:1: error: 'algo' lacks attribute 'nchunksperloop'\n"},
      {"nchunksperloop=\"2\"", "nchunksperloop=\"2x\"",
       "plan:1:1: error: attribute 'nchunksperloop' is not a whole number: '2x'\n"},
      {"nchunksperloop=\"2\"", "nchunksperloop=\"99999999999999999999\"",
       "plan:1:1: error: attribute 'nchunksperloop' is not a whole number: "
       "'99999999999999999999'\n"},
      {"nchunksperloop=\"2\"", "nchunksperloop=\"0\"",
       "plan:1:1: error: attribute 'nchunksperloop': 0 is not between 1 and 1073741823\n"},
      {"nchunksperloop=\"2\"", "nchunksperloop=\"1073741822\"",
       "plan:1:1: error: 1073741822 chunks on each of 2 ranks exceed the limit of 268435456 "
       "cells\n"},
      {"coll=\"allgather\" ", "", "plan:1:1: error: 'algo' lacks attribute 'coll'\n"},
      {"proto=\"Simple\"", "proto=\"fast\"", "plan:1:1: error: unknown protocol 'fast'\n"},
      {"outofplace=\"1\"", "outofplace=\"0\"",
       "plan:1:1: error: the algorithm is neither inplace nor outofplace\n"},
      {"o_chunks=\"2\"", "o_chunks=\"3\"",
       "plan:2:3: error: o_chunks is 3, but the output of the collective has 2 chunks\n"},
      {"send=\"1\"", "send=\"2\"",
       "plan:3:5: error: attribute 'send': 2 is not between -1 and 1\n"},
      {"send=\"1\"", "send=\"0\"", "plan:3:5: error: r0 tb0: sends to its own rank\n"},
      {"chan=\"0\"", "chan=\"65536\"",
       "plan:3:5: error: attribute 'chan': 65536 is not between 0 and 65535\n"},
      {"type=\"s\"", "type=\"x\"", "plan:4:7: error: unknown step type 'x'\n"},
      {"type=\"s\"", "type=\"ra\"",
       "plan:4:7: error: step type 'ra' adds a residual that is not in any buffer of the file, so "
       "that it cannot be executed\n"},
      {"srcbuf=\"i\"", "srcbuf=\"x\"",
       "plan:4:7: error: attribute 'srcbuf' must be one of i, o, s; found 'x'\n"},
      {"srcoff=\"0\"", "srcoff=\"-1\"",
       "plan:4:7: error: attribute 'srcoff': -1 is not between 0 and 1073741823\n"},
      {"srcoff=\"0\"", "srcoff=\"1\"",
       "plan:4:7: error: r0 tb0 step 0 (s): source i[1:2] is out of range: the buffer has 1 "
       "chunk\n"},
      {"cnt=\"1\"", "cnt=\"0\"",
       "plan:4:7: error: attribute 'cnt': 0 is not between 1 and 268435456\n"},
      {"hasdep=\"1\"", "hasdep=\"2\"",
       "plan:4:7: error: attribute 'hasdep': 2 is not between 0 and 1\n"},
      {"depid=\"0\" deps=\"0\"", "depid=\"0\" deps=\"-1\"",
       "plan:8:7: error: waits for threadblock 0, but for none of its steps\n"},
      {"hasdep=\"1\"", "hasdep=\"0\"",
       "plan:8:7: error: r0 tb1 step 0 (cpy): waits for tb0 step 0, but neither that step nor a "
       "later one of tb0 publishes its completion\n"},
      {"cnt=\"1\"", "cnt=\"1\" cnt=\"1\"", "plan:4:7: error: duplicate attribute 'cnt'\n"},
      {"</algo>\n", "</algo>\ntrailing\n", "plan:21:1: error: text after the root element\n"},
      {"</algo>\n", "</algo>\n<algo/>\n", "plan:21:1: error: a second root element 'algo'\n"},
  };
  for (const Case &c : cases) {
    INFO(c.from << " -> " << c.to);
    CHECK(readBad(with(c.from, c.to)) == c.message);
  }
  CHECK(readBad("<program/>") == "plan:1:1: error: the root element is 'program', not 'algo'\n");
  CHECK(readBad("<!-- nothing -->") == "plan: error: no root element\n");
  CHECK(StringRef(readBad("<algo")).starts_with("plan:1:5: error: not well-formed XML: "));
}

TEST_CASE("document types and entities are not interpreted", "[xml]") {
  // Entities of a document type are not expanded, so their expansion cannot exhaust memory.
  std::string doctype = "<!DOCTYPE algo [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]>\n";
  CHECK(readGood(doctype + with("name=\"pair\"", "name=\"&b;\"")).info().name == "&b;");
  CHECK(readGood(with("name=\"pair\"", "name=\"&amp;&#65;\"")).info().name == "&A");
  CHECK(readBad(doctype + with("ngpus=\"2\"", "ngpus=\"&two;\"")) ==
        "plan:2:1: error: attribute 'ngpus' is not a whole number: '&two;'\n");
}

TEST_CASE("an unknown element is a warning", "[xml]") {
  DiagnosticEngine diags;
  CHECK(succeeded(
      readPlan(with("  <gpu id=\"0\"", "  <hint/>\n  <hint/>\n  <gpu id=\"0\""), "plan", diags)));
  CHECK(textOf(diags) == "plan:2:3: warning: element 'hint' is unknown and ignored\n");
}

TEST_CASE("truncated XML is an error at a line and column", "[xml]") {
  size_t end = StringRef(good).rtrim().size();
  for (size_t size = 1; size < end; ++size) {
    DiagnosticEngine diags;
    FailureOr<ExecPlan> plan = readPlan(StringRef(good).take_front(size), "plan", diags);
    INFO("first " << size << " bytes");
    REQUIRE(failed(plan));
    REQUIRE(diags.all().size() == 1);
    CHECK(diags.all()[0].loc.line > 0);
    CHECK(diags.all()[0].loc.column > 0);
  }
}

TEST_CASE("any byte of an XML plan may have any value", "[xml]") {
  for (size_t at = 0; at < good.size(); ++at)
    for (char c : {'0', '9', '"', '<', '>', '/', 'x', '\0', '\xff', '&'}) {
      std::string text = good;
      text[at] = c;
      DiagnosticEngine diags;
      FailureOr<ExecPlan> plan = readPlan(text, "plan", diags);
      REQUIRE(succeeded(plan) == !diags.hasErrors());
    }
}

TEST_CASE("a range of sizes follows the convention of the file's runtime", "[xml]") {
  auto sizes = [](StringRef attributes) {
    ProgramInfo info =
        readGood(with("outofplace=\"1\" minBytes=\"0\" maxBytes=\"0\"", attributes)).info();
    return std::pair(info.minBytes, info.maxBytes);
  };
  using Sizes = std::pair<uint64_t, std::optional<uint64_t>>;
  constexpr std::nullopt_t any = std::nullopt;
  CHECK(sizes("outofplace=\"1\" minBytes=\"0\" maxBytes=\"0\"") == Sizes(0, any));
  CHECK(sizes("outofplace=\"1\" minBytes=\"5\" maxBytes=\"9\"") == Sizes(5, 9));
  // microsoft/msccl has no outofplace, and its maxBytes is the first size that is too large.
  CHECK(sizes("minBytes=\"5\" maxBytes=\"9\"") == Sizes(5, 8));
  CHECK(sizes("minBytes=\"5\" maxBytes=\"9223372036854775807\"") == Sizes(5, any));
  CHECK(sizes("") == Sizes(0, any));
}
