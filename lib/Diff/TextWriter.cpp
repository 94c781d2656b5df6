//===- TextWriter.cpp - A comparison as text ------------------------------===//
//
// Verdict, differences by aspect, times and gates. Differences are folded (Folding.h) and
// each aspect shows at most 12 lines; --format=json has all of them.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "cclc/Diff/DiffResult.h"
#include "cclc/Support/Decimal.h"
#include "cclc/Support/Printable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::diff;
using llvm::formatv;
using llvm::raw_ostream;

bool DiffResult::trips() const {
  return llvm::any_of(gates, [](const GateResult &gate) { return gate.tripped; });
}

bool DiffResult::fails(bool gatesOnly) const {
  bool proved = diff.figuresAfter.proof.verdict == Verdict::Ok;
  return trips() || !diff.comparable || (gatesOnly ? !proved : differs());
}

std::string diff::conversionNote(StringRef name) {
  return printable(name) + ", a plan of MSCCL++, is compared and timed as the plan of steps that "
                           "cclc convert makes of it";
}

namespace {
/// The maximum number of lines of an aspect.
constexpr size_t shown = 12;

StringRef heading(Aspect aspect) {
  constexpr StringRef headings[numAspects] = {
      "attributes",  "proof",        "limits", "step kinds",  "transfers", "reductions",
      "connections", "threadblocks", "steps",  "dependences", "order",     "numbering"};
  return headings[static_cast<size_t>(aspect)];
}

class TextWriter {
public:
  TextWriter(const DiffResult &report, raw_ostream &os)
      : report(report), diff(report.diff), os(os) {}

  void write() {
    summary();
    differences();
    for (const TimeDiff &time : report.times)
      times(time);
    if (!report.gates.empty())
      os << '\n';
    for (const GateResult &gate : report.gates) {
      os.changeColor(gate.tripped ? raw_ostream::RED : raw_ostream::GREEN, /*Bold=*/true);
      os << printable(gate.text());
      os.resetColor();
      os << '\n';
    }
  }

  void differences() {
    if (!report.differs())
      return;
    std::vector<Fold> folds = foldDifferences(diff, report.strict);
    for (auto begin = folds.begin(); begin != folds.end();) {
      auto end = std::find_if(begin, folds.end(), [&](const Fold &fold) {
        return fold.first.aspect != begin->first.aspect;
      });
      os << '\n' << heading(begin->first.aspect) << '\n';
      size_t lines = 0;
      uint64_t more = 0;
      for (; begin != end; ++begin)
        if (lines < shown) {
          ++lines;
          line(*begin);
        } else {
          more += begin->count;
        }
      if (more)
        os << formatv("  ... and {0} more; --format=json has them all\n", more);
    }
  }

private:
  void summary() {
    const ProgramInfo &info = diff.after.info();
    os << formatv("{0}: {1} over {2} ranks, {3} {4}\n", printable(info.name),
                  StringRef(collectiveName(info.collective.kind())), info.ranks(),
                  diff.after.numSteps(), diff.ofOperations() ? "operations" : "steps");
    os.changeColor(report.differs() ? raw_ostream::YELLOW : raw_ostream::GREEN, /*Bold=*/true);
    if (report.differs())
      os << formatv("{0} and {1} differ: {2}", printable(report.oldName), printable(report.newName),
                    verdict(diff, report.strict));
    else
      os << formatv("{0} and {1} are equivalent{2}", printable(report.oldName),
                    printable(report.newName),
                    diff.numbering.empty() ? "" : ", numbered differently");
    os.resetColor();
    os << '\n';
    if (report.converted)
      os << conversionNote(*report.converted) << '\n';
  }

  void line(const Fold &fold) {
    const Difference &d = fold.first;
    bool gone = d.after.empty(), added = d.before.empty();
    os.changeColor(gone    ? raw_ostream::RED
                   : added ? raw_ostream::GREEN
                           : raw_ostream::YELLOW,
                   /*Bold=*/true);
    os << "  " << (gone ? '-' : added ? '+' : '~') << ' ';
    os.resetColor();
    if (d.rank)
      os << *d.rank << ' ';
    os << printable(Fold::textOf(d)) << fold.tail();
    if (d.location.isKnown())
      os << "  [" << d.location << ']';
    os << '\n';
  }

  void times(const TimeDiff &time) {
    bool same = time.causesBefore == time.causesAfter && time.path.empty();
    // Rows without a change are not separated.
    if (!same || !sameBefore)
      os << '\n';
    sameBefore = same;
    std::string type = time.type == DataType::F32 ? "" : " of " + dataTypeName(time.type).str();
    os << formatv("{0} bytes{1} on {2}: {3} -> {4} ns{5}\n", time.bytes.count(), type,
                  printable(time.target), nanosecondsText(time.before), nanosecondsText(time.after),
                  time.before == time.after ? ", no change" : "");
    if (same)
      return;
    struct Row {
      std::string what;
      SimTime before, after;
    };
    std::vector<Row> rows;
    for (unsigned c = 0; c < numCauses; ++c)
      if (time.causesBefore[c] != time.causesAfter[c])
        rows.push_back(
            {causeName(static_cast<Cause>(c)).str(), time.causesBefore[c], time.causesAfter[c]});
    for (const PhaseChange &change : time.phases)
      if (change.before != change.after)
        rows.push_back(
            {change.phase.empty() ? "(outside phases)" : "phase " + printable(change.phase),
             change.before, change.after});
    for (const PathChange &change : ArrayRef(time.path).take_front(shown)) {
      std::string where = "unknown line";
      if (change.location.isKnown()) {
        where.clear();
        llvm::raw_string_ostream(where) << change.location;
      }
      rows.push_back({where + " " + causeName(change.cause).str(), change.before, change.after});
    }
    constexpr StringRef title = "on the critical path [ns]";
    size_t width = title.size();
    for (const Row &row : rows)
      width = std::max(width, row.what.size());
    auto line = [&](StringRef what, StringRef before, StringRef after, StringRef change) {
      os << "  " << what << std::string(width - what.size(), ' ')
         << formatv(" {0,14} {1,14} {2,14}\n", before, after, change);
    };
    line(title, "old", "new", "change");
    for (const Row &row : rows) {
      int64_t change = row.after.picoseconds() - row.before.picoseconds();
      line(row.what, nanosecondsText(row.before), nanosecondsText(row.after),
           (change > 0 ? "+" : "") + thousandths(change));
    }
    if (time.path.size() > shown)
      os << formatv("  ... and {0} more; --format=json has them all\n", time.path.size() - shown);
  }

  const DiffResult &report;
  const PlanDiff &diff;
  raw_ostream &os;
  bool sameBefore = false; ///< whether the last row of times had no change
};
} // namespace

void diff::writeText(const DiffResult &report, raw_ostream &os) { TextWriter(report, os).write(); }

void diff::writeDifferences(const DiffResult &report, raw_ostream &os) {
  TextWriter(report, os).differences();
}
