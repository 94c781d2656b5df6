#include "../../support/Lines.h"

#include "cclc/Support/Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

using namespace cclc;
using namespace cclc::test;

static std::string text(const DiagnosticEngine &diags, StringRef tool) {
  std::string result;
  llvm::raw_string_ostream os(result);
  diags.print(os, tool);
  return result;
}

TEST_CASE("a diagnostic shows the known part of its location") {
  DiagnosticEngine diags;
  diags.error({"a.cpp", 12, 7}, "all three");
  diags.error({"a.cpp", 12, 0}, "no column");
  diags.error({"a.cpp", 0, 0}, "the whole file");
  diags.error({"a.cpp", 0, 9}, "a column means nothing without a line");
  diags.error({}, "nowhere");
  CHECK(text(diags, "cclc") == R"(
    a.cpp:12:7: error: all three
    a.cpp:12: error: no column
    a.cpp: error: the whole file
    a.cpp: error: a column means nothing without a line
    cclc: error: nowhere
    )"_lines);
  DiagnosticEngine one;
  one.error({}, "nowhere");
  CHECK(text(one, "") == "error: nowhere\n");
}

TEST_CASE("notes follow the diagnostic that they belong to") {
  DiagnosticEngine diags;
  DiagnosticEngine::InFlight first = diags.error({"a", 1}, "first");
  diags.warning({"b", 2}, "second").note({}, "of the second");
  // The table of diagnostics may have been reallocated.
  for (int i = 0; i < 100; ++i)
    diags.note({}, "remark");
  first.note({"c", 3, 4}, "of the first").note({"d"}, "as well");
  std::string expected = R"(
    a:1: error: first
    c:3:4: note: of the first
    d: note: as well
    b:2: warning: second
    t: note: of the second
    )"_lines;
  for (int i = 0; i < 100; ++i)
    expected += "t: note: remark\n";
  CHECK(text(diags, "t") == expected);
}

TEST_CASE("only errors count as errors, until the engine is cleared") {
  DiagnosticEngine diags;
  diags.warning({}, "w");
  diags.note({}, "n");
  CHECK_FALSE(diags.hasErrors());
  LogicalResult result = diags.error({}, "e");
  CHECK(failed(result));
  FailureOr<int> value = diags.error({}, "e").note({}, "n");
  CHECK(failed(value));
  CHECK(diags.hasErrors());
  CHECK(diags.all().size() == 4);
  diags.clear();
  CHECK_FALSE(diags.hasErrors());
  CHECK(text(diags, "t").empty());
}

TEST_CASE("colour surrounds the severity and nothing else") {
  DiagnosticEngine diags;
  diags.error({"a", 1}, "text");
  std::string result;
  llvm::raw_string_ostream os(result);
  os.enable_colors(true);
  diags.print(os, "t", /*color=*/true);
  CHECK(result == "a:1: \x1b[0;1;31merror: \x1b[0mtext\n");
}

TEST_CASE("a warning that is equal to an earlier one is a repeat") {
  DiagnosticEngine diags;
  diags.warning({"t.json", 2}, "odd");
  diags.error({"t.json", 2}, "odd");
  diags.warning({"t.json", 3}, "odd");
  diags.warning({"t.json", 2}, "odd").note({}, "with a note");
  diags.warning({"t.json", 2}, "odd");
  diags.error({"t.json", 2}, "odd");
  CHECK(text(diags.withoutRepeats(), "") == R"(
    t.json:2: warning: odd
    t.json:2: error: odd
    t.json:3: warning: odd
    t.json:2: warning: odd
    note: with a note
    t.json:2: error: odd
    )"_lines);
  CHECK(diags.withoutRepeats().hasErrors());
}
