//===- GraphvizTest.cpp - Graphs drawn by graphviz, and its failures ------===//

#include "../../support/Lines.h"

#include "DumpOptions.h"
#include "Plans.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>

using namespace cclc;
using namespace cclc::test;

namespace {
/// Draws with \p script in place of graphviz' dot (none: dot is missing), and returns the
/// diagnostics; \p picture receives the output.
std::string drawWith(std::optional<StringRef> script, std::string &picture) {
  SmallVector<char, 128> folder;
  REQUIRE_FALSE(llvm::sys::fs::createUniqueDirectory("cclc-test", folder));
  std::string bin(folder.begin(), folder.end());
  std::string dot = bin + "/dot", svg = bin + "/picture.svg";
  if (script) {
    std::error_code error;
    llvm::raw_fd_ostream(dot, error) << *script;
    REQUIRE_FALSE(llvm::sys::fs::setPermissions(dot, llvm::sys::fs::all_all));
  }
  std::string before = std::getenv("PATH");
  setenv("PATH", bin.c_str(), 1);
  auto restore = llvm::make_scope_exit([&] {
    setenv("PATH", before.c_str(), 1);
    llvm::sys::fs::remove_directories(bin);
  });
  DiagnosticEngine diags;
  LogicalResult result = writeGraph(svg, [](raw_ostream &os) { os << "digraph {}\n"; }, diags);
  CHECK(failed(result) == diags.hasErrors());
  auto drawn = llvm::MemoryBuffer::getFile(svg);
  picture = drawn ? (*drawn)->getBuffer().str() : "";
  std::string said = textOf(diags);
  return said.empty() ? said : with(said, bin, "BIN");
}
} // namespace

TEST_CASE("graphviz reads the graph and writes the picture", "[graphviz]") {
  std::string picture;
  CHECK(drawWith("#!/bin/sh\n[ $1 = -Tsvg ] && [ $2 = -o ] && /bin/cat $4 $4 > $3\n", picture) ==
        "");
  CHECK(picture == "digraph {}\ndigraph {}\n");
}

TEST_CASE("without graphviz there is no picture but advice", "[graphviz]") {
  std::string picture;
  CHECK(drawWith(std::nullopt, picture) ==
        "tool: error: cannot draw 'BIN/picture.svg': graphviz is not installed, there is no 'dot' "
        "on the PATH; install it, or write a file that ends in .dot\n");
  CHECK(picture == "");
}

TEST_CASE("if graphviz cannot draw curves, arrows are straight", "[graphviz]") {
  std::string picture;
  CHECK(drawWith(R"(
        #!/bin/sh
        if [ "$5" = -Gsplines=line ]; then /bin/cat $4 > $3; else echo half > $3; kill -ABRT $$; fi
        )"_lines,
                 picture) ==
        "tool: warning: 'BIN/picture.svg' has straight arrows: graphviz cannot draw curved ones "
        "and reports 'Aborted'\n");
  CHECK(picture == "digraph {}\n");
}

TEST_CASE("messages of graphviz are forwarded", "[graphviz]") {
  std::string picture;
  CHECK(drawWith(R"(
    #!/bin/sh
    echo 'Error: no memory' >&2
    echo more >&2
    exit 1
    )"_lines,
                 picture) ==
        "tool: error: cannot draw 'BIN/picture.svg': graphviz reports 'Error: no memory'; write a "
        "file that ends in .dot to inspect its input\n");
  CHECK(picture == "");
}
