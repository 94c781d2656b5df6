#include "Cases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace cclc;
using namespace cclc::test;
using dsl::Declaration;
using dsl::ParamSpec;

std::string Case::label() const {
  std::vector<std::string> parts;
  if (ranks)
    parts.push_back("ranks=" + std::to_string(*ranks));
  if (machine)
    parts.insert(parts.end(), machine->begin(), machine->end());
  for (const auto &[key, value] : parameters)
    parts.push_back(key + "=" + value);
  return llvm::join(parts, " ");
}

Case Case::with(const std::string &parameter, const std::string &value) const {
  Case other = *this;
  other.parameters.emplace_back(parameter, value);
  return other;
}

bool test::needsMachine(const Declaration &declaration) { return declaration.fixesMapper(); }

static uint32_t ranksWith(const Declaration &declaration, const Values &given) {
  Values values;
  for (const ParamSpec &spec : declaration.params()) {
    auto found = llvm::find_if(given, [&](auto &value) { return value.first == spec.name; });
    values.emplace_back(spec.name, found == given.end() ? spec.value : found->second);
  }
  return declaration.ranksFrom()(dsl::ParamValues(values));
}

/// The names of the parameters that the number of ranks depends on.
static std::vector<std::string> rankParameters(const Declaration &declaration) {
  std::vector<std::string> names;
  if (!declaration.ranksFrom())
    return names;
  for (const ParamSpec &spec : declaration.params())
    if (spec.type == ParamSpec::Type::Int &&
        ranksWith(declaration, {{spec.name, std::to_string(spec.min)}}) !=
            ranksWith(declaration, {{spec.name, std::to_string(spec.min + 1)}}))
      names.push_back(spec.name);
  return names;
}

std::vector<Case> test::casesFor(const Declaration &declaration, uint32_t ranks) {
  if (needsMachine(declaration))
    return {};
  if (!declaration.ranksFrom())
    return {{{}, ranks, {}}};
  std::vector<Values> found = {{}};
  for (const std::string &name : rankParameters(declaration)) {
    std::vector<Values> longer;
    for (const Values &values : found)
      for (uint32_t divisor = 1; divisor <= ranks; ++divisor)
        if (ranks % divisor == 0) {
          longer.push_back(values);
          longer.back().emplace_back(name, std::to_string(divisor));
        }
    found = std::move(longer);
  }
  std::vector<Case> cases;
  for (const Values &values : found)
    if (ranksWith(declaration, values) == ranks)
      cases.push_back({values, {}, {}});
  return cases;
}

std::vector<Case> test::machineCases() {
  const std::vector<std::vector<std::string>> sips = {
      {"sips.count=1"},
      {"sips.count=2"},
      {"sips.count=5"},
      {"sips.count=4", "sips.topology=torus_2d"},
      {"sips.count=6", "sips.topology=torus_2d", "sips.width=2", "sips.height=3"},
      {"sips.count=6", "sips.topology=mesh_2d_no_wrap", "sips.width=3", "sips.height=2"},
      {"sips.count=3", "sips.topology=mesh_2d_no_wrap", "sips.width=3", "sips.height=1"}};
  std::vector<std::pair<int, int>> meshes = {{1, 1}, {2, 1}, {1, 3}, {3, 2}, {4, 4}};
  std::vector<int> pes = {1, 2, 5};
  std::vector<Case> cases;
  for (const auto &topology : sips)
    for (auto [width, height] : meshes)
      for (int n : pes) {
        std::vector<std::string> changes = topology;
        changes.push_back("cubes.width=" + std::to_string(width));
        changes.push_back("cubes.height=" + std::to_string(height));
        changes.push_back("cubes.pes=" + std::to_string(n));
        changes.push_back("ipcq.multiplex=on"); // two instances need more queues than a PE has
        cases.push_back({{}, {}, changes});
      }
  return cases;
}

/// Values other than the default: the least, and some larger ones.
static std::vector<std::string> otherValues(const ParamSpec &spec, uint32_t ranks) {
  std::vector<std::string> values;
  switch (spec.type) {
  case ParamSpec::Type::Bool:
    return {spec.value == "yes" ? "no" : "yes"};
  case ParamSpec::Type::Choice:
    for (const std::string &choice : spec.choices)
      if (choice != spec.value)
        values.push_back(choice);
    return values;
  case ParamSpec::Type::Int:
    break;
  }
  const int usual = std::stoi(spec.value);
  std::vector<int> numbers = {spec.min, usual + 1, 2 * usual + 1};
  if (spec.name == "root")
    numbers = {int(ranks / 2), int(ranks) - 1};
  llvm::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (int number : numbers)
    if (number != usual && number <= spec.max)
      values.push_back(std::to_string(number));
  return values;
}

std::vector<Case> test::variants(const Declaration &declaration, const Case &base, uint32_t ranks) {
  const std::vector<std::string> fixed = rankParameters(declaration);
  std::vector<Case> cases;
  for (const ParamSpec &spec : declaration.params())
    if (!llvm::is_contained(fixed, spec.name))
      for (const std::string &value : otherValues(spec, ranks))
        cases.push_back(base.with(spec.name, value));
  return cases;
}
