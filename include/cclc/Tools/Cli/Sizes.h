//===- Sizes.h - Sizes of --bytes and --sweep -------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CLI_SIZES_H
#define CCL_TOOLS_CLI_SIZES_H

#include "cclc/Support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc {

class CommandLine;

/// The arguments as given: --bytes, --sweep, or -b, -e and -f as in nccl-tests.
struct SizeArguments {
  std::vector<std::string> bytes;
  std::optional<std::string> sweep, begin, end, factor;

  bool areNamed() const { return !bytes.empty() || sweep || begin; }
  /// Whether a sweep is requested, even of a single size.
  bool areSeveral() const { return sweep || end; }
};

void addSizeOptions(CommandLine &line, SizeArguments &args, const char *verb = "simulate");

/// The sizes of a run: one size (default: 1 MiB) or several, ascending. Reports errors.
LogicalResult parseSizes(const SizeArguments &args, std::vector<uint64_t> &sizes,
                         DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CLI_SIZES_H
