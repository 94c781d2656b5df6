//===- Trial.cpp - Measuring one candidate --------------------------------===//
//
// The plan must run on exactly the endpoints of the problem: a program that leaves some of them
// unused executes another collective. It is proved before it is simulated, as a wrong plan may be
// faster than any right one. A size is simulated under the conditions of ccl-sim: its
// buffers fit into memory, and the plan completes with its transmissions. If it takes many pieces,
// two smaller sizes are simulated instead: while the pipeline is full, every further piece takes
// the same time on average. If MSCCL++ is the only destination, the time is that of its plan,
// which has no such pieces.
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

#include "PlanHash.h"
#include "cclc/Limits/PlanCheck.h"
#include "cclc/Proof/UniformOrder.h"
#include "cclc/Sim/Mscclpp/Traffic.h"
#include "cclc/Sim/Network/Network.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace cclc;
using llvm::formatv;

/// The number of executions of steps above which a size takes too long to simulate.
static constexpr uint64_t maxTrialExecutions = 16'000'000;
/// The number above which a size is extrapolated from parts of it.
static constexpr uint64_t manyExecutions = 1'000'000;

void Trial::compile() {
  if (!measure.isCompiled)
    makePlan();
}

void Trial::refuse(const DiagnosticEngine &diags, Measure::Fault fault) {
  measure = Measure();
  measure.isCompiled = true;
  measure.fault = fault;
  measure.refusal = "not compiled";
  auto error = llvm::find_if(diags.all(), [](auto &d) { return d.severity == Severity::Error; });
  if (error == diags.all().end())
    return;
  measure.refusal = error->text;
  if (fault == Measure::Fault::Program && error->loc.line)
    measure.refusal = formatv("line {0}: {1}", error->loc.line, error->text);
}

/// Programs of users may be wrong; those of cclc are tested.
static bool isUsers(const Candidate &candidate) { return !candidate.version.empty(); }

/// Fails if \p plan leaves some endpoints of the problem unused.
static LogicalResult checkEndpoints(const ExecPlan &plan, const TuneProblem &problem,
                                    DiagnosticEngine &diags) {
  std::vector<uint32_t> used = plan.info().placementOnTarget, wanted = problem.endpoints;
  std::sort(used.begin(), used.end());
  std::sort(wanted.begin(), wanted.end());
  if (used == wanted)
    return success();
  return diags.error({}, formatv("the program runs on {0} of {1} endpoints, or on others",
                                 used.size(), wanted.size()));
}

/// The origin of the error in a plan that is not proved; \p found has the error of its proof.
/// Compiled with all proofs, the candidate shows whether its program or a later stage is wrong.
static Measure::Fault findFault(const Candidate &candidate, const TuneProblem &problem,
                                DiagnosticEngine &found) {
  DiagnosticEngine located;
  auto compiled = cclc::compile(*candidate.program, candidate.request(problem), located);
  if (succeeded(compiled) || located.failure() != Failure::Wrong || !isUsers(candidate))
    return Measure::Fault::Tool;
  found = std::move(located);
  return Measure::Fault::Program;
}

/// As cclc does.
CompiledPlans TuneProblem::compile(const Candidate &candidate, bool prove,
                                   DiagnosticEngine &diags) const {
  CompileRequest request = candidate.request(*this);
  request.verify = false;
  FailureOr<Compiled> compiled = cclc::compile(*candidate.program, request, diags);
  CompiledPlans made;
  if (failed(compiled)) {
    if (diags.failure() == Failure::Wrong && isUsers(candidate))
      made.fault = Measure::Fault::Program;
    return made;
  }
  const ExecPlan &plan = compiled->plan;
  if (failed(checkEndpoints(plan, *this, diags)))
    return made;
  if (prove && verifyPlan(plan, slotsOf(plan), diags, ReductionHash::Omit).verdict != Verdict::Ok) {
    made.fault = findFault(candidate, *this, diags);
    return made;
  }
  made.plan = std::move(compiled->plan);
  made.mscclpp = std::move(compiled->mscclpp);
  made.otherOrder = std::move(compiled->otherOrder);
  return made;
}

