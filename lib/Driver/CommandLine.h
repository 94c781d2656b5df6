//===- CommandLine.h - Options of a tool ------------------------*- C++ -*-===//
//
// A front to CLI11, whose header is included in one file only. Whatever cannot be
// parsed ends in one message and exit code 2.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_DRIVER_COMMANDLINE_H
#define CCL_LIB_DRIVER_COMMANDLINE_H

#include "cclc/Support/LLVM.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace cclc {

class CommandLine {
public:
  CommandLine(std::string tool, const std::string &description);
  ~CommandLine();

  /// A verb with options of its own: "cclc list".
  CommandLine command(const std::string &name, const std::string &help);
  /// Whether the verb was given.
  bool chosen() const;

  /// Titles the options that are added next.
  void group(const std::string &title) { currentGroup = title; }
  void positional(const char *name, std::string &place, const std::string &help, bool required);
  /// Any number of them.
  void positionals(const char *name, std::vector<std::string> &place, const std::string &help);
  void flag(const char *names, bool &place, const std::string &help);
  /// A flag that may carry one of \p words: alone it stands for the first of them.
  /// \p place stays empty when it is not given.
  void flagOr(const char *name, std::vector<std::string> words, std::string &place,
              const std::string &help);
  void option(const char *names, const char *value, std::optional<std::string> &place,
              const std::string &help);
  /// One of several words.
  void choice(const char *names, std::vector<std::string> words, std::optional<std::string> &place,
              const std::string &help);
  void number(const char *names, uint64_t low, uint64_t high, std::optional<uint64_t> &place,
              const std::string &help);
  /// May be given several times.
  void list(const char *names, const char *value, std::vector<std::string> &place,
            const std::string &help);

  /// An exit code when the tool must end now: help and version were printed, or the
  /// command line makes no sense.
  std::optional<int> parse(int argc, char **argv);

private:
  explicit CommandLine(CLI::App *verb);

  std::unique_ptr<CLI::App> owned;
  CLI::App *app;
  std::string currentGroup;
};

/// The version of the toolchain: "0.1.0".
const char *versionString();

} // namespace cclc

#endif // CCL_LIB_DRIVER_COMMANDLINE_H
