//===- StageTimes.cpp - Clocks of stages ----------------------------------===//
//
// Wall time from the monotonic clock, processor time and peak memory from the system's accounting
// of the process.
//
//===----------------------------------------------------------------------===//

#include "cclc/Transforms/Pass/StageTimes.h"

#include "cclc/Support/MemoryBudget.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>
#include <chrono>
#include <ctime>
#include <sys/resource.h>

using namespace cclc;
using llvm::formatv;

StageTimes::Now StageTimes::now() {
  timespec cpu = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  auto wall = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
  return {uint64_t(wall.count()), uint64_t(cpu.tv_sec) * 1000000 + uint64_t(cpu.tv_nsec) / 1000};
}

static Bytes peakMemory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return Bytes(uint64_t(usage.ru_maxrss) * 1024);
}

/// Ends the open part, and unless \p isPart the open stage.
void StageTimes::close(bool isPart, Now at) {
  while (opened.size() > (isPart ? 1 : 0)) {
    const Open &last = opened.back();
    Row &row = theRows[last.row];
    row.wall = at.wall - last.begin.wall;
    row.cpu = at.cpu - last.begin.cpu;
    row.peak = peakMemory();
    opened.pop_back();
  }
}

void StageTimes::open(StringRef name, bool isPart, Now at) {
  opened.push_back({theRows.size(), at});
  theRows.push_back({name.str(), isPart, 0, 0, Bytes()});
}

void StageTimes::begin(StringRef stage) {
  Now at = now();
  close(/*isPart=*/false, at);
  open(stage, /*isPart=*/false, at);
}

void StageTimes::beginPart(StringRef part) {
  assert(!opened.empty() && "a part of no stage");
  Now at = now();
  close(/*isPart=*/true, at);
  open(part, /*isPart=*/true, at);
}

void StageTimes::end() { close(/*isPart=*/false, now()); }

void StageTimes::print(raw_ostream &os) const {
  uint64_t wall = 0, cpu = 0;
  for (const Row &row : theRows)
    if (!row.isPart) {
      wall += row.wall;
      cpu += row.cpu;
    }
  auto line = [&](const Row &row, StringRef indent) {
    os << formatv("{0,10} {1,10}  {2,3} %  {3,10}  {4}{5}\n", row.wall, row.cpu,
                  cpu ? row.cpu * 100 / cpu : 0, sizeText(row.peak), indent, row.name);
  };
  os << "   wall us     cpu us    cpu        peak  stage\n";
  for (const Row &row : theRows)
    line(row, row.isPart ? "  " : "");
  line({"total", false, wall, cpu, theRows.empty() ? Bytes() : theRows.back().peak}, "");
}