/// Binds the plan to the machine.
LogicalResult Trial::bind(ExecPlan made, std::optional<mscclpp::Plan> lowered,
                          DiagnosticEngine &diags) {
  plan.emplace(std::move(made));
  if (EmittedPlan::isTimed(problem)) {
    FailureOr<EmittedPlan> own =
        EmittedPlan::create(*plan, candidate.variant, std::move(lowered), problem, diags);
    if (failed(own))
      return failure();
    emitted.emplace(std::move(*own));
  }
  FailureOr<PlacedPlan> onMachine =
      PlacedPlan::create(*plan, problem.machine, problem.slotsOf(*plan), diags);
  if (failed(onMachine))
    return failure();
  placed = std::make_unique<const PlacedPlan>(std::move(*onMachine));
  simulator = createSimulatorOfScheduled(*placed, {.network = problem.network});
  return success();
}

Trial::Trial(const SearchProblem &problem, ExecPlan given) : problem(problem), candidate() {
  DiagnosticEngine diags;
  if (failed(bind(std::move(given), std::nullopt, diags)))
    refuse(diags);
  else
    measurePlan();
}

void Trial::makePlan() {
  ++compilations;
  isChanged = true;
  DiagnosticEngine diags;
  CompiledPlans made = problem.compile(candidate, /*prove=*/!measure.isCompiled, diags);
  if (!made.plan)
    return refuse(diags, made.fault);
  if (failed(bind(std::move(*made.plan), std::move(made.mscclpp), diags)))
    return refuse(diags);
  if (measure.isCompiled)
    return;
  measurePlan();
  if (!problem.invariant)
    return;
  measure.order = findUniformOrder(*plan);
  if (!measure.order || made.otherOrder) {
    diags.error({}, made.otherOrder.value_or("the reduction order differs between elements"));
    refuse(diags);
    drop();
  }
}

/// The figures of the plan, and the link whose chunks take longest.
void Trial::measurePlan() {
  measure.isCompiled = true;
  measure.plan = hashOfPlan(*plan, problem.machine);
  uint32_t sharing = candidate.variant.sharing;
  if (sharing > 1) // its operations are in the plan of MSCCL++ alone
    measure.plan += formatv(" {0} share", sharing);
  measure.channels = plan->channels();
  measure.steps = plan->steps().size();
  measure.largestCount = plan->maxCount();
  for (uint32_t r = 0; r < plan->ranks(); ++r)
    measure.threadblocks =
        std::max(measure.threadblocks, plan->numThreadblocks(RankId(r)) * sharing);
  if (emitted) {
    measure.threadblocks = emitted->mostThreadblocks();
    measure.multiple = emitted->multiple();
  }
  measure.bufferChunks = std::max<uint64_t>(chunksOfBuffer(plan->info().collective), 1);
  // Without contention, links do not add the messages of connections; with choices, the routes of
  // the messages are unknown.
  if (problem.network != "ideal" && !placed->routes.hasChoices())
    measureLoad();
}

/// The chunks on the link where they take longest.
void Trial::measureLoad() {
  std::vector<uint64_t> chunks(problem.machine.links().size());
  auto pass = [&](const RouteTable &routes, uint32_t route, uint64_t number) {
    for (LinkId link : routes.linksOf(routes[route]))
      chunks[link.index()] += number;
  };
  if (emitted) {
    const RouteTable &routes = emitted->bound().routes;
    for (auto [route, number] : llvm::enumerate(mscclpp::chunksOnRoutes(emitted->bound())))
      pass(routes, route, number);
  } else {
    ArrayRef<Connection> connections = placed->connections.connections();
    for (size_t c = 0; c < connections.size(); ++c) {
      uint64_t sent = 0;
      for (const Step &step : plan->steps(plan->threadblocks()[connections[c].senderTb]))
        if (traits(step.op).sends)
          sent += step.count;
      pass(placed->routes, c, sent);
    }
  }
  for (size_t l = 0; l < chunks.size(); ++l) {
    Bandwidth rate = problem.machine.links()[l].bandwidth;
    if (rate.isUnlimited() || chunks[l] == 0)
      continue;
    // Rounded up, so that the time remains a lower bound.
    if (placed->protocol && !emitted)
      rate = Bandwidth(ceilDiv(rate.bytesPerSecond() * placed->protocol->efficiency, 1'000'000));
    if (measure.loadRate.isUnlimited() || Wide(chunks[l]) * measure.loadRate.bytesPerSecond() >
                                              Wide(measure.loadChunks) * rate.bytesPerSecond()) {
      measure.loadChunks = chunks[l];
      measure.loadRate = rate;
    }
  }
}

