//===- UserCompiler.cpp - Calls of the system compiler --------------------===//
//
// Finds the compiler by CXX, interpreted as by make, and compiles a file to a shared object. The
// cache key is the SHA-256 of the preprocessed text, the command, the output of -v, and size and
// time of the compiler, as in the preprocessor mode of ccache (ccache manual, "How ccache works").
// The key is computed again after compilation, and an object whose sources changed meanwhile is not
// cached. Common errors are translated into one diagnostic; others are shown as printed by the
// compiler.
//
//===----------------------------------------------------------------------===//

#include "UserCompiler.h"

#include "ObjectCache.h"

#include "cclc/Support/CacheFolder.h"
#include "cclc/Support/Subprocess.h"
#include "cclc/Support/Version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace cclc;
namespace fs = llvm::sys::fs;

static std::string absolute(StringRef path) {
  llvm::SmallString<256> result = path;
  fs::make_absolute(result);
  return result.str().str();
}

static std::string contentOf(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// An injective encoding of lists of texts without zero bytes.
static std::string joined(ArrayRef<std::string> texts) {
  return llvm::join(texts, StringRef("\0", 1));
}

LogicalResult UserCompiler::findCompiler() {
  const char *cxx = std::getenv("CXX");
  shown = cxx && *cxx ? cxx : "c++";
  // As in make, CXX is a program with optional arguments, unless all of it is the name of a
  // program.
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  SmallVector<const char *, 4> words;
  if (llvm::sys::findProgramByName(shown))
    words = {shown.c_str()};
  else
    llvm::cl::TokenizeGNUCommandLine(shown, saver, words);
  llvm::ErrorOr<std::string> program = std::make_error_code(std::errc::no_such_file_or_directory);
  if (!words.empty())
    program = llvm::sys::findProgramByName(words.front());
  if (!program)
    return diags.error({}, "no C++ compiler: '" + shown +
                               "' was not found; install g++ or clang++, or name one in CXX");
  command = {*program};
  command.insert(command.end(), words.begin() + 1, words.end());
  // Plans name source files relative to the folder that cclc runs in.
  llvm::SmallString<256> here;
  fs::current_path(here);
  // The first three are those of the precompiled header (tools/CMakeLists.txt).
  command.insert(command.end(), {"-std=c++20", "-O1", "-fPIC", "-shared", "-I" + headers,
                                 ("-ffile-prefix-map=" + here + "/=").str(), "-x", "c++"});
  // Prefix a name that the compiler would take for an option or a response file with its folder.
  StringRef name = source;
  command.push_back(name.starts_with("-") || name.starts_with("@") ? absolute(source) : source);
  return success();
}

/// One object is cached for each file, command and folder.
std::string UserCompiler::cacheName() const {
  std::string name = absolute(source) + '\0' + joined(command);
  return (llvm::sys::path::stem(source).take_front(64) + "-" +
          StringRef(sha256(name)).take_front(16) + ".so")
      .str();
}

/// Removes a quoted name from \p text and decodes it: the preprocessor escapes some characters as
/// \" or \\ and others as three octal digits.
static std::string takeQuoted(StringRef &text) {
  std::string name;
  for (text = text.drop_front(); !text.empty() && text.front() != '"';) {
    unsigned code;
    if (text.consume_front("\\") && !text.take_front(3).getAsInteger(8, code)) {
      name += static_cast<char>(code);
      text = text.drop_front(3);
    } else if (!text.empty()) {
      name += text.front();
      text = text.drop_front();
    }
  }
  return name;
}

/// The source files of preprocessed text: the lines of each follow a line of the form # NUMBER
/// "FILE".
static std::vector<std::string> filesIn(StringRef printed) {
  llvm::StringSet<> seen;
  std::vector<std::string> files;
  while (!printed.empty()) {
    StringRef line;
    std::tie(line, printed) = printed.split('\n');
    uint64_t number;
    if (!line.consume_front("# ") || line.consumeInteger(10, number))
      continue;
    line = line.ltrim();
    if (!line.starts_with("\""))
      continue;
    std::string name = takeQuoted(line);
    if (seen.insert(name).second)
      files.push_back(std::move(name));
  }
  return files;
}

/// The output of the preprocessor contains all inputs of the compiler: the content of every file,
/// from any search path of the environment, and the values of macros; for the precompiled header,
/// its name. -v adds the version of the compiler and the programs and libraries that it uses.
std::optional<std::string> UserCompiler::key() {
  std::vector<std::string> preprocess = command;
  preprocess.insert(preprocess.end(), {"-E", "-fpch-preprocess", "-v"});
  if (!runProgram(preprocess, printed.str(), messages.str()).succeeded())
    return std::nullopt;
  std::string text = contentOf(printed.str());
  read = filesIn(text);
  if (StringRef(text).contains(".incbin"))
    return std::nullopt;
  const std::string parts[] = {versionString(),
                               joined(command),
                               fileStamp(command.front()),
                               fileStamp(headers + "/cclc/DSL/DSL.h.gch"),
                               contentOf(messages.str()),
                               text};
  return sha256(joined(parts));
}

LogicalResult UserCompiler::compile(const std::string &object) {
  std::vector<std::string> call = command;
  call.insert(call.end(), {"-o", object});
  ProgramResult result = runProgram(call, printed.str(), messages.str());
  if (result.succeeded())
    return success();
  explainFailure(result.why);
  return failure();
}

/// The first location outside the headers of the DSL that the compiler mentions, beginning with a
/// line that contains \p word.
static std::optional<Location> placeOf(StringRef messages, StringRef word) {
  for (bool met = false; !messages.empty();) {
    StringRef line;
    std::tie(line, messages) = messages.split('\n');
    met |= line.contains(word);
    auto [file, rest] = line.split(':');
    unsigned number;
    if (met && !file.contains("cclc/DSL/") && !rest.consumeInteger(10, number) && !rest.empty())
      return Location{file.str(), number};
  }
  return std::nullopt;
}

/// The location and text of the first error, "FILE:LINE:COLUMN: error: TEXT".
static std::optional<std::pair<Location, std::string>> firstError(StringRef messages) {
  while (!messages.empty()) {
    StringRef line;
    std::tie(line, messages) = messages.split('\n');
    for (StringRef mark : {": error: ", ": fatal error: "}) {
      auto [place, text] = line.split(mark);
      auto [rest, column] = place.rsplit(':');
      auto [file, number] = rest.rsplit(':');
      Location at{file.str()};
      if (!text.empty() && !number.getAsInteger(10, at.line) && !column.getAsInteger(10, at.column))
        return std::pair(at, text.str());
    }
  }
  return std::nullopt;
}

/// Replaces errors that the compiler reports in terms of the headers of the DSL by a short
/// diagnostic.
void UserCompiler::explainFailure(const std::string &why) {
  std::string text = contentOf(messages.str());
  if (StringRef(text).contains("cclc needs std::source_location")) {
    diags.error({source}, "'" + shown +
                              "' is too old for the DSL: use g++ 11, clang 16 or a newer "
                              "one, which CXX names");
    return;
  }
  if (std::optional<Location> second = placeOf(text, "cclc_program_abi")) {
    diags.error(*second, "a second CCLC_PROGRAM: a file declares one program; move the other one "
                         "to a separate file");
    return;
  }
  llvm::errs() << text;
  std::string what = "does not compile with " + shown + (why.empty() ? "" : ": " + why);
  if (auto error = firstError(text))
    diags.error(error->first, what + ": " + error->second);
  else
    diags.error({source}, what);
}

std::string UserCompiler::run() {
  if (failed(findCompiler()) || failed(folder.create(diags)))
    return "";
  ObjectCache cache(cacheName());
  std::optional<std::string> before = key();
  if (before && cache.fetch(*before, made.str()))
    return made.str();
  if (failed(compile(made.str())))
    return "";
  // A file that was edited meanwhile may or may not be in the object.
  if (before && key() == before)
    cache.store(made.str(), *before);
  return made.str();
}
