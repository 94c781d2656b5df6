//===- PipelineBenchmark.cpp - Every stage on the ring all-reduce ---------===//
//
// Times each stage alone, per instruction of the final plan, on an all-reduce over
// a ring of 64 to 512 ranks: R^2 chunks, 2R(R-1) messages.
//
//===----------------------------------------------------------------------===//

#include "cclc/DSL/Registry.h"
#include "cclc/DSL/Trace.h"
#include "cclc/Formats/PlanBin.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanJson.h"
#include "cclc/Proof/ChunkChecker.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Sim/DataExecutor.h"
#include "cclc/Target/Loader.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include "llvm/Support/raw_ostream.h"

#include <benchmark/benchmark.h>

using namespace cclc;

namespace {
ChunkProgram traceRing(uint32_t ranks) {
  dsl::ProgramRegistry registry;
  dsl::registerAllPrograms(registry);
  dsl::TraceOptions options;
  options.ranks = ranks;
  options.geometry = {{{"rank", GridKind::Flat, ranks, 1}}};
  options.parameters =
      dsl::ParamValues(std::vector<std::pair<std::string, std::string>>{{"channels", "1"}});
  DiagnosticEngine diags;
  return std::move(*dsl::trace(*registry.find("allreduce_ring"), options, diags).program);
}

template <class T> T unwrap(FailureOr<T> result) {
  if (failed(result))
    std::abort();
  return std::move(*result);
}

InstrProgram fused(uint32_t ranks) {
  DiagnosticEngine diags;
  PassContext context(diags);
  return unwrap(fuse(unwrap(lowerToInstr(traceRing(ranks), context)), {}, context));
}

ExecPlan scheduled(uint32_t ranks) {
  DiagnosticEngine diags;
  PassContext context(diags);
  return unwrap(scheduleProgram(fused(ranks), {}, context));
}

std::string json(const ExecPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePlanJson(plan, os);
  return text;
}

std::string binary(const ExecPlan &plan) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  writePlanBin(plan, os);
  return bytes;
}

/// The number of steps of the final plan: R threadblocks of 2R - 1.
void countSteps(benchmark::State &state) {
  uint64_t ranks = state.range(0);
  state.SetItemsProcessed(state.iterations() * ranks * (2 * ranks - 1));
}

void trace(benchmark::State &state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(traceRing(state.range(0)));
  countSteps(state);
}

void check(benchmark::State &state) {
  ChunkProgram program = traceRing(state.range(0));
  for (auto _ : state) {
    DiagnosticEngine diags;
    benchmark::DoNotOptimize(checkProgram(program, diags));
  }
  countSteps(state);
}

void lower(benchmark::State &state) {
  for (auto _ : state) {
    state.PauseTiming();
    ChunkProgram program = traceRing(state.range(0));
    DiagnosticEngine diags;
    PassContext context(diags);
    state.ResumeTiming();
    benchmark::DoNotOptimize(lowerToInstr(std::move(program), context));
  }
  countSteps(state);
}

void fuseRing(benchmark::State &state) {
  for (auto _ : state) {
    state.PauseTiming();
    DiagnosticEngine diags;
    PassContext context(diags);
    InstrProgram program = unwrap(lowerToInstr(traceRing(state.range(0)), context));
    state.ResumeTiming();
    benchmark::DoNotOptimize(fuse(std::move(program), {}, context));
  }
  countSteps(state);
}

void schedule(benchmark::State &state) {
  for (auto _ : state) {
    state.PauseTiming();
    DiagnosticEngine diags;
    PassContext context(diags);
    InstrProgram program = fused(state.range(0));
    state.ResumeTiming();
    benchmark::DoNotOptimize(scheduleProgram(std::move(program), {}, context));
  }
  countSteps(state);
}

void verify(benchmark::State &state) {
  ExecPlan plan = scheduled(state.range(0));
  for (auto _ : state) {
    DiagnosticEngine diags;
    benchmark::DoNotOptimize(verifyPlan(plan, Slots(8), diags));
  }
  countSteps(state);
}

void writeJson(benchmark::State &state) {
  ExecPlan plan = scheduled(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(json(plan));
  countSteps(state);
}

void readJson(benchmark::State &state) {
  std::string text = json(scheduled(state.range(0)));
  for (auto _ : state) {
    DiagnosticEngine diags;
    benchmark::DoNotOptimize(readPlan(text, "plan.json", diags));
  }
  countSteps(state);
}

void writeBin(benchmark::State &state) {
  ExecPlan plan = scheduled(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(binary(plan));
  countSteps(state);
}

/// With all structural checks, without a proof.
void readBin(benchmark::State &state) {
  std::string bytes = binary(scheduled(state.range(0)));
  for (auto _ : state) {
    DiagnosticEngine diags;
    benchmark::DoNotOptimize(readPlan(bytes, "plan.bin", diags));
  }
  countSteps(state);
}

/// Messages per second, with contention, slots and credits; with data, \p chunkBytes of each chunk
/// are moved, reduced and compared as well.
void simulateRing(benchmark::State &state, bool withData, uint64_t chunkBytes) {
  ExecPlan plan = scheduled(state.range(0));
  DiagnosticEngine diags;
  Machine machine = unwrap(
      loadTarget({CCLC_TARGETS "/ring.json", CCLC_TARGETS, {}, uint32_t(state.range(0))}, diags));
  PlacedPlan placed = unwrap(PlacedPlan::create(plan, machine, Slots(8), diags));
  Sizing sizing =
      unwrap(Sizing::create(placed, Bytes(state.range(0) * chunkBytes), DataType::F32, diags));
  uint64_t messages = 0;
  for (auto _ : state) {
    std::unique_ptr<NetworkModel> network = createNetwork("cut-through", placed.routes);
    SimOptions options;
    std::optional<DataExecutor> data;
    if (withData) {
      data.emplace(placed, sizing, ReduceOp::Sum, Placement::InPlace, std::nullopt);
      options.listeners = {&*data};
    }
    messages += simulate(placed, sizing, *network, options).messages;
    if (data) {
      data->finish();
      if (data->check())
        std::abort();
    }
  }
  state.SetItemsProcessed(messages);
}
} // namespace

BENCHMARK(trace)->RangeMultiplier(2)->Range(64, 512);
BENCHMARK(check)->RangeMultiplier(2)->Range(64, 512);
BENCHMARK(lower)->RangeMultiplier(2)->Range(64, 512);
BENCHMARK(fuseRing)->RangeMultiplier(2)->Range(64, 512);
BENCHMARK(schedule)->RangeMultiplier(2)->Range(64, 512);
BENCHMARK(verify)->RangeMultiplier(2)->Range(64, 512);
BENCHMARK(writeJson)->RangeMultiplier(2)->Range(64, 512);
BENCHMARK(readJson)->RangeMultiplier(2)->Range(64, 512);
BENCHMARK(writeBin)->RangeMultiplier(2)->Range(64, 1024);
BENCHMARK(readBin)->RangeMultiplier(2)->Range(64, 1024);
BENCHMARK_CAPTURE(simulateRing, time, false, 64)->RangeMultiplier(2)->Range(64, 1024);
BENCHMARK_CAPTURE(simulateRing, data, true, 64)->RangeMultiplier(2)->Range(64, 1024);

BENCHMARK_MAIN();
