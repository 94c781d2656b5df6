//===- RolledBenchmark.cpp - Rings as the plan of one rank ----------------===//
//
// Compiles and proves rolled plans of the three rings, for up to 65,536 ranks.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/Compile.h"
#include "cclc/DSL/Registry.h"

#include <benchmark/benchmark.h>

using namespace cclc;

static void rolledRing(benchmark::State &state, const char *name) {
  dsl::ProgramRegistry registry;
  dsl::registerAllPrograms(registry);
  CompileRequest request;
  request.ranks = state.range(0);
  size_t steps = 0;
  for (auto _ : state) {
    DiagnosticEngine diags;
    FailureOr<CompiledRolled> outcome = compileRolled(*registry.find(name), request, diags);
    if (failed(outcome))
      std::abort();
    steps = outcome->plan.steps.size();
  }
  state.counters["steps_of_rank"] = double(steps);
}

BENCHMARK_CAPTURE(rolledRing, allreduce, "allreduce_ring")
    ->RangeMultiplier(16)
    ->Range(256, 65536)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rolledRing, allgather, "allgather_ring")
    ->RangeMultiplier(16)
    ->Range(256, 65536)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rolledRing, reducescatter, "reducescatter_ring")
    ->RangeMultiplier(16)
    ->Range(256, 65536)
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
