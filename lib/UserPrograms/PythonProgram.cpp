//===- PythonProgram.cpp - Loading programs in Python ---------------------===//
//
// The module and the library of Python that it needs are visible to what the program imports: its
// extensions find the functions of Python in the process.
//
//===----------------------------------------------------------------------===//

#include "PythonProgram.h"

#include "cclc/UserPrograms/PythonModule.h"

#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>

using namespace cclc;

std::optional<dsl::Declaration> cclc::loadPythonProgram(const UserCode &code, StringRef prefix,
                                                        std::vector<std::string> &read,
                                                        DiagnosticEngine &diags) {
  auto fail = [&](const llvm::Twine &why) {
    diags.error({code.file}, why);
    return std::nullopt;
  };
  const std::string module = (prefix + "/lib/cclc/python.so").str();
  if (!llvm::sys::fs::exists(module))
    return fail("is a program in Python, and the package of Python is not installed beside the "
                "tools: install python3-cclc");
  void *handle = nullptr;
  PythonProgram program;
  bool isOther = false;
  auto run = [&] {
    handle = dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!handle)
      return;
    auto *abi = static_cast<const unsigned *>(dlsym(handle, pythonModuleAbi));
    auto *load = reinterpret_cast<LoadPythonProgram *>(dlsym(handle, pythonModuleLoad));
    isOther = !abi || !load || *abi != dsl::abiVersion;
    if (!isOther)
      load(code.file.c_str(), program);
  };
  if (failed(runUserCode(code, "as it was loaded", run, diags)))
    return std::nullopt;
  expectUnloading(code);
  if (!handle)
    return fail(llvm::Twine("cannot be executed: ") + dlerror());
  if (isOther)
    return fail("cannot be executed: the package of Python is of another version than the tool");
  if (!program.declaration) {
    diags.error({program.file, program.line}, program.error);
    return std::nullopt;
  }
  read = std::move(program.files);
  return std::move(program.declaration);
}
