//===- PlanTargetTest.cpp - The target contained in a plan ----------------===//

#include "Plans.h"

#include "llvm/Support/Path.h"

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr const char *ringText =
    R"("family": "graph", "shape": "ring", "link": {"bandwidth": 1e9, "propagation": 1e-6}})";

/// The target information in a plan of \p ranks that is compiled for \p m.
ProgramInfo compiledFor(const Machine &m, uint32_t ranks) {
  ProgramInfo info(Collective(CollectiveKind::AllReduce, ranks, ranks));
  info.target = m.stamp;
  return info;
}

struct Loaded {
  std::optional<Machine> machine;
  std::string resolved, error;
};

Loaded load(const ProgramInfo &info, std::vector<std::string> sets = {}) {
  Loaded loaded;
  DiagnosticEngine diags;
  std::vector<TargetOverride> overrides;
  REQUIRE_FALSE(failed(parseOverrides(sets, overrides, diags)));
  FailureOr<Machine> machine =
      loadTargetOf(info, CCLC_TARGET_DIR, overrides, diags, &loaded.resolved);
  loaded.error = textOf(diags);
  if (succeeded(machine))
    loaded.machine.emplace(std::move(*machine));
  return loaded;
}

std::string resolvedText(TargetRequest request, uint32_t ranks) {
  DiagnosticEngine diags;
  std::string text;
  request.ranks = ranks;
  REQUIRE_FALSE(failed(loadTarget(request, diags, &text)));
  return text;
}
} // namespace

TEST_CASE("a target with a base and no name is named after its file", "[target]") {
  TemporaryFile file(R"({"base": "ndv4", "nic": {"bandwidth": 1e9}})");
  std::string stem = llvm::sys::path::stem(file.name()).str();
  CHECK(machine(file.name()).name == stem);
  TemporaryFile further("{\"base\": \"" + file.name() + "\"}");
  CHECK(machine(further.name()).name == llvm::sys::path::stem(further.name()));
  TemporaryFile named("{\"base\": \"" + file.name() + "\", \"name\": \"mine\"}");
  CHECK(machine(named.name()).name == "mine");
}

TEST_CASE("every target is restored from the plan that was compiled for it", "[target]") {
  TemporaryFile slow(R"({"base": "ndv4", "nic": {"bandwidth": 1e9}})");
  std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {slow.name(), {}},
      {slow.name(), {"nodes=3"}},
      {"ring", {"links.n0<->n1.bandwidth=5e9", "queue.slots=3", "links.n1->n2=off"}},
      {"dgx-h100", {"nodes=2"}}};
  for (const auto &[name, description] : listTargets(CCLC_TARGET_DIR))
    cases.push_back({name, {}});
  for (const auto &[target, sets] : cases) {
    INFO(target);
    Machine original = machine(target, sets, 16);
    bool bundled = !StringRef(target).contains('/') && sets.empty();
    CHECK(original.stamp.document.empty() == bundled);
    CHECK(original.stamp.settings == sets);
    CHECK(original.stamp.hash.size() == 16);
    Loaded again = load(compiledFor(original, 16));
    REQUIRE(again.machine);
    CHECK(again.resolved == resolvedText(targetRequest(target, sets), 16));
    CHECK(again.machine->stamp.title() == original.stamp.title());
    CHECK(again.machine->links().size() == original.links().size());
  }
}

TEST_CASE("further settings apply to the target of a plan", "[target]") {
  ProgramInfo info = compiledFor(machine("ndv4", {"nic.bandwidth=1e9"}, 16), 16);
  Loaded changed = load(info, {"nic.propagation=3e-6"});
  REQUIRE(changed.machine);
  CHECK(changed.machine->stamp.title() == "ndv4 with nic.bandwidth=1e9, nic.propagation=3e-6");
  CHECK(changed.resolved ==
        resolvedText(targetRequest("ndv4", {"nic.bandwidth=1e9", "nic.propagation=3e-6"}), 16));
}

TEST_CASE("a plan for leaders has enough endpoints", "[target]") {
  ProgramInfo info = compiledFor(machine("dgx-h100", {}, 32), 4);
  info.placementOnTarget = {0, 8, 16, 24};
  CHECK(load(info).machine->numEndpoints() == 32);
}

TEST_CASE("the hash of a target covers the properties of the machine", "[target]") {
  auto hash = [](const std::string &head) {
    return machine(TemporaryFile(head + ringText).name()).stamp.hash;
  };
  std::string plain = hash(R"({"name": "a", )");
  CHECK(hash(R"({"name": "b", "description": "other", "//": {"why": 1}, )") == plain);
  CHECK(hash(R"({"name": "a", "launch": 1e-6, )") != plain);
  CHECK(machine("ring", {}, 8).stamp.hash == machine("ring", {}, 16).stamp.hash);
  CHECK(machine("ring", {"queue.slots=3"}).stamp.hash != machine("ring").stamp.hash);
}

TEST_CASE("a target that is not contained in a plan is an error", "[target]") {
  ProgramInfo info = compiledFor(machine("ring"), 8);
  info.target.hash = "0123456789abcdef";
  CHECK(load(info).error ==
        "tool: error: target 'ring' has changed since the plan was compiled for it: compile the "
        "plan again, or select the current target with --target ring\n");
  info.target.hash.clear(); // plans of older versions contain only its name
  CHECK(load(info).machine->name == "ring");
  for (const char *name : {"mine", "../ring", "mine.json"}) {
    info.target.name = name;
    CHECK(load(info).error ==
          "tool: error: the plan was compiled for target '" + std::string(name) +
              "', which is neither bundled nor stored in the plan: give its file with --target\n");
  }
  info.target = {"mine", {}, "", "[]"};
  CHECK(load(info).error == "target 'mine' in the plan: error: a target is a JSON object\n");
  info.target.document = "{";
  CHECK(StringRef(load(info).error)
            .starts_with("target 'mine' in the plan:1:1: error: syntax error"));
  info.target.document = R"({"name": "mine", "colour": "red", )" + std::string(ringText);
  CHECK(load(info).error == "target 'mine' in the plan:1:18: error: 'colour' is not a known key\n");
  info.target = {};
  CHECK(load(info).error == "tool: error: the plan has no target: select one with --target\n");
}
