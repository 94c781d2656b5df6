//===- Why.cpp - Printing the provenance of a cell ------------------------===//
//
// Traverses the graph of values back from the cell, with explicit stacks since chains may be as
// long as the plan. The operand with more steps continues at the same depth and the other one is
// indented, as in a heavy-light decomposition (Sleator and Tarjan, JCSS 26, 1983), so the
// indentation is at most logarithmic in the number of steps of the expanded expression. A value
// that was printed before is only referred to.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/Why.h"

#include "cclc/IR/StepNames.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

std::optional<CellName> cclc::parseCellName(StringRef option, StringRef text,
                                            DiagnosticEngine &diags) {
  StringRef rest = text;
  bool bracketed = rest.ends_with("]") && rest.contains('[');
  if (bracketed)
    rest = rest.drop_back();
  rest.consume_front("r");
  auto [rankText, cellText] = rest.split(':');
  auto [bufferText, indexText] = cellText.split(bracketed ? '[' : ':');
  std::optional<Buffer> buffer = bufferText == "input"     ? Buffer::Input
                                 : bufferText == "output"  ? Buffer::Output
                                 : bufferText == "scratch" ? Buffer::Scratch
                                                           : parseBuffer(bufferText);
  uint32_t rank, index;
  if (!buffer || rankText.getAsInteger(10, rank) || indexText.getAsInteger(10, index) ||
      index > Operand::maxIndex) {
    diags.error({}, option +
                        " takes RANK:BUFFER:INDEX with the buffer i, o or s, such as 3:o:2, "
                        "not '" +
                        text + "'");
    return std::nullopt;
  }
  return CellName{RankId(rank), Operand(*buffer, index)};
}

LogicalResult cclc::checkCell(const ExecPlan &plan, const CellName &name, DiagnosticEngine &diags) {
  if (name.rank.index() >= plan.ranks())
    return diags.error({}, formatv("there is no rank {0}: the plan has ranks 0 to {1}",
                                   name.rank.index(), plan.ranks() - 1));
  uint32_t chunks =
      bufferChunks(plan.info().collective, plan.scratchChunks(), name.rank, name.cell.buffer());
  if (name.cell.index() >= chunks)
    return diags.error({}, formatv("there is no {0}:{1}[{2}]: the buffer has {3} {4}", name.rank,
                                   bufferLetter(name.cell.buffer()), name.cell.index(), chunks,
                                   chunks == 1 ? "chunk" : "chunks"));
  return success();
}

Why::Why(const ExecPlan &plan, const Provenance &provenance, const CellName &name,
         Placement placement)
    : plan(plan), provenance(provenance), name(name), placement(placement),
      root(provenance.of(name.rank, name.cell)) {
  count();
}

/// Computes weights in post-order, operands before the values that use them.
void Why::count() {
  weight.resize(provenance.size());
  std::vector<bool> met(provenance.size());
  std::vector<std::pair<ProvenanceId, bool>> stack = {{root, false}};
  while (!stack.empty()) {
    auto [id, done] = stack.back();
    stack.pop_back();
    if (!done && met[id.index()])
      continue;
    met[id.index()] = true;
    if (!provenance.isAction(id)) {
      contributions += provenance.isContribution(id);
      reached.push_back(id);
      continue;
    }
    Provenance::Operands operands = provenance.operands(id);
    if (!done) {
      stack.emplace_back(id, true);
      if (operands.rhs)
        stack.emplace_back(*operands.rhs, false);
      stack.emplace_back(operands.lhs, false);
      continue;
    }
    reached.push_back(id);
    weight[id.index()] = 1 + weight[operands.lhs.index()];
    if (operands.rhs)
      weight[id.index()] += weight[(*operands.rhs).index()];
    ++steps;
    reductions += operands.rhs.has_value();
    messages += traits(plan.steps()[provenance.place(id).step.index()].op).receives;
  }
}

std::string Why::expression(size_t limit) const {
  std::string text;
  size_t leaves = 0;
  struct Part {
    ProvenanceId id;
    const char *literal;
  };
  std::vector<Part> stack = {{root, nullptr}};
  while (!stack.empty()) {
    Part part = stack.back();
    stack.pop_back();
    if (part.literal) {
      text += part.literal;
      continue;
    }
    if (leaves == limit) {
      text += "...";
      continue;
    }
    while (provenance.isAction(part.id) && !provenance.operands(part.id).rhs)
      part.id = provenance.operands(part.id).lhs;
    if (!provenance.isAction(part.id)) {
      text += textOf(part.id);
      ++leaves;
      continue;
    }
    Provenance::Operands operands = provenance.operands(part.id);
    StepId step = provenance.place(part.id).step;
    bool inSwitch = addsInSwitch(step);
    bool isPartial = provenance.isPartialSum(part.id);
    text += isPartial ? "" : inSwitch ? "{" : "(";
    stack.insert(stack.end(), {{provenance.undefined(), isPartial  ? ""
                                                        : inSwitch ? "}"
                                                                   : ")"},
                               {*operands.rhs, nullptr},
                               {provenance.undefined(), " + "},
                               {operands.lhs, nullptr}});
  }
  return text;
}

bool Why::addsInSwitch(StepId step) const {
  return traits(plan.steps()[step.index()].op).receives &&
         plan.threadblocks()[threadblockOf(plan, step).index()].reducesInSwitch();
}

std::string Why::textOf(ProvenanceId id) const {
  if (id == provenance.undefined())
    return "undefined";
  Contribution from = provenance.contribution(id);
  return formatv("{0}:i[{1}]", from.rank, from.index);
}

