//===- CommandFuzz.cpp - Arbitrary bytes, read as a command line ----------===//
//
// Each line is an argument of a tool with options of every kind, and a value for every parser of
// values. The command line is accepted, or refused with exit code 2; a value that a parser refuses
// has an error. A first line COLUMNS=N sets the width of the terminal.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "cclc/Support/MemoryBudget.h"
#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Tools/Cli/Sizes.h"
#include "cclc/Tools/Cli/Values.h"

#include <fcntl.h>
#include <unistd.h>

using namespace cclc;
using namespace cclc::fuzz;

namespace {
/// Help and messages of refused command lines go to /dev/null.
class Silence {
public:
  Silence() : out(dup(STDOUT_FILENO)), errors(dup(STDERR_FILENO)) {
    static const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
  ~Silence() {
    llvm::outs().flush();
    dup2(out, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    close(out);
    close(errors);
  }
  Silence(const Silence &) = delete;
  Silence &operator=(const Silence &) = delete;

private:
  int out, errors;
};

/// The exit code of a command line; none if it is accepted.
std::optional<int> parsed(ArrayRef<std::string> arguments, SizeArguments &sizes) {
  CommandLine line("tool", "A tool.");
  std::string file;
  std::vector<std::string> others, sets, list, kinds;
  MessageForm messages = MessageForm::Text;
  std::optional<std::string> text, word;
  std::optional<uint64_t> number;
  std::string form;
  bool flag = false;
  line.positional("FILE", file, "a file", false);
  line.flag("-x,--flag", flag, "a flag");
  line.flagOr("--stats", {"text", "json"}, form, "a flag with a value");
  line.option("-o,--output", "FILE", text, "an option");
  line.choice("--kind", {"text", "json"}, word, "a choice");
  line.choices("--kinds", {"text", "json"}, kinds, "several choices");
  line.messages(messages);
  line.number("--ranks", 1, 1 << 20, number, "a number");
  line.list("-p,--param", "KEY=VALUE", list, "a list");
  line.settings(sets);
  line.renamed("--old", "--output");
  line.renamed("--old-flag", "--flag");
  addSizeOptions(line, sizes);
  CommandLine verb = line.command("verb", "a verb that has a long description, so that its help is "
                                          "broken into several lines");
  verb.positionals("REST", others, "files");
  std::vector<char *> argv;
  std::vector<std::string> all = {"tool"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  for (std::string &argument : all)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::optional<int> code = line.parse(int(all.size()), argv.data());
  if (verb.chosen() && !llvm::is_contained(arguments, "verb"))
    defect("a verb without its name", arguments.front(), {});
  return code;
}

template <class Value> void check(const Value &value, const DiagnosticEngine &diags, StringRef in) {
  if (bool(value) == diags.hasErrors())
    defect("the value and the errors disagree", in, diags);
}

void checkValues(StringRef text) {
  (void)parseSeconds(text);
  std::optional<uint64_t> size = parseSize(text);
  DiagnosticEngine ofSize, ofNumbers, ofPair, ofSlots, ofFusion;
  if (parseSize("--bytes", text, ofSize) != size || size.has_value() == ofSize.hasErrors())
    defect("the value and the errors disagree", text, ofSize);
  check(parseNumbers("--endpoints", text, ofNumbers), ofNumbers, text);
  check(parseKeyValue("-p", text, ofPair), ofPair, text);
  check(parseSlots(text, ofSlots), ofSlots, text);
  check(parseFusion(text, ofFusion), ofFusion, text);
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const StringRef input(reinterpret_cast<const char *>(data), size);
  if (size > 4096 || input.contains('\0'))
    return -1;
  SmallVector<StringRef, 16> lines;
  input.split(lines, '\n');
  if (lines.front().consume_front("COLUMNS=")) {
    setenv("COLUMNS", lines.front().str().c_str(), 1);
    lines.erase(lines.begin());
  } else {
    unsetenv("COLUMNS");
  }
  std::vector<std::string> arguments;
  for (StringRef line : lines) {
    checkValues(line);
    arguments.push_back(line.str());
  }
  SizeArguments sizes;
  std::optional<int> code;
  {
    Silence silence;
    code = parsed(arguments, sizes);
  }
  MemoryBudget::setLimit(Bytes(UINT64_MAX));
  if (code && *code != 0 && *code != 2)
    defect("a command line has the exit code " + std::to_string(*code), input, {});
  if (code)
    return -1;
  DiagnosticEngine diags;
  std::vector<uint64_t> values;
  if (failed(parseSizes(sizes, values, diags)) != diags.hasErrors())
    defect("the sizes and the errors disagree", input, diags);
  if (!diags.hasErrors() && (values.empty() || !llvm::is_sorted(values)))
    defect("sizes do not ascend", input, diags);
  return 0;
}
