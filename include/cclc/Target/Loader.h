//===- Loader.h - Loading machines from target files ------------*- C++ -*-===//

#ifndef CCL_TARGET_LOADER_H
#define CCL_TARGET_LOADER_H

#include "cclc/Support/Diagnostics.h"
#include "cclc/Target/Machine.h"

namespace cclc {

/// A replacement for a value of a target file, by its JSON path, such as ipcq.slot_memory=sram, or
/// for a property of links, by the names of their nodes: links.n0->n1.bandwidth=5e9,
/// links.n0->n1=off.
struct TargetOverride {
  std::string path, value;
};
/// Splits "PATH=VALUE".
FailureOr<TargetOverride> parseOverride(StringRef text, DiagnosticEngine &diags);

/// Appends all of \p texts to \p overrides, or reports the first invalid one.
LogicalResult parseOverrides(ArrayRef<std::string> texts, std::vector<TargetOverride> &overrides,
                             DiagnosticEngine &diags);

/// The newest version of target files that can be read. It is 1, also in files without a version.
inline constexpr uint32_t targetVersion = 1;

struct TargetRequest {
  /// A bundled target's name, or the path of a JSON file.
  std::string nameOrFile;
  /// The folder of the bundled targets.
  std::string targetDir;
  std::vector<TargetOverride> overrides;
  /// The number of ranks, for targets without a fixed size.
  std::optional<uint32_t> ranks;
  bool withLimits = true; ///< whether the machine has the limits of the target
};

/// Reads and builds a machine. Unknown keys, wrong types and invalid values are errors that name
/// the key. \p resolved, if not null, is set to the text of an equivalent target that has no base
/// and contains every key, for any number of ranks.
FailureOr<Machine> loadTarget(const TargetRequest &request, DiagnosticEngine &diags,
                              std::string *resolved = nullptr);

/// Loads the machine of a target without a base from its text; \p shown names it in messages.
FailureOr<Machine> loadTargetText(StringRef text, StringRef shown, DiagnosticEngine &diags,
                                  ArrayRef<TargetOverride> overrides = {});

/// Loads the target, large enough for \p plans: for the endpoints of a plan that was compiled for a
/// target of this name, else for its ranks; and for request.ranks.
FailureOr<Machine> loadTargetFor(ArrayRef<const ProgramInfo *> plans, TargetRequest request,
                                 DiagnosticEngine &diags, std::string *resolved = nullptr);

/// Loads the machine that a plan was compiled for, with additional \p overrides. Fails if the plan
/// has no target, or if it names a bundled target that has changed since.
FailureOr<Machine> loadTargetOf(const ProgramInfo &plan, StringRef targetDir,
                                ArrayRef<TargetOverride> overrides, DiagnosticEngine &diags,
                                std::string *resolved = nullptr);

/// The files of a target: its own, then its base and so on, up to the first that cannot be read.
/// Pipes are omitted, because they can be read only once.
std::vector<std::string> targetFiles(StringRef nameOrFile, StringRef targetDir);

/// The name and description of every bundled target, sorted by name. The folder also contains
/// schema.json, the JSON Schema of targets.
std::vector<std::pair<std::string, std::string>> listTargets(StringRef targetDir);

} // namespace cclc

#endif // CCL_TARGET_LOADER_H
