//===- EveryProgramTest.cpp - Every program, executed by threads ----------===//
//
// The programs of the library and MSCCLang's examples, for all numbers of ranks and parameters
// that give them, fused and unfused, in and out of place, for all types and operators and sizes
// that do not divide, are executed by threads on random data. All outputs equal those of the
// simulator bit by bit. The hidden test `[full]` takes all of them; a sample is always run.
//
//===----------------------------------------------------------------------===//

#include "../library/Cases.h"
#include "../unit/Run/Interpreted.h"

#include "llvm/ADT/STLExtras.h"

#include <iostream>
#include <set>

using namespace cclc;
using namespace cclc::test;
using dsl::Declaration;

void registerMscclangExamples(dsl::ProgramRegistry &registry);

namespace {
constexpr DataType types[] = {DataType::F16, DataType::BF16, DataType::F32, DataType::F64,
                              DataType::I8,  DataType::I32,  DataType::I64, DataType::U8};
constexpr ReduceOp ops[] = {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Prod, ReduceOp::Max,
                            ReduceOp::Min};

std::vector<Declaration> allPrograms() {
  dsl::ProgramRegistry registry;
  dsl::registerAllPrograms(registry);
  registerMscclangExamples(registry);
  return registry.all();
}

/// Machines for a program that requires levels, with 2 to 16 ranks if one PE of a cube takes part.
std::vector<Case> levelCases() {
  std::vector<Case> cases;
  for (std::vector<std::string> changes : std::vector<std::vector<std::string>>{
           {"sips.count=2", "cubes.width=1", "cubes.height=1"},
           {"sips.count=3", "cubes.width=2", "cubes.height=1"},
           {"sips.count=2", "cubes.width=2", "cubes.height=2"},
           {"sips.count=4", "cubes.width=2", "cubes.height=2", "sips.topology=torus_2d"}}) {
    changes.push_back("cubes.pes=1");
    changes.push_back("ipcq.multiplex=on");
    cases.push_back({{}, {}, changes});
  }
  return cases;
}

/// The values of the parameter `buffers` that cover all placements.
std::vector<std::string> bufferChoices(const Declaration &declaration) {
  for (const dsl::ParamSpec &spec : allParameters(declaration))
    if (spec.name == "buffers") {
      if (llvm::is_contained(spec.choices, "both"))
        return {"both"};
      return spec.choices;
    }
  return {""};
}

struct Count {
  uint32_t plans = 0, refused = 0;
  uint64_t executions = 0;
};

/// Executes the plan in up to three sizes: one element; chunks of up to five elements, of which the
/// last is shorter; and three pieces of a chunk, with direct messages. \p typesOfSize has the types
/// of each.
void executePlan(const ExecPlan &plan, ArrayRef<std::vector<DataType>> typesOfSize, Count &count) {
  const uint32_t slots = plan.slots()->limit();
  const uint64_t chunks = chunksOfBuffer(plan.info().collective);
  const uint64_t sizes[] = {1, 5 * chunks - 2, 40 * chunks + 3};
  Interpreted interpreted(plan, Slots(slots));
  for (size_t s = 0; s < std::size(sizes); ++s)
    for (DataType type : typesOfSize[s]) {
      ReduceOp op = ops[(plan.ranks() + s + size_t(type)) % std::size(ops)];
      run::PreparedPlan run(
          plan, sizes[s],
          {type, op, slots, 16 * sizeOf(type), s == 2 ? 0 : run::threadDirectBytes});
      INFO(sizes[s] << " elements, " << dataTypeName(type).str() << ' ' << reduceOpName(op).str());
      count.executions += interpreted.check(run, sizes[s]);
    }
}

/// Executes all plans of \p declaration with \p which, fused and unfused. A case that the program
/// rejects is counted.
void executeCase(const Declaration &declaration, const Case &which,
                 ArrayRef<std::vector<DataType>> typesOfSize, Count &count) {
  for (const std::string &buffers : bufferChoices(declaration))
    for (bool fused : {true, false}) {
      CompileRequest request;
      request.parameters = which.parameters;
      if (!buffers.empty())
        request.parameters.emplace_back("buffers", buffers);
      request.ranks = which.ranks;
      if (which.machine)
        request.target = targetRequest("ahbm", *which.machine);
      if (!fused)
        request.fusion = FusionOptions::none();
      INFO(declaration.name() << ' ' << which.label() << (fused ? "" : " unfused"));
      DiagnosticEngine diags;
      FailureOr<Compiled> outcome = compile(declaration, request, diags);
      if (failed(outcome) && diags.failure() == Failure::Unusable) {
        ++count.refused;
        continue;
      }
      if (failed(outcome))
        FAIL(textOf(diags));
      ++count.plans;
      executePlan(outcome->plan, typesOfSize, count);
    }
}

/// All programs, for the numbers of ranks in \p rankCounts; every program has an executed plan in
/// one of them.
Count executeAll(ArrayRef<uint32_t> rankCounts, ArrayRef<std::vector<DataType>> typesOfSize) {
  Count all;
  for (const Declaration &declaration : allPrograms()) {
    Count count;
    std::vector<Case> cases;
    if (needsMachine(declaration))
      cases = levelCases();
    else
      for (uint32_t ranks : rankCounts)
        llvm::append_range(cases, casesFor(declaration, ranks));
    for (const Case &which : cases)
      executeCase(declaration, which, typesOfSize, count);
    INFO(declaration.name());
    CHECK(count.plans > 0);
    all.plans += count.plans;
    all.refused += count.refused;
    all.executions += count.executions;
  }
  std::cout << all.plans << " plans, " << all.executions << " executions; " << all.refused
            << " requests are rejected\n";
  return all;
}
} // namespace

TEST_CASE("a sample of all programs equals the simulator", "[run]") {
  using enum DataType;
  executeAll({3, 4, 8, 16}, {{F32}, {BF16, U8}, {F16, I64}});
}

TEST_CASE("all programs equal the simulator", "[.][full]") {
  std::vector<DataType> all(std::begin(types), std::end(types));
  std::vector<uint32_t> ranks;
  for (uint32_t r = 2; r <= 16; ++r)
    ranks.push_back(r);
  executeAll(ranks, {all, all, all});
}
