//===- PlanMemoryTest.cpp - Needs of ranks, and the last byte that fits ---===//
//
// Needs are compared with figures that are computed by hand from the plan below. The limits are
// tested at the boundary: the largest size and the largest slots that a message names are accepted,
// one byte more is rejected.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include "cclc/Limits/PlanCheck.h"
#include "cclc/Limits/PlanMemory.h"
#include "cclc/Sim/SizeMemory.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// r1 and r2 send to r0, r0 sends two chunks to r1. r0 has 3 chunks of scratch, r2 has 5. Input and
/// output have 2 chunks each.
ExecPlan example(StringRef placement = "outofplace") {
  std::string text = R"(ccl.version 3
exec.program @example coll custom ranks 3 PLACEMENT {
  input 2
  output 2
  rank 0 scratch 3 {
    tb 0 send r1 recv r1 ch 0 {
      0: r -> s[0]
      1: s i[0:2]
    }
    tb 1 recv r2 ch 0 {
      0: r -> s[1]
    }
  }
  rank 1 {
    tb 0 send r0 recv r0 ch 0 {
      0: s i[0]
      1: r -> o[0:2]
    }
  }
  rank 2 scratch 5 {
    tb 0 send r0 ch 0 {
      0: s i[0]
    }
  }
}
)";
  return readGood(with(text, "PLACEMENT", placement));
}

Machine ahbm(std::vector<std::string> sets = {}) { return machine("ahbm", std::move(sets)); }

/// "TCM r0 32768+0+0".
std::string needs(const ExecPlan &plan, const Machine &machine, Slots slots, Bytes chunk) {
  std::string text;
  for (const MemoryNeed &need : PlanMemory(plan, machine, slots).busiest(chunk))
    text += (text.empty() ? "" : ", ") + memoryName(need.memory).str() + " r" +
            std::to_string(need.rank.index()) + ' ' + std::to_string(need.slots) + '+' +
            std::to_string(need.scratch) + '+' + std::to_string(need.buffers);
  return text;
}

std::string slotsVerdict(const ExecPlan &plan, const Machine &machine, Slots slots) {
  DiagnosticEngine diags;
  LogicalResult result = checkPlan(plan, machine, slots, diags);
  CHECK(succeeded(result) == !diags.hasErrors());
  return textOf(diags);
}

std::string sizeVerdict(const ExecPlan &plan, const Machine &machine, uint64_t bytes,
                        DataType type = DataType::F32) {
  DiagnosticEngine diags;
  FailureOr<PlacedPlan> placed =
      PlacedPlan::create(plan, machine, machine.slotsFor(plan.info()), diags);
  REQUIRE(succeeded(placed));
  FailureOr<Sizing> sizing = Sizing::create(*placed, Bytes(bytes), type, diags);
  REQUIRE(succeeded(sizing));
  LogicalResult result = checkMemory(*placed, *sizing, diags);
  CHECK(succeeded(result) == !diags.hasErrors());
  return textOf(diags);
}
} // namespace

