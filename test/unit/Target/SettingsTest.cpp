//===- SettingsTest.cpp - Settings of the target of a plan ----------------===//
//
// For a plan that stores its target, `ccl-sim PLAN --set KEY=VALUE` is
// `ccl-sim PLAN --target FILE --set KEY=VALUE`: with every key of targets/schema.json, on every
// bundled target and on one of each family and shape that leaves out all keys that it may, both
// give the same machine, or both are refused.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include "JsonText.h"

#include "llvm/Support/MemoryBuffer.h"

#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {

/// The keys of a schema and some values of each, at least one.
class SchemaKeys {
public:
  std::map<std::string, std::vector<std::string>> values;

  explicit SchemaKeys(nlohmann::json whole) : schema(std::move(whole)) { add(schema, ""); }

private:
  static std::string textOf(const nlohmann::json &value) {
    return value.is_string() ? value.get<std::string>() : jsonText(value, -1);
  }

  void add(const nlohmann::json &part, const std::string &path) {
    for (const char *key : {"then", "else"})
      if (part.contains(key))
        add(part[key], path);
    for (const char *key : {"allOf", "anyOf"})
      for (const nlohmann::json &inner : part.value(key, nlohmann::json::array()))
        add(inner, path);
    if (part.contains("$ref"))
      add(schema[nlohmann::json::json_pointer(part["$ref"].get<std::string>().substr(1))], path);
    const nlohmann::json properties = part.value("properties", nlohmann::json::object());
    for (const auto &[key, value] : properties.items())
      add(value, path.empty() ? key : path + "." + key);
    if (!path.empty() && part.contains("type") + part.contains("enum") + part.contains("const"))
      addValues(part, values[path]);
  }

  static void addValues(const nlohmann::json &part, std::vector<std::string> &into) {
    auto add = [&](const std::string &text) {
      if (!llvm::is_contained(into, text))
        into.push_back(text);
    };
    for (const nlohmann::json &value : part.value("enum", nlohmann::json::array()))
      add(textOf(value));
    if (part.contains("const"))
      add(textOf(part["const"]));
    // Types have these values, and a number its smallest one.
    if (part.contains("minimum"))
      add(textOf(part["minimum"]));
    for (const char *value : {"4", "0.5", "other"})
      if (into.size() < 2 && part.contains("type"))
        add(value);
  }

  const nlohmann::json schema;
};

SchemaKeys readKeys() {
  auto file = llvm::MemoryBuffer::getFile(CCLC_TARGET_DIR "/schema.json");
  REQUIRE(file);
  return SchemaKeys(parseJson((*file)->getBuffer()));
}

/// A machine; both texts are empty if it is refused.
struct Outcome {
  std::string resolved, hash;
};

template <class Load> Outcome outcomeOf(Load load) {
  DiagnosticEngine diags;
  std::string resolved;
  FailureOr<Machine> machine = load(diags, &resolved);
  return succeeded(machine) ? Outcome{resolved, machine->stamp.hash} : Outcome();
}

/// Compares settings of a plan for \p target with \p sets, with \p all or one of their values.
/// Returns how many change the machine.
size_t compareSettings(const std::string &target, std::vector<std::string> sets,
                       const SchemaKeys &keys, bool all) {
  INFO(target);
  Machine original = machine(target, sets, 16);
  ProgramInfo info(Collective(CollectiveKind::AllReduce, 4, 4));
  info.target = original.stamp;
  info.placementOnTarget = {0, 1, 2, original.numEndpoints() - 1};
  std::set<std::string> machines;
  for (const auto &[key, values] : keys.values)
    for (const std::string &value : all ? values : std::vector{values.back()}) {
      INFO("--set " << key << "=" << value);
      TargetRequest further = targetRequest(target, {key + "=" + value});
      Outcome ofPlan = outcomeOf([&](DiagnosticEngine &diags, std::string *resolved) {
        return loadTargetOf(info, CCLC_TARGET_DIR, further.overrides, diags, resolved);
      });
      std::vector<std::string> both = sets;
      both.push_back(key + "=" + value);
      Outcome ofFile = outcomeOf([&](DiagnosticEngine &diags, std::string *resolved) {
        return loadTargetFor(&info, targetRequest(target, both), diags, resolved);
      });
      REQUIRE(ofPlan.resolved == ofFile.resolved);
      REQUIRE(ofPlan.hash == ofFile.hash);
      if (!ofFile.hash.empty())
        machines.insert(ofFile.hash);
    }
  return machines.size();
}

