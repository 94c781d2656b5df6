//===- OutputFile.cpp - Atomic replacement of files -----------------------===//
//
// A file is written under a temporary name in the same folder and renamed: readers see the old
// or the new content, also after a crash.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/OutputFile.h"

#include "cclc/Support/Compression.h"
#include "cclc/Support/Streams.h"
#include "cclc/Support/Temporary.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace cclc;
using llvm::SmallString;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string cclc::followLinks(StringRef link) {
  std::string at = link.str();
  for (int links = 0; links < 40; ++links) { // the limit of the system as well
    SmallString<256> to;
    to.resize_for_overwrite(4096);
    ssize_t size = readlink(at.c_str(), to.data(), to.size());
    if (size < 0)
      break;
    to.resize(size);
    SmallString<256> next = path::is_absolute(to) ? StringRef() : path::parent_path(at);
    path::append(next, to);
    at = next.str().str();
  }
  return at;
}

LogicalResult cclc::createFolder(const std::string &folder, DiagnosticEngine &diags) {
  auto cannot = [&](const char *what, std::error_code error) {
    return diags.error({}, llvm::Twine("cannot ") + what + " folder '" + folder +
                               "': " + error.message());
  };
  if (std::error_code error = fs::create_directories(folder, true, fs::all_all))
    return cannot("create", error);
  if (!fs::is_directory(folder))
    return cannot("create", std::make_error_code(std::errc::not_a_directory));
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return cannot("write to", std::error_code(errno, std::generic_category()));
  return success();
}

/// Renames \p temporary to \p path, with the mode and, if permitted, the owner of the old file.
static std::error_code replaceFile(TemporaryPath &temporary, const std::string &path) {
  struct stat old;
  if (stat(path.c_str(), &old) == 0) {
    // If the owner cannot be set, the file has the owner of a new file.
    bool changed = chown(temporary.str().c_str(), old.st_uid, old.st_gid) == 0;
    (void)changed;
    chmod(temporary.str().c_str(), old.st_mode & 07777);
  }
  std::error_code error = fs::rename(temporary.str(), path);
  if (!error)
    temporary.keep();
  return error;
}

LogicalResult cclc::writeFile(StringRef name, llvm::function_ref<void(raw_ostream &)> content,
                              DiagnosticEngine &diags) {
  auto write = [&](raw_ostream &os) {
    std::unique_ptr<raw_ostream> compressing = compressingStream(name, os);
    content(compressing ? *compressing : os);
  };
  // If standard output is redirected to a file, opening it again would truncate it.
  if (name == "-" || name == "/dev/stdout" || name == "/dev/fd/1") {
    write(llvm::outs());
    return finishStream(llvm::outs(), "standard output", diags);
  }
  const std::string shown = ("'" + name + "'").str();
  auto cannot = [&](std::error_code error) {
    return diags.error({}, "cannot write " + shown + ": " + error.message());
  };
  std::error_code error;
  const bool exists = fs::exists(name);
  if (exists && !fs::is_regular_file(name)) {
    llvm::raw_fd_ostream os(name, error);
    if (error)
      return cannot(error);
    write(os);
    return finishStream(os, shown, diags);
  }
  const std::string file = followLinks(name);
  if (fs::is_symlink_file(file))
    return cannot(std::make_error_code(std::errc::too_many_symbolic_link_levels));
  // The folder may be writable although the file is not: a read-only file must not be replaced.
  if (exists)
    error = fs::access(file, fs::AccessMode::Write);
  if (error)
    return cannot(error);
  SmallString<256> beside = path::parent_path(file);
  path::append(beside, ".cclc-");
  TemporaryPath temporary(beside, ".tmp");
  {
    llvm::raw_fd_ostream os(temporary.str(), error, fs::CD_CreateNew);
    if (error)
      return cannot(error);
    write(os);
    os.flush();
    if (!os.has_error())
      os.close(); // a file system may report a full disk or quota only now
    if (failed(finishStream(os, shown, diags)))
      return failure();
  }
  error = replaceFile(temporary, file);
  if (error)
    return cannot(error);
  return success();
}
