//===- WhyDiff.cpp - The first difference of two provenances --------------===//
//
// A depth-first search over both graphs at once, from the two values of the cell back, left operand
// first. Pairs of values that were compared are not compared again, so shared values are visited
// once.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/WhyDiff.h"

#include "cclc/Diff/Differences.h"
#include "cclc/IR/StepNames.h"
#include "cclc/Support/Printable.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// A plan with its provenance.
struct Side {
  const ExecPlan &plan;
  const Provenance &provenance;

  std::string name(ProvenanceId id) const {
    if (provenance.isContribution(id)) {
      Contribution from = provenance.contribution(id);
      return formatv("initial chunk r{0}:i[{1}]", from.rank.index(), from.index);
    }
    if (!provenance.isAction(id))
      return "undefined: never written";
    StepId step = provenance.place(id).step;
    std::string text =
        stepName(plan, step) + ", '" + diff::stepText(plan.steps()[step.index()]) + "'";
    if (Location location = stepLocation(plan, step); location.isKnown())
      llvm::raw_string_ostream(text) << "  " << location;
    return text;
  }
};

/// Whether both actions are the same, ignoring their operands.
bool sameHere(const Side &a, ProvenanceId x, const Side &b, ProvenanceId y) {
  if (a.provenance.isContribution(x) && b.provenance.isContribution(y))
    return a.provenance.contribution(x) == b.provenance.contribution(y);
  if (!a.provenance.isAction(x) || !b.provenance.isAction(y))
    return !a.provenance.isAction(x) && !a.provenance.isContribution(x) &&
           !b.provenance.isAction(y) && !b.provenance.isContribution(y);
  Provenance::Place p = a.provenance.place(x), q = b.provenance.place(y);
  const Step &s = a.plan.steps()[p.step.index()], &t = b.plan.steps()[q.step.index()];
  auto rank = [](const Side &side, StepId step) {
    return side.plan.threadblocks()[threadblockOf(side.plan, step).index()].rank;
  };
  auto place = [](bool used, Operand operand, uint32_t chunk) {
    return used ? operand.offsetBy(chunk) : Operand();
  };
  const OpTraits &op = traits(s.op);
  return s.op == t.op && rank(a, p.step) == rank(b, q.step) &&
         place(op.readsSrc, s.src, p.chunk) == place(op.readsSrc, t.src, q.chunk) &&
         place(op.writesDst, s.dst, p.chunk) == place(op.writesDst, t.dst, q.chunk);
}

/// The first pair that differs, from the cell back; lhs before rhs.
std::optional<std::pair<ProvenanceId, ProvenanceId>> findParting(const Side &a, ProvenanceId x,
                                                                 const Side &b, ProvenanceId y) {
  llvm::DenseSet<uint64_t> seen; // pairs of values that were compared
  std::vector<std::pair<ProvenanceId, ProvenanceId>> open = {{x, y}};
  while (!open.empty()) {
    std::tie(x, y) = open.back();
    open.pop_back();
    if (!seen.insert(uint64_t(x.index()) << 32 | y.index()).second)
      continue;
    if (!sameHere(a, x, b, y))
      return std::pair(x, y);
    if (!a.provenance.isAction(x))
      continue;
    Provenance::Operands from = a.provenance.operands(x), other = b.provenance.operands(y);
    if (from.rhs && other.rhs)
      open.emplace_back(*from.rhs, *other.rhs);
    open.emplace_back(from.lhs, other.lhs);
  }
  return std::nullopt;
}
} // namespace

bool cclc::printWhyDiff(const ExecPlan &before, StringRef oldName, const ExecPlan &after,
                        StringRef newName, const CellName &cell, Placement placement,
                        raw_ostream &os) {
  std::optional<Provenance> olds = Provenance::trace(before, placement),
                            news = Provenance::trace(after, placement);
  for (const auto &[ways, name] : {std::pair(&olds, oldName), {&news, newName}})
    if (!*ways)
      os << name << " does not complete: cannot compare\n";
  if (!olds || !news)
    return false;
  os << printable(oldName) << ": ";
  Why(before, *olds, cell, placement).print(os);
  os << '\n' << printable(newName) << ": ";
  Why(after, *news, cell, placement).print(os);
  os << '\n';
  Side a{before, *olds}, b{after, *news};
  auto parting = findParting(a, olds->of(cell.rank, cell.cell), b, news->of(cell.rank, cell.cell));
  if (!parting) {
    os << "identical provenance in both plans\n";
    return true;
  }
  os << formatv("first difference, from the cell back\n  - {0}\n  + {1}\n", a.name(parting->first),
                b.name(parting->second));
  return false;
}
