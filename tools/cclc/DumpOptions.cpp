//===- DumpOptions.cpp - Options of the --dump graphs ---------------------===//
//
// Declares and checks the options. Ranks, chunks and phases are looked up when a graph is written,
// because they depend on the program at that stage.
//
//===----------------------------------------------------------------------===//

#include "DumpOptions.h"

#include "cclc/Tools/Cli/Output.h"
#include "cclc/Tools/Cli/Values.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

void DumpOptions::addTo(CommandLine &line) {
  line.option("--dump-chunk-dag", "FILE", chunkDag,
              "draw the Chunk DAG: as DOT source, or rendered by graphviz if FILE ends in .svg, "
              ".pdf or .png");
  line.option("--dump-inst-dag", "FILE", instDag, "draw the Instruction DAG");
  line.option("--dump-schedule", "FILE", schedule, "draw the schedule");
  line.number("--dump-rank", 0, 1 << 16, rank, "draw only this rank and its neighbours");
  line.number("--dump-chunk", 0, ~uint32_t(0), chunk, "draw only this chunk index");
  line.option("--dump-phase", "PHASE", phase, "draw only this phase, given by name or number");
  line.choice(
      "--dump-fold", {"auto", "none", "rank-phase", "rank", "group-phase", "group", "phase"}, fold,
      "choose what a node represents (default: auto: a single step, or a group in large graphs)");
}

void DumpOptions::addTo(NamedFiles &files) const {
  files.output("--dump-chunk-dag", chunkDag);
  files.output("--dump-inst-dag", instDag);
  files.output("--dump-schedule", schedule);
}

LogicalResult DumpOptions::check(DiagnosticEngine &diags) const {
  if (!any() && (rank || chunk || phase || fold))
    return diags.error({}, "--dump-rank, --dump-chunk, --dump-phase and --dump-fold need a "
                           "--dump-chunk-dag, --dump-inst-dag or --dump-schedule that they apply "
                           "to");
  return success();
}

/// Names take precedence, because a phase may be named by a number.
static FailureOr<PhaseId> findPhase(StringRef text, const ProgramInfo &info,
                                    DiagnosticEngine &diags) {
  std::vector<std::string> names;
  for (uint32_t p = 0; p < info.phases.size(); ++p) {
    if (!info.phases[p].name.empty() && info.phases[p].name == text)
      return PhaseId(p);
    if (!info.phases[p].name.empty())
      names.push_back(info.phases[p].name);
  }
  uint32_t number;
  if (!text.getAsInteger(10, number) && number < info.phases.size())
    return PhaseId(number);
  std::string known;
  for (uint32_t p = 1; p < info.phases.size(); ++p)
    known += formatv("{0}{1} '{2}'", p == 1 ? "" : ", ", p, info.phases[p].name);
  return diags.error({}, "--dump-phase: there is no phase '" + text + "'" +
                             didYouMean(text.str(), names) +
                             (known.empty() ? "; the program names none" : "; there are " + known));
}

FailureOr<DotOptions> DumpOptions::optionsFor(const ProgramInfo &info,
                                              DiagnosticEngine &diags) const {
  DotOptions options;
  if (rank && *rank >= info.ranks())
    return diags.error({},
                       formatv("--dump-rank: there is no rank {0} of {1}", *rank, info.ranks()));
  if (rank)
    options.rank = RankId(*rank);
  if (chunk) {
    uint32_t chunks = std::max(info.collective.inputChunks(), info.collective.outputChunks());
    if (*chunk >= chunks)
      return diags.error({}, formatv("--dump-chunk: there is no chunk {0} of {1}", *chunk, chunks));
    options.chunk = *chunk;
  }
  if (phase) {
    FailureOr<PhaseId> found = findPhase(*phase, info, diags);
    if (failed(found))
      return failure();
    options.phase = *found;
  }
  if (fold)
    options.fold = *parseDotFold(*fold);
  return options;
}

template <class Program>
LogicalResult DumpOptions::writeTo(const std::optional<std::string> &file, const Program &program,
                                   DiagnosticEngine &diags) const {
  if (!file)
    return success();
  FailureOr<DotOptions> options = optionsFor(program.info(), diags);
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
