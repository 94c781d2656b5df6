//===- Graphviz.cpp - Rendering pictures with Graphviz --------------------===//
//
// Runs dot on a temporary file and writes the picture atomically. Some versions of Graphviz crash
// while routing splines; then the picture is rendered again with straight lines, with a warning.
//
//===----------------------------------------------------------------------===//

#include "DumpOptions.h"
#include "cclc/Support/Compression.h"
#include "cclc/Support/Subprocess.h"
#include "cclc/Support/Temporary.h"
#include "cclc/Tools/Cli/Files.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;

/// The name in Graphviz of the picture format for the extension of \p path; empty for DOT source.
static StringRef pictureForm(StringRef path) {
  StringRef ending = llvm::sys::path::extension(withoutCompression(path));
  return ending == ".svg" || ending == ".pdf" || ending == ".png" ? ending.drop_front() : "";
}

namespace {
/// A picture that Graphviz renders.
class Drawing {
public:
  Drawing(std::string dot, StringRef form, TemporaryFolder &folder)
      : dot(std::move(dot)), form(form), graph(folder / "graph.dot"), picture(folder / "picture"),
        printed(folder / "printed"), errors(folder / "errors") {}

  /// Renders with \p option, if it is not empty. On failure why() is the message of Graphviz.
  bool draw(StringRef option) {
    std::vector<std::string> call = {dot, ("-T" + form).str(), "-o", picture.str(), graph.str()};
    if (!option.empty())
      call.push_back(option.str());
    ProgramResult result = runProgram(call, printed.str(), errors.str());
    auto file = llvm::MemoryBuffer::getFile(picture.str());
    if (result.succeeded() && file && (*file)->getBufferSize() > 0) {
      drawn = std::move(*file);
      return true;
    }
    reason = result.why;
    if (auto said = llvm::MemoryBuffer::getFile(errors.str()); said && reason.empty())
      reason = (*said)->getBuffer().split('\n').first.rtrim().str();
    return false;
  }
  StringRef file() const { return graph.str(); }
  StringRef bytes() const { return drawn->getBuffer(); }
  const std::string &why() const { return reason; }

private:
  std::string dot;
  StringRef form;
  TemporaryPath graph, picture, printed, errors;
  std::unique_ptr<llvm::MemoryBuffer> drawn;
  std::string reason;
};
} // namespace

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
  TemporaryFolder folder;
  if (failed(folder.create(diags)))
    return failure();
  Drawing drawing(*dot, form, folder);
  if (failed(writeFile(drawing.file(), write, diags)))
    return failure();
  // Some versions of Graphviz crash on splines between many nodes.
  if (!drawing.draw("")) {
    std::string why = drawing.why();
    if (!drawing.draw("-Gsplines=line"))
      return diags.error({}, "cannot draw '" + path + "': graphviz reports '" + why +
                                 "'; write a file that ends in .dot to inspect its input");
    diags.warning({}, "'" + path +
                          "' has straight arrows: graphviz cannot draw curved ones and reports '" +
                          why + "'");
  }
  return writeFile(path, [&](raw_ostream &os) { os << drawing.bytes(); }, diags);
}
