#include "../../../support/Text.h"

#include "cclc/Schedule/Schedule.h"
#include "cclc/Transforms/Pass/PassRegistry.h"
#include "cclc/Transforms/Passes.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// The names of the passes, or the error.
std::string parse(StringRef pipeline) {
  PassRegistry registry;
  registerTransforms(registry);
  registerSchedulers(registry);
  registerChecks(registry);
  DiagnosticEngine diags;
  auto passes = registry.parsePipeline(pipeline, diags);
  CHECK(failed(passes) == diags.hasErrors());
  if (failed(passes))
    return messages(diags);
  std::string names;
  for (const auto &pass : *passes)
    names += pass->name().str() + ";";
  return names;
}
} // namespace

TEST_CASE("pipelines are lists of names with options in braces") {
  CHECK(parse("") == "");
  CHECK(parse("  ") == "");
  CHECK(parse("lower-to-instr,fuse,schedule") == "lower-to-instr;fuse;schedule;");
  CHECK(parse(" lower-to-instr , fuse { rcs = no , rrs=no } , schedule{slots=inf,channels=3} ") ==
        "lower-to-instr;fuse;schedule;");
  CHECK(parse("fuse{}") == "fuse;");
  CHECK(parse("replicate-instances{n=3,layout=interleaved},check-chunks") ==
        "replicate-instances;check-chunks;");
}

TEST_CASE("malformed pipelines") {
  CHECK(parse("fuze") == "tool: error: unknown pass 'fuze'; --list-passes lists them\n");
  CHECK(parse("fuse,,schedule") == "tool: error: unknown pass ''; --list-passes lists them\n");
  CHECK(parse("fuse{rcs=no") == "tool: error: pass pipeline: '{' after 'fuse' is not closed\n");
  CHECK(parse("fuse{rcs=no} schedule") ==
        "tool: error: pass pipeline: expected ',' before 'schedule'\n");
  CHECK(parse("fuse{rcs=no}}") == "tool: error: pass pipeline: expected ',' before '}'\n");
  CHECK(parse("fuse,lower-to-instr") == "tool: error: pass 'lower-to-instr' takes a program of the "
                                        "chunk level, but the previous pass returns instr\n");
  CHECK(parse("schedule,fuse") == "tool: error: pass 'fuse' takes a program of the instr level, "
                                  "but the previous pass returns exec\n");
}

TEST_CASE("unknown options and invalid values") {
  CHECK(parse("fuse{rsc=no}") == "tool: error: pass 'fuse': unknown option 'rsc'\n");
  CHECK(parse("lower-to-instr{n=1}") == "tool: error: pass 'lower-to-instr': unknown option 'n'\n");
  CHECK(parse("fuse{rcs=maybe}") ==
        "tool: error: pass 'fuse': option 'rcs' takes yes or no, not 'maybe'\n");
  CHECK(parse("fuse{rcs}") == "tool: error: pass 'fuse': option 'rcs' takes yes or no, not ''\n");
  for (const char *bad : {"two", "-1", "2x", "", "4294967296"})
    CHECK(parse("replicate-instances{n=" + std::string(bad) + "}") ==
          "tool: error: pass 'replicate-instances': option 'n' takes a number, not '" +
              std::string(bad) + "'\n");
  CHECK(parse("replicate-instances{layout=diagonal}") ==
        "tool: error: pass 'replicate-instances': option 'layout' must be one of blocked, "
        "interleaved, batched; found 'diagonal'\n");
  for (const char *pass : {"schedule", "verify-plan"})
    for (const char *bad : {"0", "many", "-1", ""})
      CHECK(parse(std::string(pass) + "{slots=" + bad + "}") ==
            "tool: error: pass '" + std::string(pass) +
                "': option 'slots' takes a number of at least 1 or inf, not '" + bad + "'\n");
  CHECK(parse("schedule{channels=all}") ==
        "tool: error: pass 'schedule': option 'channels' takes a number, not 'all'\n");
}

TEST_CASE("every pass is registered once and has a description") {
  PassRegistry registry;
  registerTransforms(registry);
  registerSchedulers(registry);
  registerChecks(registry);
  for (const PassEntry &entry : registry.all()) {
    INFO(entry.name);
    CHECK(registry.find(entry.name) == &entry);
    CHECK_FALSE(entry.summary.empty());
    PassOptions options;
    std::unique_ptr<Pass> pass = entry.create(options);
    CHECK(pass->name() == entry.name);
    CHECK(pass->input() == entry.input);
  }
  CHECK(registry.find("nothing") == nullptr);
}
