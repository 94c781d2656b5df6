//===- LibraryTest.cpp - Every program, every number of ranks -------------===//
//
// Every registered program is compiled with proof and executed with data, for every
// number of ranks, fused and unfused, in every placement of its buffers. The
// requests that a program rejects are listed here, so that additional rejections
// fail the test.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "cclc/Sim/SizeVerifier.h"

#include "../unit/Run/Execution.h"
#include "../unit/Sim/Simulation.h"

#include "cclc/Mscclpp/Emit/Lower.h"
#include "cclc/Mscclpp/Proof/Verify.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace cclc;
using namespace cclc::test;
using dsl::Declaration;

namespace {

/// The cases that a program rejects, by their labels; all others must compile. A program that is
/// not listed rejects no case.
const std::map<std::string, std::set<std::string>> &refusals() {
  static const std::map<std::string, std::set<std::string>> table = {};
  return table;
}

/// Parameters that programs have only to demonstrate incorrect plans.
bool mustFail(const Declaration &declaration, const Case &which) {
  return declaration.name() == "hierarchical_sequence" &&
         llvm::is_contained(which.parameters, std::pair<std::string, std::string>("stride", "2"));
}

std::vector<Declaration> allPrograms() {
  dsl::ProgramRegistry registry;
  dsl::registerAllPrograms(registry);
  return registry.all();
}

CompileRequest requestFor(const Case &which) {
  CompileRequest request;
  request.parameters = which.parameters;
  request.ranks = which.ranks;
  if (which.machine)
    request.target = targetRequest("ahbm", *which.machine);
  return request;
}

/// The placements that the program supports, by the values of the parameter.
std::vector<std::string> placements(const Declaration &declaration) {
  for (const dsl::ParamSpec &spec : allParameters(declaration))
    if (spec.name == "buffers")
      return spec.choices;
  return {};
}

void checkRefusal(const FailureOr<Compiled> &outcome, const DiagnosticEngine &diags) {
  CHECK(failed(outcome));
  CHECK(diags.failure() == Failure::Unusable);
  CHECK(diags.hasErrors());
}

/// The proved plan, or none if the program rejects the case as expected.
std::optional<ExecPlan> plan(const Declaration &declaration, const Case &which,
                             const CompileRequest &request) {
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(declaration, request, diags);
  auto refused = refusals().find(declaration.name());
  if (refused != refusals().end() && refused->second.count(which.label())) {
    checkRefusal(outcome, diags);
    return std::nullopt;
  }
  if (mustFail(declaration, which) && failed(outcome) && diags.failure() != Failure::Unusable)
    return std::nullopt;
  if (failed(outcome))
    FAIL(textOf(diags));
  REQUIRE(outcome->report);
  REQUIRE(outcome->report->verdict == Verdict::Ok);
  REQUIRE(outcome->plan.info().collective.hasPostCondition());
  // All ranks of an all-reduce get the same bits, unless the description says otherwise.
  CHECK((outcome->report->sameBits.value_or(true) ||
         StringRef(declaration.summary()).contains("different bits")));
  return std::move(outcome->plan);
}

/// Executes the plan and compares the result with the definition of the collective. A chunk has
/// four elements, and the last one of the buffer is padding.
void checkData(const ExecPlan &plan, Machine &machine, DataType type, uint64_t slotElements,
               std::optional<Slots> slots, uint32_t pieces) {
  const uint64_t size = sizeOf(type);
  const uint64_t elements = 4 * chunksOfBuffer(plan.info().collective) - 1;
  machine.queue.slotSize = Bytes(slotElements * size);
  Simulation simulation(plan, machine, elements * size, type, slots);
  REQUIRE(simulation.sizing.pieces == pieces);
  for (Placement placement : plan.info().placements.list()) {
    DataExecutor data(simulation.placed, simulation.sizing, ReduceOp::Sum, placement, std::nullopt);
    simulation.run(data);
    data.finish();
    if (std::optional<DataMismatch> wrong = data.check())
      FAIL((placement == Placement::InPlace ? "in place" : "out of place")
           << ": rank " << wrong->rank.index() << ", chunk " << wrong->chunk << ", element "
           << wrong->element << ": expected " << wrong->expected << ", got " << wrong->got);
  }
}

/// A slot holds two elements of a chunk, so that there are two pieces and every chunk is a message;
/// then, with the slots of the plan, all chunks of a step.
void checkData(const ExecPlan &plan, Machine &machine, DataType type) {
  if (plan.maxCount() == 1)
    return checkData(plan, machine, type, 2, plan.slots(), 2);
  checkData(plan, machine, type, 2, Slots::unlimited(), 2);
  checkData(plan, machine, type, 4 * plan.maxCount(), plan.slots(), 1);
}

/// Executes the plan by real threads in pieces of two elements, with random delays if \p jitter is
/// set. The buffers do not divide into chunks.
void checkExecution(const ExecPlan &plan, DataType type, std::optional<uint64_t> jitter) {
  if (plan.ranks() > 17)
    return; // threads would share few processors for minutes
  const uint64_t elements = 4 * chunksOfBuffer(plan.info().collective) - 1;
  run::PreparedPlan run(plan, elements,
                        {type, ReduceOp::Sum, plan.slots()->limit(), 2 * sizeOf(type)});
  run::RunOptions options;
  options.jitter = jitter;
  for (Placement placement : plan.info().placements.list())
    checkDefinition(run, placement, options);
}

/// Proves the MSCCL++ form of the plan as well, in both protocols, unless it is a sequence of calls
/// or beyond the limits of MSCCL++ or of the proof. With more than 32 ranks the proofs take longer
/// than all else, and nothing in the lowering depends on the number.
void checkMscclpp(const ExecPlan &simple) {
  if (!simple.info().calls.empty() || simple.threadblocks().size() > 256 || simple.ranks() > 32)
    return;
  std::string text = jsonOf(simple);
  size_t at = text.find("\"protocol\": \"Simple\"");
  REQUIRE(at != std::string::npos);
  ExecPlan packets = readGood(text.replace(at, 20, "\"protocol\": \"LL\""));
  for (const ExecPlan *plan : std::initializer_list<const ExecPlan *>{&simple, &packets}) {
    DiagnosticEngine diags;
    FailureOr<mscclpp::Plan> lowered = mscclpp::lower(*plan, diags);
    if (failed(lowered))
      CHECK(StringRef(textOf(diags))
                .contains(
                    "illegal for mscclpp: the steps of r0 in threadblocks of 64 operations take"));
    else if (mscclpp::verify(*lowered, diags).verdict != Verdict::Ok &&
             !StringRef(textOf(diags)).contains("that can be proved free of races"))
      FAIL(textOf(diags));
  }
}

Machine machineFor(const Case &which, uint32_t ranks) {
  return which.machine ? machine("ahbm", *which.machine) : machine("ideal", {}, ranks);
}

void checkEverything(const Declaration &declaration, const Case &which) {
  std::optional<Machine> machine;
  for (const std::string &buffers : placements(declaration))
    for (bool fused : {true, false}) {
      INFO(declaration.name() << " " << which.label() << " buffers=" << buffers
                              << (fused ? "" : " unfused"));
      CompileRequest request = requestFor(which);
      request.parameters.emplace_back("buffers", buffers);
      if (!fused)
        request.fusion = FusionOptions::none();
      std::optional<ExecPlan> compiled = plan(declaration, which, request);
      if (!compiled)
        continue;
      if (!machine)
        machine.emplace(machineFor(which, compiled->ranks()));
      for (DataType type : {DataType::I32, DataType::F16})
        checkData(*compiled, *machine, type);
      if (fused)
        checkExecution(*compiled, DataType::I32, std::nullopt);
      else
        checkExecution(*compiled, DataType::F16, compiled->steps().size());
      checkMscclpp(*compiled);
    }
}

/// The total amount of data that a plan moves.
struct Traffic {
  uint64_t messages = 0, chunks = 0;
};

Traffic trafficOf(const ExecPlan &plan) {
  Traffic traffic;
  for (const Step &step : plan.steps())
    if (traits(step.op).sends) {
      ++traffic.messages;
      traffic.chunks += step.count;
    }
  return traffic;
}

/// The plan for all placements together if there are several, and its data.
std::optional<ExecPlan> checkOnce(const Declaration &declaration, const Case &which,
                                  uint32_t instances = 1) {
  INFO(declaration.name() << " " << which.label() << " instances=" << instances);
  CompileRequest request = requestFor(which);
  request.parameters.emplace_back("buffers", placements(declaration).back());
  request.instances = instances;
  request.passes.verifySemantics = true;
  std::optional<ExecPlan> compiled = plan(declaration, which, request);
  if (compiled) {
    Machine machine = machineFor(which, compiled->ranks());
    checkData(*compiled, machine, DataType::I32);
  }
  return compiled;
}

void checkVariants(const Declaration &declaration, const Case &base) {
  std::optional<ExecPlan> usual = checkOnce(declaration, base);
  if (!usual)
    return;
  const Traffic before = trafficOf(*usual);
  // Twice as many chunks of half the size; those of one instance may no longer be adjacent, so that
  // one message becomes several.
  if (std::optional<ExecPlan> twice = checkOnce(declaration, base, 2)) {
    INFO(declaration.name() << " " << base.label() << " instances=2");
    CHECK(trafficOf(*twice).messages >= 2 * before.messages);
    CHECK(trafficOf(*twice).chunks == 2 * before.chunks);
  }
  for (const Case &variant : variants(declaration, base, usual->ranks())) {
    std::optional<ExecPlan> other = checkOnce(declaration, variant);
    if (!other)
      continue;
    INFO(declaration.name() << " " << variant.label());
    const std::string &changed = variant.parameters.back().first;
    const Traffic now = trafficOf(*other);
    // Another channel or root changes the route, not the amount of data.
    if (changed == "channels" || changed == "root") {
      CHECK(now.messages == before.messages);
      CHECK(now.chunks == before.chunks);
    }
    // A larger number of chunks divides the same buffer into smaller ones.
    if (changed == "chunks")
      CHECK(now.chunks * chunksOfBuffer(usual->info().collective) ==
            before.chunks * chunksOfBuffer(other->info().collective));
  }
}
} // namespace

