#include "Golden.h"

#include "cclc/Tools/Cli/Output.h"

#include "cclc/Diff/DiffResult.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

LogicalResult cclc::updateGolden(StringRef path, const ExecPlan &plan,
                                 llvm::function_ref<void(raw_ostream &)> write, raw_ostream &os,
                                 DiagnosticEngine &diags) {
  if (!llvm::sys::fs::exists(path)) {
    if (failed(writeFile(path, write, diags)))
      return failure();
    os << formatv("{0}: created, {1} steps\n", path, plan.steps().size());
    return success();
  }
  auto buffer = openPlanFile(path, diags);
  if (failed(buffer))
    return failure();
  StringRef text = (*buffer)->getBuffer();
  FailureOr<ExecPlan> golden = readPlan(text, path, diags);
  if (failed(golden))
    return diags.error({}, formatv("{0} is not replaced: it does not contain a comparable plan; "
                                   "remove it to create a new one",
                                   path));
  diff::CompareOptions options;
  options.incomplete = !sniffPlanFormat(text)->isComplete;
  diff::PlanDiff found = diff::comparePlans(*golden, plan, options);
  if (found.equivalent()) {
    os << formatv("{0}: equivalent, not changed\n", path);
    return success();
  }
  diff::writeText({path.str(), "the new plan", found, false, {}, {}, {}, {}}, os);
  buffer->reset();
  if (failed(writeFile(path, write, diags)))
    return failure();
  os << formatv("\n{0}: updated\n", path);
  return success();
}
