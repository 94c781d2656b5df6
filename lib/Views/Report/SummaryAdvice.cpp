//===- SummaryAdvice.cpp - Advice as text ---------------------------------===//
//
// A table with one change per row, the largest gain first. Below each row follow the cause and the
// option, or the command, that makes the change.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/Decimal.h"
#include "cclc/Support/Printable.h"
#include "cclc/Views/Report/Summary.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

/// The part of the time of \p last that \p advice saves, in thousandths, rounded down.
static uint64_t gainPermille(const Advice &advice, const SizeResult &last) {
  if (advice.time >= last.time)
    return 0;
  Wide saved = Wide((last.time - advice.time).picoseconds()) * 1000;
  return uint64_t(saved / last.time.picoseconds());
}

void cclc::printAdvice(const SweepResult &report, raw_ostream &os) {
  const SizeResult &last = report.sizes.back();
  os << formatv("\nadvice for {0} bytes, which take {1} ns now\n", last.bytes.count(),
                nanosecondsText(last.time));
  if (!report.advice.rows.empty())
    os << formatv("{0,14} {1,8}  change\n", "time [ns]", "gain");
  for (const Advice &advice : report.advice.rows) {
    uint64_t gain = gainPermille(advice, last);
    os << formatv("{0,14} {1,4}.{2} %  {3}\n", nanosecondsText(advice.time), gain / 10, gain % 10,
                  printable(advice.action));
    bool compiles = advice.tool == Advice::Tool::Compiler;
    os << std::string(25, ' ') << printable(advice.cause) << '\n'
       << std::string(25, ' ') << (compiles ? "compile with: " : "run with: ")
       << printable(advice.change) << '\n';
  }
  if (report.advice.rows.empty())
    os << "  no change that was tried saves 1 % of the time\n";
  for (const std::string &note : report.advice.notes)
    os << "  " << printable(note) << '\n';
}
