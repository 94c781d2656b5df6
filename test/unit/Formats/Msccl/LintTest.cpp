//===- LintTest.cpp - Lints of files by runtime ---------------------------===//
//
// One valid file, changed in one place at a time: every rule of the loaders, with
// the location and the runtimes it applies to.
//
//===----------------------------------------------------------------------===//

#include "../../../support/Lines.h"

#include "PairFile.h"
#include "Plans.h"

#include "cclc/Formats/Msccl/Lint.h"
#include "cclc/Formats/Msccl/Xml.h"

using namespace cclc;
using namespace cclc::test;

namespace {

/// A file that all three runtimes load.
const std::string good = pairFile(
    "1024", "1",
    R"(      <step s="0" type="nop" srcbuf="i" srcoff="-1" dstbuf="i" dstoff="-1" cnt="0" depid="0" deps="0" hasdep="0"/>
      <step s="1" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="0" deps="0" hasdep="0"/>
)");

std::string with(StringRef from, StringRef to) { return cclc::test::with(good, from, to); }

/// "LINE:COLUMN RUNTIMES VERDICT: TEXT; REMEDY" of every finding.
std::string lintOf(StringRef text) {
  std::string all;
  llvm::raw_string_ostream os(all);
  MscclLint lint = lintMsccl(text);
  std::vector<MscclVerdict> worst(mscclDialects().size(), MscclVerdict::Loads);
  for (const MscclFinding &finding : lint.findings) {
    os << finding.line << ':' << finding.column;
    for (size_t d = 0; d < mscclDialects().size(); ++d)
      if (finding.dialects.test(d)) {
        os << ' ' << mscclDialects()[d].name;
        worst[d] = std::max(worst[d], finding.verdict);
      }
    os << ' ' << mscclVerdictName(finding.verdict) << ": " << finding.text << "; "
       << finding.remedy;
    if (finding.more)
      os << " +" << finding.more;
    os << '\n';
  }
  CHECK(worst == lint.verdicts);
  return all;
}

const std::string everyone = " msccl rccl msccl-executor ";
} // namespace

TEST_CASE("a file that every runtime loads has no findings", "[lint]") {
  CHECK(lintOf(good) == "");
  // Comments and line ends between elements are ignored.
  CHECK(lintOf(with("  <gpu id=\"0\"", "<!-- a > b -->\r\n\r\n  <gpu id=\"0\"")) == "");
  CHECK(lintOf(with(" chan=\"0\">", "  chan=\"0\" >")) == "");
}

TEST_CASE("XML that the parsers of the runtimes do not accept is rejected for all", "[lint]") {
  struct Case {
    const char *from, *to, *finding;
  };
  const Case cases[] = {
      {"<algo", "<?xml version=\"1.0\"?>\n<algo",
       "1:1 ALL refuses: a prolog; begin with the algo element\n"},
      {"<algo", "\xef\xbb\xbf<algo", "1:1 ALL refuses: text between elements; remove it\n"},
      {"    <tb id=\"0\"", "\t<tb id=\"0\"",
       "3:1 ALL refuses: a tab between elements; use blanks\n"},
      {" send=\"1\"", "\tsend=\"1\"",
       "3:15 ALL refuses: a line end or tab between attributes; keep an element on one line\n"},
      {" send=\"1\"", "\n send=\"1\"",
       "3:15 ALL refuses: a line end or tab between attributes; keep an element on one line\n"},
      {"send=\"1\"", "send='1'", "3:21 ALL refuses: single quotes; use double quotes\n"},
      {"send=\"1\"", "send=1",
       "3:21 ALL refuses: attribute 'send' without a quote; write NAME=\"VALUE\"\n"},
      {"send=\"1\"", "send =\"1\"",
       "3:16 ALL refuses: 'send' is not an attribute; write NAME=\"VALUE\"\n"},
      {"id=\"0\" send", "id=\"0\"send",
       "3:15 ALL refuses: attribute 'send' without a blank before it; add one\n"},
      {"</tb>", "text</tb>", "6:5 ALL refuses: text between elements; remove it\n"},
      {"</tb>", "</gpu>",
       "6:5 ALL refuses: '</gpu>' does not match an open element; end 'tb' first\n"},
      {"</tb>", "</tb >", "6:9 ALL refuses: text after the name of an end tag; write '</tb>'\n"},
      {"</algo>", "",
       "1:1 ALL refuses: element 'algo' is not closed; close it; the file may be truncated\n"},
      {"</algo>", "</algo></algo>",
       "21:8 ALL refuses: '</algo>' does not match an open element; remove it\n"},
      {"<algo", "<!-- algo", "1:1 ALL refuses: a comment without an end; end it\n"},
      {"hasdep=\"1\"/>", "hasdep=\"1\"/ >",
       "4:112 ALL refuses: a '/' that does not end the element; write '/>'\n"},
  };
  for (const Case &c : cases) {
    INFO(c.from << " -> " << c.to);
    auto [head, tail] = StringRef(c.finding).split(" ALL ");
    CHECK(lintOf(with(c.from, c.to)) == head.str() + everyone + tail.str());
  }
  CHECK(lintOf("<program/>") ==
        "1:1" + everyone + "refuses: no element 'algo'; it is the root of the file\n");
}

