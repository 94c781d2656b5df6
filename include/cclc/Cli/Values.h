//===- Values.h - Small values on the command line --------------*- C++ -*-===//

#ifndef CCL_CLI_VALUES_H
#define CCL_CLI_VALUES_H

#include "cclc/IR/ProgramInfo.h"
#include "cclc/Support/Diagnostics.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Transforms/Passes.h"

#include <optional>

namespace cclc {

/// "512", "64K", "1MiB", "1GiB": bytes, with binary units.
std::optional<uint64_t> parseSize(StringRef text);
/// The same for the option \p option; reports what is wrong.
std::optional<uint64_t> parseSize(StringRef option, StringRef text, DiagnosticEngine &diags);

/// "KEY=VALUE" in two; reports where there is no '='.
std::optional<std::pair<std::string, std::string>> parseKeyValue(StringRef option, StringRef text,
                                                                 DiagnosticEngine &diags);

/// The value of --slots; reports what is wrong.
std::optional<Slots> parseSlots(StringRef text, DiagnosticEngine &diags);

/// What --fuse takes: a list of rcs, rrcs and rrs. All that is not in it is not fused.
std::optional<FusionOptions> parseFusion(StringRef text, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_CLI_VALUES_H
