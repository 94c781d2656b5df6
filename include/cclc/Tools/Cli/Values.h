//===- Values.h - Parsing values of options ---------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CLI_VALUES_H
#define CCL_TOOLS_CLI_VALUES_H

#include "cclc/IR/ProgramInfo.h"
#include "cclc/Support/Diagnostics.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Support/Text.h"
#include "cclc/Support/Units.h"
#include "cclc/Transforms/Passes.h"

#include <optional>

namespace cclc {

/// parseSize() of Support/Text.h for the option \p option; reports errors.
std::optional<uint64_t> parseSize(StringRef option, StringRef text, DiagnosticEngine &diags);

/// "2e-6": seconds, from 0 to a million, to the nearest picosecond.
std::optional<SimTime> parseSeconds(StringRef text);

/// Parses a list of different numbers and ranges, "0,2,8-15" or "0-56:8" (0, 8 ... 56), in order;
/// reports errors.
std::optional<std::vector<uint32_t>> parseNumbers(StringRef option, StringRef text,
                                                  DiagnosticEngine &diags);

/// Splits "KEY=VALUE"; reports a missing '='.
std::optional<std::pair<std::string, std::string>> parseKeyValue(StringRef option, StringRef text,
                                                                 DiagnosticEngine &diags);

/// Parses the value of --slots; reports errors.
std::optional<Slots> parseSlots(StringRef text, DiagnosticEngine &diags);

/// Parses the value of --fuse, a list of rcs, rrcs and rrs; the others are disabled.
std::optional<FusionOptions> parseFusion(StringRef text, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CLI_VALUES_H
