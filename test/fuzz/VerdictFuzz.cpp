//===- VerdictFuzz.cpp - Verdicts of mutated plans, and what the plans do -===//
//
// Inputs are plans as text. A mutation changes the structure of a plan and not its text: waits,
// peers, operands, operations, the order of steps, whole messages. The verdict of every plan that
// is still well-formed is compared with executions in random orders (PlanBehaviour.h), with one,
// two and eight slots.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "../support/PlanBehaviour.h"
#include "../support/RandomProgram.h"

#include "cclc/IR/Text/Parser.h"
#include "cclc/IR/Text/Printer.h"
#include "cclc/Proof/PlanVerifier.h"

#include "llvm/Support/xxhash.h"

#include <cstring>

using namespace cclc;
using namespace cclc::fuzz;
using test::Random;

namespace {
/// Executions take quadratic time.
bool isTiny(const ExecPlan &plan) {
  uint64_t chunks = 0;
  for (const Step &step : plan.steps())
    chunks += std::max(step.count, 1u);
  return chunks <= 96 && isSmall(plan);
}

/// Whether executions have the meaning that is defined here: one call, and placements whose
/// overlap the interpreters know.
bool isSimple(const ExecPlan &plan) {
  const Collective &collective = plan.info().collective;
  bool isShifted =
      collective.kind() == CollectiveKind::Gather || collective.kind() == CollectiveKind::Scatter;
  return plan.info().calls.empty() && collective.hasPostCondition() &&
         !(isShifted && plan.info().placements.allowsInPlace());
}

std::optional<ExecPlan> planOf(StringRef text) {
  DiagnosticEngine diags;
  FailureOr<Module> module = parseModule(text, "fuzz", diags);
  if (failed(module))
    return std::nullopt;
  auto *plan = std::get_if<ExecPlan>(&*module);
  // Tools unroll a plan of one rank and rotations before they prove it.
  if (!plan || !plan->info().rotations.empty() || !isTiny(*plan) || !isSimple(*plan))
    return std::nullopt;
  return std::move(*plan);
}

/// A plan whose parts can be changed.
class PlanParts {
public:
  PlanParts(const ExecPlan &plan, uint64_t seed) : plan(plan), random(seed) {
    for (const Threadblock &tb : plan.threadblocks())
      parts.push_back({tb, plan.steps(tb).vec()});
  }

  void mutate() {
    if (parts.empty())
      return;
    Part &part = parts[random.below(parts.size())];
    if (part.steps.empty()) {
      part.steps.push_back(anyStep());
      return;
    }
    size_t at = random.below(part.steps.size());
    Step &step = part.steps[at];
    switch (random.below(12)) {
    case 0:
      step.setWait(std::nullopt);
      return;
    case 1:
      addWait(part, step);
      return;
    case 2:
      std::swap(step, part.steps[random.below(part.steps.size())]);
      return;
    case 3: // of adjacent steps
      std::swap(step, part.steps[std::min(at + 1, part.steps.size() - 1)]);
      return;
    case 4:
      step.src = changed(step.src);
      return;
    case 5:
      step.dst = changed(step.dst);
      return;
    case 6:
      step.op = anyStep().op;
      return;
    case 7:
      step.count = random.between(1, 3);
      return;
    case 8:
      part.steps.insert(part.steps.begin() + random.below(part.steps.size() + 1), anyStep());
      return;
    case 9:
      part.steps.erase(part.steps.begin() + at);
      return;
    case 10:
      exchangePeers(part);
      return;
    default:
      part.tb.channel = ChannelId(random.below(2));
    }
  }

  /// None if the plan is no longer well-formed.
  std::optional<ExecPlan> build() const {
    ExecPlanBuilder builder(plan.info());
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      builder.setScratch(RankId(r), plan.scratchChunks()[r]);
    for (const Part &part : parts) {
      builder.beginThreadblock(part.tb.rank, part.tb.sendPeer, part.tb.recvPeer, part.tb.channel);
      for (const Step &step : part.steps)
        builder.addStep(step);
    }
    DiagnosticEngine diags;
    FailureOr<ExecPlan> result = std::move(builder).finish(diags);
    if (failed(result))
      return std::nullopt;
    return std::move(*result);
  }

private:
  struct Part {
    Threadblock tb;
    std::vector<Step> steps;
  };

  const Step &anyStep() { return plan.steps()[random.below(plan.steps().size())]; }

  /// A neighbouring cell, or an operand of another step.
  Operand changed(Operand operand) {
    if (operand.isNone() || random.chance(40)) {
      const Step &other = anyStep();
      return random.chance(50) ? other.src : other.dst;
    }
    uint32_t index = operand.index();
    return Operand(operand.buffer(), random.chance(50) && index ? index - 1 : index + 1);
  }

  /// Lets a step wait for a step of another threadblock of its rank, which then announces its end.
  void addWait(const Part &part, Step &step) {
    std::vector<size_t> ofRank;
    for (size_t p = 0; p < parts.size(); ++p)
      if (parts[p].tb.rank == part.tb.rank)
        ofRank.push_back(p);
    size_t other = random.below(ofRank.size());
    std::vector<Step> &steps = parts[ofRank[other]].steps;
    if (steps.empty() || &parts[ofRank[other]] == &part)
      return;
    uint32_t target = random.below(steps.size());
    steps[target].publishes = true;
    step.setWait(Wait{ThreadblockId(other), StepIndex(target)});
  }

  /// Exchanges the steps of two threadblocks, or the ends of two connections.
  void exchangePeers(Part &part) {
    Part &other = parts[random.below(parts.size())];
    if (random.chance(50))
      std::swap(part.steps, other.steps);
    else
      std::swap(part.tb.recvPeer, other.tb.recvPeer);
  }

  const ExecPlan &plan;
  Random random;
  std::vector<Part> parts;
};

std::string textOf(const ExecPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, plan);
  return os.str();
}
} // namespace

/// Replaces the plan in \p data by a well-formed one that differs in a few places.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned int seed) {
  std::optional<ExecPlan> plan = planOf(StringRef(reinterpret_cast<const char *>(data), size));
  if (!plan || plan->steps().empty())
    return size;
  for (uint32_t attempt = 0; attempt < 20; ++attempt) {
    Random random(seed + attempt);
    PlanParts parts(*plan, random.next());
    for (uint32_t n = random.between(1, 3); n > 0; --n)
      parts.mutate();
    std::optional<ExecPlan> mutated = parts.build();
    if (!mutated)
      continue;
    std::string text = textOf(*mutated);
    if (text.size() > maxSize)
      continue;
    std::memcpy(data, text.data(), text.size());
    return text.size();
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  std::optional<ExecPlan> plan = planOf(text);
  if (!plan)
    return -1;
  for (uint32_t slots : {1, 2, 8}) {
    DiagnosticEngine diags;
    PlanProof proof = verifyPlan(*plan, Slots(slots), diags);
    test::PlanBehaviour seen = test::observe(*plan, Slots(slots), 3, llvm::xxh3_64bits(text));
    std::string why = test::contradiction(verdictName(proof.verdict), seen);
    if (!why.empty())
      defect(why + ", " + Slots(slots).phrase(), text, diags);
  }
  return 0;
}
