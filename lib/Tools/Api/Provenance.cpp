//===- Provenance.cpp - The provenance of a cell --------------------------===//
//
// The answers refer to the plan, which the report keeps alive.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Api/Provenance.h"

#include "Access.h"

#include "cclc/Views/Report/Why.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::api;

namespace {
struct WhyContent : ReportAccess::Content {
  std::shared_ptr<const PlanAccess::Content> plan;
  WhyAnswers found;

  WhyContent(std::shared_ptr<const PlanAccess::Content> plan, WhyAnswers found)
      : plan(std::move(plan)), found(std::move(found)) {}
  void text(raw_ostream &os) const override {
    for (size_t i = 0; i < found.answers.size(); ++i) {
      os << (i ? "\n" : "");
      found.answers[i].print(os);
    }
  }
  void json(raw_ostream &os) const override { writeWhyJson(found.verdict, found.answers, os); }
};
} // namespace

Result<api::Provenance> Plan::why(const std::string &cell, std::optional<uint32_t> slots) const {
  DiagnosticEngine diags;
  if (failed(checkSteps(*this, "the provenance of a cell", diags)))
    return Failed{diags};
  const std::optional<CellName> name = parseCellName("a cell", cell, diags);
  if (!name)
    return Failed{diags};
  FailureOr<WhyAnswers> found = answerWhy(content->steps(), *name, slotsOf(slots), diags);
  if (failed(found))
    return Failed{diags};
  api::Provenance provenance{verdictName(found->verdict).str(), {}, messagesOf(diags), {}};
  for (const Why &each : found->answers)
    provenance.values.push_back(
        {each.underPlacement() == Placement::InPlace ? "in_place" : "out_of_place",
         each.expression(), each.numContributions(), each.numReductions(), each.numMessages()});
  provenance.report = ReportAccess::make(std::make_shared<WhyContent>(content, std::move(*found)));
  return provenance;
}
