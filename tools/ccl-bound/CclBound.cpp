//===- CclBound.cpp - The command line of ccl-bound -----------------------===//
//
// Bounds the collective (Tools/BoundTable.h), and simulates a plan if one is given, to report its
// share of the bound. Without a collective, or with measured times, prints the peak of the machine
// (Tools/PeakTable.h); with --without, the bounds without single parts (Tools/FailureTable.h).
//
//===----------------------------------------------------------------------===//

#include "BoundArguments.h"

#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Views/Report/Bounds.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Support/Text.h"
#include "cclc/Tools/FailureTable.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

namespace {
class CclBound {
public:
  explicit CclBound(const char *argv0) : resources(Resources::find(argv0)) {}

  std::optional<int> parse(int argc, char **argv) {
    CommandLine line("ccl-bound",
                     "Compute lower bounds on the time of a collective on a machine.\n\nThe bounds "
                     "hold for every plan that ccl-sim executes; the one that binds is named.");
    args.addTo(line);
    return line.parse(argc, argv);
  }

  ExitCode run() {
    ExitCode code = bound();
    progress.clear();
    report(diags, "ccl-bound", args.format, args.plan.value_or(args.target));
    return code;
  }

private:
  ExitCode bound();
  FailureOr<ExecutablePlan> readPlanOf(const std::string &file);
  ExitCode peak();
  ExitCode failures(const BoundTableRequest &request);
  /// Writes the JSON, and the text unless the JSON takes its place.
  template <typename Json, typename Text> LogicalResult write(Json json, Text text);

  BoundArguments args;
  Resources resources;
  DiagnosticEngine diags;
  Progress progress{"ccl-bound"};
};

ExitCode CclBound::bound() {
  if (failed(args.read(resources, diags)))
    return ExitCode::Unusable;
  if (args.isPeak())
    return peak();
  BoundTableRequest request = args.request(resources);
  request.onStage = [&](StringRef stage) { progress.stage(stage); };
  FailureOr<ExecutablePlan> plan = failure();
  if (args.plan) {
    plan = readPlanOf(*args.plan);
    if (failed(plan))
      return ExitCode::Unusable;
    request.plan = &*plan;
  }
  if (args.without)
    return failures(request);
  std::unique_ptr<const BoundTable> table = boundSizes(request, diags);
  if (!table)
    return exitCodeOf(diags.failure());
  LogicalResult written = write([&](raw_ostream &os) { writeBoundsJson(*table, os); },
                                [&](raw_ostream &os) { printBounds(*table, os); });
  return succeeded(written) ? ExitCode::Success : ExitCode::Unusable;
}

FailureOr<ExecutablePlan> CclBound::readPlanOf(const std::string &file) {
  progress.stage("read " + file);
  auto buffer = openPlanFile(file, diags);
  if (failed(buffer))
    return failure();
  return readExecutablePlan((*buffer)->getBuffer(), planFileName(file), diags);
}

ExitCode CclBound::peak() {
  PeakRequest request = args.peakRequest(resources);
  request.onStage = [&](StringRef stage) { progress.stage(stage); };
  std::optional<PeakTable> table = findPeak(request, diags);
  if (!table)
    return exitCodeOf(diags.failure());
  LogicalResult written = write([&](raw_ostream &os) { writePeakJson(*table, os); },
                                [&](raw_ostream &os) { printPeak(*table, os); });
  return succeeded(written) ? ExitCode::Success : ExitCode::Unusable;
}

ExitCode CclBound::failures(const BoundTableRequest &request) {
  std::optional<FailureTable> table =
      boundFailures(request, *enumeratorOf<PartKind>(partNames, *args.without), diags);
  if (!table)
    return exitCodeOf(diags.failure());
  LogicalResult written = write([&](raw_ostream &os) { writeFailuresJson(*table, os); },
                                [&](raw_ostream &os) { printFailures(*table, os); });
  return succeeded(written) ? ExitCode::Success : ExitCode::Unusable;
}

template <typename Json, typename Text> LogicalResult CclBound::write(Json json, Text text) {
  progress.clear();
  if (args.json && failed(writeFile(*args.json, json, diags)))
    return failure();
  return args.json == "-" ? success() : writeFile("-", text, diags);
}
} // namespace

int main(int argc, char **argv) {
  return guarded("ccl-bound", [&] {
    CclBound tool(argv[0]);
    if (std::optional<int> code = tool.parse(argc, argv))
      return static_cast<ExitCode>(*code);
    return tool.run();
  });
}
