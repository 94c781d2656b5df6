//===- Values.h - Parsing values of options ---------------------*- C++ -*-===//

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
/// The same for the option \p option; reports errors.
std::optional<uint64_t> parseSize(StringRef option, StringRef text, DiagnosticEngine &diags);

/// Splits "KEY=VALUE"; reports a missing '='.
std::optional<std::pair<std::string, std::string>> parseKeyValue(StringRef option, StringRef text,
                                                                 DiagnosticEngine &diags);

/// Parses the value of --slots; reports errors.
std::optional<Slots> parseSlots(StringRef text, DiagnosticEngine &diags);

/// Parses the value of --fuse, a list of rcs, rrcs and rrs; the others are disabled.
std::optional<FusionOptions> parseFusion(StringRef text, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_CLI_VALUES_H
