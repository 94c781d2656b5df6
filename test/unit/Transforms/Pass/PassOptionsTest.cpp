//===- PassOptionsTest.cpp - Errors in the options of pipelines -----------===//
//
// A misspelt or out-of-range option must result in a diagnostic instead of the
// default value.
//
//===----------------------------------------------------------------------===//

#include "cclc/Schedule/Schedule.h"
#include "cclc/Transforms/Pass/PassRegistry.h"
#include "cclc/Transforms/Passes.h"

#include <catch2/catch.hpp>

using namespace cclc;

static std::string problemWith(StringRef pipeline) {
  PassRegistry registry;
  registerTransforms(registry);
  registerSchedulers(registry);
  registerChecks(registry);
  DiagnosticEngine diags;
  if (succeeded(registry.parsePipeline(pipeline, diags)))
    return "";
  REQUIRE(diags.all().size() == 1);
  return diags.all().front().text;
}

TEST_CASE("valid options are accepted") {
  for (const char *pipeline :
       {"replicate-instances", "replicate-instances{n=3,layout=interleaved}",
        "replicate-instances{layout=blocked}", "replicate-instances{layout=batched}", "aggregate",
        "aggregate{which=all,max=7}", "aggregate{which=marked,max=0}", "parallelize",
        "schedule{slots=inf,channels=2,threadblocks=4}", "schedule{slots=1}",
        "verify-plan{slots=3}", "verify-plan", "fuse{rcs=no,rrs=yes}"})
    CHECK(problemWith(pipeline) == "");
}

TEST_CASE("invalid options are rejected with the accepted values") {
  CHECK(problemWith("replicate-instances{layout=diagonal}") ==
        "pass 'replicate-instances': option 'layout' must be one of blocked, interleaved, "
        "batched; found 'diagonal'");
  CHECK(problemWith("replicate-instances{n=two}") ==
        "pass 'replicate-instances': option 'n' takes a number, not 'two'");
  CHECK(problemWith("aggregate{which=some}") ==
        "pass 'aggregate': option 'which' must be one of marked, all; found 'some'");
  CHECK(problemWith("parallelize{n=2}") == "pass 'parallelize': unknown option 'n'");
  CHECK(problemWith("schedule{slots=many}") ==
        "pass 'schedule': option 'slots' takes a number of at least 1 or inf, not 'many'");
  CHECK(problemWith("verify-plan{slots=0}") ==
        "pass 'verify-plan': option 'slots' takes a number of at least 1 or inf, not '0'");
  CHECK(problemWith("fuse{rcs=maybe}") == "pass 'fuse': option 'rcs' takes yes or no, not 'maybe'");
  CHECK(problemWith("fuse{rcss=no}") == "pass 'fuse': unknown option 'rcss'");
}
