//===- CommandLine.cpp - Options on top of CLI11 --------------------------===//
//
// Maps options to CLI11, formats its help (one column for values, lines wrapped to the
// terminal), and reduces its errors to one line, with a suggestion for an unknown option by
// edit distance. --help=json prints the same options as JSON, from which the completions of shells
// are made.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Cli/CommandLine.h"

#include "cclc/Support/Text.h"
#include "cclc/Tools/Cli/Values.h"

#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Printable.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Support/Version.h"
#include "cclc/Tools/Cli/ExitCode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <map>
#include <sstream>

using namespace cclc;

namespace {
/// Prints options as "--name VALUE" and "--name[=word|word]", without CLI11's annotations, and
/// separates groups by one empty line.
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

constexpr size_t helpColumn = 34; ///< column of the descriptions of options
constexpr size_t widthOfFiles = 100;

/// The width of the terminal, which COLUMNS overrides.
size_t helpWidth() {
  unsigned columns = 0;
  if (const char *said = std::getenv("COLUMNS"); said && StringRef(said).getAsInteger(10, columns))
    columns = 0;
  if (columns == 0)
    columns = llvm::sys::Process::StandardOutColumns();
  return columns == 0 ? widthOfFiles : std::max<size_t>(columns, 60);
}

/// Breaks \p line at blanks into lines of at most \p width characters. The description of an option
/// continues in its column.
std::string wrapped(StringRef line, size_t width) {
  std::string result;
  size_t indent = std::min(line.find_first_not_of(' '), line.size());
  bool isOption = indent > 0 && line.size() > helpColumn &&
                  (indent == helpColumn || line[helpColumn - 1] == ' ');
  size_t rest = isOption ? helpColumn : indent, least = rest, room = width;
  while (line.size() > room) {
    size_t at = line.rfind(' ', room);
    if (at == StringRef::npos || at <= least)
      break;
    result += (line.take_front(at).rtrim() + "\n").str() + std::string(rest, ' ');
    line = line.drop_front(at).ltrim();
    // Further lines have an indentation.
    room = width - rest;
    least = 0;
  }
  return result + line.str();
}

std::string wrappedHelp(StringRef text) {
  size_t width = helpWidth();
  std::string result;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    result += wrapped(line, width) + "\n";
    text = rest;
  }
  return result;
}

std::string oneOf(const std::vector<std::string> &words, const std::string &value) {
  if (llvm::is_contained(words, value))
    return "";
  return mustBeOneOf(words, value);
}

struct Tool : CLI::App {
  using CLI::App::App;
  /// That the values of options are among or begin with.
  std::map<const CLI::Option *, std::vector<std::string>> words;
  CLI::App *replaced = nullptr; ///< the verb that an option of earlier versions chooses
  std::string old;              ///< this option
};

std::vector<const CLI::App *> verbsOf(const CLI::App &app) {
  return app.get_subcommands([](const CLI::App *) { return true; });
}

void writeWords(const CLI::Option &option, const Tool &tool, llvm::json::OStream &json) {
  json.attributeArray("words", [&] {
    if (auto found = tool.words.find(&option); found != tool.words.end())
      for (const std::string &word : found->second)
        json.value(word);
  });
}

/// The names of an option, its value, and the words that the value is one of or begins with.
void writeOption(const CLI::Option &option, const Tool &tool, llvm::json::OStream &json) {
  const std::string shown = option.get_type_name();
  StringRef value = shown;
  bool canBeOmitted = value.consume_front("[=") && value.consume_back("]");
  json.attributeArray("names", [&] {
    for (const std::string &name : option.get_snames())
      json.value("-" + name);
    for (const std::string &name : option.get_lnames())
      json.value("--" + name);
  });
  json.attribute("value", option.get_type_size() == 0 && !canBeOmitted ? "" : value);
  json.attribute("value_can_be_omitted", canBeOmitted);
  writeWords(option, tool, json);
  json.attribute("help", option.get_description());
}

/// The options of a tool or of a verb in the order of the help, and its verbs.
void writeOptions(const CLI::App &app, const Tool &tool, llvm::json::OStream &json) {
  json.attribute("name", app.get_name());
  json.attribute("help", StringRef(app.get_description()).split('\n').first);
  auto writeThose = [&](StringRef key, bool positional) {
    json.attributeArray(key, [&] {
      for (const CLI::Option *option : app.get_options())
        if (option->get_positional() == positional && !option->get_group().empty())
          json.object([&] {
            if (positional) {
              json.attribute("name", option->get_name(/*positional=*/true));
              writeWords(*option, tool, json);
            } else {
              writeOption(*option, tool, json);
            }
          });
    });
  };
  writeThose("positionals", true);
  writeThose("options", false);
  json.attributeArray("commands", [&] {
    for (const CLI::App *verb : verbsOf(app))
      json.object([&] { writeOptions(*verb, tool, json); });
  });
}