TEST_CASE("each runtime requires its attributes", "[lint]") {
  CHECK(lintOf(with("outofplace=\"1\" ", "")) ==
        "1:1 rccl msccl-executor refuses: 'algo' lacks attribute outofplace; all are required\n");
  CHECK(lintOf(with("name=\"pair\" ", "")) ==
        "1:1 msccl refuses: 'algo' lacks attribute name; all are required\n");
  CHECK(lintOf(with(" minBytes=\"0\" maxBytes=\"1024\"", "")) ==
        R"(
        1:1 rccl msccl-executor refuses: 'algo' lacks attribute minBytes, maxBytes; all are required
        1:1 msccl loads: without maxBytes the algorithm is used below 128 MiB only; say maxBytes
        )"_lines);
  CHECK(lintOf(with("i_chunks=\"1\" ", "")) ==
        "2:3" + everyone + "refuses: 'gpu' lacks attribute i_chunks; all are required\n" + "4:7" +
            everyone +
            "refuses: source i[0] of 's' is out of range: the buffer has 0 chunks; use a chunk "
            "that exists +1\n");
  CHECK(
      lintOf(with(" recv=\"1\"", "")) ==
      "3:5" + everyone + "refuses: 'tb' lacks attribute recv; all are required\n" + "5:7" +
          everyone +
          "refuses: 'r' in r0 tb0, which has no receive peer; name the peer at the threadblock\n");
  CHECK(lintOf(with(" depid=\"-1\" deps=\"-1\" hasdep=\"1\"", "")) ==
        "4:7" + everyone +
            "refuses: 'step' lacks attribute depid, deps, hasdep; all are required\n");
  CHECK(lintOf(with("proto=\"Simple\"", "proto=\"simple\"")) ==
        "1:1" + everyone + "refuses: unknown protocol 'simple'; it is Simple, LL or LL128\n");
  CHECK(lintOf(with("cnt=\"1\"", "cnt=\"1k\"")) ==
        "4:7" + everyone + "misreads: attribute 'cnt' is not a whole number: '1k'; write one\n");
  CHECK(
      lintOf(with("name=\"pair\"", "name=\"" + std::string(255, 'x') + "\"")) ==
      "1:1" + everyone +
          "refuses: 255 characters in attribute 'name', the limit is 254; shorten it\n"
          "1:1 msccl misreads: 255 characters of the name, the limit is 63; rename the program\n"
          "1:1 rccl msccl-executor misreads: 255 characters of the name, the limit is 254; rename "
          "the program\n");
}

