//===- Files.cpp - Identity of named files --------------------------------===//
//
// Two names denote one file if device and inode are equal or, for a file that does not
// exist yet, the real path of its folder and its name. Terminals and /dev/null are exempt.
// Outputs are compared with all files before anything is written.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Cli/Files.h"

#include "cclc/Target/Loader.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace cclc;
using llvm::formatv;
using llvm::SmallString;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

// --- Identity -----------------------------------------------------------------------

/// The identity of a file: device and inode if it exists, else its folder and name. Devices and
/// pipes are exempt, because they may be read and written at the same time.
static std::string identify(StringRef name, bool isOutput) {
  struct stat status;
  const int stream = isOutput ? STDOUT_FILENO : STDIN_FILENO;
  bool exists = (name == "-" ? fstat(stream, &status) : stat(name.str().c_str(), &status)) == 0;
  if (!isOutput && !(exists && S_ISREG(status.st_mode)))
    return "";
  if (exists && S_ISCHR(status.st_mode))
    return name == "-" ? "standard output" : "";
  if (exists)
    return formatv("{0}:{1}", status.st_dev, status.st_ino);
  const std::string file = followLinks(name);
  SmallString<256> folder = path::parent_path(file), real;
  if (folder.empty())
    folder = ".";
  if (fs::real_path(folder, real))
    return "";
  return (real + "/" + path::filename(file)).str();
}

void NamedFiles::add(StringRef option, const std::optional<std::string> &path, bool isOutput) {
  if (path && !path->empty())
    files.push_back({option.str(), *path, isOutput, identify(*path, isOutput)});
}

void NamedFiles::input(StringRef option, const std::optional<std::string> &path) {
  add(option, path, /*isOutput=*/false);
}

void NamedFiles::output(StringRef option, const std::optional<std::string> &path) {
  add(option, path, /*isOutput=*/true);
}

void NamedFiles::target(const std::optional<std::string> &nameOrFile, StringRef targetDir) {
  if (!nameOrFile)
    return;
  StringRef option = "--target";
  for (const std::string &file : targetFiles(*nameOrFile, targetDir)) {
    input(option, file);
    option = "the base of --target";
  }
}

LogicalResult NamedFiles::check(DiagnosticEngine &diags) const {
  auto shown = [](const File &file) { return file.option + " '" + file.path + "'"; };
  for (const File &output : files)
    for (const File &other : files) {
      if (&other == &output)
        break;
      if (!(output.isOutput || other.isOutput) || output.identity.empty() ||
          output.identity != other.identity)
        continue;
      if (output.isOutput && other.isOutput)
        return diags.error({}, shown(other) + " and " + shown(output) +
                                   " write the same file: use two files");
      const File &written = output.isOutput ? output : other,
                 &read = output.isOutput ? other : output;
      return diags.error({}, shown(written) + " would overwrite " + shown(read) +
                                 ", which is an input: use another file");
    }
  return success();
}