/// " (did you mean 'x'?)" for the verb of \p app nearest to \p word.
std::string likeVerb(const CLI::App &app, StringRef word) {
  std::vector<std::string> names;
  for (const CLI::App *verb : verbsOf(app))
    names.push_back(verb->get_name());
  return didYouMean(word, names);
}

/// The command as it is typed: "cclc targets describe".
std::string typed(const CLI::App &app) {
  return (app.get_parent() ? typed(*app.get_parent()) + " " : "") + app.get_name();
}

/// The verb that was chosen, or the tool.
const CLI::App &chosenIn(const Tool &tool) {
  const CLI::App *verb = tool.replaced ? tool.replaced : &tool;
  while (!verb->get_subcommands().empty())
    verb = verb->get_subcommands().front();
  return *verb;
}

/// Whether the help of \p app has the option; deprecated spellings are in no group.
bool hasOption(const CLI::App &app, const std::string &name) {
  const CLI::Option *option = app.get_option_no_throw(name);
  return option && !option->get_positional() && !option->get_group().empty();
}

/// The commands of \p app, quoted, that have the option.
void addOwners(const CLI::App &app, const std::string &name, std::vector<std::string> &owners) {
  if (hasOption(app, name))
    owners.push_back("'" + typed(app) + "'");
  for (const CLI::App *verb : verbsOf(app))
    addOwners(*verb, name, owners);
}

/// The message for an option that \p verb does not have.
std::string unknownOption(const Tool &tool, const CLI::App &verb, const std::string &name) {
  std::vector<std::string> names, owners;
  addOwners(tool, name, owners);
  if (!owners.empty())
    return "'" + name + "' is not an option of '" + typed(verb) + "', but of " +
           llvm::join(owners, ", ");
  for (const CLI::Option *option : verb.get_options()) {
    if (option->get_group().empty())
      continue;
    for (const std::string &known : option->get_lnames())
      names.push_back("--" + known);
    for (const std::string &known : option->get_snames())
      names.push_back("-" + known);
  }
  return "unknown option '" + name + "'" + didYouMean(name, names);
}

/// The message for an argument that the tool does not accept.
std::string unexpected(const Tool &tool) {
  std::vector<std::string> extras = tool.remaining(/*recurse=*/true);
  const CLI::App &verb = chosenIn(tool);
  auto option = std::find_if(extras.begin(), extras.end(), [](const std::string &word) {
    return word.size() > 1 && word.front() == '-';
  });
  if (option != extras.end())
    return unknownOption(tool, verb, StringRef(*option).split('=').first.str());
  return "unexpected argument '" + extras.front() + "'" + likeVerb(verb, extras.front());
}

/// The message for the first argument that has no effect on the chosen verb, or without one; empty
/// if there is none.
std::string misplaced(const Tool &tool) {
  const CLI::App &verb = chosenIn(tool);
  if (tool.replaced && !tool.get_subcommands().empty())
    return "'" + tool.old + "' and '" + typed(*tool.get_subcommands().front()) +
           "' are two commands: give one";
  for (const CLI::App *app = &verb; app; app = app->get_parent())
    for (const CLI::Option *option : app->get_options()) {
      if (option->count() == 0)
        continue;
      if (option->get_positional()) {
        if (app == &verb || tool.replaced)
          continue;
        return "'" + option->results().front() + "' precedes the command '" + verb.get_name() +
               "': give the command first, or './" + verb.get_name() + "' for a file of this name";
      }
      // Those in no group are deprecated spellings, or need a verb that has them.
      const std::vector<std::string> &names = option->get_lnames();
      const std::string name =
          names.empty() ? "-" + option->get_snames().front() : "--" + names.front();
      std::vector<std::string> owners;
      addOwners(tool, name, owners);
      bool needsVerb = option->get_group().empty() && !app->get_parent();
      if (!owners.empty() && (app == &verb ? needsVerb : !verb.get_option_no_throw(name)))
        return unknownOption(tool, verb, name);
    }
  return "";
}
} // namespace

CommandLine::CommandLine(const std::string &tool, const std::string &description)
    : root(std::make_shared<Tool>(description, tool)), app(root.get()),
      maxMemory(std::make_shared<std::optional<std::string>>()) {
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(helpColumn);
  app->formatter(formatter);
  app->set_help_flag("-h,--help", "print this help")->group("General");
  app->set_version_flag("--version", tool + " " + versionString(), "print the version")
      ->group("General");
  limitMemory()->group("General");
}