TEST_CASE("files at the limits of the loaders load", "[lint]") {
  CHECK(lintOf(with("name=\"pair\"", "name=\"" + std::string(63, 'x') + "\"")) == "");
  CHECK(lintOf(with("name=\"pair\"", "redop=\"" + std::string(254, 'x') + "\" name=\"pair\"")) ==
        "");
  CHECK(lintOf(with("nchannels=\"1\"", "nchannels=\"32\"")) == "");
  std::string last = with("nchannels=\"1\"", "nchannels=\"32\"");
  CHECK(lintOf(cclc::test::with(last, "chan=\"0\"", "chan=\"31\"")) == "");
}

TEST_CASE("each rule of the loaders reports location, value and remedy", "[lint]") {
  struct Case {
    const char *from, *to, *finding;
  };
  const Case cases[] = {
      {"coll=\"allgather\"", "coll=\"custom\"",
       "1:1 rccl refuses: 'custom' is not a collective of ROCm/rccl; microsoft/msccl supports it: "
       "--xml-dialect=msccl\n1:1 msccl-executor refuses: 'custom' is not a collective of "
       "Azure/msccl-executor-nccl; microsoft/msccl supports it: --xml-dialect=msccl\n2:3 msccl "
       "refuses: i_chunks of r0 is 1, but nchunksperloop is 2; make it nchunksperloop, or 0 if the "
       "buffer is unused +1\n"},
      {"coll=\"allgather\"", "coll=\"allsome\"",
       "1:1 msccl refuses: 'allsome' is not a collective of microsoft/msccl; it has allreduce, "
       "allgather, reduce, broadcast, alltoall, reduce_scatter, custom\n1:1 rccl refuses: "
       "'allsome' is not a collective of ROCm/rccl; it has allreduce, allgather, reduce, "
       "broadcast, alltoall, reducescatter, gather, scatter, send, recv, alltoallv\n1:1 "
       "msccl-executor refuses: 'allsome' is not a collective of Azure/msccl-executor-nccl; it has "
       "allreduce, allgather, reduce, broadcast, alltoall, reducescatter, gather, scatter, send, "
       "recv, alltoallv\n"
       "2:3 msccl refuses: i_chunks of r0 is 1, but nchunksperloop is 2; make it nchunksperloop, "
       "or 0 if the buffer is unused +1\n"},
      {"o_chunks=\"2\"", "o_chunks=\"3\"",
       "2:3 msccl refuses: o_chunks of r0 is 3, but nchunksperloop is 2; make it nchunksperloop, "
       "or 0 if the buffer is unused\n"},
      {"i_chunks=\"1\"", "i_chunks=\"2\"",
       "2:3 msccl refuses: i_chunks of r0 is 2 for each of 2 ranks, but nchunksperloop is 2; make "
       "it nchunksperloop / ngpus, or 0 if the buffer is unused\n"},
      {"s_chunks=\"1\"", "s_chunks=\"-1\"",
       "2:3 ALL refuses: -1 chunks of scratch on r0; use 0 for no scratch\n"},
      {"maxBytes=\"1024\"", "maxBytes=\"0\"",
       "1:1 msccl misreads: the size range from 0 to 0 bytes, exclusive, is empty: the algorithm "
       "is never used; set a larger maxBytes; 0 does not mean unlimited here\n"},
      {"minBytes=\"0\"", "minBytes=\"1025\"",
       "1:1 msccl refuses: sizes from 1025 to 1024 bytes are an empty range; set minBytes to at "
       "most maxBytes\n1:1 rccl msccl-executor misreads: the size range from 1025 to 1024 bytes is "
       "empty: the algorithm is never used; set minBytes to at most maxBytes\n"},
      {"outofplace=\"1\"", "outofplace=\"0\"",
       "1:1 rccl msccl-executor misreads: neither inplace nor outofplace: the algorithm is never "
       "used; set one of the two\n"},
      {"inplace=\"0\"", "nthreads=\"100\" inplace=\"0\"",
       "1:1 msccl refuses: 100 threads are not a multiple of 32; use whole warps\n"},
      {"nchannels=\"1\"", "nchannels=\"33\"",
       "1:1 msccl msccl-executor misreads: 33 channels, the limit is 32; use fewer channels or "
       "instances (cclc --max-channels, --instances)\n"},
      {"nchannels=\"1\"", "nchannels=\"0\"",
       "3:5 ALL misreads: r0 tb0 is on channel 0, but nchannels is 0; set nchannels to the number "
       "of channels +1\n"},
      {"ngpus=\"2\"", "ngpus=\"3\"",
       "1:1 ALL misreads: ngpus is 3, but there is no gpu 2: that rank does nothing; add a gpu "
       "element for every rank\n2:3 msccl refuses: i_chunks of r0 is 1 for each of 3 ranks, but "
       "nchunksperloop is 2; make it nchunksperloop / ngpus, or 0 if the buffer is unused +1\n"},
      {"chan=\"0\"", "chan=\"32\"",
       "3:5 msccl msccl-executor misreads: 32 as the channel of r0 tb0, the limit is 31; use fewer "
       "channels or instances (cclc --max-channels, --instances)\n3:5 rccl misreads: r0 tb0 is on "
       "channel 32, but nchannels is 1; set nchannels to the number of channels\n"},
      {"chan=\"0\"", "chan=\"33\"",
       "3:5 msccl msccl-executor refuses: 33 as the channel of r0 tb0, the limit is 31; use fewer "
       "channels or instances (cclc --max-channels, --instances)\n3:5 rccl misreads: r0 tb0 is on "
       "channel 33, but nchannels is 1; set nchannels to the number of channels\n"},
      {"send=\"1\"", "send=\"0\"",
       "3:5 ALL refuses: r0 tb0 sends to r0; name another rank, or -1\n"},
      {"recv=\"1\"", "recv=\"2\"",
       "3:5 msccl refuses: r0 tb0 receives from r2, but there are 2 ranks; name a rank that "
       "exists\n"
       "3:5 rccl msccl-executor misreads: r0 tb0 receives from r2, but there are 2 ranks; name a "
       "rank that exists\n"},
      {"send=\"1\"", "send=\"-1\"",
       "4:7 ALL refuses: 's' in r0 tb0, which has no send peer; name the peer at the "
       "threadblock\n"},
      {"<tb id=\"1\"", "<tb id=\"0\"",
       "7:5 ALL refuses: duplicate threadblock r0 tb0; number the threadblocks from 0\n"},
      {"<tb id=\"1\"", "<tb id=\"2\"",
       "7:5 ALL refuses: tb 2 of r0: ids must be dense, and there are 2; number the threadblocks "
       "from 0\n"},
      {"<step s=\"1\"", "<step s=\"5\"",
       "5:7 ALL misreads: found step 5, expected step 1: steps are identified by position; number "
       "the steps from 0\n"},
      {"type=\"r\"", "type=\"x\"",
       "5:7 ALL refuses: unknown step type 'x'; it is s, r, cpy, re, rcs, rrc, rrs, rrcs or nop\n"},
      {"type=\"r\"", "type=\"ra\"",
       "5:7 rccl msccl-executor refuses: there is no step 'ra'; only msccl has residual adds\n"},
      {"type=\"r\"", "type=\"rrc\"",
       "5:7 rccl refuses: there is no kernel for 'rrc'; compile it with --fused-ops=lower\n"},
      {"srcbuf=\"i\"", "srcbuf=\"x\"",
       "4:7 ALL refuses: attribute 'srcbuf' is 'x'; it must be i, o or s\n"},
      {"hasdep=\"1\"", "hasdep=\"2\"", "4:7 ALL refuses: hasdep is 2; it is 0 or 1\n"},
      {"cnt=\"1\"", "cnt=\"72\"",
       "4:7 ALL refuses: 72 chunks in one step, the limit is 71; split the operation\n4:7 ALL "
       "misreads: source i[0:72] of 's' is out of range, which the runtime does not detect: the "
       "buffer has 1 chunk; use chunks that exist\n"},
      {"srcoff=\"0\"", "srcoff=\"-1\"",
       "4:7 ALL misreads: source i[-1:0] of 's' is out of range, which the runtime does not "
       "detect: the buffer has 1 chunk; use chunks that exist\n"},
      {"dstbuf=\"o\" dstoff=\"1\"", "dstbuf=\"o\" dstoff=\"2\"",
       "5:7 ALL refuses: destination o[2] of 'r' is out of range: the buffer has 2 chunks; use a "
       "chunk that exists\n"},
      {"depid=\"0\" deps=\"0\"", "depid=\"128\" deps=\"0\"",
       "8:7 ALL misreads: 128 as the number of a threadblock to wait for, the limit is 127; use "
       "fewer threadblocks of a rank (cclc --max-threadblocks)\n"},
      {"cnt=\"0\" depid=\"0\" deps=\"0\" hasdep=\"0\"",
       "cnt=\"0\" depid=\"0\" deps=\"0\" hasdep=\"1\"",
       "8:7 ALL misreads: a nop does not publish its completion: steps that wait for it hang; "
       "publish in the step before or after it\n"},
      {"cnt=\"1\" depid=\"0\" deps=\"0\"", "cnt=\"1\" depid=\"-1\" deps=\"-1\"",
       "9:7 ALL refuses: 'cpy' follows nops that wait, but does not wait itself; move the wait of "
       "the last nop to the step\n"},
      {"hasdep=\"1\"/>", "hasdep=\"1\"><hint/></step>",
       "4:112 ALL refuses: element 'hint' inside a step; a step is empty\n"},
  };
  for (const Case &c : cases) {
    INFO(c.from << " -> " << c.to);
    std::string expected;
    for (StringRef line = c.finding; !line.empty();) {
      auto [head, tail] = line.split(" ALL ");
      expected += head.str() + (tail.empty() ? "" : everyone);
      line = tail;
    }
    CHECK(lintOf(with(c.from, c.to)) == expected);
  }
}