/// Targets without the keys that may be missing.
constexpr const char *sparse[] = {
    R"("family": "ahbm", "sips": {"count": 2})",
    R"("family": "switched", "nic": {"bandwidth": 1e9})",
    R"("family": "switched", "nic": {}, "fabric": {"shape": "rails"})",
    R"("family": "switched", "nic": {"bandwidth": 1e9, "gpus_per_nic": 4}, "fabric": {
       "shape": "fat_tree", "tiers": [{"radix": 6, "oversubscription": 2}, {"down": 8}]})",
    R"("family": "switched", "nic": {"bandwidth": 1e9}, "fabric": {
       "shape": "dragonfly", "dragonfly": {"groups": 3, "routers": 2, "endpoints": 4}})",
    R"("family": "graph", "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}],
       "links": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "c", "to": "d"}])",
    R"("family": "graph", "shape": "ring")",
    R"("family": "graph", "shape": "line")",
    R"("family": "graph", "shape": "mesh_2d")",
    R"("family": "graph", "shape": "torus_2d")",
    R"("family": "graph", "shape": "fully_connected")",
    R"("family": "graph", "shape": "torus", "dimensions": [{"size": 4}, {"size": 2}])",
    R"("family": "graph", "shape": "mesh", "dimensions": [{"size": 4}, {"size": 2}])",
    R"("family": "graph", "shape": "composed", "link": {"bandwidth": 1e9},
       "dimensions": [{"size": 4, "kind": "ring"}, {"size": 2, "kind": "switch"}])",
    R"("family": "graph", "shape": "hypercube")",
    R"("family": "graph", "shape": "star")",
    R"("family": "graph", "shape": "fat_tree", "link": {"bandwidth": 1e9},
       "tiers": [{"radix": 8}, {"down": 8}])",
    R"("family": "graph", "shape": "dragonfly",
       "dragonfly": {"groups": 3, "routers": 2, "endpoints": 4}, "protocols": {
       "Simple": {"slot_size": 4096}}, "mscclpp": {}, "pe": {"dispatch": 1e-9}, "launch": 1e-6)",
};

/// With sanitizers, which take thirty times as long, each fourth target is compared.
#ifdef CCLC_SANITIZED
constexpr size_t stride = 4;
#else
constexpr size_t stride = 1;
#endif
} // namespace

TEST_CASE("all settings of a plan are those of its file", "[target]") {
  const SchemaKeys keys = readKeys();
  REQUIRE(keys.values.size() > 100);
  for (size_t t = 0; t < std::size(sparse); t += stride) {
    const char *text = sparse[t];
    INFO(text);
    TemporaryFile file(R"({"name": "mine", )" + std::string(text) + "}");
    CHECK(compareSettings(file.name(), {}, keys, /*all=*/true) > 40);
  }
}

TEST_CASE("all settings of a plan for a bundled target are those of the target", "[target]") {
  const SchemaKeys keys = readKeys();
  size_t number = 0;
  for (const auto &[name, description] : listTargets(CCLC_TARGET_DIR)) {
    if (number++ % stride)
      continue;
    // SIPs of one cube suffice.
    std::vector<std::string> sets = {"launch=1e-6"};
    if (StringRef(name).starts_with("ahbm"))
      sets.insert(sets.end(), {"cubes.width=1", "cubes.height=1"});
    CHECK(compareSettings(name, sets, keys, /*all=*/false) > 40);
  }
}

TEST_CASE("settings of a target that was stored with its defaults are refused", "[target]") {
  ProgramInfo info(Collective(CollectiveKind::AllReduce, 4, 4));
  info.target = machine("ring", {"queue.slots=3"}).stamp;
  info.target.document = R"({"version":1,"name":"mine","family":"graph","shape":"ring"})";
  DiagnosticEngine none, diags;
  CHECK(succeeded(loadTargetOf(info, CCLC_TARGET_DIR, {}, none)));
  CHECK(failed(loadTargetOf(info, CCLC_TARGET_DIR, {{"launch", "1"}}, diags)));
  CHECK(textOf(diags) ==
        "tool: error: the plan stores target 'ring' with its defaults, as earlier versions did, so "
        "that settings would change only a part of it: give the file of the target with --target, "
        "or compile the plan again\n");
}
