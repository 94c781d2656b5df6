//===- Text.h - Small values on the command line ----------------*- C++ -*-===//

#ifndef CCL_LIB_DRIVER_TEXT_H
#define CCL_LIB_DRIVER_TEXT_H

#include "cclc/IR/ProgramInfo.h"
#include "cclc/Support/Diagnostics.h"

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

/// A reduction hash as people and reports see it: 16 hexadecimal digits.
std::string hashText(uint64_t hash);

/// "1 step", "2 steps".
std::string counted(uint64_t number, StringRef what);

/// " (did you mean 'x'?)" for the candidate that is nearest to \p word, if any is.
std::string didYouMean(StringRef word, ArrayRef<std::string> candidates);

/// \p text broken into lines of at most \p width, each indented by \p indent.
std::string wrapped(StringRef text, unsigned indent, unsigned width = 80);

} // namespace cclc

#endif // CCL_LIB_DRIVER_TEXT_H