TEST_CASE("programs are registered once, sorted by name", "[library]") {
  const std::vector<Declaration> programs = allPrograms();
  for (size_t i = 1; i < programs.size(); ++i)
    CHECK(programs[i - 1].name() < programs[i].name());
}

/// Programs take long on many nodes of many ranks: above this number of ranks only the most even
/// division is checked, in the long tests.
static constexpr uint32_t few = 17;

TEST_CASE("every program computes its collective", "[library][collectives]") {
  for (const Declaration &program : allPrograms()) {
    DYNAMIC_SECTION(program.name()) {
      uint32_t cases = 0;
      for (uint32_t ranks = 1; ranks <= few; ++ranks)
        for (const Case &which : casesFor(program, ranks)) {
          checkEverything(program, which);
          ++cases;
        }
      CHECK(cases >= (needsMachine(program) ? 0 : few));
    }
  }
}

TEST_CASE("every program computes its collective on many ranks", "[library][many]") {
  for (const Declaration &program : allPrograms()) {
    DYNAMIC_SECTION(program.name()) {
      uint32_t cases = 0;
      for (uint32_t ranks : {24, 32, 64})
        if (std::vector<Case> all = casesFor(program, ranks); !all.empty()) {
          checkEverything(program, all[all.size() / 2]);
          ++cases;
        }
      CHECK(cases >= (needsMachine(program) ? 0 : 3));
    }
  }
}

