#include "cclc/Driver/UserProgram.h"

#include "CommandLine.h"
#include "Output.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace cclc;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {
using PathString = llvm::SmallString<256>;

std::string hashOf(ArrayRef<std::string> parts) {
  llvm::SHA256 hash;
  for (const std::string &part : parts) {
    hash.update(part);
    hash.update(StringRef("\0", 1));
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::optional<std::string> hashOfFile(StringRef name) {
  auto buffer = llvm::MemoryBuffer::getFile(name);
  if (!buffer)
    return std::nullopt;
  return hashOf({(*buffer)->getBuffer().str()});
}

/// $XDG_CACHE_HOME/cclc, or ~/.cache/cclc.
std::optional<PathString> cacheFolder() {
  PathString folder;
  const char *xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg && path::is_absolute(xdg))
    folder = StringRef(xdg);
  else if (const char *home = std::getenv("HOME"); home && *home)
    path::append(folder, home, ".cache");
  else
    return std::nullopt;
  path::append(folder, "cclc");
  if (fs::create_directories(folder))
    return std::nullopt;
  return folder;
}

/// One C++ file on its way to a shared object.
class UserCompilation {
public:
  UserCompilation(StringRef source, StringRef headers, DiagnosticEngine &diags)
      : source(source), headers(headers), diags(diags) {
    const char *cxx = std::getenv("CXX");
    compiler = cxx && *cxx ? cxx : "c++";
  }

  /// The path of an object that is up to date; empty on failure.
  std::string run();

private:
  std::string object(StringRef stem) const { return (stem + ".so").str(); }
  /// Beside every object: the hash and the path of each file that went into it.
  std::string inputs(StringRef stem) const { return (stem + ".inputs").str(); }

  bool isUpToDate(StringRef stem) const;
  bool compile(StringRef stem);
  void recordInputs(StringRef stem, StringRef dependencies) const;

  std::string source, headers, compiler, program;
  std::vector<std::string> arguments;
  DiagnosticEngine &diags;
};

std::string UserCompilation::run() {
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(compiler);
  if (!found) {
    diags.error({}, "no C++ compiler: '" + compiler +
                        "' was not found; install g++ or clang++, or name one in CXX");
    return "";
  }
  program = *found;
  PathString here;
  fs::current_path(here);
  // Plans name source files relative to the folder that cclc runs in.
  arguments = {program,
               "-std=c++20",
               "-O1",
               "-fPIC",
               "-shared",
               "-I" + headers,
               "-ffile-prefix-map=" + std::string(here) + "/="};
  PathString absolute(source);
  fs::make_absolute(absolute);
  fs::file_status compilerStatus;
  fs::status(program, compilerStatus);
  std::vector<std::string> identity = arguments;
  identity.push_back(versionString());
  identity.push_back(source);
  identity.push_back(std::string(absolute));
  identity.push_back(std::to_string(compilerStatus.getSize()));
  identity.push_back(
      std::to_string(compilerStatus.getLastModificationTime().time_since_epoch().count()));

  std::optional<PathString> folder = cacheFolder();
  if (!folder) {
    folder.emplace();
    if (fs::createUniqueDirectory("cclc", *folder)) {
      diags.error({}, "no folder for the compiled program: set XDG_CACHE_HOME or HOME");
      return "";
    }
  }
  path::append(*folder, path::stem(source) + "-" + StringRef(hashOf(identity)).take_front(16));
  if (!isUpToDate(*folder) && !compile(*folder))
    return "";
  return object(*folder);
}

bool UserCompilation::isUpToDate(StringRef stem) const {
  auto buffer = llvm::MemoryBuffer::getFile(inputs(stem));
  if (!buffer || !fs::exists(object(stem)))
    return false;
  SmallVector<StringRef, 16> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [hash, name] = line.split(' ');
    if (hashOfFile(name) != hash)
      return false;
  }
  return !lines.empty();
}

bool UserCompilation::compile(StringRef stem) {
  // Under a name of its own first: another cclc may compile the same file.
  PathString temp;
  if (fs::createUniqueFile(stem + ".%%%%%%", temp)) {
    diags.error({}, "cannot write into '" + path::parent_path(stem) + "'");
    return false;
  }
  std::string dependencies = (temp + ".d").str(), messages = (temp + ".err").str();
  std::vector<std::string> command = arguments;
  command.insert(command.end(), {"-MMD", "-MF", dependencies, "-o", std::string(temp), source});
  std::vector<StringRef> argv(command.begin(), command.end());
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(""), StringRef(messages)};
  std::string why;
  int result = llvm::sys::ExecuteAndWait(program, argv, std::nullopt, redirects, 0, 0, &why);
  if (result == 0) {
    // In this order: inputs that are recorded never belong to an older object.
    if (fs::rename(temp, object(stem)))
      result = -1;
    else
      recordInputs(stem, dependencies);
  } else {
    if (auto text = llvm::MemoryBuffer::getFile(messages))
      llvm::errs() << (*text)->getBuffer();
    diags.error({source}, "does not compile with " + compiler + (why.empty() ? "" : ": " + why));
  }
  for (StringRef name : {StringRef(temp), StringRef(dependencies), StringRef(messages)})
    fs::remove(name);
  return result == 0;
}

/// From the rule "object: file file \" that the compiler wrote.
void UserCompilation::recordInputs(StringRef stem, StringRef dependencies) const {
  auto buffer = llvm::MemoryBuffer::getFile(dependencies);
  if (!buffer)
    return;
  std::string record;
  llvm::raw_string_ostream os(record);
  StringRef text = (*buffer)->getBuffer().split(": ").second;
  std::string name;
  auto flush = [&] {
    PathString absolute = StringRef(name);
    fs::make_absolute(absolute);
    if (std::optional<std::string> hash = name.empty() ? std::nullopt : hashOfFile(absolute))
      os << *hash << ' ' << absolute << '\n';
    name.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ' ')
      name += text[++i];
    else if (text[i] == '\\' || llvm::isSpace(text[i]))
      flush();
    else
      name += text[i];
  }
  flush();
  // Without the record the next run compiles again: nothing to tell the user.
  DiagnosticEngine ignored;
  (void)writeFile(inputs(stem), [&](raw_ostream &file) { file << record; }, ignored);
}

std::optional<dsl::Declaration> load(StringRef object, StringRef shown, DiagnosticEngine &diags) {
  PathString absolute = object;
  fs::make_absolute(absolute);
  void *handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto fail = [&](const llvm::Twine &why) {
    diags.error({shown.str()}, why);
    return std::nullopt;
  };
  if (!handle)
    return fail(llvm::Twine("cannot be loaded: ") + dlerror());
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
  declare(declaration);
  if (!declaration.body())
    return fail("program '" + declaration.name() + "' has no body()");
  return declaration;
}
} // namespace

bool cclc::isUserProgram(StringRef name) {
  return name.contains('/') || name.ends_with(".cpp") || name.ends_with(".cc") ||
         name.ends_with(".cxx") || name.ends_with(".so");
}

std::optional<dsl::Declaration> cclc::loadUserProgram(StringRef file, StringRef includeDir,
                                                      DiagnosticEngine &diags) {
  if (!fs::is_regular_file(file)) {
    diags.error({}, "cannot read '" + file + "': no such file");
    return std::nullopt;
  }
  if (file.ends_with(".so"))
    return load(file, file, diags);
  std::string object = UserCompilation(file, includeDir, diags).run();
  if (object.empty())
    return std::nullopt;
  return load(object, file, diags);
}
