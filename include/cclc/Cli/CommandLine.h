//===- CommandLine.h - Options of a tool ------------------------*- C++ -*-===//
//
// A front to CLI11, whose header is included in one file only. Whatever cannot be
// parsed ends in one message and exit code 2.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_CLI_COMMANDLINE_H
#define CCL_CLI_COMMANDLINE_H

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
              const std::string &help, const char *value = "N");
  /// May be given several times.
  void list(const char *names, const char *value, std::vector<std::string> &place,
            const std::string &help);

  /// Keeps \p old as a former spelling of the option \p name: it works, but is deprecated with a
  /// warning and not shown in the help.
  void renamed(const char *old, const char *name);

  /// Returns an exit code if the tool must exit: after help or version, or an error in the
  /// command line. Otherwise sets the memory limit of the process.
  std::optional<int> parse(int argc, char **argv);

private:
  explicit CommandLine(CLI::App *verb);

  std::unique_ptr<CLI::App> owned;
  CLI::App *app;
  std::string currentGroup;
  std::string maxMemory;
};

/// Prints to stderr that a former spelling is deprecated.
void warnOfRename(StringRef tool, StringRef old, StringRef name);

} // namespace cclc

#endif // CCL_CLI_COMMANDLINE_H
