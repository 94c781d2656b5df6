//===- TargetImport.cpp - Targets from files of other tools ---------------===//
//
// The conversion is that of Target/Import.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/TargetImport.h"

#include "HostOrder.h"

#include "cclc/Support/InputFile.h"
#include "cclc/Support/Text.h"

#include "llvm/Support/Path.h"

#include <cmath>

using namespace cclc;

namespace {
/// Files that are read, and live as long as this object.
class ForeignFiles {
public:
  FailureOr<ForeignFile> read(const std::string &path, DiagnosticEngine &diags) {
    auto text = readInput(path, "'" + path + "'", diags);
    if (failed(text))
      return failure();
    buffers.push_back(std::move(*text));
    return ForeignFile{path, withoutByteOrderMark(buffers.back()->getBuffer())};
  }
  LogicalResult read(const std::optional<std::string> &path, std::optional<ForeignFile> &file,
                     DiagnosticEngine &diags) {
    if (!path)
      return success();
    FailureOr<ForeignFile> made = read(*path, diags);
    if (failed(made))
      return failure();
    file = *made;
    return success();
  }

private:
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> buffers;
};
} // namespace

std::optional<uint64_t> cclc::rateOf(double gigabytes) {
  if (!(gigabytes >= 1e-6 && gigabytes <= 1e6))
    return std::nullopt;
  return std::llround(gigabytes * 1e9);
}

FailureOr<std::string> cclc::importTarget(const TargetImport &request, DiagnosticEngine &diags) {
  ForeignFiles files;
  ImportOptions options = request.options;
  FailureOr<ForeignFile> file = files.read(request.file, diags);
  if (failed(file) || failed(files.read(request.system, options.system, diags)) ||
      failed(files.read(request.fabric, options.fabric, diags)))
    return failure();
  options.name = request.file == "-" ? "imported" : llvm::sys::path::stem(request.file).str();
  options.byRack = request.order == "rack";
  if (request.nodes && failed(parseNodes(*request.nodes, options, diags)))
    return failure();
  return request.order == "best" ? importInBestOrder(*file, options, diags)
                                 : importMachine(*file, options, diags);
}
