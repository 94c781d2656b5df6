//===- CclOpt.cpp - The command line of ccl-opt ---------------------------===//
//
// Reads text IR or a plan, runs the passes of the command line over it, and prints the result. Like
// mlir-opt it is intended for tests: --split-input runs the pieces of a file separately, and
// --verify-diagnostics compares errors with comments.
//
//===----------------------------------------------------------------------===//

#include "ExpectedDiagnostics.h"
#include "MinimizeCommand.h"
#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Tools/Cli/Output.h"
#include "cclc/Tools/Cli/Values.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Formats/PlanText.h"
#include "cclc/IR/Text/Parser.h"
#include "cclc/IR/Text/Printer.h"
#include "cclc/Support/Interrupts.h"
#include "cclc/Support/Text.h"
#include "cclc/Target/Loader.h"
#include "cclc/Transforms/Pass/PassRegistry.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace cclc;
using llvm::formatv;

namespace {
struct Arguments {
  std::string file = "-";
  std::optional<std::string> output, passes, slots, minimizeTest, target;
  std::vector<std::string> sets;
  bool verifyEach = false, printAfterAll = false, splitInput = false, verifyDiagnostics = false,
       verifyRoundtrip = false, timePasses = false, listPasses = false, locations = false,
       dependences = false, minimize = false;
  MessageForm format = MessageForm::Text;
};

/// A part of the input: all of it, or the text between two lines "// -----".
struct Piece {
  StringRef text;
  unsigned firstLine;
};

std::vector<Piece> split(StringRef text) {
  std::vector<Piece> pieces;
  unsigned line = 1, first = 1;
  size_t begin = 0;
  for (size_t at = 0; at < text.size(); ++line) {
    size_t end = std::min(text.find('\n', at), text.size());
    if (text.slice(at, end).rtrim() == "// -----") {
      pieces.push_back({text.slice(begin, at), first});
      begin = std::min(end + 1, text.size());
      first = line + 1;
    }
    at = end + 1;
  }
  pieces.push_back({text.drop_front(begin), first});
  return pieces;
}

class CclOpt {
public:
  explicit CclOpt(const char *argv0) : resources(Resources::find(argv0)) {
    registerAllPasses(registry);
  }
  std::optional<int> parse(int argc, char **argv);
  ExitCode run();

private:
  void listPasses() const;
  ExitCode process(const Piece &piece, StringRef fileName, DiagnosticEngine &diags,
                   raw_ostream &out);
  ExitCode reduce(const Module &module, DiagnosticEngine &diags, raw_ostream &out);
  void keepSmallest(const ExecPlan &plan);
  LogicalResult checkRoundtrip(const Module &module, DiagnosticEngine &diags);
  FailureOr<std::optional<Machine>> loadMachine(uint32_t ranks, DiagnosticEngine &diags) const;