TEST_CASE("the need of a rank is that of its slots, scratch and buffers", "[memory]") {
  ExecPlan plan = example();
  // r0 receives from two ranks: 2 x 4 slots of 4096 bytes. r2 has most scratch: 5 chunks, and 4 of
  // input and output.
  CHECK(needs(plan, ahbm(), Slots(4), Bytes(100)) == "TCM r0 32768+0+0, HBM r2 0+500+400");
  CHECK(needs(plan, ahbm(), Slots(1), Bytes(1)) == "TCM r0 8192+0+0, HBM r2 0+5+4");
  CHECK(needs(plan, ahbm(), Slots(4), Bytes()) == "TCM r0 32768+0+0");
  CHECK(needs(plan, ahbm(), Slots::unlimited(), Bytes(1)) == "HBM r2 0+5+4");
  CHECK(needs(plan, ahbm({"ipcq.slot_memory=sram", "memory.scratch=tcm"}), Slots(4), Bytes(100)) ==
        "TCM r2 0+500+0, SRAM r0 32768+0+0, HBM r0 0+0+400");
  // All in one memory; r0 needs most, although r2 has more scratch.
  CHECK(needs(plan, ahbm({"ipcq.slot_memory=hbm"}), Slots(4), Bytes(100)) ==
        "HBM r0 32768+300+400");
  CHECK(needs(plan, machine("ring", {"queue.slot_size=10"}, 3), Slots(4), Bytes(100)) ==
        "memory r2 0+500+400");
  // A slot without a size holds the largest message, two chunks.
  CHECK(needs(plan, machine("ring", {"queue.slot_size=0"}, 3), Slots(8), Bytes(100)) ==
        "memory r0 3200+300+400");
  // In place, input and output are the same memory.
  CHECK(needs(example("inplace"), ahbm(), Slots(4), Bytes(100)) ==
        "TCM r0 32768+0+0, HBM r2 0+500+200");
  CHECK(needs(plan, machine("ndv4", {}, 3), Slots(2), Bytes(1)) == "memory r0 8388608+3+4");
}

TEST_CASE("messages that are fetched have their slots at the sender", "[memory][rule-54]") {
  auto needsWith = [](const char *reads) {
    Machine m = machine("fully-connected",
                        {std::string("queue.one_sided_reads=") + reads, "queue.slot_size=4096"});
    return needs(example(), m, Slots(4), Bytes(64));
  };
  CHECK(needsWith("off") == "memory r0 32768+192+256");
  // r1 has the slots of its message to r0, and those of the message that it receives.
  CHECK(needsWith("scratch") == "memory r1 32768+0+256");
  CHECK(needsWith("all") == "memory r2 16384+320+256");
}

TEST_CASE("sums of needs do not overflow", "[memory]") {
  ExecPlan plan = example();
  std::string largest = std::to_string(~uint64_t(0));
  CHECK(slotsVerdict(plan, ahbm({"ipcq.slot_size=" + largest}), Slots(4)) ==
        "tool: error: illegal for target ahbm: 9223372036854775807 bytes of TCM on r0 "
        "(18446744073709551615 for 2 connections with 4 slots of 18446744073709551615 bytes), the "
        "limit is 16777216; slots of 2097152 bytes fit (--set ipcq.slot_size=2097152)\n");
  CHECK(sizeVerdict(plan, machine("ring", {"queue.slot_size=0", "memory.capacity=1000"}, 3),
                    uint64_t(1) << 62, DataType::U8) ==
        "tool: error: illegal for target ring: 9223372036854775807 bytes of memory on r0 at "
        "4611686018427387904 bytes (18446744073709551615 for 2 connections with 8 slots of "
        "4611686018427387904 bytes, 6917529027641081856 for scratch, 9223372036854775808 for input "
        "and output), the limit is 1000; 50 bytes fit (--bytes 50)\n");
}

