//===- UserProgram.cpp - Loading programs from shared objects -------------===//
//
// Loads the object with dlopen() and checks the version of the DSL that it was compiled
// against. Constructors of global objects and the declaration run in scopes of user code,
// since both may crash.
//
//===----------------------------------------------------------------------===//

#include "cclc/UserPrograms/UserProgram.h"

#include "ObjectCache.h"
#include "PythonProgram.h"
#include "UserCompiler.h"
#include "cclc/UserPrograms/UserCode.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace cclc;
namespace fs = llvm::sys::fs;

static std::optional<dsl::Declaration> load(StringRef object, UserCode code,
                                            DiagnosticEngine &diags) {
  llvm::SmallString<256> absolute = object;
  fs::make_absolute(absolute);
  auto fail = [&](const llvm::Twine &why) {
    diags.error({code.file}, why);
    return std::nullopt;
  };
  void *handle = nullptr;
  auto open = [&] { handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL); };
  if (failed(runUserCode(code, "as it was loaded", open, diags)))
    return std::nullopt;
  expectUnloading(code);
  if (!handle)
    return fail(llvm::Twine("cannot be loaded: ") + dlerror() +
                "; an object that was compiled against other headers has to be compiled again");
  auto *abi = static_cast<const unsigned *>(dlsym(handle, "cclc_program_abi"));
  auto *name = static_cast<const char *const *>(dlsym(handle, "cclc_program_name"));
  auto declare =
      reinterpret_cast<void (*)(dsl::Declaration &)>(dlsym(handle, "cclc_program_declare"));
  if (!abi || !name || !declare)
    return fail("declares no program: it needs one CCLC_PROGRAM(name) { ... }");
  if (*abi != dsl::abiVersion)
    return fail("was compiled for version " + llvm::Twine(*abi) + " of the DSL, this is version " +
                llvm::Twine(dsl::abiVersion));
  dsl::Declaration declaration(*name);
  code.name = "program '" + declaration.name() + "'";
  if (failed(runUserCode(code, "in its declaration", [&] { declare(declaration); }, diags)))
    return std::nullopt;
  if (!declaration.body())
    return fail(code.name + " has no body()");
  return declaration;
}

bool cclc::isUserProgram(StringRef name) {
  return name.contains('/') || name.ends_with(".cpp") || name.ends_with(".cc") ||
         name.ends_with(".cxx") || name.ends_with(".so") || name.ends_with(".py");
}

std::optional<dsl::Declaration> cclc::loadUserProgram(StringRef file, StringRef includeDir,
                                                      const UserCodeOptions &options,
                                                      std::vector<std::string> &read,
                                                      DiagnosticEngine &diags) {
  if (!fs::is_regular_file(file)) {
    diags.error({}, "cannot read '" + file + "': " +
                        (fs::is_directory(file) ? "it is a folder"
                         : fs::exists(file)     ? "it is not a regular file"
                                                : "no such file"));
    return std::nullopt;
  }
  UserCode code{"the program", file.str(), options};
  read = {file.str()};
  if (file.ends_with(".so"))
    return load(file, code, diags);
  if (file.ends_with(".py"))
    return loadPythonProgram(code, llvm::sys::path::parent_path(includeDir), read, diags);
  UserCompiler compiler(file, includeDir, diags);
  std::string object = compiler.run();
  if (object.empty())
    return std::nullopt;
  read = compiler.files();
  return load(object, code, diags);
}

std::string cclc::versionOf(ArrayRef<std::string> files) {
  std::string hashes;
  for (const std::string &file : files)
    if (auto buffer = llvm::MemoryBuffer::getFile(file))
      hashes += sha256((*buffer)->getBuffer());
  return sha256(hashes);
}
