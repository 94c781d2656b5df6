//===- FindProgram.cpp - Finding programs by name -------------------------===//
//
// A name is that of a bundled program, or the path of a C++ file or shared object. The message
// about another one says what the file or word is instead.
//
//===----------------------------------------------------------------------===//

#include "cclc/UserPrograms/FindProgram.h"

#include "cclc/Formats/PlanFormat.h"
#include "cclc/Support/Spelling.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace cclc;
namespace fs = llvm::sys::fs;

/// A message about an existing \p file that is obviously not a program, and its proper use.
static std::optional<std::string> otherThanProgram(StringRef file) {
  if (!fs::is_regular_file(file))
    return std::nullopt;
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return std::nullopt;
  StringRef text = (*buffer)->getBuffer();
  const PlanFormat *format = sniffPlanFormat(text);
  if (!format)
    return std::nullopt;
  // Targets are also JSON.
  if (format == findPlanFormat("json") && !text.contains("\"cclc-plan\""))
    return text.contains("\"family\"") || text.contains("\"base\"")
               ? "this is a target, not a program: '--target FILE' compiles a program for it"
               : "this is JSON, not a program";
  return (llvm::Twine("this is ") + format->kind + ", not a program: " + format->use).str();
}

std::string cclc::unknownProgram(StringRef name, ArrayRef<std::string> names,
                                 const dsl::ProgramRegistry &registry) {
  std::optional<CollectiveKind> kind = parseCollective(name);
  std::vector<std::string> programs;
  for (const dsl::Declaration &program : registry.all())
    if (program.collective() == kind)
      programs.push_back(program.name());
  if (!programs.empty())
    return ("'" + name + "' is a collective, not a program: its programs are " +
            llvm::join(programs, ", "))
        .str();
  return ("unknown program '" + name + "'" + didYouMean(name, names)).str();
}

std::optional<dsl::Declaration>
cclc::findProgram(StringRef name, const dsl::ProgramRegistry &bundled, StringRef includeDir,
                  const UserCodeOptions &options, std::vector<std::string> &read,
                  DiagnosticEngine &diags) {
  if (std::optional<std::string> other = otherThanProgram(name)) {
    diags.error({name.str()}, *other);
    return std::nullopt;
  }
  if (isUserProgram(name))
    return loadUserProgram(name, includeDir, options, read, diags);
  if (const dsl::Declaration *found = bundled.find(name))
    return *found;
  std::vector<std::string> names = {"list", "targets", "describe", "convert"};
  for (const dsl::Declaration &program : bundled.all())
    names.push_back(program.name());
  diags.error({},
              unknownProgram(name, names, bundled) +
                  "; 'cclc list' lists the bundled programs; the name of a C++ file ends in .cpp");
  return std::nullopt;
}
