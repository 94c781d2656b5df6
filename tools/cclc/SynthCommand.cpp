//===- SynthCommand.cpp - cclc synth --------------------------------------===//
//
// The algorithm is found by Tools/Synthesis, and compiled like a bundled program.
//
//===----------------------------------------------------------------------===//

#include "SynthCommand.h"

#include "cclc/Formats/PlanFormat.h"

using namespace cclc;

void SynthCommand::addTo(CommandLine &verb, CompileArguments &args) {
  verb.positional("COLLECTIVE", request.collective,
                  "allreduce, allgather, reducescatter, broadcast, reduce, gather, scatter or "
                  "alltoall",
                  true);
  verb.number("--trees", 1, 64, trees,
              "set the number of trees per root, or of paths per pair of ranks (default: the "
              "fewest that load the busiest link within 1 % of the best found; more trees, and "
              "trees on several channels, if their plan is faster)");
  verb.number("--chunks", 1, 64, chunks,
              "divide the data of a tree into N chunks (default: 1; without --trees, the number "
              "whose plan is the fastest)");
  verb.flag("--neighbours", request.toNeighbours,
            "let paths lead from neighbour to neighbour: by transfers whose routes pass no third "
            "rank");
  verb.flag("--latency", request.isSmall,
            "minimise the time of small buffers, of --max-bytes (default: 1K), instead of the load "
            "of the busiest link; the default of --trees is then 1");
  verb.number("--root", 0, 65535, root,
              "set the root of a broadcast, reduction, gather or scatter (default: 0)");
  std::vector<std::string> forms = planFormatNames();
  forms.emplace_back("cpp");
  args.addOptions(verb, std::move(forms));
}

void SynthCommand::begin(CompileArguments &args) {
  toSource = args.emit == "cpp";
  if (toSource)
    args.emit.reset();
}

FailureOr<dsl::Declaration> SynthCommand::synthesise(CompileRequest &compilation,
                                                     DiagnosticEngine &diags) {
  auto number = [](std::optional<uint64_t> given) {
    return given ? std::optional(uint32_t(*given)) : std::nullopt;
  };
  request.trees = number(trees);
  request.chunks = number(chunks);
  request.root = number(root);
  found.emplace(request);
  return found->find(compilation, diags);
}
