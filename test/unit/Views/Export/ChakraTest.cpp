//===- ChakraTest.cpp - Names and limits of Chakra traces -----------------===//
//
// test/chakra compares the content of traces with plans.
//
//===----------------------------------------------------------------------===//

#include "Sim/Simulation.h"

#include "cclc/Views/Export/Chakra.h"

using namespace cclc;
using namespace cclc::test;

TEST_CASE("Chakra traces have the names that ASTRA-sim opens", "[chakra]") {
  CHECK(ChakraTraces::fileName("folder/ring", RankId(12)) == "folder/ring.12.et");
}

TEST_CASE("exceeded limits of Chakra are reported", "[chakra]") {
  ExecPlan two = stream(2);
  Machine bytewise = machine("ideal", {"queue.slot_size=1"}, 2);
  for (uint64_t messages : {0x80000000ull, 0x80000002ull}) {
    Simulation pieces(two, bytewise, messages, DataType::U8);
    DiagnosticEngine diags;
    CHECK(succeeded(ChakraTraces(pieces.placed, pieces.sizing).check(diags)) ==
          (messages == 0x80000000ull));
    CHECK(textOf(diags) == (messages == 0x80000000ull
                                ? ""
                                : "tool: error: 2147483650 messages from a rank to another one are "
                                  "more than the 2147483648 tags of Chakra; choose a smaller size "
                                  "or larger slots\n"));
  }
}
