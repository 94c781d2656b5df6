//===- ConvertPlanTest.cpp - Conversions of plans and of their text -------===//

#include "Plans.h"

#include "cclc/Compiler/ConvertPlan.h"
#include "cclc/Mscclpp/Json.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// The plan of every model, and its text in a format that loses nothing.
struct Sample {
  ConvertiblePlan plan;
  std::string text;
};

std::vector<Sample> samples() {
  DiagnosticEngine diags;
  std::vector<Sample> all;
  CompileRequest request;
  request.ranks = 4;
  request.mscclpp = true;
  const dsl::Declaration &ring = *bundledPrograms().find("allreduce_ring");
  FailureOr<Compiled> compiled = compile(ring, request, diags);
  request.mscclpp = false;
  FailureOr<CompiledRolled> rolled = compileRolled(ring, request, diags);
  INFO(textOf(diags));
  REQUIRE((succeeded(compiled) && succeeded(rolled)));
  std::string ofMscclpp;
  llvm::raw_string_ostream os(ofMscclpp);
  mscclpp::writeJson(*compiled->mscclpp, os);
  FailureOr<ExecPlan> listedPlan = listed(rolled->plan, diags);
  // Its locations are those in its text.
  FailureOr<mscclpp::Plan> ofText = mscclpp::readJson(ofMscclpp, "plan", diags);
  REQUIRE((succeeded(listedPlan) && succeeded(ofText)));
  all.push_back({std::move(*ofText), ofMscclpp});
  all.push_back({compiled->plan, jsonOf(compiled->plan)});
  all.push_back({std::move(rolled->plan), jsonOf(*listedPlan)});
  return all;
}

ConvertRequest to(StringRef format) {
  ConvertRequest request;
  request.format = findPlanFormat(format);
  request.dialect = findMscclDialect("msccl");
  return request;
}
} // namespace

TEST_CASE("A plan is converted as its text is") {
  for (const Sample &sample : samples())
    for (const PlanFormat &format : planFormats()) {
      INFO(format.name << " of\n" << StringRef(sample.text).take_front(80).str());
      DiagnosticEngine ofPlan, ofText;
      FailureOr<std::string> plan = convertPlan(sample.plan, to(format.name), ofPlan);
      FailureOr<std::string> text = convertText(sample.text, "plan", to(format.name), ofText);
      REQUIRE(succeeded(plan) == succeeded(text));
      if (succeeded(plan))
        CHECK(*plan == *text);
      CHECK(ofPlan.failure() == ofText.failure());
      CHECK(ofPlan.all().size() == ofText.all().size());
      CHECK(succeeded(plan) == (StringRef(format.name) != "ahbm-module"));
    }
}

TEST_CASE("The text of a plan is read once") {
  DiagnosticEngine diags;
  std::string text = with(samples().front().text, "{", R"({"note": 1, )");
  CHECK(succeeded(convertText(text, "plan", to("mscclpp"), diags)));
  CHECK(textOf(diags) == "plan:1:10: warning: key 'note' is unknown and ignored\n");
}
