//===- ProofTest.cpp - Sizes are reported one by one ----------------------===//

#include "../../Sim/Simulation.h"

#include "cclc/Views/Report/Proof.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// What has been printed when each of the sizes is verified, and at the end.
std::vector<std::string> printedOf(ArrayRef<uint64_t> sizes) {
  ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  Machine machine = test::machine("ring", {}, 4);
  DiagnosticEngine diags;
  ProvedPlan report{"ring", {}, {}, Verdict::Malformed, {}};
  std::string text;
  llvm::raw_string_ostream os(text);
  os.SetBuffered();
  std::vector<std::string> printed;
  auto print = [&](const Safety &safety) {
    printLastRow(report, safety, os);
    printed.push_back(text); // without a flush: readers see it at once
  };
  REQUIRE(succeeded(
      proveWithSizes(plan, {&machine, Slots(8), sizes, DataType::F32, print}, report, diags)));
  CHECK(report.verdict == Verdict::Ok);
  REQUIRE(report.safety);
  CHECK(report.safety->rows.size() == sizes.size());
  printProof(report, os);
  printed.push_back(text);
  return printed;
}
} // namespace

TEST_CASE("the row of a size is printed before the next one is verified") {
  std::vector<std::string> printed = printedOf({1024, 4096, 16384});
  REQUIRE(printed.size() == 4);
  CHECK(StringRef(printed[0]).count('\n') == 3); // verdict, heading, row
  CHECK(StringRef(printed[0]).starts_with("ring: ok with 8 slots, needs 2, "));
  CHECK(StringRef(printed[0]).ends_with(" safe\n"));
  for (size_t i = 1; i < printed.size(); ++i) {
    CHECK(StringRef(printed[i]).starts_with(printed[i - 1]));
    CHECK(StringRef(printed[i]).count('\n') == 3 + i);
  }
  CHECK(StringRef(printed[3]).ends_with("\nsafe at every size on ring\n"));
}

TEST_CASE("without sizes, the verdict and the largest safe size are printed") {
  std::vector<std::string> printed = printedOf({});
  REQUIRE(printed.size() == 1);
  CHECK(StringRef(printed[0]).count('\n') == 2);
}
