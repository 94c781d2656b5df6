//===- PlanFormatTest.cpp - The table of plan formats ---------------------===//

#include "Plans.h"

#include "cclc/Compiler/LowerToMscclpp.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Formats/PlanText.h"
#include "cclc/Support/Watch.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// A plan that an algorithm module can express.
ExecPlan onAhbm() { return compiled({"allreduce_lrab", {}, {}, 1, {}, "ahbm"}); }

std::string written(const PlanFormat &format, const ExecPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  PlanWriteOptions options{findMscclDialect("msccl"), /*locations=*/true};
  if (format.exec.write) {
    format.exec.write(plan, options, os);
  } else if (format.ahbm.write) {
    DiagnosticEngine diags;
    const Machine ahbm = machine("ahbm");
    format.ahbm.write(*kernbench::lowerToModule(onAhbm(), &ahbm, std::nullopt, diags), options, os);
  } else {
    DiagnosticEngine diags;
    FailureOr<LoweredPlan> lowered =
        lowerToMscclpp(plan, /*machine=*/nullptr, /*prove=*/false, diags);
    format.mscclpp.write(lowered->plan, options, os);
  }
  return os.str();
}

ExecPlan example() { return compiled({"allreduce_ring", {{"buffers", "out_of_place"}}, 3}); }
} // namespace

TEST_CASE("a file is recognised by exactly the format in which it was written", "[formats]") {
  ExecPlan plan = example();
  for (const PlanFormat &format : planFormats()) {
    INFO(format.name);
    std::string text = written(format, plan);
    for (const PlanFormat &other : planFormats())
      CHECK(other.sniff(text) == (&other == &format));
    CHECK(sniffPlanFormat(text) == &format);
    CHECK(findPlanFormat(format.name) == &format);
    // Binary formats have no byte order mark.
    std::string marked = "\xef\xbb\xbf \n" + text;
    CHECK((sniffPlanFormat(marked) == &format) == (format.sniff != findPlanFormat("bin")->sniff));
  }
  for (const char *text : {"", " ", "\xef\xbb\xbf", "nothing", "[]", "// ccl.version 3"})
    CHECK(sniffPlanFormat(text) == nullptr);
  CHECK(findPlanFormat("JSON") == nullptr);
}

TEST_CASE("a complete format reads its own output", "[formats]") {
  ExecPlan plan = example();
  for (const PlanFormat &format : planFormats()) {
    INFO(format.name);
    std::string text = written(format, plan);
    DiagnosticEngine diags;
    if (format.ahbm.write) {
      CHECK(readBad(text) == "plan: error: an algorithm module of AHBM has no connections and "
                             "steps: compile the program to a plan in another form\n");
      continue;
    }
    if (format.mscclpp.read) {
      CHECK(succeeded(format.mscclpp.read(text, "plan", diags)));
      CHECK(readBad(text) == "plan: error: an execution plan of MSCCL++ has no connections and "
                             "steps: convert it with cclc convert\n");
      continue;
    }
    ExecPlan again = readGood(text);
    CHECK((jsonOf(again) == jsonOf(plan)) == format.isComplete);
    CHECK(written(format, again) == text);
  }
}

TEST_CASE("readers and writers can be interrupted at each threadblock", "[formats]") {
  ExecPlan plan = example();
  size_t looks = 0;
  const Watch watch({}, [&] { ++looks; });
  for (const PlanFormat &format : planFormats()) {
    INFO(format.name);
    looks = 0;
    std::string text = written(format, plan);
    // Binary plans are written as fast as memory.
    CHECK((looks >= plan.threadblocks().size()) == (StringRef(format.name) != "bin"));
    looks = 0;
    DiagnosticEngine diags;
    if (format.exec.read)
      CHECK(succeeded(format.exec.read(text, "plan", diags)));
    else if (format.mscclpp.read)
      CHECK(succeeded(format.mscclpp.read(text, "plan", diags)));
    else
      continue;
    CHECK(looks >= plan.threadblocks().size());
  }
}

TEST_CASE("a format declares the constraints of its destination", "[formats]") {
  const MscclDialect *msccl = findMscclDialect("msccl"), *rccl = findMscclDialect("rccl");
  const PlanFormat &xml = *findPlanFormat("xml");
  CHECK(xml.constraints(msccl)[Limit::Steps] == 256);
  CHECK(xml.constraints(rccl)[Limit::Steps] == 64);
  CHECK(findPlanFormat("mscclpp")->constraints(nullptr)[Limit::Operations] == 64);
  for (const PlanFormat &format : planFormats()) {
    INFO(format.name);
    CHECK_FALSE(format.splitsFused(msccl));
    CHECK(format.splitsFused(rccl) == format.hasDialects);
  }
}

TEST_CASE("the format follows from the file name extension, which is unique", "[formats]") {
  auto named = [](const char *path) { return StringRef(planFormatForFile(path).name); };
  CHECK(named("a.xml") == "xml");
  CHECK(named("a.json/b.ccl") == "text");
  CHECK(named("a.bin") == "bin");
  CHECK(named("a.json") == "json");
  for (const char *other : {"-", "", "xml", "a.xml.old"})
    CHECK(named(other) == "json");
  std::vector<std::string> names = planFormatNames();
  CHECK(names == std::vector<std::string>{"json", "xml", "text", "bin", "mscclpp", "ahbm-module"});
  for (const PlanFormat &format : planFormats())
    for (const char *extension : format.extensions)
      CHECK(llvm::count_if(planFormats(), [&](const PlanFormat &other) {
              return other.matchesName(extension);
            }) == 1);
}

TEST_CASE("recognition of text IR") {
  CHECK(looksLikeTextPlan("ccl.version 3"));
  CHECK(looksLikeTextPlan("  // a\n//b\n ccl.version"));
  CHECK_FALSE(looksLikeTextPlan("{\"version\": 1}"));
  CHECK_FALSE(looksLikeTextPlan("<algo>"));
  CHECK_FALSE(looksLikeTextPlan("// ccl.version"));
  CHECK_FALSE(looksLikeTextPlan(""));
}
