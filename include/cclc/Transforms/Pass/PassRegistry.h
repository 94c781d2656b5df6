//===- PassRegistry.h - Passes by name --------------------------*- C++ -*-===//

#ifndef CCL_TRANSFORMS_PASS_PASSREGISTRY_H
#define CCL_TRANSFORMS_PASS_PASSREGISTRY_H

#include "cclc/Transforms/Pass/Pass.h"

#include <functional>

namespace cclc {

/// The options after a pass name: fuse{rcs=no,rrs=no}. A pass reads each option that it supports;
/// an option that was not read is an error.
class PassOptions {
public:
  PassOptions() = default;

  void set(StringRef key, StringRef value) { values[key.str()] = {value.str(), false}; }
  bool flag(StringRef key, bool otherwise);
  std::string text(StringRef key, StringRef otherwise);
  /// The value as a number, or none if the option is not given.
  std::optional<uint32_t> number(StringRef key);
  /// The value as a number of slots, or none if the option is not given.
  std::optional<Slots> slots(StringRef key);
  /// The value, which must be one of \p words; the first word if the option is not given.
  std::string choice(StringRef key, ArrayRef<StringRef> words);

  /// The first error in the options: an invalid value or an unknown option.
  std::optional<std::string> problem() const;

private:
  std::optional<std::string> given(StringRef key);

  struct Value {
    std::string text;
    bool used;
  };
  std::map<std::string, Value> values;
  std::optional<std::string> badValue;
};

struct PassEntry {
  std::string name;
  Level input, output;
  std::string summary;
  /// Name, default and meaning of each option, one line each.
  std::string options;
  std::function<std::unique_ptr<Pass>(PassOptions &)> create;
};

/// Filled by explicit calls (registerTransforms, registerSchedulers), without static constructors.
class PassRegistry {
public:
  void add(PassEntry entry) { entries.push_back(std::move(entry)); }
  const PassEntry *find(StringRef name) const;
  ArrayRef<PassEntry> all() const { return entries; }

  /// Creates the passes of "a,b{k=v,...},c", or reports what is wrong.
  FailureOr<std::vector<std::unique_ptr<Pass>>> parsePipeline(StringRef text,
                                                              DiagnosticEngine &diags) const;

private:
  std::vector<PassEntry> entries;
};

/// Registers verification passes, one for each level. They change nothing and fail if the program
/// is wrong.
void registerChecks(PassRegistry &registry);

} // namespace cclc

#endif // CCL_TRANSFORMS_PASS_PASSREGISTRY_H
