#include "cclc/Sim/CriticalPath.h"

using namespace cclc;

StringRef cclc::causeName(Cause cause) {
  constexpr std::array<StringRef, numCauses> names = {"launch",     "engine", "link",
                                                      "contention", "slot",   "dependence"};
  return names[static_cast<size_t>(cause)];
}

std::vector<PathSegment>
PathRecorder::path(uint64_t last, SimTime end, const Executions &executions,
                   llvm::function_ref<uint32_t(uint32_t)> threadblockOf) const {
  std::vector<PathSegment> segments;
  uint64_t execution = last;
  auto add = [&](Cause cause, SimTime from, SimTime to) {
    if (from >= to)
      return;
    uint32_t step = executions.stepOf(execution);
    segments.push_back({cause, from, to, threadblockOf(step), step, executions.tripOf(execution)});
  };
  while (true) {
    const Record &record = records[execution];
    SimTime worked = std::min(record.worked, end);
    add(Cause::Link, worked, end);
    add(Cause::Engine, record.begin, worked);
    if (!record.cause) {
      add(Cause::Launch, SimTime(), record.begin);
      break;
    }
    // Contention is shown first, because messages wait before links.
    SimTime held = std::min(record.contention, record.begin - record.then);
    add(*record.cause, record.then + held, record.begin);
    add(Cause::Contention, record.then, record.then + held);
    end = record.then;
    execution = record.other;
  }
  std::reverse(segments.begin(), segments.end());
  return segments;
}
