//===- Registry.h - Programs by name ----------------------------*- C++ -*-===//

#ifndef CCL_DSL_REGISTRY_H
#define CCL_DSL_REGISTRY_H

#include "cclc/DSL/Declaration.h"

namespace cclc::dsl {

class ProgramRegistry {
public:
  void add(const char *name, void (*declare)(Declaration &)) {
    Declaration declaration(name);
    declare(declaration);
    programs.push_back(std::move(declaration));
  }
  const Declaration *find(std::string_view name) const {
    for (const Declaration &program : programs)
      if (program.name() == name)
        return &program;
    return nullptr;
  }
  const std::vector<Declaration> &all() const { return programs; }

private:
  std::vector<Declaration> programs;
};

/// The programs of the programs/ folder, sorted by name.
void registerAllPrograms(ProgramRegistry &registry);

} // namespace cclc::dsl

#endif // CCL_DSL_REGISTRY_H