/// Verbs have the option of the tool, which is the last option of a command line as well.
CLI::Option *CommandLine::limitMemory() {
  return app
      ->add_option_function<std::string>(
          "--max-memory", [given = maxMemory](const std::string &size) { *given = size; },
          "limit the memory of the tool (default: 80 % of the machine's memory or the "
          "control group's limit)")
      ->type_name("SIZE");
}

/// CLI11 omits options in a group without a name from the help.
CommandLine::CommandLine(std::shared_ptr<CLI::App> root, CLI::App *verb,
                         std::shared_ptr<std::optional<std::string>> maxMemory)
    : root(std::move(root)), app(verb), maxMemory(std::move(maxMemory)) {
  limitMemory()->group("");
  group("Options");
}

CommandLine::CommandLine(CommandLine &&) noexcept = default;
CommandLine::~CommandLine() = default;

CommandLine CommandLine::command(const std::string &name, const std::string &help,
                                 const std::string &example) {
  CLI::App *verb = app->require_subcommand(0, 1)->add_subcommand(name, help);
  verb->set_help_flag("-h,--help", "print this help")->group("General");
  verb->group("Commands");
  if (!example.empty())
    verb->footer("Example: " + example);
  return CommandLine(root, verb, maxMemory);
}

bool CommandLine::chosen() const {
  return app->parsed() || static_cast<const Tool &>(*root).replaced == app;
}

void CommandLine::replaces(const char *old, const std::string &spelling,
                           std::vector<std::string> *values) {
  auto choose = [tool = static_cast<Tool *>(root.get()), verb = app, old, spelling] {
    if (tool->replaced)
      throw CLI::ParseError("'" + tool->old + "' and '" + old + "' are two commands: give one",
                            CLI::ExitCodes::InvalidError);
    warnOfRename(tool->get_name(), old, spelling);
    tool->replaced = verb;
    tool->old = old;
  };
  if (!values)
    root->add_flag_callback(old, choose)->group("");
  else
    root->add_option_function<std::vector<std::string>>(
            old,
            [values, choose](const std::vector<std::string> &given) {
              choose();
              *values = given;
            })
        ->allow_extra_args(false)
        ->group("");
}

std::string CommandLine::verbLike(StringRef word) const { return likeVerb(*app, word); }

void CommandLine::positional(const char *name, std::string &place, const std::string &help,
                             bool required) {
  app->add_option(name, place, help)->required(required)->type_name("");
}

void CommandLine::positionals(const char *name, std::vector<std::string> &place,
                              const std::string &help, bool required) {
  app->add_option(name, place, help)->required(required)->type_name("");
}

void CommandLine::flag(const char *names, bool &place, const std::string &help) {
  app->add_flag(names, place, help)->group(currentGroup)->disable_flag_override();
}

void CommandLine::flagOr(const char *name, std::vector<std::string> words, std::string &place,
                         const std::string &help) {
  CLI::Option *option = app->add_flag(std::string(name) + "{" + words.front() + "}", place, help);
  static_cast<Tool &>(*root).words[option] = words;
  option->type_name("[=" + llvm::join(words, "|") + "]")
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
  CLI::Option *option = app->add_option_function<std::string>(
      names, [&place](const std::string &text) { place = text; }, help);
  limitToWords(option, std::move(words));
}

void CommandLine::messages(MessageForm &place) {
  static constexpr std::pair<const char *, MessageForm> forms[] = {
      {"text", MessageForm::Text}, {"github", MessageForm::Github}, {"junit", MessageForm::Junit}};
  CLI::Option *option = app->add_option_function<std::string>(
      "--format",
      [&place](const std::string &text) {
        for (auto [word, form] : forms)
          if (text == word)
            place = form;
      },
      "print errors and warnings as text, as annotations of GitHub Actions, or as a report of "
      "JUnit (default: text)");
  std::vector<std::string> words;
  for (auto [word, form] : forms)
    words.push_back(word);
  limitToWords(option, std::move(words));
}

void CommandLine::choices(const char *names, std::vector<std::string> words,
                          std::vector<std::string> &place, const std::string &help) {
  limitToWords(app->add_option(names, place, help)->allow_extra_args(false), std::move(words));
}

void CommandLine::limitToWords(CLI::Option *option, std::vector<std::string> words) {
  static_cast<Tool &>(*root).words[option] = words;
  option->type_name(llvm::join(words, "|"))
      ->check([words = std::move(words)](const std::string &text) { return oneOf(words, text); })
      ->group(currentGroup);
}

