//===- ValuesTest.cpp - Small values on the command line ------------------===//

#include "../../support/Lines.h"

#include "ExpectedDiagnostics.h"
#include "Plans.h"
#include "cclc/Support/Text.h"
#include "cclc/Tools/Cli/Values.h"

using namespace cclc;
using namespace cclc::test;

TEST_CASE("sizes have binary units", "[text]") {
  CHECK(parseSize("0") == 0u);
  CHECK(parseSize("512") == 512u);
  CHECK(parseSize("64K") == 65536u);
  CHECK(parseSize("64KiB") == 65536u);
  CHECK(parseSize("1M") == 1u << 20);
  CHECK(parseSize("1MiB") == 1u << 20);
  CHECK(parseSize("3G") == uint64_t(3) << 30);
  CHECK(parseSize("1GiB") == 1u << 30);
  CHECK(parseSize("2TiB") == uint64_t(2) << 40);
  CHECK(parseSize("18446744073709551615") == ~uint64_t(0));
  CHECK(parseSize("16777215T") == uint64_t(16777215) << 40);
  for (const char *bad : {"", "K", "-1", "+1", " 1", "1 ", "1k", "1KB", "1.5M", "0x10", "1MiBs",
                          "18446744073709551616", "16777216T", "99999999999999999999G"})
    CHECK_FALSE(parseSize(bad));
  DiagnosticEngine diags;
  CHECK(parseSize("--bytes", "1M", diags) == 1u << 20);
  CHECK_FALSE(parseSize("--bytes", "big", diags));
  CHECK(textOf(diags) ==
        "tool: error: --bytes takes a size such as 512, 64K, 1MiB or 1GiB, not 'big'\n");
}

TEST_CASE("keys and values", "[text]") {
  DiagnosticEngine diags;
  using Pair = std::pair<std::string, std::string>;
  CHECK(parseKeyValue("-p", "a=b", diags) == Pair("a", "b"));
  CHECK(parseKeyValue("-p", "a=", diags) == Pair("a", ""));
  CHECK(parseKeyValue("-p", "a=b=c", diags) == Pair("a", "b=c"));
  CHECK_FALSE(diags.hasErrors());
  CHECK_FALSE(parseKeyValue("-p", "a", diags));
  CHECK_FALSE(parseKeyValue("-p", "=b", diags));
  CHECK(textOf(diags) == R"(
    tool: error: -p takes KEY=VALUE, not 'a'
    tool: error: -p takes KEY=VALUE, not '=b'
    )"_lines);
}

TEST_CASE("the nearest word is suggested if it is close enough", "[text]") {
  std::vector<std::string> words = {"allreduce_ring", "allgather_ring", "broadcast"};
  CHECK(didYouMean("allreduce_rnig", words) == " (did you mean 'allreduce_ring'?)");
  CHECK(didYouMean("brodcast", words) == " (did you mean 'broadcast'?)");
  CHECK(didYouMean("zzz", words) == "");
  CHECK(didYouMean("broadcast", {}) == "");
  CHECK(didYouMean("ab", {"ax", "abc"}) == " (did you mean 'ax'?)"); // the first of equal ones
  CHECK(didYouMean("a", {"xyz"}) == "");
}

TEST_CASE("text is wrapped between words", "[text]") {
  CHECK(wrapped("one two three four", 2, 10) == "  one two\n  three\n  four");
  CHECK(wrapped("averyverylongword x", 1, 6) == " averyverylongword\n x");
  CHECK(wrapped("  spaces   vanish ", 0, 80) == "spaces vanish");
  CHECK(wrapped("", 4) == "");
}

namespace {
struct Checked {
  bool ok;
  std::string output;
};
Checked check(StringRef text, const DiagnosticEngine &diags, unsigned firstLine = 1) {
  Checked result;
  llvm::raw_string_ostream os(result.output);
  const std::vector<Mismatch> found = checkExpectedDiagnostics(text, "f.ccl", firstLine, diags);
  result.ok = found.empty();
  for (const Mismatch &each : found) {
    if (each.where.isKnown())
      os << each.where << ": ";
    os << each.text << '\n';
  }
  os.flush();
  return result;
}
} // namespace

TEST_CASE("expected diagnostics match whole texts", "[text]") {
  DiagnosticEngine diags;
  diags.error({"f.ccl", 2, 5}, "it is wrong").note({"f.ccl", 1, 1}, "because of this");
  const std::string text = R"(
    first // expected-note {{because of this}}
    second // expected-error {{it is wrong}}
    )"_lines;
  CHECK(check(text, diags).ok);
  CHECK(check(text, diags).output == "");

  // A part of the text, another line or another severity does not match.
  CHECK(
      check("// expected-note {{because}}\nx // expected-error {{it is wrong}}\n", diags).output ==
      R"(
      f.ccl:1:1: unexpected note: because of this
      f.ccl:1: expected note was not reported: because
      )"_lines);
  CHECK(check(R"(
    // expected-note {{because of this}}

    // expected-error {{it is wrong}}
    )"_lines,
              diags)
            .output == R"(
              f.ccl:2:5: unexpected error: it is wrong
              f.ccl:3: expected error was not reported: it is wrong
              )"_lines);
  CHECK_FALSE(
      check("// expected-note {{because of this}}\n// expected-warning {{it is wrong}}\n", diags)
          .ok);
  CHECK(check("", diags).output == R"(
    f.ccl:2:5: unexpected error: it is wrong
    f.ccl:1:1: unexpected note: because of this
    )"_lines);
}

TEST_CASE("diagnostics may be expected at other lines", "[text]") {
  DiagnosticEngine diags;
  diags.error({"f.ccl", 12, 1}, "two down");
  diags.warning({"f.ccl", 11, 1}, "one up");
  diags.error({}, "nowhere");
  diags.error({"g.ccl", 10, 1}, "another file");
  const std::string text = R"(
    // expected-error@+2 {{two down}}

    // expected-warning@-1 {{one up}}
    // expected-error@unknown {{nowhere}}
    // expected-error@unknown {{another file}}
    )"_lines;
  Checked checked = check(text, diags, 10);
  CHECK(checked.output == "");
  CHECK(checked.ok);
  // Each expectation matches once.
  diags.error({}, "nowhere");
  CHECK(check(text, diags, 10).output == "unexpected error: nowhere\n");
}

TEST_CASE("malformed expectations are errors", "[text]") {
  DiagnosticEngine none;
  CHECK(check("// expected-eror {{x}}\n", none).output ==
        "f.ccl:1: error: expected expected-error, expected-warning or expected-note\n");
  CHECK(check("// expected-error@sometime {{x}}\n", none).output ==
        "f.ccl:1: error: expected @+N, @-N or @unknown\n");
  CHECK(check("// expected-error x\n", none).output ==
        "f.ccl:1: error: expected the text in {{ and }}\n");
  CHECK(check("// expected-error {{x}\n", none).output ==
        "f.ccl:1: error: expected the text in {{ and }}\n");
  // Outside a comment it is not an expectation.
  CHECK(check("expected-error {{x}}\n", none).ok);
  CHECK(check("// expected-error@unknown {{x}}\n", none).output ==
        "f.ccl: expected error was not reported: x\n");
}
