//===- BoundArguments.h - The command line of ccl-bound ---------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_BOUND_BOUNDARGUMENTS_H
#define CCL_TOOLS_CCL_BOUND_BOUNDARGUMENTS_H

#include "cclc/Tools/Cli/Output.h"
#include "cclc/Tools/Cli/Sizes.h"

#include "cclc/Tools/BoundTable.h"

namespace cclc {

class CommandLine;

struct BoundArguments {
  std::string target, collectiveText;
  SizeArguments sizeTexts;
  std::vector<std::string> sets;
  std::optional<std::string> endpointList, mapperText, network, plan, json;
  std::optional<uint64_t> ranks, root;
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
  /// The request of the values, without a plan.
  BoundTableRequest request(const Resources &resources) const;
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_BOUND_BOUNDARGUMENTS_H
