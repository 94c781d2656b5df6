//===- Listings.cpp - cclc list, targets, describe ------------------------===//
//
// Prints the declarations of programs and the files of targets. Text and JSON are generated from
// the same declarations, so both list every parameter of a program.
//
//===----------------------------------------------------------------------===//

#include "Listings.h"
#include "JsonText.h"

#include "cclc/Compiler/Layout.h"
#include "cclc/Support/Text.h"

#include "cclc/Compiler/Compile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using dsl::Declaration;
using dsl::ParamSpec;
using llvm::formatv;
using nlohmann::ordered_json;

static ordered_json toJson(const Declaration &program) {
  ordered_json out;
  out["name"] = program.name();
  out["collective"] = std::string(collectiveName(program.collective()));
  out["summary"] = program.summary();
  out["source"] = program.source();
  out["cost"] = program.cost();
  out["fewest_ranks"] = program.fewestRanks();
  out["default_ranks"] =
      program.ranksFrom() ? ordered_json(nullptr) : ordered_json(program.defaultRanks());
  out["layout"] =
      program.fixesMapper() ? ordered_json(layoutOf(program.mapper()).name) : ordered_json(nullptr);
  out["parameters"] = ordered_json::array();
  for (const ParamSpec &spec : allParameters(program)) {
    ordered_json param;
    param["name"] = spec.name;
    param["help"] = spec.help;
    switch (spec.type) {
    case ParamSpec::Type::Int:
      param["type"] = "integer";
      param["default"] = std::stoi(spec.value);
      param["min"] = spec.min;
      param["max"] = spec.max;
      break;
    case ParamSpec::Type::Bool:
      param["type"] = "boolean";
      param["default"] = spec.value == "yes";
      break;
    case ParamSpec::Type::Choice:
      param["type"] = "choice";
      param["default"] = spec.value;
      param["choices"] = spec.choices;
      break;
    }
    out["parameters"].push_back(std::move(param));
  }
  return out;
}

void cclc::printPrograms(const dsl::ProgramRegistry &registry, bool json, raw_ostream &os) {
  if (json) {
    ordered_json all = ordered_json::array();
    for (const Declaration &program : registry.all())
      all.push_back(toJson(program));
    os << jsonText(all) << '\n';
    return;
  }
  for (const Declaration &program : registry.all()) {
    std::string params;
    for (const ParamSpec &spec : program.params())
      params += " " + spec.name + "=" + spec.value;
    os << StringRef(formatv("{0,-30} {1,-14}{2}", program.name(),
                            collectiveName(program.collective()), params)
                        .str())
              .rtrim()
       << '\n';
  }
}

void cclc::printTargets(StringRef targetDir, bool json, raw_ostream &os) {
  ordered_json all = ordered_json::array();
  for (const auto &[name, description] : listTargets(targetDir)) {
    if (json)
      all.push_back({{"name", name}, {"description", description}});
    else
      os << formatv("{0,-24} {1}\n", name, description);
  }
  if (json)
    os << jsonText(all) << '\n';
}

void cclc::describeProgram(const Declaration &program, bool json, raw_ostream &os) {
  if (json) {
    os << jsonText(toJson(program)) << '\n';
    return;
  }
  os << program.name() << ": " << StringRef(collectiveName(program.collective())) << "\n\n";
  if (!program.summary().empty())
    os << wrapped(program.summary(), 2) << "\n\n";
  if (!program.source().empty())
    os << "source\n" << wrapped(program.source(), 2) << "\n\n";
  if (!program.cost().empty())
    os << "cost (R ranks, S bytes)\n" << wrapped(program.cost(), 2) << "\n\n";
  os << "ranks\n";
  if (program.ranksFrom())
    os << "  follow from the parameters\n";
  else
    os << "  " << program.fewestRanks() << " or more; without target and --ranks "
       << program.defaultRanks() << '\n';
  if (program.fixesMapper()) {
    Layout layout = layoutOf(program.mapper());
    os << "\nlayout\n  " << layout.name << ": " << layout.meaning << '\n';
  }
  os << "\nparameters (-p NAME=VALUE)\n";
  for (const ParamSpec &spec : allParameters(program)) {
    os << "  " << spec.name << " = " << spec.value << "    " << spec.domain() << '\n';
    os << wrapped(spec.help, 6) << '\n';
  }
}
