//===- Graph.cpp - Graphs of programs -------------------------------------===//
//
// A program is compiled, and drawn when the stage is reached. With several variants the last one is
// drawn, as by cclc.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Views/Dot/Filter.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::api;

namespace {
/// The graph of one stage.
class Drawing {
public:
  Drawing(const GraphOptions &options, DiagnosticEngine &diags)
      : filter{options.rank, options.chunk, options.phase, options.fold}, diags(diags) {}

  template <class Program> void draw(const Program &program) {
    FailureOr<DotOptions> how = filter.optionsFor(program.info(), diags);
    isRefused |= failed(how);
    if (isRefused)
      return;
    dot.clear();
    llvm::raw_string_ostream os(dot);
    writeDot(program, os, *how);
  }

  std::string dot; ///< empty until the stage is reached
  bool isRefused = false;

private:
  DotFilter filter;
  DiagnosticEngine &diags;
};
} // namespace

Result<std::string> Toolchain::graph(const dsl::Declaration &program,
                                     const CompileOptions &compilation,
                                     const GraphOptions &options) const {
  return unlessCancelled([&]() -> Result<std::string> {
    DiagnosticEngine diags;
    CompileRequest request;
    Drawing drawing(options, diags);
    auto draw = [&](const auto &stage) { drawing.draw(stage); };
    if (options.stage == "chunk-dag")
      request.onChunkProgram = draw;
    else if (options.stage == "inst-dag")
      request.onInstrProgram = draw;
    else if (options.stage != "schedule")
      diags.error({}, unknownWord("stage", options.stage, {"chunk-dag", "inst-dag", "schedule"}));
    if (failed(readOptions(compilation, folder, request, diags)))
      return Failed{diags};
    FailureOr<Compiled> compiled = cclc::compile(program, request, diags);
    if (succeeded(compiled) && options.stage == "schedule")
      drawing.draw(compiled->plan);
    if (drawing.isRefused || drawing.dot.empty())
      return Failed{diags};
    return {std::move(drawing.dot), messagesOf(diags)};
  });
}
