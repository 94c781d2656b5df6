//===- PlanFormat.cpp - The rows of the table of plan formats -------------===//
//
// The table, and look-up by name, content and file name. Content is tested against the rows in
// order.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/PlanFormat.h"

#include "cclc/Formats/Msccl/Xml.h"
#include "cclc/Formats/PlanBin.h"
#include "cclc/Formats/PlanJson.h"
#include "cclc/Formats/PlanText.h"
#include "cclc/Mscclpp/Executor.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Support/Compression.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

/// Ignores a byte order mark and blanks.
static bool startsWith(StringRef text, StringRef prefix) {
  return withoutByteOrderMark(text).ltrim().starts_with(prefix);
}

static constexpr const char *jsonNames[] = {".json"}, *xmlNames[] = {".xml"},
                            *textNames[] = {".ccl"}, *binNames[] = {".bin"},
                            *pythonNames[] = {".py"};
static constexpr char runsPlan[] = "'ccl-sim FILE' runs it, 'ccl-diff OLD NEW' compares two";

static constexpr PlanFormat formats[] = {
    {.name = "json",
     .title = "JSON",
     .extensions = jsonNames,
     .sniff = [](StringRef text) { return startsWith(text, "{") && !mscclpp::looksLikePlan(text); },
     .exec = {readPlanJson, [](const ExecPlan &plan, const PlanWriteOptions &,
                               raw_ostream &os) { writePlanJson(plan, os); }},
     .mscclpp = {},
     .isComplete = true,
     .hasDialects = false,
     .constraints = nullptr,
     .kind = "a plan",
     .use = runsPlan},
    {.name = "xml",
     .title = "MSCCL XML",
     .extensions = xmlNames,
     .sniff = [](StringRef text) { return startsWith(text, "<"); },
     .exec = {readMscclXml, [](const ExecPlan &plan, const PlanWriteOptions &options,
                               raw_ostream &os) { writeMscclXml(plan, *options.dialect, os); }},
     .mscclpp = {},
     .isComplete = false,
     .hasDialects = true,
     .constraints = [](const MscclDialect *dialect) { return constraintsOf(*dialect); },
     .kind = "a plan",
     .use = runsPlan},
    {.name = "text",
     .title = "text IR ('ccl.version ...')",
     .extensions = textNames,
     .sniff = looksLikeTextPlan,
     .exec = {readPlanText, [](const ExecPlan &plan, const PlanWriteOptions &options,
                               raw_ostream &os) { writePlanText(plan, options.locations, os); }},
     .mscclpp = {},
     .isComplete = true,
     .hasDialects = false,
     .constraints = nullptr,
     .kind = "text IR",
     .use = "'ccl-opt' runs passes over it, 'ccl-sim' runs a plan"},
    {.name = "bin",
     .title = "binary",
     .extensions = binNames,
     .sniff = looksLikePlanBin,
     .exec = {readPlanBin, [](const ExecPlan &plan, const PlanWriteOptions &,
                              raw_ostream &os) { writePlanBin(plan, os); }},
     .mscclpp = {},
     .isComplete = true,
     .hasDialects = false,
     .constraints = nullptr,
     .kind = "a plan",
     .use = runsPlan},
    {.name = "mscclpp",
     .title = "an execution plan of MSCCL++",
     .extensions = {},
     .sniff = mscclpp::looksLikePlan,
     .exec = {},
     .mscclpp = {[](StringRef text, StringRef fileName, DiagnosticEngine &diags) {
                   return mscclpp::readJson(text, fileName, diags);
                 },
                 [](const mscclpp::Plan &plan, const PlanWriteOptions &, raw_ostream &os) {
                   mscclpp::writeJson(plan, os);
                 }},
     .isComplete = true,
     .hasDialects = false,
     .constraints = [](const MscclDialect *) { return mscclpp::executorConstraints(); },
     .kind = "an execution plan of MSCCL++",
     .use = "'ccl-sim FILE' proves and simulates it"},
    {.name = "ahbm-module",
     .title = "an algorithm module of AHBM",
     .extensions = pythonNames,
     .sniff = [](StringRef text) { return startsWith(text, kernbench::moduleMark); },
     .exec = {},
     .mscclpp = {},
     .ahbm = {nullptr, [](const kernbench::AlgorithmModule &module, const PlanWriteOptions &,
                          raw_ostream &os) { kernbench::writeModule(module, os); }},
     .isComplete = false,
     .hasDialects = false,
     .constraints = nullptr,
     .kind = "an algorithm module of AHBM",
     .use = "KernBench runs it"},
};

bool PlanFormat::matchesName(StringRef path) const {
  StringRef name = withoutCompression(path);
  return llvm::any_of(extensions, [&](const char *end) { return name.ends_with(end); });
}

bool PlanFormat::splitsFused(const MscclDialect *dialect) const {
  return constraints && constraints(dialect).most(Limit::FusedReceives) == 0;
}

ArrayRef<PlanFormat> cclc::planFormats() { return formats; }

static const PlanFormat *find(llvm::function_ref<bool(const PlanFormat &)> is) {
  const PlanFormat *found = llvm::find_if(formats, is);
  return found == std::end(formats) ? nullptr : found;
}

const PlanFormat *cclc::findPlanFormat(StringRef name) {
  return find([&](const PlanFormat &format) { return name == format.name; });
}

const PlanFormat *cclc::sniffPlanFormat(StringRef text) {
  return find([&](const PlanFormat &format) { return format.sniff(text); });
}

const PlanFormat &cclc::planFormatForFile(StringRef path) {
  const PlanFormat *named =
      find([&](const PlanFormat &format) { return format.matchesName(path); });
  return named ? *named : formats[0];
}

std::vector<std::string> cclc::planFormatNames() {
  std::vector<std::string> names;
  for (const PlanFormat &format : formats)
    if (format.isWritten())
      names.push_back(format.name);
  return names;
}