TEST_CASE("nops and reductions are counted as by the loaders", "[lint]") {
  auto steps = [](std::vector<std::string> rows, const char *last = "") {
    std::string text;
    for (size_t i = 0; i < rows.size(); ++i)
      text += "      <step s=\"" + std::to_string(i) + "\" type=\"" + rows[i] + "/>\n";
    return with("      <step s=\"0\" type=\"nop\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"i\" "
                "dstoff=\"-1\" cnt=\"0\" depid=\"0\" deps=\"0\" hasdep=\"0\"/>\n"
                "      <step s=\"1\" type=\"cpy\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" "
                "dstoff=\"0\" cnt=\"1\" depid=\"0\" deps=\"0\" hasdep=\"0\"/>\n",
                text + last);
  };
  auto nop = [](bool waits) {
    return std::string("nop\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"i\" dstoff=\"-1\" cnt=\"0\" ") +
           (waits ? "depid=\"0\" deps=\"0\"" : "depid=\"-1\" deps=\"-1\"") + " hasdep=\"0\"";
  };
  auto re = [](const char *src, const char *dst, int count = 1, bool publishes = false) {
    auto place = [](const char *side, const char *place) {
      return std::string(side) + "buf=\"" + place[0] + "\" " + side + "off=\"" + (place + 1) +
             "\" ";
    };
    return "re\" " + place("src", src) + place("dst", dst) + "cnt=\"" + std::to_string(count) +
           "\" depid=\"-1\" deps=\"-1\" hasdep=\"" + (publishes ? "1" : "0") + "\"";
  };
  CHECK(lintOf(steps({re("i0", "o0"), re("i0", "o0")})) == "");
  CHECK(lintOf(steps({re("i0", "o0"), nop(true)})) ==
        "9:7" + everyone + "loads: nops at the end of a threadblock are dropped; leave them out\n");
  CHECK(lintOf(steps({nop(false), re("i0", "o0", 1, true)})) ==
        "8:7" + everyone +
            "misreads: a nop without a wait is not counted: later steps publish too "
            "low a number; leave it out\n");
  CHECK(lintOf(steps({re("i0", "o0"), nop(true), re("i0", "o0")})) ==
        "10:7" + everyone +
            "misreads: the reduction is merged with the previous one and executes before the waits "
            "of the nops between them; move the wait to the step\n");
  CHECK(lintOf(steps({re("o0", "o1"), re("o1", "o1")})) ==
        "9:7" + everyone +
            "misreads: the reduction is merged with the previous one, which changes its meaning; "
            "publish in the step before it\n");
  CHECK(lintOf(steps({re("o0", "s0", 1), re("o0", "s0", 1, true)})) == "");
  // The chain is split after the sixteenth reduction of the threadblock, and only once.
  std::vector<std::string> chain(32, re("i0", "o0"));
  CHECK(lintOf(steps(chain)) == "");
  chain.push_back(re("i0", "o0"));
  CHECK(lintOf(steps(chain)) == "40:7" + everyone +
                                    "misreads: 17 reductions that are merged into one, the limit "
                                    "is 16; publish in the step before it\n");
}

