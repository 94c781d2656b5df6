#include "cclc/Diff/Figures.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::diff;

StringRef diff::figureName(Figure figure) {
  constexpr StringRef names[numFigures] = {
      "steps", "messages", "channels", "threadblocks", "steps_per_threadblock", "scratch", "slots"};
  return names[static_cast<size_t>(figure)];
}

StringRef diff::figureMeaning(Figure figure) {
  constexpr StringRef meanings[numFigures] = {"steps",
                                              "messages",
                                              "channels",
                                              "threadblocks of a rank",
                                              "steps of a threadblock",
                                              "scratch chunks of a rank",
                                              "slots needed"};
  return meanings[static_cast<size_t>(figure)];
}

Figures diff::measure(const ExecPlan &plan, Slots slots) {
  Figures result;
  auto set = [&](Figure figure, uint64_t value) {
    result.values[static_cast<size_t>(figure)] = value;
  };
  uint64_t messages = 0, threadblocks = 0, steps = 0, scratch = 0;
  for (const Step &step : plan.steps())
    messages += traits(step.op).sends;
  std::vector<bool> channels(plan.channels());
  for (const Threadblock &tb : plan.threadblocks()) {
    steps = std::max<uint64_t>(steps, tb.numSteps);
    for (const Step &step : plan.steps(tb))
      if (traits(step.op).communicates())
        channels[tb.channel.index()] = true;
  }
  for (uint32_t r = 0; r < plan.ranks(); ++r) {
    threadblocks = std::max<uint64_t>(threadblocks, plan.numThreadblocks(RankId(r)));
    scratch = std::max<uint64_t>(scratch, plan.scratchChunks()[r]);
  }
  set(Figure::Steps, plan.steps().size());
  set(Figure::Messages, messages);
  set(Figure::Channels, std::count(channels.begin(), channels.end(), true));
  set(Figure::Threadblocks, threadblocks);
  set(Figure::StepsOfAThreadblock, steps);
  set(Figure::Scratch, scratch);
  DiagnosticEngine diags;
  result.proof = verifyPlan(plan, slots, diags);
  if (result.proof.slotsNeeded)
    set(Figure::Slots, *result.proof.slotsNeeded);
  if (result.proof.verdict != Verdict::Ok && !diags.all().empty())
    result.flaw = diags.all().front().text;
  return result;
}
