//===- SafeSizesTest.cpp - Sizes at which destinations complete -----------===//

#include "cclc/Compiler/SafeSizes.h"

#include "Plans.h"

#include "cclc/Proof/PlanControlFlow.h"

using namespace cclc;
using namespace cclc::test;

TEST_CASE("targets split steps as the runtimes that they model", "[dialect]") {
  const std::pair<const char *, const char *> models[] = {{"ndv4", "msccl"}, {"mi300x", "rccl"}};
  for (auto [target, dialect] : models) {
    Machine model = machine(target);
    for (Protocol protocol : {Protocol::Simple, Protocol::LL, Protocol::LL128}) {
      INFO(target << " " << protocolName(protocol).str());
      const MscclTransmissions &moves = findMscclDialect(dialect)->transmissionsOf(protocol);
      CHECK(model.find(protocol)->slots == moves.slots);
      CHECK(model.find(protocol)->slotSize.count() == moves.slotBytes);
      CHECK(model.find(protocol)->maxChunks == MscclDialect::count);
    }
  }
}

TEST_CASE("the reported largest safe size is exact", "[dialect]") {
  for (uint32_t chunks : {1, 2, 3, 8, 9, 12, 24}) {
    for (Protocol protocol : {Protocol::Simple, Protocol::LL, Protocol::LL128}) {
      CompileRequest request =
          requestFor({"allreduce_onestep", {{"chunks", std::to_string(chunks)}}, 4});
      request.protocol = protocol;
      for (const MscclDialect &dialect : mscclDialects()) {
        INFO(chunks << " " << protocolName(protocol).str() << " " << dialect.name);
        const MscclTransmissions &moves = dialect.transmissionsOf(protocol);
        request.slots = Slots(moves.slots);
        DiagnosticEngine diags;
        FailureOr<Compiled> outcome = compile(bundled("allreduce_onestep"), request, diags);
        REQUIRE(succeeded(outcome));
        ExecPlan &plan = outcome->plan;
        std::optional<uint64_t> safe =
            largestSafe(plan, transmissionsOf(dialect, plan.info()), outcome->report->slotsNeeded);
        // Whether the plan completes with chunks of this size under the rules of the runtime.
        ConnectionTable connections(plan);
        auto completes = [&](uint64_t chunkBytes) {
          PlanControlFlow runner(plan, connections);
          runner.setChunksPerTransmission(
              std::clamp<uint64_t>(moves.slotBytes / chunkBytes, 1, MscclDialect::count));
          return runner.run(Slots(moves.slots));
        };
        // Every rank sends all messages before its first receive.
        CHECK(safe.has_value() == (plan.maxCount() > moves.slots));
        if (!safe) {
          CHECK(completes(moves.slotBytes));
          continue;
        }
        CHECK(*safe % (chunks * sizeof(double)) == 0);
        CHECK(completes(*safe / chunks));
        CHECK_FALSE(completes(*safe / chunks + sizeof(double)));
      }
    }
  }
}

