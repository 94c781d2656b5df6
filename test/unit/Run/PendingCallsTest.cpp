//===- PendingCallsTest.cpp - Tests of calls that do not block ------------===//
//
// Threads stand for the processes of a node. Each has a thread of PendingCalls beside it, so that
// ThreadSanitizer sees all that such a call has in common with the application and other ranks.
//
//===----------------------------------------------------------------------===//

#include "PendingCalls.h"

#include "Plans.h"
#include "SharedFile.h"

#include <random>

using namespace cclc;
using namespace cclc::test;
using namespace cclc::run;

/// MPI is not initialised, and there are no messages that would advance.
extern "C" int PMPI_Iprobe(int, int, MPI_Comm, int *here, MPI_Status *) {
  *here = 0;
  return MPI_SUCCESS;
}

namespace {
/// Executions of one plan for several sizes, with parts of the same memory.
class Sizes {
public:
  Sizes(const Recipe &recipe, std::vector<uint64_t> elements)
      : plan(compiled(recipe)), elements(elements), nodes(Nodes::simulated(plan.ranks(), 1)) {
    for (uint64_t number : elements) {
      begins.push_back(bytes);
      bytes += ArenaPart::mostBytes(*prepared(number), nodes, 0);
    }
  }

  /// With all messages of the plan that may be direct.
  std::unique_ptr<const PreparedPlan> prepared(uint64_t number) const {
    return std::make_unique<const PreparedPlan>(
        plan, number, RunSettings{DataType::I32, ReduceOp::Sum, 2, 256, /*directBytes=*/0});
  }
  /// Those of \p rank, which has the parts at \p memory.
  std::vector<std::unique_ptr<PlanExecution>> executions(uint32_t rank, std::byte *memory) const {
    std::vector<std::unique_ptr<PlanExecution>> all;
    for (size_t i = 0; i < elements.size(); ++i) {
      std::unique_ptr<const PreparedPlan> run = prepared(elements[i]);
      const ArenaPart part(*run, nodes, 0, int(rank), memory + begins[i], 0);
      all.push_back(
          std::make_unique<PlanExecution>(std::move(run), int(rank), 0, MPI_COMM_NULL, part));
    }
    return all;
  }

  const ExecPlan plan;
  const std::vector<uint64_t> elements;
  size_t bytes = 0; ///< of all parts

private:
  const Nodes nodes;
  std::vector<size_t> begins; ///< of the parts, by size
};

/// A reduction of a rank, whose elements differ in all ranks and calls.
struct Call {
  Call(const PreparedPlan &run, PlanExecution &execution, uint32_t rank, int number)
      : input(run.layout.elements(Buffer::Input), 100 * number + int(rank)),
        output(run.layout.elements(Buffer::Output)), pending({run.plan.info().collective.kind(),
                                                              input.data(),
                                                              output.data(),
                                                              {},
                                                              {},
                                                              MPI_SUM,
                                                              0,
                                                              MPI_COMM_NULL},
                                                             execution, /*inOrder=*/true),
        expected(
            int(run.plan.ranks() * 100 * number + run.plan.ranks() * (run.plan.ranks() - 1) / 2)) {}
  bool isRight() const {
    return llvm::all_of(output, [&](int value) { return value == expected; });
  }

  std::vector<int> input, output;
  PendingCall pending;
  int expected;
};

/// The calls of a rank: all ranks begin the same ones in the same order, and complete them whenever
/// they want. Returns the number of wrong results.
int executeCalls(const Sizes &sizes, uint32_t rank, std::byte *memory) {
  std::vector<std::unique_ptr<PlanExecution>> executions = sizes.executions(rank, memory);
  std::vector<std::unique_ptr<const PreparedPlan>> plans;
  for (uint64_t number : sizes.elements)
    plans.push_back(sizes.prepared(number));
  PendingCalls calls(MPI_COMM_NULL);
  std::mt19937 order(7), delays(rank);
  int wrong = 0, number = 0;
  for (int round = 0; round < 30; ++round) {
    std::vector<std::unique_ptr<Call>> begun;
    for (uint32_t c = 1 + order() % 5; c-- > 0;) {
      const size_t size = order() % executions.size();
      begun.push_back(std::make_unique<Call>(*plans[size], *executions[size], rank, ++number));
      calls.add(begun.back()->pending);
      std::this_thread::sleep_for(std::chrono::microseconds(delays() % 100));
    }
    std::shuffle(begun.begin(), begun.end(), delays);
    for (const std::unique_ptr<Call> &call : begun) {
      for (uint32_t tries = delays() % 3; tries-- > 0 && !calls.poll(call->pending);)
        std::this_thread::sleep_for(std::chrono::microseconds(delays() % 100));
      calls.wait(call->pending);
      calls.unpack(call->pending);
      wrong += !call->isRight();
    }
    if (round % 8 == 0)
      calls.drain();
  }
  calls.finish();
  return wrong;
}
} // namespace

TEST_CASE("calls that do not block advance beside the application", "[run]") {
  const bool areApart = GENERATE(true, false);
  const Sizes sizes(GENERATE(Recipe{"allreduce_ring", {{"buffers", "both"}}, 3},
                             // Half of the messages are in scratch.
                             Recipe{"reducescatter_halving", {}, 4}),
                    {4, 100, 3000});
  SharedFile file(sizes.bytes);
  std::vector<std::byte *> mappings;
  for (uint32_t r = 0; r < sizes.plan.ranks(); ++r)
    mappings.push_back(areApart || r == 0 ? file.map() : mappings.front());
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (uint32_t r = 0; r < sizes.plan.ranks(); ++r)
    threads.emplace_back([&, r] { wrong += executeCalls(sizes, r, mappings[r]); });
  threads.clear();
  CHECK(wrong == 0);
}
