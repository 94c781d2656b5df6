//===- Health.h - Parts of servers that differ from their siblings -*- C++ -*-===//

#ifndef CCL_LIB_TARGET_IMPORT_HEALTH_H
#define CCL_LIB_TARGET_IMPORT_HEALTH_H

#include "NcclTopology.h"

#include "cclc/Target/Import/Health.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace cclc {

/// A finding in a model of a machine, and how its parts become like their siblings.
template <class Model> struct FindingIn : Finding {
  std::function<void(Model &)> mend; ///< null: it is not known what the parts would have
  bool betweenServers = false;       ///< whether the parts limit only messages between servers
};

/// The findings with the targets \c with and \c without, which \p textOf makes of a model and
/// betweenServers; an empty text if there is none.
template <class Model>
std::vector<Finding>
withTargets(const std::vector<FindingIn<Model>> &found, const Model &model,
            llvm::function_ref<std::string(const Model &, bool betweenServers)> textOf) {
  std::vector<Finding> result;
  auto mended = [&](const FindingIn<Model> *except, bool betweenServers) {
    Model copy = model;
    for (const FindingIn<Model> &each : found)
      if (&each != except && each.mend)
        each.mend(copy);
    return textOf(copy, betweenServers);
  };
  for (const FindingIn<Model> &each : found) {
    Finding &finding = result.emplace_back(each);
    if (!each.mend)
      continue;
    finding.with = mended(&each, each.betweenServers);
    finding.without = mended(nullptr, each.betweenServers);
    // Parts that the target does not have.
    if (finding.with == finding.without)
      finding.with = finding.without = "";
  }
  return result;
}

namespace nccl {
/// Compares the GPUs and NICs of each host of \p server with each other.
std::vector<FindingIn<Server>> findUnhealthy(const Server &server);
} // namespace nccl

} // namespace cclc

#endif // CCL_LIB_TARGET_IMPORT_HEALTH_H