TEST_CASE("a plan is restricted to safe sizes or rejected", "[dialect]") {
  const std::string hangs =
      "steps of up to 3 chunks take more transmissions than a connection holds "
      "(2)";
  auto restricted = [](uint64_t minBytes, std::optional<uint64_t> maxBytes, uint64_t *result,
                       UnsafeSizes unsafe = UnsafeSizes::Refuse) {
    CompileRequest request = requestFor({"allreduce_onestep", {{"chunks", "3"}}, 4});
    request.minBytes = minBytes;
    request.maxBytes = maxBytes;
    DiagnosticEngine diags;
    FailureOr<Compiled> outcome = compile(bundled("allreduce_onestep"), request, diags);
    REQUIRE(succeeded(outcome));
    ExecPlan &plan = outcome->plan;
    Transmissions moves = transmissionsOf(*findMscclDialect("msccl"), plan.info());
    bool works = succeeded(restrictSizes(plan, moves, 1, unsafe, diags));
    CHECK(works != diags.hasErrors());
    *result = plan.info().maxBytes.value_or(0);
    return textOf(diags);
  };
  constexpr uint64_t safe = 3 << 20;
  uint64_t max = 0;
  CHECK(restricted(0, std::nullopt, &max) ==
        "tool: warning: the plan is limited to sizes of up to 3145728 bytes: above, " + hangs +
            " of microsoft/msccl, and the plan hangs\n");
  CHECK(max == safe);
  CHECK(restricted(safe, safe, &max) == "");
  CHECK(max == safe);
  CHECK(restricted(0, 1024, &max) == "");
  CHECK(max == 1024);
  CHECK(restricted(0, safe + 1, &max) ==
        "tool: error: illegal for msccl: --max-bytes of 3145729 bytes: above 3145728 bytes " +
            hangs + ", and the plan hangs; use a size of at most 3145728\n");
  CHECK(restricted(safe + 1, std::nullopt, &max) ==
        "tool: error: illegal for msccl: --min-bytes of 3145729 bytes: above 3145728 bytes " +
            hangs + ", and the plan hangs; use a size of at most 3145728\n");

  CHECK(restricted(safe, safe, &max, UnsafeSizes::Cut) == "");
  CHECK(restricted(0, safe + 1, &max, UnsafeSizes::Cut) ==
        "tool: warning: the plan is limited to sizes of up to 3145728 bytes: above, " + hangs +
            " of microsoft/msccl, and the plan hangs\n");
  CHECK(max == safe);
  CHECK(restricted(safe + 1, safe + 1, &max, UnsafeSizes::Cut) ==
        "tool: error: illegal for msccl: minimum size of 3145729 bytes: above 3145728 bytes " +
            hangs + ", and the plan hangs; use a size of at most 3145728\n");
}

TEST_CASE("a plan for a target is restricted to the sizes at which it completes there") {
  auto compileFor = [](StringRef target, std::optional<uint64_t> maxBytes,
                       std::optional<Slots> slots, std::string *text) {
    CompileRequest request = requestFor({"allreduce_onestep", {{"chunks", "3"}}, 4});
    auto [name, setting] = target.split(' ');
    request.target =
        targetRequest(name.str(), setting.empty() ? std::vector<std::string>()
                                                  : std::vector<std::string>{setting.str()});
    request.maxBytes = maxBytes;
    request.slots = slots;
    DiagnosticEngine diags;
    FailureOr<Compiled> outcome = compile(bundled("allreduce_onestep"), request, diags);
    *text = textOf(diags);
    return outcome;
  };
  std::string text;
  FailureOr<Compiled> open = compileFor("ndv4", std::nullopt, std::nullopt, &text);
  REQUIRE(succeeded(open));
  CHECK(open->plan.info().maxBytes == uint64_t(3 << 20));
  CHECK(StringRef(text).contains("the plan is limited to sizes of up to 3145728 bytes"));
  CHECK(failed(compileFor("ndv4", (3 << 20) + 1, std::nullopt, &text)));
  CHECK(StringRef(text).contains("illegal for target ndv4: --max-bytes of 3145729 bytes"));
  CHECK(succeeded(compileFor("ndv4", 3 << 20, std::nullopt, &text)));
  CHECK(!StringRef(text).contains("limited"));
  // The slots are those of the target, whatever the plan was scheduled for.
  CHECK(failed(compileFor("ndv4", 16 << 20, Slots(3), &text)));
  // With more slots, and without protocols, every size is safe.
  for (const char *target : {"ndv4 protocols.Simple.slots=3", "ring"}) {
    FailureOr<Compiled> all = compileFor(target, std::nullopt, std::nullopt, &text);
    REQUIRE(succeeded(all));
    CHECK(!all->plan.info().maxBytes);
  }
}

TEST_CASE("a plan that completes at no size on its target is refused") {
  ExecPlan plan = compiled({"allreduce_onestep", {{"chunks", "3"}}, 4});
  Transmissions moves{"target t", "target t", Slots(2), {Bytes(1024), 1}};
  DiagnosticEngine diags;
  CHECK(failed(restrictSizes(plan, moves, 1, UnsafeSizes::Refuse, diags)));
  CHECK(textOf(diags) == "tool: error: illegal for target t: at every size steps of up to 3 chunks "
                         "take more transmissions than a connection holds (2), and the plan hangs; "
                         "copy fewer chunks at once, or compile for more slots\n");
}
