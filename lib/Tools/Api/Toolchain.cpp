//===- Toolchain.cpp - The bundled programs and machines ------------------===//
//
// Programs are in the library, machines are files.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Api/Toolchain.h"

#include "Access.h"

#include "cclc/DSL/Registry.h"
#include "cclc/UserPrograms/FindProgram.h"

using namespace cclc;
using namespace cclc::api;

Toolchain::Toolchain(std::string targets) : folder(std::move(targets)) {
  auto programs = std::make_shared<dsl::ProgramRegistry>();
  dsl::registerAllPrograms(*programs);
  registry = std::move(programs);
}

std::vector<std::string> Toolchain::programs() const {
  std::vector<std::string> names;
  for (const dsl::Declaration &program : registry->all())
    names.push_back(program.name());
  return names;
}

std::vector<std::string> Toolchain::targets() const {
  std::vector<std::string> names;
  for (auto &[name, description] : listTargets(folder))
    names.push_back(name);
  return names;
}

const dsl::Declaration *Toolchain::find(const std::string &program,
                                        std::vector<Message> &messages) const {
  const dsl::Declaration *found = registry->find(program);
  if (!found)
    messages.push_back(
        {api::Severity::Error, {}, unknownProgram(program, programs(), *registry), {}});
  return found;
}

Result<Plan> Toolchain::compile(const std::string &program, const CompileOptions &options) const {
  std::vector<Message> messages;
  const dsl::Declaration *found = find(program, messages);
  return found ? compile(*found, options)
               : Result<Plan>(api::Failure::Unusable, std::move(messages));
}

Result<std::string> Toolchain::graph(const std::string &program, const CompileOptions &compilation,
                                     const GraphOptions &options) const {
  std::vector<Message> messages;
  const dsl::Declaration *found = find(program, messages);
  return found ? graph(*found, compilation, options)
               : Result<std::string>(api::Failure::Unusable, std::move(messages));
}