TEST_CASE("slots that fit are accepted, and those of one byte more are not", "[memory]") {
  ExecPlan plan = example();
  auto verdict = [&](uint64_t size, Slots slots, std::vector<std::string> sets = {}) {
    sets.push_back("ipcq.slot_size=" + std::to_string(size));
    return slotsVerdict(plan, ahbm(sets), slots);
  };
  CHECK(verdict(2097152, Slots(4)) == "");
  CHECK(verdict(2097153, Slots(4)) ==
        "tool: error: illegal for target ahbm: 16777224 bytes of TCM on r0 (16777224 for 2 "
        "connections "
        "with 4 slots of 2097153 bytes), the limit is 16777216; slots of 2097152 bytes fit (--set "
        "ipcq.slot_size=2097152), or 3 slots of 2097153 bytes fit (--slots 3)\n");
  CHECK(verdict(2097153, Slots(3)) == "");
  CHECK(verdict(4096, Slots::unlimited()) == "");
  CHECK(verdict(8388608, Slots(4), {"ipcq.slot_memory=hbm"}) == "");
  CHECK(verdict(8388608, Slots(1), {"ipcq.slot_memory=sram"}) ==
        "tool: error: illegal for target ahbm: 16777216 bytes of SRAM on r0 (16777216 for 2 "
        "connections "
        "with 1 slot of 8388608 bytes), the limit is 4194304; slots of 2097152 bytes fit (--set "
        "ipcq.slot_size=2097152)\n");
  // No slots that hold an element of each chunk fit.
  CHECK(verdict(4096, Slots(4), {"memory.tcm_capacity=64"}) ==
        "tool: error: illegal for target ahbm: 32768 bytes of TCM on r0 (32768 for 2 connections "
        "with 4 "
        "slots of 4096 bytes), the limit is 64; use fewer ranks, chunks or channels (cclc --ranks, "
        "--max-channels)\n");
  // The slots of a protocol.
  CHECK(slotsVerdict(plan, machine("ndv4", {"memory.capacity=8388608"}, 3), Slots(2)) == "");
  CHECK(slotsVerdict(plan, machine("ndv4", {"memory.capacity=8388607"}, 3), Slots(2)) ==
        "tool: error: illegal for target ndv4: 8388608 bytes of memory on r0 (8388608 for 2 "
        "connections "
        "with 2 slots of 2097152 bytes), the limit is 8388607; slots of 2097151 bytes fit (--set "
        "protocols.Simple.slot_size=2097151), or 1 slot of 2097152 bytes fits (--slots 1)\n");
}

TEST_CASE("fewer slots than the plan needs are not suggested", "[memory]") {
  DiagnosticEngine diags;
  REQUIRE(failed(checkPlan(example(), ahbm({"ipcq.slot_size=2097153"}), Slots(4), diags, 4)));
  CHECK(textOf(diags) ==
        "tool: error: illegal for target ahbm: 16777224 bytes of TCM on r0 (16777224 for 2 "
        "connections "
        "with 4 slots of 2097153 bytes), the limit is 16777216; slots of 2097152 bytes fit (--set "
        "ipcq.slot_size=2097152)\n");
}

TEST_CASE("the size that fits is accepted, and one byte more is not", "[memory]") {
  ExecPlan plan = example();
  // r2: 9 chunks of floor(1000 / 9 / 4) = 27 elements; two chunks are 216 bytes.
  Machine small = ahbm({"memory.hbm_capacity=1000"});
  CHECK(sizeVerdict(plan, small, 216) == "");
  CHECK(sizeVerdict(plan, small, 217) ==
        "tool: error: illegal for target ahbm: 1008 bytes of HBM on r2 at 217 bytes (560 for "
        "scratch, "
        "448 for input and output), the limit is 1000; 216 bytes fit (--bytes 216)\n");
  CHECK(sizeVerdict(plan, ahbm({"memory.hbm_capacity=35"}), 8) ==
        "tool: error: illegal for target ahbm: 36 bytes of HBM on r2 at 8 bytes (20 for scratch, "
        "16 for "
        "input and output), the limit is 35; use fewer ranks, chunks or channels (cclc --ranks, "
        "--max-channels)\n");
  for (DataType type : {DataType::U8, DataType::F16, DataType::F32, DataType::I64})
    for (uint64_t capacity : {40000, 40001, 41234, 65536, 99999})
      for (const char *place : {"tcm", "hbm"}) {
        Machine m = ahbm({"memory.hbm_capacity=" + std::to_string(capacity),
                          "ipcq.slot_memory=" + std::string(place)});
        std::string error = sizeVerdict(plan, m, 1 << 20, type);
        INFO(error);
        uint64_t fits = 0;
        REQUIRE_FALSE(
            StringRef(error).rsplit("--bytes ").second.drop_back(2).getAsInteger(10, fits));
        CHECK(sizeVerdict(plan, m, fits, type) == "");
        CHECK(sizeVerdict(plan, m, fits + 1, type) != "");
      }
}
