//===- StreamingCopyTest.cpp - Tests of copies of long data ---------------===//

#include "Interpreted.h"

#include "cclc/Run/StreamingCopy.h"

#include <cstring>

using namespace cclc;
using namespace cclc::test;
using namespace cclc::run;

TEST_CASE("a streaming copy writes exactly its bytes", "[run]") {
  std::vector<std::byte> from(600), to(600);
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = std::byte(i * 7 + 1);
  bool right = true;
  for (size_t begin = 0; begin < 70; ++begin)
    for (size_t source : {size_t(0), size_t(1), begin})
      for (size_t bytes : {0, 1, 63, 64, 65, 200, 511}) {
        std::fill(to.begin(), to.end(), std::byte(0));
        copyStreaming(to.data() + begin, from.data() + source, bytes);
        for (size_t i = 0; i < to.size(); ++i)
          right &=
              to[i] == (i >= begin && i < begin + bytes ? from[i - begin + source] : std::byte(0));
      }
  CHECK(right);
}

TEST_CASE("a copy writes exactly its bytes, whatever the distance is", "[run]") {
  constexpr size_t page = 4096, size = 3 * page;
  bool right = true;
  // Disjoint memory a page and a few bytes away, and memory that overlaps.
  for (size_t begin :
       {page + 1, page + 16, page + 63, page + 64, 2 * page + 5, size_t(16), page - 1})
    for (size_t bytes : {size_t(100), size_t(2048), size_t(3001), page}) {
      std::vector<std::byte> memory(size + page);
      for (size_t i = 0; i < memory.size(); ++i)
        memory[i] = std::byte(i * 7 + i / 256);
      std::vector<std::byte> expected = memory;
      std::memmove(expected.data() + begin, expected.data() + 3, bytes);
      copyData(memory.data() + begin, memory.data() + 3, bytes);
      right &= memory == expected;
      std::memmove(expected.data() + 3, expected.data() + begin, bytes);
      copyData(memory.data() + 3, memory.data() + begin, bytes);
      right &= memory == expected;
    }
  CHECK(right);
}

TEST_CASE("data that no step reads bypass the caches", "[run]") {
  auto streaming = [](const ExecPlan &plan, uint64_t mebibytes) {
    std::string text;
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      for (bool step : findStreamingSteps(PreparedPlan(plan, mebibytes << 18, {}), RankId(r)))
        text += step ? 'x' : '-';
    return text;
  };
  // Every rank sends its chunk and receives two, of which it passes on the first.
  ExecPlan gather = compiled({"allgather_ring", {}, 3});
  CHECK(streaming(gather, 7) == "");
  CHECK(streaming(gather, 9) == "--x--x--x");
  // In place, each rank receives into the chunk that it has sent; out of place, the copy and the
  // receive are read by no step.
  CHECK(streaming(compiled({"alltoall_direct", {{"buffers", "in_place"}}, 2}), 9) == "----");
  CHECK(streaming(compiled({"alltoall_direct", {{"buffers", "out_of_place"}}, 2}), 9) == "-xx-xx");
}

TEST_CASE("large buffers have the data of the simulator", "[run]") {
  for (const Recipe &recipe : {Recipe{"allgather_ring", {{"buffers", "both"}}, 2},
                               Recipe{"alltoall_direct", {{"buffers", "out_of_place"}}, 3}}) {
    ExecPlan plan = compiled(recipe);
    uint64_t elements = (uint64_t(5) << 20) + 1;
    Interpreted(plan, Slots(8)).check(PreparedPlan(plan, elements, {DataType::F16}), elements);
  }
}