TEST_CASE("a file is used at the sizes and in the placements of each runtime", "[lint]") {
  auto use = [](StringRef from, StringRef to) { return *lintMsccl(with(from, to)).use; };
  const MscclDialect &msccl = mscclDialects()[0], &rccl = mscclDialects()[1];
  MscclUse plain = use("coll", "coll");
  CHECK(*plain.sizes(msccl)->to == 1023);
  CHECK(*plain.sizes(rccl)->to == 1024);
  CHECK(plain.worksIn(Placement::OutOfPlace, msccl));
  CHECK_FALSE(plain.worksIn(Placement::InPlace, msccl));
  CHECK_FALSE(plain.worksIn(Placement::InPlace, rccl));
  MscclUse all = use("maxBytes=\"1024\"", "maxBytes=\"0\"");
  CHECK_FALSE(all.sizes(msccl).has_value());
  CHECK_FALSE(all.sizes(rccl)->to.has_value());
  CHECK(*use(" maxBytes=\"1024\"", "").sizes(msccl)->to == (1 << 27) - 1);
  CHECK_FALSE(use("1024", "9223372036854775807").sizes(msccl)->to.has_value());
  MscclUse both = use("inplace=\"0\"", "inplace=\"1\"");
  CHECK(both.worksIn(Placement::InPlace, rccl));
  CHECK(both.worksIn(Placement::OutOfPlace, rccl));
  CHECK_FALSE(both.worksIn(Placement::OutOfPlace, msccl));
}

TEST_CASE("a runtime loads the files written for it", "[lint]") {
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    for (size_t d = 0; d < mscclDialects().size(); ++d) {
      const MscclDialect &dialect = mscclDialects()[d];
      DiagnosticEngine diags;
      if (failed(checkMscclLimits(plan, dialect, diags)))
        continue;
      std::string text;
      llvm::raw_string_ostream os(text);
      writeMscclXml(plan, dialect, os);
      INFO(dialect.name << '\n' << lintOf(text));
      CHECK(lintMsccl(text).verdicts[d] == MscclVerdict::Loads);
    }
  }
}

TEST_CASE("any byte of a file may have any value, and a file may end anywhere", "[lint]") {
  for (size_t at = 0; at < good.size(); ++at) {
    lintMsccl(StringRef(good).take_front(at));
    for (char c : {'0', '9', '"', '<', '>', '/', '=', ' ', '\t', '\0', '\xff', '-'}) {
      std::string text = good;
      text[at] = c;
      MscclLint lint = lintMsccl(text);
      REQUIRE(lint.verdicts.size() == 3);
    }
  }
}
