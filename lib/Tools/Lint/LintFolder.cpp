#include "cclc/Tools/Lint/LintFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <iterator>

using namespace cclc;
namespace fs = llvm::sys::fs;

FailureOr<FolderFiles> cclc::filesOfFolder(const std::string &folder,
                                           ArrayRef<const char *> endings,
                                           DiagnosticEngine &diags) {
  FolderFiles files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error))
    if (!fs::is_directory(it->path()))
      files.others.push_back(it->path());
  if (error)
    return diags.error({}, "cannot read '" + folder + "': " + error.message());
  llvm::sort(files.others);
  for (const char *ending : endings) {
    auto isPlan = [&](StringRef file) { return file.ends_with(ending); };
    llvm::copy_if(files.others, std::back_inserter(files.plans), isPlan);
    llvm::erase_if(files.others, isPlan);
    if (!files.plans.empty())
      return files;
  }
  return diags.error({}, "no file of folder '" + folder + "' ends in " + endings.back());
}
