//===- NetworkBenchmark.cpp - Messages per second by contention model -----===//
//
// The all-reduce over a ring of all ranks of a square torus, 64 KiB per message,
// with the ranks in row order and with the ranks shuffled: in the latter case
// nearly all messages share links with others.
//
//===----------------------------------------------------------------------===//

#include "../support/Placed.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/DSL/Registry.h"
#include "cclc/Sim/Engine.h"

#include <benchmark/benchmark.h>

using namespace cclc;

namespace {
template <class T> T unwrap(FailureOr<T> result) {
  if (failed(result))
    std::abort();
  return std::move(*result);
}

ExecPlan ring(uint32_t ranks) {
  dsl::ProgramRegistry registry;
  dsl::registerAllPrograms(registry);
  CompileRequest request;
  request.ranks = ranks;
  DiagnosticEngine diags;
  return std::move(compile(*registry.find("allreduce_ring"), request, diags)->plan);
}

void simulateTorus(benchmark::State &state, const char *network, bool shuffle) {
  uint32_t ranks = state.range(0) * state.range(0);
  ExecPlan plan = ring(ranks);
  if (shuffle)
    plan = test::placed(plan, test::shuffled(ranks, 1), "torus2d");
  DiagnosticEngine diags;
  Machine machine = unwrap(loadTarget({"torus2d", CCLC_TARGETS, {}, ranks}, diags));
  PlacedPlan placed = unwrap(PlacedPlan::create(plan, machine, Slots(8), diags));
  Sizing sizing = unwrap(Sizing::create(placed, Bytes(65536) * ranks, DataType::F32, diags));
  uint64_t messages = 0;
  for (auto _ : state) {
    std::unique_ptr<NetworkModel> model = createNetwork(network, placed.routes);
    messages += simulate(placed, sizing, *model).messages;
  }
  state.SetItemsProcessed(messages);
}
} // namespace

BENCHMARK_CAPTURE(simulateTorus, cut_through_rows, "cut-through", false)->Arg(8)->Arg(16)->Arg(32);
BENCHMARK_CAPTURE(simulateTorus, cut_through_shuffled, "cut-through", true)
    ->Arg(8)
    ->Arg(16)
    ->Arg(32);
BENCHMARK_CAPTURE(simulateTorus, maxmin_rows, "maxmin", false)->Arg(8)->Arg(16)->Arg(32);
BENCHMARK_CAPTURE(simulateTorus, maxmin_shuffled, "maxmin", true)->Arg(8)->Arg(16)->Arg(32);
BENCHMARK_CAPTURE(simulateTorus, maxmin_fast_rows, "maxmin-fast", false)->Arg(8)->Arg(16)->Arg(32);
BENCHMARK_CAPTURE(simulateTorus, maxmin_fast_shuffled, "maxmin-fast", true)
    ->Arg(8)
    ->Arg(16)
    ->Arg(32);

BENCHMARK_MAIN();