TEST_CASE("programs for machines with levels compute their collective", "[library][levels]") {
  for (const Declaration &program : allPrograms())
    if (needsMachine(program)) {
      DYNAMIC_SECTION(program.name()) {
        for (const Case &which : machineCases())
          checkEverything(program, which);
      }
    }
}

TEST_CASE("every program computes its collective with other parameters", "[library]") {
  for (const Declaration &program : allPrograms()) {
    DYNAMIC_SECTION(program.name()) {
      for (uint32_t ranks : {1, 2, 3, 6, 8, 13})
        for (const Case &which : casesFor(program, ranks))
          checkVariants(program, which);
      const std::vector<Case> machines = machineCases();
      for (size_t i = 0; needsMachine(program) && i < machines.size(); i += 4)
        checkVariants(program, machines[i]);
    }
  }
}

TEST_CASE("programs reject unsupported requests", "[library]") {
  for (const Declaration &program : allPrograms()) {
    INFO(program.name());
    DiagnosticEngine diags;
    if (needsMachine(program)) {
      checkRefusal(compile(program, {}, diags), diags);
      CHECK(StringRef(textOf(diags)).contains("--target"));
    }
    for (const dsl::ParamSpec &spec : program.params())
      if (spec.name == "root" && spec.type == dsl::ParamSpec::Type::Int) {
        CompileRequest request = requestFor(casesFor(program, 5).front().with("root", "5"));
        checkRefusal(compile(program, request, diags), diags);
        CHECK(StringRef(textOf(diags)).contains("root 5 is out of range"));
      }
  }
}

// If a step takes more transmissions than there are slots, a plan that is correct for small buffers
// may deadlock, for example if two ranks send to each other before they receive.
TEST_CASE("every program is safe at every size on NDv4", "[library]") {
  for (const Declaration &program : allPrograms()) {
    DYNAMIC_SECTION(program.name()) {
      for (uint32_t ranks : {2, 5, 8, 12, 16})
        for (const Case &which : casesFor(program, ranks)) {
          INFO(program.name() << " " << which.label());
          CompileRequest request = requestFor(which);
          request.target = targetRequest("ndv4");
          DiagnosticEngine diags;
          FailureOr<Compiled> outcome = compile(program, request, diags);
          if (failed(outcome))
            FAIL(textOf(diags));
          const Compiled &compiled = *outcome;
          const Machine machine = test::machine("ndv4", {}, compiled.plan.info().room());
          FailureOr<PlacedPlan> placed =
              PlacedPlan::create(compiled.plan, machine, *compiled.plan.slots(), diags);
          REQUIRE(succeeded(placed));
          SizeVerifier verifier(*placed, compiled.report->slotsNeeded);
          std::optional<Bytes> largest = verifier.largestSafe(sizeOf(DataType::F16));
          if (largest)
            FAIL("safe up to " << largest->count() << " bytes only");
        }
    }
  }
}
