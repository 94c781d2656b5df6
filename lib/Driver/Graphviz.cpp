#include "DumpOptions.h"
#include "Output.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
namespace fs = llvm::sys::fs;

/// What graphviz calls the form that \p path ends in; empty for its own language.
static StringRef pictureForm(StringRef path) {
  StringRef ending = llvm::sys::path::extension(path);
  return ending == ".svg" || ending == ".pdf" || ending == ".png" ? ending.drop_front() : "";
}

/// A file that is gone with this object.
static FailureOr<std::string> temporary(StringRef ending, llvm::FileRemover &remover,
                                        DiagnosticEngine &diags) {
  SmallVector<char, 128> name;
  if (std::error_code error = fs::createTemporaryFile("cclc", ending, name))
    return diags.error({}, "cannot create a temporary file for graphviz: " + error.message());
  std::string path(name.begin(), name.end());
  remover.setFile(path);
  return path;
}

LogicalResult cclc::writeGraph(StringRef path, llvm::function_ref<void(raw_ostream &)> write,
                               DiagnosticEngine &diags) {
  StringRef form = pictureForm(path);
  if (form.empty())
    return writeFile(path, write, diags);
  llvm::ErrorOr<std::string> dot = llvm::sys::findProgramByName("dot");
  if (!dot)
    return diags.error({}, "cannot draw '" + path +
                               "': graphviz is not installed, there is no 'dot' on the PATH; "
                               "install it, or write a file that ends in .dot");
  llvm::FileRemover removeGraph, removePicture, removeErrors;
  FailureOr<std::string> graph = temporary("dot", removeGraph, diags);
  FailureOr<std::string> picture = temporary(form, removePicture, diags);
  FailureOr<std::string> errors = temporary("err", removeErrors, diags);
  if (failed(graph) || failed(picture) || failed(errors) || failed(writeFile(*graph, write, diags)))
    return failure();

  std::string formArgument = ("-T" + form).str();
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef("/dev/null"),
                                          StringRef(*errors)};
  std::string why;
  int code = llvm::sys::ExecuteAndWait(*dot, {*dot, formArgument, "-o", *picture, *graph},
                                       std::nullopt, redirects, 0, 0, &why);
  auto drawn = llvm::MemoryBuffer::getFile(*picture);
  if (code != 0 || !drawn || (*drawn)->getBufferSize() == 0) {
    auto said = llvm::MemoryBuffer::getFile(*errors);
    if (said && why.empty())
      why = (*said)->getBuffer().split('\n').first.rtrim().str();
    return diags.error({}, "cannot draw '" + path + "': graphviz says '" + why +
                               "'; write a file that ends in .dot to see what it was given");
  }
  return writeFile(path, [&](raw_ostream &os) { os << (*drawn)->getBuffer(); }, diags);
}
