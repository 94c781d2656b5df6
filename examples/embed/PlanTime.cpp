//===- PlanTime.cpp - A program that uses the libraries of cclc -----------===//
//
// usage: plan-time PLAN TARGET BYTES
//
// Proves a plan and prints its simulated time with 32-bit floating-point data. The project is built
// against an installed cclc: by CMake (CMakeLists.txt), or with the options of pkg-config
// (README.md).
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/PlanFile.h"
#include "cclc/Semantics/PlanVerifier.h"
#include "cclc/Sim/BoundPlan.h"
#include "cclc/Sim/Engine.h"
#include "cclc/Target/Loader.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

static LogicalResult printTime(StringRef file, const std::string &target, uint64_t bytes,
                               DiagnosticEngine &diags) {
  FailureOr<ExecPlan> plan = readPlanFile(file, diags);
  if (failed(plan))
    return failure();
  FailureOr<Machine> machine =
      loadTargetFor({&plan->info()}, {target, TARGETS, {}, std::nullopt}, diags);
  if (failed(machine))
    return failure();
  Slots slots = machine->slotsFor(plan->info().protocol);
  if (verifyPlan(*plan, slots, diags).verdict != Verdict::Ok)
    return failure();
  FailureOr<BoundPlan> bound = BoundPlan::create(*plan, *machine, slots, diags);
  if (failed(bound))
    return failure();
  FailureOr<Sizing> sizing = Sizing::create(*bound, Bytes(bytes), DataType::F32, diags);
  if (failed(sizing))
    return failure();
  auto network = createNetwork(machine->network, bound->routes);
  SimResult result = simulate(*bound, *sizing, *network);
  if (!result.completed)
    return diags.error({file.str()}, "does not complete");
  llvm::outs() << result.time.picoseconds() << " ps\n";
  return success();
}

int main(int argc, char **argv) {
  uint64_t bytes;
  if (argc != 4 || StringRef(argv[3]).getAsInteger(10, bytes)) {
    llvm::errs() << "usage: plan-time PLAN TARGET BYTES\n";
    return 2;
  }
  DiagnosticEngine diags;
  LogicalResult done = printTime(argv[1], argv[2], bytes, diags);
  diags.print(llvm::errs(), "plan-time");
  return succeeded(done) ? 0 : 1;
}
