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
constexpr uint32_t ranks = 3;

/// Executions of one plan for several sizes, with rings in the same memory.
class Sizes {
public:
  explicit Sizes(std::vector<uint64_t> elements)
      : plan(compiled({"allreduce_ring", {{"buffers", "both"}}, ranks})), elements(elements) {
    for (uint64_t number : elements) {
      begins.push_back(bytes);
      bytes += layoutOf(*prepared(number)).bytes();
    }
  }

  /// Those of \p rank, which has the rings at \p memory.
  std::vector<std::unique_ptr<PlanExecution>> executions(uint32_t rank, std::byte *memory) const {
    std::vector<std::unique_ptr<PlanExecution>> all;
    for (size_t i = 0; i < elements.size(); ++i) {
      std::unique_ptr<const PreparedPlan> run = prepared(elements[i]);
      const ArenaPart part{{memory + begins[i], layoutOf(*run)}};
      all.push_back(
          std::make_unique<PlanExecution>(std::move(run), int(rank), 0, MPI_COMM_NULL, part));
    }
    return all;
  }

  const ExecPlan plan;
  const std::vector<uint64_t> elements;
  size_t bytes = 0; ///< of all rings

private:
  std::unique_ptr<const PreparedPlan> prepared(uint64_t number) const {
    return std::make_unique<const PreparedPlan>(plan, number,
                                                RunSettings{DataType::I32, ReduceOp::Sum, 2, 256});
  }
  static RingLayout layoutOf(const PreparedPlan &run) {
    return RingLayout(run, [](RankId, RankId) { return true; });
  }

  std::vector<size_t> begins; ///< of the rings, by size
};

/// An all-reduce of a rank, whose elements differ in all ranks and calls.
struct Call {
  Call(PlanExecution &execution, uint64_t elements, uint32_t rank, int number)
      : input(elements, 100 * number + int(rank)), output(elements),
        pending({CollectiveKind::AllReduce,
                 input.data(),
                 output.data(),
                 {},
                 {},
                 MPI_SUM,
                 0,
                 MPI_COMM_NULL},
                execution, /*inOrder=*/true),
        expected(ranks * 100 * number + int(ranks * (ranks - 1) / 2)) {}
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
  PendingCalls calls(MPI_COMM_NULL);
  std::mt19937 order(7), delays(rank);
  int wrong = 0, number = 0;
  for (int round = 0; round < 30; ++round) {
    std::vector<std::unique_ptr<Call>> begun;
    for (uint32_t c = 1 + order() % 5; c-- > 0;) {
      const size_t size = order() % executions.size();
      begun.push_back(
          std::make_unique<Call>(*executions[size], sizes.elements[size], rank, ++number));
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
  const Sizes sizes({1, 100, 3000});
  SharedFile file(sizes.bytes);
  std::vector<std::byte *> mappings;
  for (uint32_t r = 0; r < ranks; ++r)
    mappings.push_back(areApart || r == 0 ? file.map() : mappings.front());
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (uint32_t r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] { wrong += executeCalls(sizes, r, mappings[r]); });
  threads.clear();
  CHECK(wrong == 0);
}