void CommandLine::number(const char *names, uint64_t low, uint64_t high,
                         std::optional<uint64_t> &place, const std::string &help,
                         const char *value) {
  auto parse = [=](const std::string &text) -> std::optional<uint64_t> {
    uint64_t value;
    if (StringRef(text).getAsInteger(10, value) || value < low || value > high)
      return std::nullopt;
    return value;
  };
  app->add_option_function<std::string>(
         names, [&place, parse](const std::string &text) { place = parse(text); }, help)
      ->type_name(value)
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

void CommandLine::suggest(const char *name, std::vector<std::string> words) {
  static_cast<Tool &>(*root).words[app->get_option(name)] = std::move(words);
}

void CommandLine::settings(std::vector<std::string> &place) {
  list("--set", "PATH=VALUE", place, "override a value of the target");
  // Callbacks run in the order in which options were added, so the list is complete.
  app->add_flag_callback(
         "--multiplex-queues", [&place] { place.emplace_back("ipcq.multiplex=on"); },
         "let connections share the queues of a PE; short for --set ipcq.multiplex=on")
      ->group(currentGroup)
      ->disable_flag_override();
}

void CommandLine::renamed(const char *old, const char *name) {
  CLI::Option *option = app->get_option(name);
  auto use = [tool = app->get_name(), old, name, option](const std::string &value) {
    warnOfRename(tool, old, name);
    option->add_result(value);
  };
  // Not shown in the help, because it has no group.
  if (option->get_expected_max() == 0)
    app->add_flag_callback(old, [use] { use("true"); })->trigger_on_parse()->group("");
  else
    app->add_option_function<std::string>(old, use)->trigger_on_parse()->group("");
}

void cclc::warnOfRename(StringRef tool, StringRef old, StringRef name) {
  llvm::errs() << tool << ": warning: " << old << " is deprecated; use " << name << '\n';
}

/// The message of CLI11 about the number of values of an option, "--ranks: 1 required N missing" or
/// "--ranks: At Most 1 required but received 2", in other words.
static std::string wrongNumber(const std::string &what) {
  auto [option, number] = StringRef(what).split(": ");
  if (number.consume_front("1 required ") && number.consume_back(" missing"))
    return (option + " needs a value, " + number).str();
  if (number.consume_front("At Most 1 required but received "))
    return (option + " is given " + number + " times").str();
  return what;
}

std::optional<int> CommandLine::parse(int argc, char **argv) {
  const Tool &tool = static_cast<const Tool &>(*root);
  if (argc == 2 && StringRef(argv[1]) == "--help=json") {
    llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
    json.object([&] { writeOptions(*app, tool, json); });
    llvm::outs() << '\n';
    return 0;
  }
  try {
    app->parse(argc, argv);
    if (!misplaced(tool).empty())
      throw CLI::ParseError("misplaced", CLI::ExitCodes::InvalidError);
    std::optional<uint64_t> limit = *maxMemory ? parseSize(**maxMemory) : std::nullopt;
    if (*maxMemory && !limit)
      throw CLI::ValidationError("--max-memory",
                                 "takes a size such as 512M or 4GiB, not '" + **maxMemory + "'");
    if (limit && Bytes(*limit) < MemoryBudget::leastLimit)
      throw CLI::ValidationError(
          "--max-memory", "takes at least " + sizeText(MemoryBudget::leastLimit) + ", not '" +
                              **maxMemory + "': sizes are in bytes without a unit");
    MemoryBudget::setLimit(limit ? Bytes(*limit) : MemoryBudget::ofMachine());
    return std::nullopt;
  } catch (const CLI::Success &success) {
    std::ostringstream text;
    int code = app->exit(success, text, text);
    llvm::outs() << wrappedHelp(StringRef(text.str()).rtrim('\n'));
    return code;
  } catch (const CLI::ParseError &error) {
    std::string what = error.what();
    if (error.get_exit_code() == int(CLI::ExitCodes::ExtrasError))
      what = unexpected(tool);
    if (error.get_exit_code() == int(CLI::ExitCodes::ArgumentMismatch))
      what = wrongNumber(what);
    // The reason why an argument of the verb is missing, too.
    if (std::string why = misplaced(tool); !why.empty())
      what = why;
    // Begin the message in lower case, but keep the name of a positional.
    if (what.size() > 1 && llvm::isLower(what[1]))
      what[0] = llvm::toLower(what[0]);
    llvm::errs() << app->get_name() << ": error: " << printable(what) << "; '"
                 << typed(chosenIn(tool)) << " --help' shows the usage\n";
    return static_cast<int>(ExitCode::Unusable);
  }
}