/// The source of an operand of \p action: a cell, a message, or a sum in a switch.
std::string Why::operandText(ProvenanceId action, bool second) const {
  Provenance::Place place = provenance.place(action);
  const Step &step = plan.steps()[place.step.index()];
  const OpTraits &op = traits(step.op);
  if (addsInSwitch(place.step)) { // the local operand last
    ProvenanceId lhs = provenance.operands(action).lhs;
    if (!second)
      return provenance.isAction(lhs) && provenance.isPartialSum(lhs) ? "sum" : "message";
    if (!op.readsSrc || provenance.isPartialSum(action))
      return "message";
  } else if (op.receives && (second || !op.readsSrc)) {
    return "message";
  }
  Operand operand = (op.readsDst && !second ? step.dst : step.src).offsetBy(place.chunk);
  return formatv("{0}[{1}]", bufferLetter(operand.buffer()), operand.index());
}

/// "o[2] = i[2] + message, forwarded".
std::string Why::doing(ProvenanceId action) const {
  Provenance::Place place = provenance.place(action);
  const Step &step = plan.steps()[place.step.index()];
  const OpTraits &op = traits(step.op);
  if (provenance.isPartialSum(action))
    return operandText(action, false) + " + " + operandText(action, true) + " in the switch";
  std::string text;
  if (op.writesDst)
    text = formatv("{0}[{1}] = ", bufferLetter(step.dst.buffer()), step.dst.index() + place.chunk);
  else if (!op.receives)
    text = "sends ";
  text += operandText(action, false);
  if (provenance.operands(action).rhs)
    text += " + " + operandText(action, true);
  if (op.isFused())
    text += op.writesDst ? ", forwarded" : " forwarded";
  return text;
}

std::vector<Why::Line> Why::lines(size_t limit) const {
  std::vector<Line> result;
  std::vector<bool> told(provenance.size());
  struct Branch {
    ProvenanceId id;
    unsigned depth;
  };
  std::vector<Branch> stack = {{root, 0}};
  while (!stack.empty() && result.size() <= limit) {
    auto [id, depth] = stack.back();
    stack.pop_back();
    if (!provenance.isAction(id)) {
      result.push_back({depth, textOf(id),
                        id == provenance.undefined() ? "never written" : "initial chunk", ""});
      continue;
    }
    Provenance::Place place = provenance.place(id);
    std::string where;
    if (plan.steps()[place.step.index()].loc != LocTable::unknown())
      llvm::raw_string_ostream(where) << stepLocation(plan, place.step);
    result.push_back({depth, stepName(plan, place.step), doing(id), where});
    if (told[id.index()]) {
      result.back().where = "same value as above";
      continue;
    }
    told[id.index()] = true;
    Provenance::Operands operands = provenance.operands(id);
    if (!operands.rhs) {
      stack.push_back({operands.lhs, depth});
      continue;
    }
    // The operand with more steps continues at the same depth.
    bool lhsFirst = weight[operands.lhs.index()] <= weight[(*operands.rhs).index()];
    stack.push_back({lhsFirst ? *operands.rhs : operands.lhs, depth});
    stack.push_back({lhsFirst ? operands.lhs : *operands.rhs, depth + 1});
  }
  return result;
}

void Why::print(raw_ostream &os, size_t limit) const {
  os << formatv("{0}:{1}[{2}] {3} = {4}\n", name.rank, bufferLetter(name.cell.buffer()),
                name.cell.index(), placementText(placement), expression());
  os << "provenance: " << counted(contributions, "initial chunk") << ", " << counted(steps, "step")
     << ", " << counted(reductions, "reduction") << ", " << counted(messages, "message")
     << "; last step first\n";
  std::vector<Line> all = lines(limit);
  bool cut = all.size() > limit;
  if (cut)
    all.resize(limit);
  size_t stepWidth = 0, whatWidth = 0;
  for (const Line &line : all) {
    stepWidth = std::max(stepWidth, size_t(2) * line.depth + line.step.size());
    if (!line.where.empty())
      whatWidth = std::max(whatWidth, line.what.size());
  }
  for (const Line &line : all) {
    std::string text = "  ";
    for (unsigned d = 0; d < line.depth; ++d)
      text += "| ";
    text += line.step;
    text.resize(std::max(text.size(), stepWidth + 4), ' ');
    text += line.what;
    if (!line.where.empty()) {
      text.resize(std::max(text.size(), stepWidth + whatWidth + 6), ' ');
      text += line.where;
    }
    os << text << '\n';
  }
  if (cut)
    os << "  ... and more; --json has all of it\n";
}

FailureOr<WhyAnswers> cclc::answerWhy(const ExecPlan &plan, const CellName &name,
                                      std::optional<Slots> slots, DiagnosticEngine &diags) {
  if (failed(checkCell(plan, name, diags)))
    return failure();
  const Slots proved = slots.value_or(plan.slots().value_or(defaultSlots));
  WhyAnswers found{verifyPlan(plan, proved, diags, ReductionHash::Omit).verdict, {}, {}};
  for (Placement placement : plan.info().placements.list()) {
    std::optional<Provenance> provenance = Provenance::trace(plan, placement);
    if (!provenance)
      break; // a deadlock, which is reported
    found.provenances.push_back(std::move(*provenance));
    found.answers.emplace_back(plan, found.provenances.back(), name, placement);
  }
  return found;
}
