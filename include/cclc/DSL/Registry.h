//===- Registry.h - Programs by name ----------------------------*- C++ -*-===//

#ifndef CCL_DSL_REGISTRY_H
#define CCL_DSL_REGISTRY_H

#include "cclc/DSL/Declaration.h"

#include <map>

namespace cclc::dsl {

/// The file of a user's program.
struct ProgramFile {
  std::string name;    ///< as on the command line
  std::string version; ///< identifies its content
};

class ProgramRegistry {
public:
  void add(const char *name, void (*declare)(Declaration &)) {
    Declaration declaration(name);
    declare(declaration);
    programs.push_back(std::move(declaration));
  }
  /// Adds a user's program, whose name may be that of another program.
  void add(Declaration program, ProgramFile file) {
    files.emplace(programs.size(), std::move(file));
    programs.push_back(std::move(program));
  }
  /// The file of one of all(); null for a bundled program.
  const ProgramFile *fileOf(const Declaration &program) const {
    auto found = files.find(size_t(&program - programs.data()));
    return found == files.end() ? nullptr : &found->second;
  }
  /// The name of one of all() on the command line: that of its file, or its own.
  const std::string &nameOf(const Declaration &program) const {
    const ProgramFile *file = fileOf(program);
    return file ? file->name : program.name();
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
  std::map<size_t, ProgramFile> files; ///< by index of the program
};

/// The programs of the programs/ folder, sorted by name.
void registerAllPrograms(ProgramRegistry &registry);

} // namespace cclc::dsl

#endif // CCL_DSL_REGISTRY_H