  Resources resources;
  StageTimes times;
  Arguments args;
  PassRegistry registry;
};

std::optional<int> CclOpt::parse(int argc, char **argv) {
  CommandLine line("ccl-opt", "Run passes over text IR.\n\nFILE is a program of any level, or a "
                              "plan in any form; - (the default) reads standard input.");
  line.positional("FILE", args.file, "text IR, or a plan", false);
  line.group("Passes");
  line.option("--passes", "PIPELINE", args.passes, "run these passes: a,b{option=value},c");
  line.option("--target", "NAME|FILE", args.target, "use this machine in the pass 'place'");
  line.settings(args.sets);
  line.flag("--list-passes", args.listPasses, "print all passes and their options");
  line.flag("--verify-each", args.verifyEach, "check the program after every pass");
  line.flag("--print-after-all", args.printAfterAll,
            "print the program after every pass to stderr");
  line.flag("--time-passes", args.timePasses, "print time and memory of each stage to stderr");
  line.renamed("--pass-timing", "--time-passes");
  line.group("Minimisation");
  line.flag("--minimize", args.minimize,
            "reduce a failing plan to the smallest one with the same failure");
  line.renamed("--reduce", "--minimize");
  line.option("--minimize-test", "COMMAND", args.minimizeTest,
              "keep plans for which COMMAND, called with a plan file, exits with 0");
  line.renamed("--reduce-test", "--minimize-test");
  line.option("--slots", "N|inf", args.slots,
              "set the number of slots of a connection, for deadlocks (default: the plan's)");
  line.group("Input and output");
  line.option("-o,--output", "FILE", args.output, "write the result to FILE (default: -, stdout)");
  line.flag("--split-input", args.splitInput,
            "split the input at lines '// -----' and process each part separately");
  line.flag("--print-locs", args.locations, "print source locations");
  line.flag("--print-deps", args.dependences,
            "print the dependences of instructions inside a rank");
  line.messages(args.format);
  line.group("Tests");
  line.flag("--verify-diagnostics", args.verifyDiagnostics,
            "compare the diagnostics with the expected-... comments");
  line.flag("--verify-roundtrip", args.verifyRoundtrip,
            "check that printing and parsing reproduces the program");
  return line.parse(argc, argv);
}

void CclOpt::listPasses() const {
  for (const PassEntry &pass : registry.all()) {
    llvm::outs() << pass.name << " (" << levelName(pass.input);
    if (pass.output != pass.input)
      llvm::outs() << " to " << levelName(pass.output);
    llvm::outs() << "): " << pass.summary << '\n';
    SmallVector<StringRef, 4> options;
    StringRef(pass.options).split(options, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef option : options)
      llvm::outs() << "  " << option << '\n';
  }
}

LogicalResult CclOpt::checkRoundtrip(const Module &module, DiagnosticEngine &diags) {
  auto text = [](const Module &m) {
    std::string result;
    llvm::raw_string_ostream os(result);
    print(os, m, {.locations = true, .dependences = false});
    return result;
  };
  std::string once = text(module);
  FailureOr<Module> again = parseModule(once, "<printed>", diags);
  if (failed(again))
    return failure();
  if (text(*again) != once)
    return diags.error({}, "the printed program parses to a different one");
  return success();
}

/// Reads a plan or program. A rolled plan is unrolled \p forPasses, and otherwise kept.
static FailureOr<Module> readModule(const Piece &piece, StringRef fileName, bool forPasses,
                                    DiagnosticEngine &diags) {
  const PlanFormat *format = sniffPlanFormat(piece.text);
  std::optional<FailureOr<RolledPlan>> rolled;
  if (!format || format->sniff == looksLikeTextPlan) { // text IR of any level
    FailureOr<Module> module = parseModule(piece.text, fileName, diags, piece.firstLine);
    if (failed(module) || infoOf(*module).rotations.empty())
      return module;
    rolled = rolledPlan(std::get<ExecPlan>(*module), {fileName.str()}, diags);
  } else {
    FailureOr<AnyPlan> plan = readAnyPlan(piece.text, fileName, diags);
    if (failed(plan))
      return failure();
    if (auto *all = std::get_if<ExecPlan>(&*plan))
      return Module(std::move(*all));
    rolled = std::get<RolledPlan>(std::move(*plan));
  }
  if (failed(*rolled))
    return failure();
  FailureOr<ExecPlan> plan = forPasses ? unroll(**rolled, diags) : listed(**rolled, diags);
  if (failed(plan))
    return failure();
  return Module(std::move(*plan));
}

ExitCode CclOpt::reduce(const Module &module, DiagnosticEngine &diags, raw_ostream &out) {
  const auto *plan = std::get_if<ExecPlan>(&module);
  if (!plan) {
    diags.error({}, "--minimize takes a plan, not a program");
    return ExitCode::Unusable;
  }
  MinimizeRequest request;
  request.test = args.minimizeTest;
  if (args.slots)
    request.slots = parseSlots(*args.slots, diags);
  if (args.slots && !request.slots)
    return ExitCode::Unusable;
  // An interrupt keeps the smallest plan so far.
  std::mutex changing;
  std::optional<ExecPlan> smallest;
  request.onSmaller = [&](const ExecPlan &part) {
    std::lock_guard lock(changing);
    smallest = part;
  };
  InterruptScope interrupts([&] {
    changing.lock();
    if (smallest && !args.splitInput)
      keepSmallest(*smallest);
  });
  auto result = minimizeFailingPlan(*plan, request, diags);
  if (const ExitCode *code = std::get_if<ExitCode>(&result))
    return *code;
  print(out, std::get<ExecPlan>(result), {args.locations, args.dependences});
  return ExitCode::Success;
}

/// Writes the result of an interrupted search.
void CclOpt::keepSmallest(const ExecPlan &plan) {
  DiagnosticEngine diags;
  diags.warning({}, "interrupted: the plan may become smaller than " +
                        counted(plan.steps().size(), "step"));
  auto write = [&](raw_ostream &os) { print(os, plan, {args.locations, args.dependences}); };
  (void)writeFile(args.output.value_or("-"), write, diags);
  report(diags, "ccl-opt", args.format, planFileName(args.file).str());
}

/// Loads the machine of --target, if given.
FailureOr<std::optional<Machine>> CclOpt::loadMachine(uint32_t ranks,
                                                      DiagnosticEngine &diags) const {
  if (!args.target)
    return std::optional<Machine>();
  TargetRequest request{*args.target, resources.targets, {}, ranks};
  if (failed(parseOverrides(args.sets, request.overrides, diags)))
    return failure();
  FailureOr<Machine> machine = loadTarget(request, diags);
  if (failed(machine))
    return failure();
  return std::optional<Machine>(std::move(*machine));
}

ExitCode CclOpt::process(const Piece &piece, StringRef fileName, DiagnosticEngine &diags,
                         raw_ostream &out) {
  times.begin("read");
  FailureOr<Module> module = readModule(piece, fileName, args.passes || args.minimize, diags);
  if (failed(module))
    return ExitCode::Unusable;
  if (args.verifyRoundtrip && failed(checkRoundtrip(*module, diags)))
    return ExitCode::Internal;
  if (args.minimize)
    return reduce(*module, diags, out);
  FailureOr<std::optional<Machine>> machine = loadMachine(infoOf(*module).ranks(), diags);
  if (failed(machine))
    return ExitCode::Unusable;
  PassRegistry available;
  registerAllPasses(available, *machine ? &**machine : nullptr);
  FailureOr<std::vector<std::unique_ptr<Pass>>> passes =
      available.parsePipeline(args.passes.value_or(""), diags);
  if (failed(passes))
    return ExitCode::Unusable;
  PassManagerOptions options;
  options.verifySemantics = args.verifyEach;
  options.printAfterAll = args.printAfterAll;
  options.printTo = &llvm::errs();
  options.print = {args.locations, args.dependences};
  options.times = &times;
  PassManager manager(options);
  manager.add(std::move(*passes));
  if (failed(manager.accepts(levelOf(*module), diags)))
    return ExitCode::Unusable;
  PassContext context(diags);
  times.begin("passes");
  FailureOr<Module> result = manager.run(std::move(*module), context);
  if (failed(result))
    return ExitCode::Wrong;
  if (args.verifyRoundtrip && failed(checkRoundtrip(*result, diags)))
    return ExitCode::Internal;
  times.begin("print");
  print(out, *result, options.print);
  return ExitCode::Success;
}

ExitCode CclOpt::run() {
  if (args.listPasses) {
    listPasses();
    return ExitCode::Success;
  }
  DiagnosticEngine fileDiags;
  auto end = [&](ExitCode code) {
    report(fileDiags, "ccl-opt", args.format, planFileName(args.file).str());
    return code;
  };
  auto refuse = [&](StringRef why) {
    fileDiags.error({}, why);
    return end(ExitCode::Unusable);
  };
  if ((args.minimizeTest || args.slots) && !args.minimize)
    return refuse("--minimize-test and --slots require --minimize");
  if (!args.sets.empty() && !args.target)
    return refuse("--set and --multiplex-queues require --target");
  if (args.minimize && args.passes)
    return refuse("--minimize and --passes exclude each other");
  NamedFiles files;
  files.input("FILE", args.file);
  files.target(args.target, resources.targets);
  files.output("-o", args.output);
  if (failed(files.check(fileDiags)))
    return end(ExitCode::Unusable);
  auto buffer = openPlanFile(args.file, fileDiags);
  if (failed(buffer))
    return end(ExitCode::Unusable);
  StringRef name = planFileName(args.file);
  StringRef text = (*buffer)->getBuffer();
  std::vector<Piece> pieces = args.splitInput ? split(text) : std::vector<Piece>{{text, 1}};

  std::string result;
  llvm::raw_string_ostream out(result);
  ExitCode worst = ExitCode::Success;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0)
      out << "// -----\n";
    DiagnosticEngine diags;
    ExitCode code = process(pieces[i], name, diags, out);
    if (args.verifyDiagnostics) {
      std::vector<Mismatch> found =
          checkExpectedDiagnostics(pieces[i].text, name, pieces[i].firstLine, diags);
      code = found.empty() ? ExitCode::Success : ExitCode::Wrong;
      for (const Mismatch &each : found) {
        if (args.format != MessageForm::Text)
          fileDiags.error(each.where, each.text);
        else if (each.where.isKnown())
          llvm::errs() << each.where << ": " << each.text << '\n';
        else
          llvm::errs() << each.text << '\n';
      }
    } else {
      fileDiags.append(std::move(diags));
    }
    worst = std::max(worst, code);
  }
  if (args.timePasses) {
    times.end();
    times.print(llvm::errs());
  }
  // With --verify-diagnostics, the diagnostics are the output that is tested.
  if (args.verifyDiagnostics)
    return args.format == MessageForm::Text ? worst : end(worst);
  if (worst == ExitCode::Success)
    if (failed(writeFile(
            args.output.value_or("-"), [&](raw_ostream &os) { os << result; }, fileDiags)))
      worst = ExitCode::Unusable;
  return end(worst);
}
} // namespace

int main(int argc, char **argv) {
  return guarded("ccl-opt", [&] {
    CclOpt opt(argv[0]);
    if (std::optional<int> code = opt.parse(argc, argv))
      return static_cast<ExitCode>(*code);
    return opt.run();
  });
}
