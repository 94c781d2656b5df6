//===- Filter.cpp - Parts of graphs ---------------------------------------===//
//
// Ranks, chunks and phases are those of the program at the stage that is drawn.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Dot/Filter.h"

#include "cclc/Support/Spelling.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

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

FailureOr<DotOptions> DotFilter::optionsFor(const ProgramInfo &info,
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
  if (!fold)
    return options;
  if (std::optional<DotFold> found = parseDotFold(*fold))
    options.fold = *found;
  else
    return diags.error(
        {}, unknownWord("folding", *fold,
                        {"auto", "none", "rank-phase", "rank", "group-phase", "group", "phase"}));
  return options;
}
