//===- DumpOptions.cpp - Options of the --dump graphs ---------------------===//
//
// Declares and checks the options. Ranks, chunks and phases are looked up when a graph is written
// (Views/Dot/Filter.h).
//
//===----------------------------------------------------------------------===//

#include "DumpOptions.h"

#include "cclc/Tools/Cli/Output.h"

using namespace cclc;

void DumpOptions::addTo(CommandLine &line) {
  line.option("--dump-chunk-dag", "FILE", chunkDag,
              "draw the Chunk DAG: as DOT source, or rendered by graphviz if FILE ends in .svg, "
              ".pdf or .png");
  line.option("--dump-inst-dag", "FILE", instDag, "draw the Instruction DAG");
  line.option("--dump-schedule", "FILE", schedule, "draw the schedule");
  line.number("--dump-rank", 0, 1 << 16, filter.rank, "draw only this rank and its neighbours");
  line.number("--dump-chunk", 0, ~uint32_t(0), filter.chunk, "draw only this chunk index");
  line.option("--dump-phase", "PHASE", filter.phase,
              "draw only this phase, given by name or number");
  line.choice(
      "--dump-fold", {"auto", "none", "rank-phase", "rank", "group-phase", "group", "phase"},
      filter.fold,
      "choose what a node represents (default: auto: a single step, or a group in large graphs)");
}

void DumpOptions::addTo(NamedFiles &files) const {
  files.output("--dump-chunk-dag", chunkDag);
  files.output("--dump-inst-dag", instDag);
  files.output("--dump-schedule", schedule);
}

LogicalResult DumpOptions::check(DiagnosticEngine &diags) const {
  if (!any() && filter.isAny())
    return diags.error({}, "--dump-rank, --dump-chunk, --dump-phase and --dump-fold need a "
                           "--dump-chunk-dag, --dump-inst-dag or --dump-schedule that they apply "
                           "to");
  return success();
}

template <class Program>
LogicalResult DumpOptions::writeTo(const std::optional<std::string> &file, const Program &program,
                                   DiagnosticEngine &diags) const {
  if (!file)
    return success();
  FailureOr<DotOptions> options = filter.optionsFor(program.info(), diags);
  if (failed(options))
    return failure();
  return writeGraph(*file, [&](raw_ostream &os) { writeDot(program, os, *options); }, diags);
}

LogicalResult DumpOptions::write(const ChunkProgram &program, DiagnosticEngine &diags) const {
  return writeTo(chunkDag, program, diags);
}
LogicalResult DumpOptions::write(const InstrProgram &program, DiagnosticEngine &diags) const {
  return writeTo(instDag, program, diags);
}
LogicalResult DumpOptions::write(const ExecPlan &plan, DiagnosticEngine &diags) const {
  return writeTo(schedule, plan, diags);
}
