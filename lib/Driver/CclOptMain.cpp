//===- CclOptMain.cpp - Passes over text IR -------------------------------===//

#include "CommandLine.h"
#include "ExpectedDiagnostics.h"
#include "Output.h"
#include "ReduceCommand.h"
#include "Text.h"

#include "cclc/Driver/Compile.h"
#include "cclc/Emit/PlanFile.h"
#include "cclc/IR/Parser.h"
#include "cclc/IR/Printer.h"
#include "cclc/Pass/PassRegistry.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
struct Arguments {
  std::string file = "-";
  std::optional<std::string> output, passes, slots, reduceTest;
  bool verifyEach = false, printAfterAll = false, splitInput = false, verifyDiagnostics = false,
       verifyRoundtrip = false, passTiming = false, listPasses = false, locations = false,
       dependences = false, reduce = false;
};

/// A piece of the input: all of it, or what stands between two "// -----".
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
  CclOpt() { registerAllPasses(registry); }
  std::optional<int> parse(int argc, char **argv);
  ExitCode run();

private:
  void listPasses() const;
  ExitCode process(const Piece &piece, StringRef fileName, DiagnosticEngine &diags,
                   raw_ostream &out);
  ExitCode reduce(const Module &module, DiagnosticEngine &diags, raw_ostream &out);
  LogicalResult checkRoundtrip(const Module &module, DiagnosticEngine &diags);

  Arguments args;
  PassRegistry registry;
};

std::optional<int> CclOpt::parse(int argc, char **argv) {
  CommandLine line("ccl-opt", "Runs passes over text IR.\n\nFILE holds a program of any level, or "
                              "a plan in any form; - (the default) reads standard input.");
  line.positional("FILE", args.file, "text IR, or a plan", false);
  line.group("Passes");
  line.option("--passes", "PIPELINE", args.passes, "passes to run: a,b{option=value},c");
  line.flag("--list-passes", args.listPasses, "print all passes and their options");
  line.flag("--verify-each", args.verifyEach, "check the result after every pass");
  line.flag("--print-after-all", args.printAfterAll,
            "print the program after every pass to stderr");
  line.flag("--pass-timing", args.passTiming, "print how long each pass took to stderr");
  line.group("Reduction");
  line.flag("--reduce", args.reduce,
            "cut a plan that fails down to the smallest one that fails in the same way");
  line.option("--reduce-test", "COMMAND", args.reduceTest,
              "what --reduce keeps: COMMAND, called with a file that holds a plan, exits with 0");
  line.option("--slots", "N|inf", args.slots,
              "slots of a connection, for deadlocks (default: the plan's)");
  line.group("Input and output");
  line.option("-o,--output", "FILE", args.output, "where to write the result (default: -, stdout)");
  line.flag("--split-input", args.splitInput, "process the parts between lines '// -----' apart");
  line.flag("--print-locs", args.locations, "print source locations");
  line.flag("--print-deps", args.dependences, "print the processing edges of instructions");
  line.group("Tests");
  line.flag("--verify-diagnostics", args.verifyDiagnostics,
            "compare what is reported with the expected-... comments");
  line.flag("--verify-roundtrip", args.verifyRoundtrip,
            "check that printing and parsing gives the same program again");
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

static FailureOr<Module> readModule(const Piece &piece, StringRef fileName,
                                    DiagnosticEngine &diags) {
  if (!looksLikePlan(piece.text))
    return parseModule(piece.text, fileName, diags, piece.firstLine);
  FailureOr<ExecPlan> plan = readPlan(piece.text, fileName, diags);
  if (failed(plan))
    return failure();
  return Module(std::move(*plan));
}

ExitCode CclOpt::reduce(const Module &module, DiagnosticEngine &diags, raw_ostream &out) {
  const auto *plan = std::get_if<ExecPlan>(&module);
  if (!plan) {
    diags.error({}, "--reduce takes a plan, not a program");
    return ExitCode::Unusable;
  }
  ReduceRequest request;
  request.test = args.reduceTest;
  if (args.slots && !(request.slots = parseSlots(*args.slots, diags)))
    return ExitCode::Unusable;
  auto result = reduceFailingPlan(*plan, request, diags);
  if (const ExitCode *code = std::get_if<ExitCode>(&result))
    return *code;
  print(out, std::get<ExecPlan>(result), {args.locations, args.dependences});
  return ExitCode::Success;
}

ExitCode CclOpt::process(const Piece &piece, StringRef fileName, DiagnosticEngine &diags,
                         raw_ostream &out) {
  FailureOr<Module> module = readModule(piece, fileName, diags);
  if (failed(module))
    return ExitCode::Unusable;
  if (args.verifyRoundtrip && failed(checkRoundtrip(*module, diags)))
    return ExitCode::Internal;
  if (args.reduce)
    return reduce(*module, diags, out);
  FailureOr<std::vector<std::unique_ptr<Pass>>> passes =
      registry.parsePipeline(args.passes.value_or(""), diags);
  if (failed(passes))
    return ExitCode::Unusable;
  PassManagerOptions options;
  options.verifySemantics = args.verifyEach;
  options.printAfterAll = args.printAfterAll;
  options.printTo = &llvm::errs();
  options.print = {args.locations, args.dependences};
  options.timePasses = args.passTiming;
  PassManager manager(options);
  manager.add(std::move(*passes));
  if (failed(manager.accepts(levelOf(*module), diags)))
    return ExitCode::Unusable;
  PassContext context(diags);
  FailureOr<Module> result = manager.run(std::move(*module), context);
  for (const PassManager::Timing &timing : manager.timings())
    llvm::errs() << formatv("{0,10} us  {1}\n", timing.microseconds, timing.pass);
  if (failed(result))
    return ExitCode::Wrong;
  if (args.verifyRoundtrip && failed(checkRoundtrip(*result, diags)))
    return ExitCode::Internal;
  print(out, *result, options.print);
  return ExitCode::Success;
}

ExitCode CclOpt::run() {
  if (args.listPasses) {
    listPasses();
    return ExitCode::Success;
  }
  DiagnosticEngine fileDiags;
  auto refuse = [&](StringRef why) {
    fileDiags.error({}, why);
    report(fileDiags, "ccl-opt");
    return ExitCode::Unusable;
  };
  if ((args.reduceTest || args.slots) && !args.reduce)
    return refuse("--reduce-test and --slots need --reduce");
  if (args.reduce && args.passes)
    return refuse("--reduce and --passes exclude each other");
  auto unusable = [&] {
    report(fileDiags, "ccl-opt");
    return ExitCode::Unusable;
  };
  auto buffer = openPlanFile(args.file, fileDiags);
  if (failed(buffer))
    return unusable();
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
      bool met = succeeded(
          checkExpectedDiagnostics(pieces[i].text, name, pieces[i].firstLine, diags, llvm::errs()));
      code = met ? ExitCode::Success : ExitCode::Wrong;
    } else {
      report(diags, "ccl-opt");
    }
    worst = std::max(worst, code);
  }
  // Messages are the output of a test of messages.
  if (args.verifyDiagnostics)
    return worst;
  if (worst == ExitCode::Success || args.splitInput)
    if (failed(writeFile(
            args.output.value_or("-"), [&](raw_ostream &os) { os << result; }, fileDiags)))
      return unusable();
  return worst;
}
} // namespace

int cclc::cclOptMain(int argc, char **argv) {
  return guarded("ccl-opt", [&] {
    CclOpt opt;
    if (std::optional<int> code = opt.parse(argc, argv))
      return static_cast<ExitCode>(*code);
    return opt.run();
  });
}
