#include "cclc/Compiler/Variant.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

static std::string fusionOption(const FusionOptions &fusion) {
  if (fusion == FusionOptions::none())
    return "--no-fuse";
  std::string kinds;
  for (auto [enabled, name] :
       {std::pair(fusion.rcs, "rcs"), std::pair(fusion.rrcs, "rrcs"), std::pair(fusion.rrs, "rrs")})
    if (enabled)
      kinds += (kinds.empty() ? "" : ",") + std::string(name);
  return "--fuse " + kinds;
}

std::vector<std::string> cclc::optionsOf(const Variant &variant) {
  std::vector<std::string> options;
  if (variant.placement != RankPlacement::Linear)
    options.push_back(formatv("--placement {0}", rankPlacementName(variant.placement)));
  if (!variant.goal)
    options.emplace_back("-O1");
  else if (*variant.goal != ScheduleGoal::Balance)
    options.push_back(formatv("--optimize-for {0}", goalName(*variant.goal)));
  if (variant.maxChannels)
    options.push_back(formatv("--max-channels {0}", *variant.maxChannels));
  if (variant.aggregate)
    options.emplace_back("--aggregate");
  if (variant.fusion != FusionOptions())
    options.push_back(fusionOption(variant.fusion));
  return options;
}
