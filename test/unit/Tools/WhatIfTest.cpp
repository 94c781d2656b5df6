//===- WhatIfTest.cpp - Gains that grow with the speed, and others --------===//

#include "../Sim/Simulation.h"
#include "simulate/WhatIfRuns.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// A run of 1,000 ps on machines whose only setting is that time.
class Runs {
public:
  /// A resource with the times if it is free, 1 % faster, 10 % faster and twice as fast.
  void add(std::string what, int64_t free, int64_t percent, int64_t tenPercent, int64_t twice) {
    auto faster = [=](uint32_t of) {
      return std::vector{std::to_string(of == 101 ? percent : of == 110 ? tenPercent : twice)};
    };
    request.candidates.push_back({{std::move(what), {std::to_string(free)}, {}, {}}, faster});
  }

  WhatIfResult run() {
    request.load = [](ArrayRef<std::string> settings, DiagnosticEngine &) {
      Machine loaded = machine("ring", {}, 2);
      loaded.launch = SimTime(std::stoll(settings.front()));
      return FailureOr<Machine>(std::move(loaded));
    };
    request.time = [](const Machine &on, bool, DiagnosticEngine &) {
      return FailureOr<SimTime>(on.launch);
    };
    Progress progress("unit-Tools");
    DiagnosticEngine diags;
    FailureOr<WhatIfResult> result = runWhatIf(request, progress, diags);
    REQUIRE(succeeded(result));
    return *result;
  }

private:
  WhatIfRequest request{{}, SimTime(1000), 1, {}, {}};
};

std::vector<std::string> names(ArrayRef<WhatIf> rows) {
  std::vector<std::string> all;
  for (const WhatIf &row : rows)
    all.push_back(row.what);
  return all;
}
using Names = std::vector<std::string>;
} // namespace

TEST_CASE("a gain that falls at a higher speed is noise and never the best", "[what-if]") {
  Runs runs;
  runs.add("steady", 500, 995, 950, 750);
  runs.add("lost if twice as fast", 600, 900, 890, 1089);
  runs.add("less at 10 %", 700, 900, 950, 850);
  runs.add("slower at 1 %", 800, 1001, 950, 850);
  runs.add("faster than free", 900, 999, 880, 870);
  runs.add("only free", 950, 1000, 1000, 1000);
  runs.add("no gain if free", 1000, 900, 800, 700);
  WhatIfResult result = runs.run();
  CHECK(names(result.rows) == Names{"steady", "faster than free", "only free"});
  CHECK(names(result.noise) == Names{"lost if twice as fast", "less at 10 %", "slower at 1 %"});
  CHECK(result.best == "steady");
  CHECK(result.noise.front().faster->twice == SimTime(1089));
}

TEST_CASE("resources without a gain at 1 % are not the best", "[what-if]") {
  Runs runs;
  runs.add("only free", 950, 1000, 1000, 1000);
  runs.add("noise", 900, 800, 1000, 1000);
  CHECK(runs.run().best.empty());
}
