//===- ReduceBenchmark.cpp - Bytes per second of reductions ---------------===//
//
// Every type and operator, with each instruction set of this processor: 64 KiB of one operand,
// which stay in the cache. The rate is that of one operand, as in targets (pe.math).
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Data/Reduce.h"

#include <benchmark/benchmark.h>

#include <vector>

using namespace cclc;

static void reduce(benchmark::State &state, DataType type, ReduceOp op, InstructionSet set) {
  constexpr size_t bytes = 1 << 16;
  size_t count = bytes / sizeOf(type);
  std::vector<std::byte> a(bytes), b(bytes), to(bytes);
  std::vector<int32_t> numbers(count);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = i % 100;
  storeIntegers(type, a.data(), numbers);
  storeIntegers(type, b.data(), numbers);
  ReduceFn fn = reduceFunction(type, op, set);
  for (auto _ : state) {
    fn(to.data(), a.data(), b.data(), count);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(int64_t(state.iterations()) * int64_t(bytes));
}

int main(int argc, char **argv) {
  for (InstructionSet set : {InstructionSet::Baseline, InstructionSet::Avx2}) {
    if (set > bestInstructionSet())
      continue;
    for (DataType type : {DataType::F16, DataType::BF16, DataType::F32, DataType::F64, DataType::I8,
                          DataType::I32, DataType::I64, DataType::U8})
      for (ReduceOp op : {ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Min, ReduceOp::Max}) {
        std::string name = std::string(set == InstructionSet::Avx2 ? "avx2" : "baseline") + "/" +
                           dataTypeName(type).str() + "/" + reduceOpName(op).str();
        benchmark::RegisterBenchmark(name.c_str(), reduce, type, op, set);
      }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
