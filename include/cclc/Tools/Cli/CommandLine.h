//===- CommandLine.h - Options of a tool ------------------------*- C++ -*-===//
//
// A wrapper of CLI11, whose header is included in one file only. Errors in the command line are
// reported by one message and exit code 2.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CLI_COMMANDLINE_H
#define CCL_TOOLS_CLI_COMMANDLINE_H

#include "cclc/Tools/Cli/Output.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace cclc {

class CommandLine {
public:
  CommandLine(const std::string &tool, const std::string &description);
  CommandLine(CommandLine &&) noexcept;
  ~CommandLine();

  /// Adds a verb with its own options: "cclc list". Verbs can have verbs: "cclc targets describe".
  /// Options before a verb must be options of the verb as well. Its help ends with \p example.
  CommandLine command(const std::string &name, const std::string &help,
                      const std::string &example = "");
  /// Whether the verb was given, or an option that it replaces.
  bool chosen() const;
  /// Makes \p old, an option of earlier versions of the tool, choose this verb, with a warning that
  /// names \p spelling. Other options must be those of the verb. \p values are those of the
  /// option, or null if it has none.
  void replaces(const char *old, const std::string &spelling,
                std::vector<std::string> *values = nullptr);
  /// " (did you mean 'x'?)" for the verb nearest to \p word, or "" if none is near.
  std::string verbLike(StringRef word) const;

  /// Begins a group of options with the given title. Without a title, they are not shown, and those
  /// of a tool need a verb that has them as well.
  void group(const std::string &title) { currentGroup = title; }
  void positional(const char *name, std::string &place, const std::string &help, bool required);
  /// Adds positional arguments of any number.
  void positionals(const char *name, std::vector<std::string> &place, const std::string &help,
                   bool required = false);
  void flag(const char *names, bool &place, const std::string &help);
  /// Adds a flag with an optional value, one of \p words; without a value it means the first word.
  /// \p place stays empty if the flag is not given.
  void flagOr(const char *name, std::vector<std::string> words, std::string &place,
              const std::string &help);
  void option(const char *names, const char *value, std::optional<std::string> &place,
              const std::string &help);
  /// Adds an option whose value is one of several words.
  void choice(const char *names, std::vector<std::string> words, std::optional<std::string> &place,
              const std::string &help);
  /// The same for an option that may be given several times.
  void choices(const char *names, std::vector<std::string> words, std::vector<std::string> &place,
               const std::string &help);
  void number(const char *names, uint64_t low, uint64_t high, std::optional<uint64_t> &place,
              const std::string &help, const char *value = "N");
  /// Adds an option that may be given several times.
  void list(const char *names, const char *value, std::vector<std::string> &place,
            const std::string &help);

  /// Names words with which completions begin the value of an option or positional argument.
  void suggest(const char *name, std::vector<std::string> words);

  /// Adds --format, the form of the diagnostics.
  void messages(MessageForm &place);

  /// Adds --set, and --multiplex-queues, which is short for one of its values.
  void settings(std::vector<std::string> &place);

  /// Adds \p old as a deprecated spelling of the option \p name, which prints a warning and is not
  /// shown in the help.
  void renamed(const char *old, const char *name);

  /// Returns an exit code if the tool must exit: after help or version, or an error in the
  /// command line. Otherwise sets the memory limit of the process.
  std::optional<int> parse(int argc, char **argv);

private:
  CommandLine(std::shared_ptr<CLI::App> root, CLI::App *verb,
              std::shared_ptr<std::optional<std::string>> maxMemory);
  CLI::Option *limitMemory();
  void limitToWords(CLI::Option *option, std::vector<std::string> words);

  std::shared_ptr<CLI::App> root; ///< the tool, which owns its verbs
  CLI::App *app;
  std::string currentGroup;
  std::shared_ptr<std::optional<std::string>> maxMemory; ///< of the tool and its verbs
};

/// Warns on stderr that a spelling is deprecated.
void warnOfRename(StringRef tool, StringRef old, StringRef name);

} // namespace cclc

#endif // CCL_TOOLS_CLI_COMMANDLINE_H
