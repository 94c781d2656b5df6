//===- ImportMachine.cpp - The formats of machines of other tools ---------===//
//
// A table has the formats in the order in which they are tried: how the text of a file shows its
// format, the options for values that files of the format lack, and the reader.
//
//===----------------------------------------------------------------------===//

#include "Readers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>

using namespace cclc;
using llvm::formatv;

namespace {
/// Options that not all formats use.
enum Use : unsigned { Nodes = 1 << 0 };

struct Format {
  const char *name;
  bool (*recognises)(StringRef text);
  FailureOr<std::string> (*import)(const ForeignFile &, const ImportOptions &, DiagnosticEngine &);
  unsigned uses; ///< the sum of its options
};

constexpr std::array formats = {
    Format{"a topology file of NCCL or RCCL (XML)",
           [](StringRef text) { return text.ltrim().starts_with("<"); }, importNcclTopology, Nodes},
    Format{"a network file of ASTRA-sim (YAML)", isAstraNetwork, importAstraNetwork, 0},
};

/// Reports the options that \p format does not use.
LogicalResult checkOptions(const Format &format, const ForeignFile &file,
                           const ImportOptions &options, DiagnosticEngine &diags) {
  const std::tuple<const char *, bool, Use> given[] = {
      {"--nodes", options.nodes.has_value(), Nodes}};
  for (const auto &[option, isGiven, use] : given)
    if (isGiven && !(format.uses & use)) {
      std::vector<std::string> users;
      for (const Format &other : formats)
        if (other.uses & use)
          users.push_back(other.name);
      return diags.error({file.name}, formatv("is {0}, which does not use {1}: the option applies "
                                              "to {2}",
                                              format.name, option, llvm::join(users, ", ")));
    }
  return success();
}
} // namespace

std::vector<std::string> cclc::importFormats() {
  std::vector<std::string> names;
  for (const Format &format : formats)
    names.emplace_back(format.name);
  return names;
}

FailureOr<std::string> cclc::importMachine(const ForeignFile &file, const ImportOptions &options,
                                           DiagnosticEngine &diags) {
  const auto *format =
      llvm::find_if(formats, [&](const Format &f) { return f.recognises(file.text); });
  if (format == formats.end())
    return diags.error({file.name},
                       "has no known format: it must be " + llvm::join(importFormats(), ", or "));
  if (failed(checkOptions(*format, file, options, diags)))
    return failure();
  return format->import(file, options, diags);
}
