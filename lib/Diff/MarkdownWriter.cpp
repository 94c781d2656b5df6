//===- MarkdownWriter.cpp - A comparison as Markdown ----------------------===//
//
// A summary for the page of a step of GitHub Actions: the verdict, the differences, which the
// reader unfolds, and tables of times and gates.
//
//===----------------------------------------------------------------------===//

#include "cclc/Diff/DiffResult.h"
#include "cclc/Support/Decimal.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::diff;

/// \p text as one cell of a table: names of users' files may contain any character.
static std::string cell(StringRef text) {
  std::string result;
  for (char c : text) {
    if (StringRef("|\\`*_<>[]&").contains(c))
      result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result;
}

/// "+5.49 %", to the nearest hundredth.
static std::string changeOf(SimTime before, SimTime after) {
  if (before == SimTime())
    return "";
  Wide twice = (Wide(after.picoseconds()) - before.picoseconds()) * 20'000 / before.picoseconds();
  int64_t hundredths = int64_t(twice < 0 ? (twice - 1) / 2 : (twice + 1) / 2);
  std::string text = thousandths(hundredths * 10);
  return (hundredths > 0 ? "+" : "") + text.substr(0, text.size() - 1) + " %";
}

/// The differences as in the text, in a block that the reader unfolds. The block is indented, as
/// the text may contain any fence.
static void writeFolded(const DiffResult &report, raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeDifferences(report, stream);
  if (text.empty())
    return;
  os << "\n<details><summary>differences</summary>\n\n";
  for (StringRef line : llvm::split(StringRef(text).trim('\n'), '\n'))
    os << (line.empty() ? "" : "    ") << line << '\n';
  os << "\n</details>\n";
}

void diff::writeMarkdown(const DiffResult &report, raw_ostream &os) {
  const Figures &now = report.diff.figuresAfter;
  bool proved = now.proof.verdict == Verdict::Ok;
  os << "### " << cell(report.newName) << "\n\n"
     << (report.differs() ? "Differs from " : "Is equivalent to ") << cell(report.oldName);
  if (report.differs())
    os << ": " << cell(verdict(report.diff, report.strict));
  os << (proved ? ".\n" : ". It is not proved: " + cell(now.flaw) + ".\n");
  if (report.converted)
    os << '\n' << cell(conversionNote(*report.converted)) << ".\n";
  writeFolded(report, os);
  if (!report.times.empty())
    os << "\n| target | type | bytes | old [ns] | new [ns] | change |\n|---|---|--:|--:|--:|--:|\n";
  for (const TimeDiff &time : report.times)
    os << "| " << cell(time.target) << " | " << dataTypeName(time.type) << " | "
       << time.bytes.count() << " | " << nanosecondsText(time.before) << " | "
       << nanosecondsText(time.after) << " | " << changeOf(time.before, time.after) << " |\n";
  if (!report.gates.empty())
    os << "\n| gate | |\n|---|---|\n";
  for (const GateResult &gate : report.gates)
    os << "| " << (gate.tripped ? "tripped" : "holds") << " | " << cell(gate.text()) << " |\n";
  os << '\n';
}