std::optional<Measure::Run> Trial::run(uint64_t size, std::optional<SimTime> until) {
  if (emitted) {
    ++simulations;
    return emitted->run(size, until, problem);
  }
  DiagnosticEngine diags;
  FailureOr<Sizing> sizing = simulator->prove(Bytes(size), problem.type, diags);
  if (failed(sizing))
    return Measure::Run{SimTime::max()};
  if (problem.inOnePiece && sizing->pieces > 1)
    return Measure::Run{SimTime::max()};
  uint64_t parts = 1;
  while (sizing->executions(*placed) / parts > manyExecutions &&
         sizing->pieces / parts / 4 >= fewestPiecesOfPart)
    parts *= 2;
  if (sizing->executions(*placed) / parts > maxTrialExecutions)
    return Measure::Run{SimTime::max()};
  if (parts > 1)
    return extrapolate(size, size / parts, sizing->pieces, until);
  ++simulations;
  SimOptions options;
  options.until = until;
  SimResult result = simulator->simulate(*sizing, options);
  if (result.stopped)
    return std::nullopt;
  return Measure::Run{result.completed ? result.time : SimTime::max(), result.messages,
                      sizing->pieces};
}

std::optional<Measure::Run> Trial::extrapolate(uint64_t size, uint64_t part, uint32_t pieces,
                                               std::optional<SimTime> until) {
  std::optional<Measure::Run> half = known(part / 2, until);
  std::optional<Measure::Run> whole = half ? known(part, until) : std::nullopt;
  if (!whole)
    return std::nullopt;
  if (half->time == SimTime::max() || whole->time == SimTime::max())
    return Measure::Run{SimTime::max()};
  SimTime most = std::max(half->time, whole->time);
  Wide growth = Wide((most - half->time).picoseconds()) * Wide(size - part) / Wide(part - part / 2);
  return Measure::Run{most + SimTime::clamped(growth), half->messages + whole->messages, pieces};
}

std::optional<Measure::Run> Trial::known(uint64_t size, std::optional<SimTime> until) {
  if (auto found = measure.runs.find(size); found != measure.runs.end())
    return found->second;
  if (until && measure.takesLonger(size, *until))
    return std::nullopt;
  if (!plan)
    makePlan();
  std::optional<Measure::Run> result = run(size, until);
  isChanged = true;
  if (result)
    measure.add(size, *result);
  else
    measure.add(size, Measure::Longer{*until});
  return result;
}

void Trial::simulate(uint64_t size, std::optional<SimTime> until) {
  compile();
  if (measure.isUsable())
    known(size, until);
}

std::string Trial::runKey(uint64_t size) const {
  const Machine &machine = problem.machine;
  if (!machine.hasSlotsOfPlans())
    return measure.plan;
  const Bytes slot = candidate.variant.slotSize.value_or(machine.queue.slotSize);
  const uint64_t chunk =
      ceilDiv(ceilDiv(size, sizeOf(problem.type)), measure.bufferChunks) * sizeOf(problem.type);
  // Larger slots leave less of a memory that contains buffers as well.
  const bool isAlone = machine.memory.slots != machine.memory.buffers &&
                       machine.memory.slots != machine.memory.scratch;
  const bool isWhole = isAlone && Wide(chunk) * measure.largestCount <= Wide(slot.count());
  return isWhole ? measure.plan : formatv("{0} {1}", measure.plan, slot.count()).str();
}

void Trial::drop() {
  emitted.reset();
  simulator.reset();
  placed.reset();
  plan.reset();
}
