//===- Price.cpp - What a tuning file costs -------------------------------===//
//
// Every algorithm is simulated with all protocols, and with channels and chunks that are doubled;
// the fastest is the best choice of the runtime. What a file selects is one of these candidates, or
// one with the numbers of the file, and is simulated first: the others are stopped when they are
// slower. They follow in batches, so that the outcome does not depend on the number of jobs.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Price.h"

#include "Trial.h"
#include "cclc/Search/Tune/NativeCandidates.h"
#include "cclc/Support/Parallel.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace cclc;
using llvm::formatv;

namespace {
class Pricing {
public:
  Pricing(const TuneProblem &problem, const TuningFile &file, const dsl::ProgramRegistry &programs,
          unsigned jobs)
      : problem(problem), file(file), programs(programs), jobs(jobs) {}

  std::vector<SizePrice> run();

private:
  /// What the runtime executes for a call: a choice that is modelled, or the reason without one.
  struct Executed {
    std::optional<NativeChoice> choice = {};
    NativeTime time;
  };
  Executed executedFor(const Selected &selected, uint64_t bytes) const;
  NativeTime fastest(ArrayRef<NativeChoice> choices, uint64_t bytes) const;
  std::vector<Candidate> candidatesOf(const NativeChoice &choice) const {
    return cclc::candidatesOf(choice, problem, file.reader().runtime, programs);
  }
  void simulate(ArrayRef<Candidate> candidates, ArrayRef<uint64_t> sizes);

  const TuneProblem &problem;
  const TuningFile &file;
  const dsl::ProgramRegistry &programs;
  unsigned jobs;
  std::map<std::string, Measure> measures;    ///< by command
  std::map<uint64_t, SimTime> leastOfBatches; ///< by size
};
} // namespace

SelectionCall cclc::selectionCall(const TuneProblem &problem) {
  return {.collective = problem.collective,
          .site = siteOf(problem),
          .bytes = 0,
          .elementBytes = uint32_t(sizeOf(problem.type))};
}

/// Simulates \p candidates with \p sizes as far as they may be the fastest.
void Pricing::simulate(ArrayRef<Candidate> candidates, ArrayRef<uint64_t> sizes) {
  constexpr size_t batchSize = 16;
  for (; !candidates.empty();
       candidates = candidates.drop_front(std::min(batchSize, candidates.size()))) {
    std::vector<Trial> batch;
    for (const Candidate &candidate : candidates.take_front(batchSize))
      batch.emplace_back(problem, candidate, measures[candidate.command()]);
    parallelFor(jobs, batch.size(), [&](size_t i) {
      for (uint64_t size : sizes) {
        auto least = leastOfBatches.find(size);
        batch[i].simulate(size, least == leastOfBatches.end() ? std::nullopt
                                                              : std::optional(least->second));
      }
      batch[i].drop();
    });
    for (Trial &trial : batch) {
      for (uint64_t size : sizes)
        if (std::optional<SimTime> time = trial.measure.time(size)) {
          SimTime &least = leastOfBatches.try_emplace(size, *time).first->second;
          least = std::min(least, *time);
        }
      measures[trial.candidate.command()] = std::move(trial.measure);
    }
  }
}

/// "ring, ll, 8 channels".
static std::string titleOf(const NativeAlgorithm &algorithm, const Candidate &candidate,
                           uint64_t bytes) {
  std::string text = algorithm.name.str();
  if (algorithm.channelsPerInstance > 0)
    text += formatv(", {0}, {1}", StringRef(protocolName(candidate.variant.protocol)).lower(),
                    counted(channelsOf(algorithm, candidate), "channel"));
  if (const uint64_t count = segmentsOf(algorithm, candidate); count > 1)
    text += formatv(", segments of {0}", (bytes + count - 1) / count);
  return text;
}

/// The fastest candidate of \p choices, all of which are modelled.
NativeTime Pricing::fastest(ArrayRef<NativeChoice> choices, uint64_t bytes) const {
  NativeTime best;
  for (const NativeChoice &choice : choices)
    for (const Candidate &candidate : candidatesOf(choice)) {
      const Measure &measure = measures.at(candidate.command());
      const std::optional<SimTime> time = measure.time(bytes);
      if (best.reason.empty() && !time)
        best.reason = measure.refusal.empty() ? "does not run with this size" : measure.refusal;
      if (!time || (best.time && *best.time <= *time))
        continue;
      best.time = time;
      best.title = titleOf(*choice.algorithm, candidate, bytes);
    }
  if (best.time)
    best.reason.clear();
  return best;
}

Pricing::Executed Pricing::executedFor(const Selected &selected, uint64_t bytes) const {
  const std::string runtime = selectingRuntimeTitle(file.reader().runtime).str();
  auto without = [](std::string title, std::string reason) {
    return Executed{std::nullopt, {std::move(title), std::nullopt, std::move(reason)}};
  };
  const TuningRule *rule = selected.rule;
  if (!rule || rule->algorithm.empty()) {
    std::string channels = selected.channels ? ", " + counted(*selected.channels, "channel") : "";
    return without("choice of " + runtime + channels, runtime + " selects");
  }
  const NativeAlgorithm *algorithm = selected.algorithm;
  if (!algorithm || !algorithm->isModelled())
    return without(rule->algorithm, "is not modelled");
  if (!algorithm->guard.admits(selectionCall(problem).site))
    return without(rule->algorithm, "is not executed for this number of ranks");
  NativeChoice choice{algorithm, rule->protocol};
  if (algorithm->channelsPerInstance > 0)
    choice.channels = selected.channels;
  if (algorithm->division == NativeDivision::Segments) {
    const auto &specs = programs.find(algorithm->program.str())->params();
    const auto chunks = llvm::find_if(specs, [](auto &spec) { return spec.name == "chunks"; });
    choice.chunks =
        rule->segmentBytes ? std::max<uint64_t>(llvm::divideCeil(bytes, rule->segmentBytes), 1) : 1;
    if (*choice.chunks > uint64_t(chunks->max))
      return without(
          formatv("{0}, segments of {1}", algorithm->name, rule->segmentBytes),
          formatv("has {0} segments, of which {1} are modelled", *choice.chunks, chunks->max));
  }
  return {choice, {}};
}

std::vector<SizePrice> Pricing::run() {
  std::vector<SizePrice> prices;
  std::vector<Executed> executed;
  for (uint64_t bytes : problem.sizes) {
    SelectionCall call = selectionCall(problem);
    call.bytes = bytes;
    const Selected selected = file.select(call);
    prices.push_back({bytes, selected.rule});
    executed.push_back(executedFor(selected, bytes));
    if (executed.back().choice)
      simulate(candidatesOf(*executed.back().choice), bytes);
  }
  const std::vector<NativeChoice> choices = nativeChoices(problem, file.reader().runtime);
  for (const NativeChoice &choice : choices)
    simulate(candidatesOf(choice), problem.sizes);
  for (auto [price, own] : llvm::zip_equal(prices, executed)) {
    price.chosen = own.choice ? fastest(*own.choice, price.bytes) : own.time;
    if (price.chosen.title.empty())
      price.chosen.title = own.choice->algorithm->name.str();
    price.best = fastest(choices, price.bytes);
    // The numbers of the file may be better than the doubled ones.
    if (price.chosen.time && (!price.best.time || *price.chosen.time < *price.best.time))
      price.best = price.chosen;
  }
  return prices;
}

std::vector<SizePrice> cclc::priceFile(const TuneProblem &problem, const TuningFile &file,
                                       const dsl::ProgramRegistry &programs, unsigned jobs) {
  return Pricing(problem, file, programs, jobs).run();
}
