//===- CclRun.cpp - The command line of ccl-run ---------------------------===//
//
// Reads plans, proves them, and executes them one after the other for the given sizes.
//
//===----------------------------------------------------------------------===//

#include "PlanRun.h"

#include "cclc/Cli/CommandLine.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Run/ThreadGroup.h"
#include "cclc/Semantics/PlanVerifier.h"
#include "cclc/Support/MemoryBudget.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
class CclRun {
public:
  explicit CclRun(const char *argv0) : resources(Resources::find(argv0)) {}

  std::optional<int> parse(int argc, char **argv) {
    CommandLine line("ccl-run", "Execute plans for real, on the processors of this machine.\n\n"
                                "Every result can be compared with the definition of the "
                                "collective, and every time with a prediction.");
    args.addTo(line);
    return line.parse(argc, argv);
  }

  ExitCode run() {
    if (failed(args.read(resources, diags)))
      return end(ExitCode::Unusable);
    group = run::createThreadGroup(args.threads);
    ExitCode code = ExitCode::Success;
    for (const std::string &file : args.files) {
      if (&file != &args.files.front() && args.json != "-")
        llvm::outs() << '\n';
      code = std::max(code, runFile(file));
    }
    auto write = [&](raw_ostream &os) { writeMeasurements(results, os); };
    if (args.json && failed(writeFile(*args.json, write, diags)))
      code = ExitCode::Unusable;
    return end(code);
  }

private:
  ExitCode end(ExitCode code) {
    progress.clear();
    report(diags, "ccl-run");
    return code;
  }

  ExitCode runFile(const std::string &file) {
    progress.stage("read " + file);
    FailureOr<ExecPlan> plan = readPlanFile(file, diags);
    if (failed(plan))
      return ExitCode::Unusable;
    std::optional<uint32_t> slots = prove(*plan);
    if (!slots)
      return ExitCode::Wrong;
    std::optional<Prediction> prediction;
    if (args.predict) {
      FailureOr<Prediction> made =
          Prediction::create(*plan, *args.predict, resources.targets, diags);
      if (failed(made))
        return ExitCode::Unusable;
      prediction.emplace(std::move(*made));
    }
    if (args.inPlace && !plan->info().placements.allowsInPlace()) {
      diags.error({}, formatv("plan '{0}' is for separate input and output: --in-place does not "
                              "apply",
                              plan->info().name));
      return ExitCode::Unusable;
    }
    if (args.checkData && !plan->info().collective.hasPostCondition())
      diags.warning({}, "the collective has no post-condition: the data are not compared");
    PlanRun executed(*plan, args, *group, *slots, std::move(prediction), progress, diags);
    ExitCode code = ExitCode::Unusable;
    try {
      code = executed.run();
    } catch (const MemoryExceeded &exceeded) {
      diags.error({}, exceeded.text());
    }
    results.push_back(executed.results());
    results.back().file = file;
    return code;
  }

  /// The number of slots to execute the plan with; none if it must not be executed.
  std::optional<uint32_t> prove(const ExecPlan &plan) {
    progress.stage("verify");
    Slots slots = args.slots.value_or(plan.slots().value_or(defaultSlots));
    DiagnosticEngine found;
    PlanProof proof = verifyPlan(plan, slots, found);
    // Memory has an end: unlimited slots are as many as are needed.
    uint32_t count =
        slots.isUnlimited() ? std::max(8u, proof.slotsNeeded.value_or(8)) : slots.limit();
    if (proof.verdict != Verdict::Ok && args.unproved)
      diags.warning({}, formatv("the verifier rejects this plan ({0}): it may hang or give wrong "
                                "results",
                                verdictName(proof.verdict)));
    else
      diags.append(std::move(found));
    return proof.verdict == Verdict::Ok || args.unproved ? std::optional(count) : std::nullopt;
  }

  RunArguments args;
  Resources resources;
  std::unique_ptr<run::Group> group;
  std::vector<MeasuredPlan> results;
  DiagnosticEngine diags;
  Progress progress{"ccl-run"};
};
} // namespace

int main(int argc, char **argv) {
  return guarded("ccl-run", [&] {
    CclRun tool(argv[0]);
    if (std::optional<int> code = tool.parse(argc, argv))
      return static_cast<ExitCode>(*code);
    return tool.run();
  });
}
