#include "CommandLine.h"

#include "cclc/Driver/ToolMain.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace cclc;

const char *cclc::versionString() { return CCLC_VERSION; }

namespace {
/// Values of options show as "--name VALUE" and "--name[=word|word]", without
/// CLI11's annotations, and groups follow each other with one empty line.
class HelpFormatter : public CLI::Formatter {
  std::string make_usage(const CLI::App *app, std::string name) const override {
    return "\n" + CLI::Formatter::make_usage(app, name);
  }
  std::string make_group(std::string group, bool positional,
                         std::vector<const CLI::Option *> options) const override {
    std::string text = CLI::Formatter::make_group(group, positional, options);
    return positional ? text + "\n" : StringRef(text).ltrim('\n').str();
  }
  std::string make_option_name(const CLI::Option *option, bool positional) const override {
    return StringRef(option->get_name(positional, !positional)).split('{').first.str();
  }
  std::string make_option_opts(const CLI::Option *option) const override {
    std::string value = option->get_type_name();
    if (StringRef(value).starts_with("[="))
      return value;
    if (option->get_type_size() == 0)
      return "";
    return (value.empty() ? "" : " " + value) + (option->get_required() ? " (required)" : "");
  }
};

std::string oneOf(const std::vector<std::string> &words, const std::string &value) {
  if (llvm::is_contained(words, value))
    return "";
  return "is one of " + llvm::join(words, ", ") + ", not '" + value + "'";
}
} // namespace

CommandLine::CommandLine(std::string tool, const std::string &description)
    : owned(std::make_unique<CLI::App>(description, tool)), app(owned.get()) {
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(34);
  app->formatter(formatter);
  app->set_help_flag("-h,--help", "print this help")->group("General");
  app->set_version_flag("--version", tool + " " + versionString(), "print the version")
      ->group("General");
}

CommandLine::CommandLine(CLI::App *verb) : app(verb) {}

CommandLine::~CommandLine() = default;

CommandLine CommandLine::command(const std::string &name, const std::string &help) {
  CLI::App *verb = app->add_subcommand(name, help);
  verb->set_help_flag("-h,--help", "print this help")->group("General");
  verb->group("Commands");
  return CommandLine(verb);
}

bool CommandLine::chosen() const { return app->parsed(); }

void CommandLine::positional(const char *name, std::string &place, const std::string &help,
                             bool required) {
  app->add_option(name, place, help)->required(required)->type_name("");
}

void CommandLine::positionals(const char *name, std::vector<std::string> &place,
                              const std::string &help) {
  app->add_option(name, place, help)->type_name("");
}

void CommandLine::flag(const char *names, bool &place, const std::string &help) {
  app->add_flag(names, place, help)->group(currentGroup)->disable_flag_override();
}

void CommandLine::flagOr(const char *name, std::vector<std::string> words, std::string &place,
                         const std::string &help) {
  app->add_flag(std::string(name) + "{" + words.front() + "}", place, help)
      ->type_name("[=" + llvm::join(words, "|") + "]")
      ->check([words = std::move(words)](const std::string &text) { return oneOf(words, text); })
      ->group(currentGroup);
}

void CommandLine::option(const char *names, const char *value, std::optional<std::string> &place,
                         const std::string &help) {
  app->add_option_function<std::string>(
         names, [&place](const std::string &text) { place = text; }, help)
      ->type_name(value)
      ->group(currentGroup);
}

void CommandLine::choice(const char *names, std::vector<std::string> words,
                         std::optional<std::string> &place, const std::string &help) {
  std::string value = llvm::join(words, "|");
  app->add_option_function<std::string>(
         names, [&place](const std::string &text) { place = text; }, help)
      ->type_name(value)
      ->check([words = std::move(words)](const std::string &text) { return oneOf(words, text); })
      ->group(currentGroup);
}

void CommandLine::number(const char *names, uint64_t low, uint64_t high,
                         std::optional<uint64_t> &place, const std::string &help) {
  auto parse = [=](const std::string &text) -> std::optional<uint64_t> {
    uint64_t value;
    if (StringRef(text).getAsInteger(10, value) || value < low || value > high)
      return std::nullopt;
    return value;
  };
  app->add_option_function<std::string>(
         names, [&place, parse](const std::string &text) { place = parse(text); }, help)
      ->type_name("N")
      ->check([=](const std::string &text) -> std::string {
        if (parse(text))
          return "";
        return "takes a whole number from " + std::to_string(low) + " to " + std::to_string(high) +
               ", not '" + text + "'";
      })
      ->group(currentGroup);
}

void CommandLine::list(const char *names, const char *value, std::vector<std::string> &place,
                       const std::string &help) {
  app->add_option(names, place, help)
      ->allow_extra_args(false)
      ->type_name(value)
      ->group(currentGroup);
}

std::optional<int> CommandLine::parse(int argc, char **argv) {
  try {
    app->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success &success) {
    return app->exit(success);
  } catch (const CLI::ParseError &error) {
    std::string what = error.what();
    // A sentence begins in lower case, the name of a positional stays as it is.
    if (what.size() > 1 && llvm::isLower(what[1]))
      what[0] = llvm::toLower(what[0]);
    // One line is enough.
    what = StringRef(what).split('\n').first.rtrim().str();
    llvm::errs() << app->get_name() << ": error: " << what << "; '" << app->get_name()
                 << " --help' shows the usage\n";
    return static_cast<int>(ExitCode::Unusable);
  }
}
