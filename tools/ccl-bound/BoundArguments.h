//===- BoundArguments.h - The command line of ccl-bound ---------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_BOUND_BOUNDARGUMENTS_H
#define CCL_TOOLS_CCL_BOUND_BOUNDARGUMENTS_H

#include "cclc/Tools/Cli/Output.h"
#include "cclc/Tools/Cli/Sizes.h"

#include "cclc/Tools/BoundTable.h"
#include "cclc/Tools/PeakTable.h"

namespace cclc {

class CommandLine;

struct BoundArguments {
  std::string target, collectiveText;
  SizeArguments sizeTexts;
  std::vector<std::string> sets;
  std::optional<std::string> endpointList, mapperText, network, plan, measured, without, relay,
      json;
  std::optional<uint64_t> ranks, root, timeLimit;
  MessageForm format = MessageForm::Text;

  // The values of these texts.
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::vector<uint64_t> sizes;
  std::vector<TargetOverride> overrides;
  std::vector<uint32_t> endpoints; ///< empty if not given
  Mapper mapper = Mapper::AllPes;

  void addTo(CommandLine &line);
  /// Parses and checks the texts.
  LogicalResult read(const Resources &resources, DiagnosticEngine &diags);
  /// Whether the peak is requested, of all collectives or of one that was measured.
  bool isPeak() const { return collectiveText.empty() || measured; }
  /// The request of the values, without a plan.
  BoundTableRequest request(const Resources &resources) const;
  PeakRequest peakRequest(const Resources &resources) const;

private:
  LogicalResult readCollective(DiagnosticEngine &diags);
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_BOUND_BOUNDARGUMENTS_H
