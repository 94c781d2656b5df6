//===- Loader.h - Machines from target files --------------------*- C++ -*-===//

#ifndef CCL_TARGET_LOADER_H
#define CCL_TARGET_LOADER_H

#include "cclc/Support/Diagnostics.h"
#include "cclc/Target/Machine.h"

namespace cclc {

/// A value of a target file to replace, by its JSON path: ipcq.slot_memory=sram. Or
/// of links, by the names of their nodes: links.n0->n1.bandwidth=5e9, links.n0->n1=off.
struct TargetOverride {
  std::string path, value;
};
/// Splits "PATH=VALUE".
FailureOr<TargetOverride> parseOverride(StringRef text, DiagnosticEngine &diags);

/// Appends all of \p texts to \p overrides, or reports the first that is wrong.
LogicalResult parseOverrides(ArrayRef<std::string> texts, std::vector<TargetOverride> &overrides,
                             DiagnosticEngine &diags);

struct TargetRequest {
  /// A bundled target's name, or the path of a JSON file.
  std::string nameOrFile;
  /// Folder of the bundled targets.
  std::string targetDir;
  std::vector<TargetOverride> overrides;
  /// Ranks to make room for, where the target has no size of its own.
  std::optional<uint32_t> ranks;
};

/// Reads and builds a machine. Unknown keys, wrong types and impossible values are
/// errors that name the key. \p resolved, if not null, becomes the text of a target
/// without base that states every key, and that loads to the same machine for any
/// number of ranks.
FailureOr<Machine> loadTarget(const TargetRequest &request, DiagnosticEngine &diags,
                              std::string *resolved = nullptr);

/// The target with room for \p plans: for the endpoints of one that was compiled for a target of
/// this name, else for its ranks.
FailureOr<Machine> loadTargetFor(ArrayRef<const ProgramInfo *> plans, TargetRequest request,
                                 DiagnosticEngine &diags, std::string *resolved = nullptr);

/// The machine that a plan was compiled for, by content, with further \p overrides. Fails
/// where the plan does not say it, or says it by the name of a bundled target that has
/// changed since.
FailureOr<Machine> loadTargetOf(const ProgramInfo &plan, StringRef targetDir,
                                ArrayRef<TargetOverride> overrides, DiagnosticEngine &diags,
                                std::string *resolved = nullptr);

/// The files of a target: its own, then its base and so on, as far as they can be read. A pipe,
/// which can be read once, is not.
std::vector<std::string> targetFiles(StringRef nameOrFile, StringRef targetDir);

/// Name and description of every bundled target, sorted by name.
std::vector<std::pair<std::string, std::string>> listTargets(StringRef targetDir);

} // namespace cclc

#endif // CCL_TARGET_LOADER_H
