//===- Sizes.h - The sizes that --bytes and --sweep ask for -----*- C++ -*-===//

#ifndef CCL_CLI_SIZES_H
#define CCL_CLI_SIZES_H

#include "cclc/Support/Diagnostics.h"

#include <optional>

namespace cclc {

class CommandLine;

/// As they are given: --bytes, --sweep, or -b, -e and -f as nccl-tests has them.
struct SizeArguments {
  std::optional<std::string> bytes, sweep, begin, end, factor;

  bool areNamed() const { return bytes || sweep || begin; }
  /// Whether a sweep is asked for, if only of one size.
  bool areSeveral() const { return sweep || end; }
};

void addSizeOptions(CommandLine &line, SizeArguments &args);

/// Of a run: one size, 1 MiB where none is given, or several, ascending. Reports what is wrong.
LogicalResult parseSizes(const SizeArguments &args, std::vector<uint64_t> &sizes,
                         DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_CLI_SIZES_H
